//! The layout of a network file of Stockfish 15.1.
//!
//! | bytes | field |
//! |---|---|
//! | 4 | version, u32 |
//! | 4 | hash of the whole net, u32 |
//! | 4 + n | length and text of the description |
//! | 4 | hash of the feature transformer, u32 |
//! | 2·L1 | its biases, i16 |
//! | 2·N·L1 | its weights, i16, the L1 values of a feature together |
//! | 4·N·8 | piece-square values, i32, the 8 values of a feature together |
//!
//! and for each of 8 buckets
//!
//! | bytes | field |
//! |---|---|
//! | 4 | hash of its dense layers, u32 |
//! | 4·16, 16·L1 | biases, i32, and weights, i8, of fc_0, the L1 values of an output together |
//! | 4·32, 32·32 | the same of fc_1 |
//! | 4, 32 | the same of fc_2 |
//!
//! All numbers are little endian; there is no checksum. The weights of an output are padded to a
//! multiple of 32; no input reads the padding.

use std::fmt::Display;

use super::{Affine, SET, SIZES, Sizes, Stack, StockfishNet, hashes};
use crate::foreign::fields::{FieldError, Fields};

/// First bytes of every network file of Stockfish.
pub(super) const VERSION: u32 = 0x7af3_2f20;

/// The weights of an output are padded to multiples of this.
pub(super) const GROUP: usize = 32;

/// Bytes that are no network file of Stockfish 15.1.
#[derive(Debug, thiserror::Error)]
pub enum StockfishError {
    #[error(
        "byte 0: the version is {found:#010x}, that of a net of Stockfish is {expected:#010x}: is this the right file?"
    )]
    Version { found: u32, expected: u32 },
    #[error(
        "byte {at}: the hash of {part} is {found:#010x}, that of a net of Stockfish 15.1 is {expected:#010x}; \
         other versions have other layers: import what `export_net` of Stockfish 15.1 writes"
    )]
    Hash { at: usize, part: String, found: u32, expected: u32 },
    /// The layers are those of Stockfish 15, whose hashes are the same.
    #[error(
        "byte {at}: fc_1 has no weights for the last {inputs} of its inputs in any bucket, as in nets of Stockfish 15, \
         which squares nothing; import what `export_net` of Stockfish 15.1 writes"
    )]
    Unsquared { at: usize, inputs: usize },
    /// A value too large for accumulators.
    #[error(
        "the piece-square value of feature {feature} in bucket {bucket} is {found}; values have to be within ±{most}"
    )]
    Psqt { feature: usize, bucket: usize, found: i32, most: i32 },
    /// The file is shorter or longer than a net.
    #[error(transparent)]
    Fields(#[from] FieldError),
}

impl StockfishNet {
    /// Whether the first bytes are those of a network file of Stockfish, of any version.
    pub fn recognises(bytes: &[u8]) -> bool {
        bytes.starts_with(&VERSION.to_le_bytes())
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StockfishError> {
        Self::of_sizes(bytes, SIZES)
    }

    pub(super) fn of_sizes(bytes: &[u8], sizes: Sizes) -> Result<Self, StockfishError> {
        let mut reader = Reader { fields: Fields::new(bytes) };
        reader.version()?;
        reader.hash("the net", hashes::network(sizes))?;
        let description = reader.description()?;
        reader.hash("the feature transformer", hashes::transformer(sizes))?;
        let (features, fields) = (SET.size(), &mut reader.fields);
        let biases = fields.values("biases", &[sizes.l1], i16::from_le_bytes)?;
        let weights = fields.values("weights", &[features, sizes.l1], i16::from_le_bytes)?;
        let psqt = [features, sizes.buckets];
        let psqt = fields.values("piece-square values", &psqt, i32::from_le_bytes)?;
        let at = fields.at();
        let stacks: Vec<Stack> =
            (0..sizes.buckets).map(|n| reader.stack(n, sizes)).collect::<Result<_, _>>()?;
        reader.fields.end()?;
        ensure_squared(&stacks, sizes, at)?;
        Ok(Self { description, sizes, biases, weights, psqt, stacks })
    }
}

/// Rejects nets of Stockfish 15, which have as many weights and the same hashes. Their fc_1 reads
/// the clipped sums alone; the weights of the squared sums are padding there.
fn ensure_squared(stacks: &[Stack], sizes: Sizes, at: usize) -> Result<(), StockfishError> {
    let mut rows = stacks.iter().flat_map(|stack| stack.fc_1.weights.chunks(sizes.activations()));
    match rows.any(|row| row[sizes.l2..].iter().any(|&weight| weight != 0)) {
        true => Ok(()),
        false => Err(StockfishError::Unsquared { at, inputs: sizes.l2 }),
    }
}

/// Reads sections one after the other.
struct Reader<'a> {
    fields: Fields<'a>,
}

impl Reader<'_> {
    fn version(&mut self) -> Result<(), StockfishError> {
        match self.fields.value("the version", u32::from_le_bytes)? {
            VERSION => Ok(()),
            found => Err(StockfishError::Version { found, expected: VERSION }),
        }
    }

    fn hash(&mut self, part: impl Display, expected: u32) -> Result<(), StockfishError> {
        let at = self.fields.at();
        let found = self.fields.value(format_args!("the hash of {part}"), u32::from_le_bytes)?;
        if found == expected {
            return Ok(());
        }
        Err(StockfishError::Hash { at, part: part.to_string(), found, expected })
    }

    /// Text, with replacement characters for invalid UTF-8.
    fn description(&mut self) -> Result<String, StockfishError> {
        let length = self.fields.value("the length of the description", u32::from_le_bytes)?;
        let text = self.fields.take("the description", length as usize)?;
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn stack(&mut self, bucket: usize, sizes: Sizes) -> Result<Stack, StockfishError> {
        self.hash(format_args!("bucket {bucket}"), hashes::stack(sizes))?;
        let mut layer = |name, inputs, outputs| {
            self.affine(format_args!("{name} of bucket {bucket}"), inputs, outputs)
        };
        Ok(Stack {
            fc_0: layer("fc_0", sizes.products(), sizes.sums())?,
            fc_1: layer("fc_1", sizes.activations(), sizes.l3)?,
            fc_2: layer("fc_2", sizes.l3, 1)?,
        })
    }

    /// A dense layer, its weights without padding.
    fn affine(
        &mut self,
        layer: impl Display,
        inputs: usize,
        outputs: usize,
    ) -> Result<Affine, StockfishError> {
        let filled = inputs.next_multiple_of(GROUP);
        let biases = format_args!("biases of {layer}");
        let biases = self.fields.values(biases, &[outputs], i32::from_le_bytes)?;
        let weights = format_args!("weights of {layer}");
        let weights = self.fields.values(weights, &[outputs, filled], i8::from_le_bytes)?;
        let rows = weights.chunks_exact(filled);
        Ok(Affine { biases, weights: rows.flat_map(|row| &row[..inputs]).copied().collect() })
    }
}
