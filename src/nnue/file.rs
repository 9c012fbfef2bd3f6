//! The net file: everything a reader needs, and a checksum.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `OPLUSNET` |
//! | 4 | format version, u32 |
//! | 4 | length of the header, u32 |
//! | … | header, JSON: expression, architecture, scales, provenance |
//! | … | `ft_weights` i16, `ft_bias` i16, `l2_weights` i16, `l2_bias` i32, `out_weights` i32, `out_bias` i64 |
//! | 32 | BLAKE3 of all bytes before |
//!
//! All numbers are little endian. Files are written beside their target and
//! renamed, so a reader never sees half of one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::net::{Net, Scales};
use super::weights::Architecture;
use crate::features::{ExpressionError, FeatureSet};

const MAGIC: &[u8; 8] = b"OPLUSNET";
const VERSION: u32 = 1;
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
    #[error("{}: net format version {found}, this program reads version {VERSION}; use the program that made it, or train again", path.display())]
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
struct Header {
    expression: String,
    features_hash: String,
    architecture: Architecture,
    scales: Scales,
    provenance: serde_json::Value,
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
        for values in [&self.ft_weights, &self.ft_bias, &self.l2_weights] {
            values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        }
        for values in [&self.l2_bias, &self.out_weights] {
            values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        }
        bytes.extend_from_slice(&self.out_bias.to_le_bytes());
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
        if version != VERSION {
            return Err(NetError::Version { path, found: version });
        }
        let header_end = 16 + word(12).ok_or_else(|| short(16))? as usize;
        let header = bytes.get(16..header_end).ok_or_else(|| short(header_end + CHECKSUM))?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|e| NetError::Header { path: path.clone(), reason: e.to_string() })?;
        let body_end = bytes.len().saturating_sub(CHECKSUM);
        let expected = tensor_bytes(&header.architecture)
            .and_then(|tensors| tensors.checked_add(header_end + CHECKSUM));
        if expected != Some(bytes.len()) {
            return Err(short(expected.unwrap_or(usize::MAX)));
        }
        if blake3::hash(&bytes[..body_end]).as_bytes() != &bytes[body_end..] {
            return Err(NetError::Checksum { path, at: body_end });
        }
        Self::assemble(header, &bytes[header_end..body_end], path)
    }

    fn assemble(header: Header, tensors: &[u8], path: PathBuf) -> Result<Net, NetError> {
        let features = FeatureSet::parse(&header.expression)
            .map_err(|source| NetError::Expression { path: path.clone(), source })?;
        let architecture = header.architecture;
        let Scales { qa, qb, qc } = header.scales;
        let problem = if features.size() != architecture.features {
            Some(format!(
                "`{}` has {} features, the net {}",
                header.expression,
                features.size(),
                architecture.features
            ))
        } else if architecture.l1 == 0 || architecture.l2 == 0 {
            Some("a layer has no neurons".to_owned())
        } else if !(1..=32_767).contains(&qa) || !(1..=32_767).contains(&qb) || qc < 1 {
            Some(format!("scales {qa}, {qb}, {qc} are out of range"))
        } else {
            None
        };
        if let Some(reason) = problem {
            return Err(NetError::Header { path, reason });
        }
        let Architecture { l1, l2, .. } = architecture;
        let mut reader = Tensors(tensors);
        Ok(Net {
            ft_weights: reader.i16s(architecture.features * l1),
            ft_bias: reader.i16s(l1),
            l2_weights: reader.i16s(l2 * 2 * l1),
            l2_bias: reader.i32s(l2),
            out_weights: reader.i32s(l2),
            out_bias: reader.take::<8>(1).map(i64::from_le_bytes).sum(),
            features,
            architecture,
            scales: header.scales,
            provenance: header.provenance,
        })
    }
}

/// Bytes of all tensors; `None` if the sizes are absurd.
fn tensor_bytes(architecture: &Architecture) -> Option<usize> {
    let Architecture { features, l1, l2 } = *architecture;
    let ft = features.checked_add(1)?.checked_mul(l1)?.checked_mul(2)?;
    let hidden =
        l1.checked_mul(2)?.checked_mul(l2)?.checked_mul(2)?.checked_add(l2.checked_mul(4)?)?;
    ft.checked_add(hidden)?.checked_add(l2.checked_mul(4)?)?.checked_add(8)
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

    fn i32s(&mut self, count: usize) -> Vec<i32> {
        self.take(count).map(i32::from_le_bytes).collect()
    }
}
