//! The bytes of a file of bullet, read by a layout.
//!
//! The file has no header, so only its length can be checked, and a wrong layout is likelier than a
//! damaged file: the message suggests a hidden layer that would fit.

use super::{BulletLayout, BulletNet};
use nnue::LayersError;

/// Files are padded to a multiple of this.
pub(super) const MULTIPLE: usize = 64;

/// Bullet's padding, repeated.
pub(super) const FILLING: &[u8] = b"bullet";

/// Bytes that are no net of a layout.
#[derive(Debug, thiserror::Error)]
pub enum BulletError {
    /// Wrong length.
    #[error("the file has {found} bytes, a net of this layout {expected} and up to 63 that fill it up; {}", would_fit(.neurons))]
    Size { found: usize, expected: usize, neurons: Option<usize> },
    /// Padding that is neither zeros nor bullet's.
    #[error(
        "byte {at}: the net ends before it, and what fills the file up is neither zeros nor what bullet writes; is this layout that of the file?"
    )]
    Filling { at: usize },
    /// Layers outside of the grammar.
    #[error("no net here has such layers")]
    Layers { source: LayersError },
    /// Output weights that are too large, most likely by a wrong layout.
    #[error("the output can leave 32 bits; is this layout that of the file?")]
    Output,
}

fn would_fit(neurons: &Option<usize>) -> String {
    match neurons {
        Some(neurons) => format!("a hidden layer of {neurons} would fit"),
        None => "no hidden layer would fit: are features and buckets those of the file?".to_owned(),
    }
}

impl BulletNet {
    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8], layout: &BulletLayout) -> Result<Self, BulletError> {
        let expected = layout.bytes();
        if !layout.fits(bytes.len()) {
            let neurons = layout.neurons_in(bytes.len());
            return Err(BulletError::Size { found: bytes.len(), expected, neurons });
        }
        let (net, filling) = bytes.split_at(expected);
        if let Some(at) = misfilled(filling) {
            return Err(BulletError::Filling { at: expected + at });
        }
        let numbers: Vec<i16> =
            net.as_chunks().0.iter().map(|&bytes| i16::from_le_bytes(bytes)).collect();
        let [ft_weights, ft_bias, out_weights, out_bias] = layout.split(&numbers);
        Ok(Self { layout: layout.clone(), ft_weights, ft_bias, out_weights, out_bias })
    }
}

/// The first byte that is not padding.
fn misfilled(bytes: &[u8]) -> Option<usize> {
    let zeros = bytes.iter().position(|&byte| byte != 0);
    let words = bytes.iter().zip(FILLING.iter().cycle()).position(|(byte, letter)| byte != letter);
    zeros.zip(words).map(|(a, b)| a.max(b))
}

impl BulletLayout {
    /// Length of each field.
    fn sizes(&self) -> [usize; 4] {
        let Self { hidden, buckets, .. } = *self;
        [self.features.size() * hidden, hidden, buckets * 2 * hidden, buckets]
    }

    fn bytes(&self) -> usize {
        2 * self.sizes().iter().sum::<usize>()
    }

    /// Whether a file of `bytes` bytes is such a net, padded or not.
    fn fits(&self, bytes: usize) -> bool {
        [self.bytes(), self.bytes().next_multiple_of(MULTIPLE)].contains(&bytes)
    }

    /// The hidden layer with which a file of `bytes` bytes would be such a net.
    fn neurons_in(&self, bytes: usize) -> Option<usize> {
        let a_neuron = self.features.size() + 1 + 2 * self.buckets;
        let hidden = (bytes / 2).checked_sub(self.buckets)? / a_neuron;
        (hidden > 0 && Self { hidden, ..self.clone() }.fits(bytes)).then_some(hidden)
    }

    /// The numbers of each field.
    fn split(&self, mut numbers: &[i16]) -> [Vec<i16>; 4] {
        self.sizes().map(|size| {
            let (field, rest) = numbers.split_at(size);
            numbers = rest;
            field.to_vec()
        })
    }
}
