//! The net file: everything a reader needs, and a checksum.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `OPLUSNET` |
//! | 4 | format version, u32 |
//! | 4 | length of the header, u32 |
//! | … | header, JSON: expression, architecture, scales, provenance |
//! | … | `ft_weights` i16, `ft_bias` i16, `dense_weights` i16, `dense_bias` i32, `out_weights` i32, `out_bias` i64 |
//! | 32 | BLAKE3 of all bytes before |
//!
//! Tensors of layers that the net does not have are empty. Version 1, which is
//! still read, has nets of two hidden layers with clipped ReLU only; its header
//! gives their sizes alone.
//!
//! All numbers are little endian. Files are written beside their target and
//! renamed, so a reader never sees half of one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::activation::Activation;
use super::architecture::{Architecture, Buckets, HiddenActivation, Layers};
use super::net::{Net, Scales, accumulator_width};
use crate::features::{ExpressionError, FeatureSet};

const MAGIC: &[u8; 8] = b"OPLUSNET";
const VERSION: u32 = 2;
const CHECKSUM: usize = 32;

/// A net file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The file system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Not a net file at all.
    #[error(
        "{}: not an oplus net (byte 0: expected the magic `OPLUSNET`); a net file is made by `oplus run` or `oplus train`",
        path.display()
    )]
    Magic {
        /// The file.
        path: PathBuf,
    },
    /// From another version of the program.
    #[error("{}: net format version {found}, this program reads versions 1 to {VERSION}; use the program that made it, or train again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version it has.
        found: u32,
    },
    /// Shorter or longer than its header says.
    #[error("{}: the file has {found} bytes where {expected} are needed; it was cut off or damaged: copy it again, or train again", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes it should have.
        expected: usize,
        /// Bytes it has.
        found: usize,
    },
    /// Bytes were changed.
    #[error("{}: checksum mismatch at byte {at}; the file is damaged: copy it again, or train again", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Where the checksum stands.
        at: usize,
    },
    /// A header that says nothing sensible.
    #[error("{}: header at byte 16: {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The header's feature expression is not understood.
    #[error("{}: the net's feature expression cannot be read", path.display())]
    Expression {
        /// The file.
        path: PathBuf,
        /// Where in the expression.
        #[source]
        source: Box<ExpressionError>,
    },
}

#[derive(Serialize, Deserialize)]
struct Header<A> {
    expression: String,
    features_hash: String,
    architecture: A,
    scales: Scales,
    provenance: serde_json::Value,
}

/// The architecture in a header of version 1.
#[derive(Deserialize)]
struct Sizes {
    features: usize,
    l1: usize,
    l2: usize,
}

impl From<Sizes> for Architecture {
    fn from(Sizes { features, l1, l2 }: Sizes) -> Self {
        let (activation, buckets) = (HiddenActivation::ClippedRelu, Buckets::ONE);
        Self { features, layers: Layers::Two { l1, l2, activation, buckets } }
    }
}

fn parse_header(version: u32, text: &[u8]) -> serde_json::Result<Header<Architecture>> {
    if version > 1 {
        return serde_json::from_slice(text);
    }
    let header: Header<Sizes> = serde_json::from_slice(text)?;
    let Header { expression, features_hash, architecture, scales, provenance } = header;
    let architecture = architecture.into();
    Ok(Header { expression, features_hash, architecture, scales, provenance })
}

impl Net {
    /// The file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            expression: self.features.canonical().to_owned(),
            features_hash: self.features.hash(),
            architecture: self.architecture,
            scales: self.scales,
            provenance: self.provenance.clone(),
        };
        let header = serde_json::to_vec(&header).unwrap_or_default();
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        for values in [&*self.ft_weights, &self.ft_bias, &self.dense_weights] {
            values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        }
        for values in [&self.dense_bias, &self.out_weights] {
            values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        }
        self.out_bias.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        let checksum = blake3::hash(&bytes);
        bytes.extend_from_slice(checksum.as_bytes());
        bytes
    }

    /// Writes the file, atomically.
    pub fn save(&self, path: &Path) -> Result<(), NetError> {
        let io = |source| NetError::Io { path: path.to_owned(), source };
        let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(dir).map_err(io)?;
        file.write_all(&self.to_bytes()).map_err(io)?;
        file.as_file().sync_all().map_err(io)?;
        file.persist(path).map_err(|e| io(e.error))?;
        Ok(())
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Net, NetError> {
        let bytes =
            std::fs::read(path).map_err(|source| NetError::Io { path: path.to_owned(), source })?;
        Self::from_bytes(&bytes, path)
    }

    /// Reads the bytes of a file; `path` is for messages.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Net, NetError> {
        let path = path.to_owned();
        let short =
            |expected: usize| NetError::Length { path: path.clone(), expected, found: bytes.len() };
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) || bytes.is_empty() {
            return Err(NetError::Magic { path });
        }
        let word = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let version = word(8).ok_or_else(|| short(16))?;
        if !(1..=VERSION).contains(&version) {
            return Err(NetError::Version { path, found: version });
        }
        let header_end = 16 + word(12).ok_or_else(|| short(16))? as usize;
        let header = bytes.get(16..header_end).ok_or_else(|| short(header_end + CHECKSUM))?;
        let header = parse_header(version, header)
            .map_err(|e| NetError::Header { path: path.clone(), reason: e.to_string() })?;
        let body_end = bytes.len().saturating_sub(CHECKSUM);
        let expected = Counts::of(&header.architecture)
            .and_then(|counts| counts.bytes()?.checked_add(header_end + CHECKSUM));
        if expected != Some(bytes.len()) {
            return Err(short(expected.unwrap_or(usize::MAX)));
        }
        if blake3::hash(&bytes[..body_end]).as_bytes() != &bytes[body_end..] {
            return Err(NetError::Checksum { path, at: body_end });
        }
        Self::assemble(header, &bytes[header_end..body_end], path)
    }

    fn assemble(
        header: Header<Architecture>,
        tensors: &[u8],
        path: PathBuf,
    ) -> Result<Net, NetError> {
        let features = FeatureSet::parse(&header.expression)
            .map_err(|source| NetError::Expression { path: path.clone(), source })?;
        let architecture = header.architecture;
        let counts = Counts::of(&architecture).unwrap_or_default();
        let problem = if features.size() != architecture.features {
            Some(format!(
                "`{}` has {} features, the net {}",
                header.expression,
                features.size(),
                architecture.features
            ))
        } else {
            problem_of(header.scales, architecture.layers)
        };
        if let Some(reason) = problem {
            return Err(NetError::Header { path, reason });
        }
        let mut reader = Tensors(tensors);
        Ok(Net {
            ft_weights: reader.i16s(counts.ft_weights).into(),
            ft_bias: reader.i16s(counts.ft_bias),
            dense_weights: reader.i16s(counts.dense_weights),
            dense_bias: reader.i32s(counts.dense_bias),
            out_weights: reader.i32s(counts.out_weights),
            out_bias: reader.i64s(counts.out_bias),
            features,
            architecture,
            scales: header.scales,
            provenance: header.provenance,
        })
    }
}

/// Why there can be no net of such layers at such scales.
fn problem_of(scales: Scales, layers: Layers) -> Option<String> {
    let is_empty = match layers {
        Layers::Linear => false,
        Layers::One { l1, .. } => l1 == 0,
        Layers::Two { l1, l2, .. } => l1 == 0 || l2 == 0,
    };
    if is_empty {
        return Some("a layer has no neurons".to_owned());
    }
    let Scales { qa, qb, qc } = scales;
    let in_range = (1..=32_767).contains(&qa) && (1..=32_767).contains(&qb) && qc >= 1;
    let squared = layers.activation() == Activation::SquaredClippedRelu;
    // At most 2¹⁰, so that the square of an accumulator value fits with ease.
    let suits = !squared || (qa.count_ones() == 1 && qb.count_ones() == 1 && qa <= 1 << 10);
    match in_range && suits {
        true => None,
        false => Some(format!("scales {qa}, {qb}, {qc} are out of range")),
    }
}

/// Numbers in each tensor.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    ft_weights: usize,
    ft_bias: usize,
    dense_weights: usize,
    dense_bias: usize,
    out_weights: usize,
    out_bias: usize,
}

impl Counts {
    /// `None` if the sizes are absurd.
    fn of(architecture: &Architecture) -> Option<Self> {
        let Architecture { features, layers } = *architecture;
        let (width, buckets) = (accumulator_width(layers), layers.buckets().count());
        let dense_bias = layers.dense_outputs().checked_mul(buckets)?;
        let (out_weights, out_bias) = match layers {
            Layers::Linear | Layers::One { .. } => (0, 0),
            Layers::Two { l2, .. } => (l2.checked_mul(buckets)?, buckets),
        };
        Some(Self {
            ft_weights: features.checked_mul(width)?,
            ft_bias: width,
            dense_weights: width.checked_mul(2)?.checked_mul(dense_bias)?,
            dense_bias,
            out_weights,
            out_bias,
        })
    }

    fn bytes(&self) -> Option<usize> {
        let shorts = [self.ft_weights, self.ft_bias, self.dense_weights];
        let words = [self.dense_bias, self.out_weights];
        let bytes = |counts: &[usize], size: usize| {
            counts.iter().try_fold(0usize, |sum, &n| sum.checked_add(n.checked_mul(size)?))
        };
        bytes(&shorts, 2)?.checked_add(bytes(&words, 4)?)?.checked_add(bytes(&[self.out_bias], 8)?)
    }
}

/// Reads tensors one after the other; the length was checked before.
struct Tensors<'a>(&'a [u8]);

impl Tensors<'_> {
    fn take<const N: usize>(&mut self, count: usize) -> impl Iterator<Item = [u8; N]> {
        let (taken, rest) = self.0.split_at(count * N);
        self.0 = rest;
        taken.as_chunks::<N>().0.iter().copied()
    }

    fn i16s(&mut self, count: usize) -> Vec<i16> {
        self.take(count).map(i16::from_le_bytes).collect()
    }

    fn i64s(&mut self, count: usize) -> Vec<i64> {
        self.take(count).map(i64::from_le_bytes).collect()
    }

    fn i32s(&mut self, count: usize) -> Vec<i32> {
        self.take(count).map(i32::from_le_bytes).collect()
    }
}
