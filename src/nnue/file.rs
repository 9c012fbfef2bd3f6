//! The net file: all data of a net, and a checksum.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `OPLUSNET` |
//! | 4 | format version, u32 |
//! | 4 | length of the header, u32 |
//! | … | header, JSON: expression and its hash, architecture, scales, provenance |
//! | … | the tensors, in the order of [`TensorName::of`] |
//! | 32 | BLAKE3 of all bytes before |
//!
//! All numbers are little endian; `docs/net-file.md` has details for other programs.
//!
//! A file is written beside its target and renamed, so a reader never sees half of one.

mod problem;
mod read;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::layers::Architecture;
use super::net::Net;
use super::scales::Scales;
#[cfg(doc)]
use super::tensors::TensorName;
use base::atomic::write_atomically;
use base::files;
pub(crate) use problem::Problem;

const MAGIC: &[u8; 8] = b"OPLUSNET";
/// Offset of the version.
const VERSION_AT: usize = 8;
/// Offset of the header.
const HEADER_AT: usize = 16;
const CHECKSUM_BYTES: usize = 32;

/// The only supported version.
pub(crate) const VERSION: u32 = 5;

/// A net file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct NetError {
    /// The file.
    pub path: PathBuf,
    /// Problem, byte and remedy.
    problem: Problem,
}

#[derive(Serialize, Deserialize)]
struct Header {
    expression: String,
    features_hash: String,
    architecture: Architecture,
    scales: Scales,
    provenance: Value,
}

impl Net {
    /// The file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.content(&self.provenance);
        let checksum = blake3::hash(&bytes);
        bytes.extend_from_slice(checksum.as_bytes());
        bytes
    }

    /// Hash of everything that decides evaluations: of the file without provenance. Nets of two
    /// identical trainings have the same.
    pub fn fingerprint(&self) -> blake3::Hash {
        blake3::hash(&self.content(&Value::Null))
    }

    /// The file without its checksum.
    fn content(&self, provenance: &Value) -> Vec<u8> {
        let header = Header {
            expression: self.features.canonical().to_owned(),
            features_hash: self.features.hash(),
            architecture: self.architecture.clone(),
            scales: self.scales.clone(),
            provenance: provenance.clone(),
        };
        let tensors: Vec<u8> =
            self.tensors().flat_map(|(_, values)| values.to_le_bytes()).collect();
        content(&header, &tensors)
    }

    /// Writes the file, atomically.
    pub fn save(&self, path: &Path) -> Result<(), NetError> {
        write_atomically(path, &[&self.to_bytes()])
            .map_err(|error| NetError { path: error.path, problem: Problem::Write(error.source) })
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Net, NetError> {
        let net = read_whole(path).and_then(|bytes| read::net(&bytes));
        net.map_err(|problem| NetError { path: path.to_owned(), problem })
    }

    /// Reads the bytes of a file; `path` is for messages.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Net, NetError> {
        read::net(bytes).map_err(|problem| NetError { path: path.to_owned(), problem })
    }
}

fn content(header: &impl Serialize, tensors: &[u8]) -> Vec<u8> {
    let header = serde_json::to_vec(header).expect("text and numbers are JSON");
    let mut bytes = Vec::with_capacity(HEADER_AT + header.len() + tensors.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(tensors);
    bytes
}

/// The format counts the bytes of a tensor in 32 bits.
const MOST_BYTES: u64 = 8 << 30;

/// The bytes of a file. The magic is checked first, since other files may have any length.
fn read_whole(path: &Path) -> Result<Vec<u8>, Problem> {
    files::check(path, MOST_BYTES).map_err(Problem::Read)?;
    let mut file = File::open(path).map_err(Problem::Read)?;
    let mut bytes = Vec::new();
    let start = (&mut file).take(HEADER_AT as u64).read_to_end(&mut bytes);
    start.map_err(Problem::Read)?;
    read::check_version(&bytes)?;
    file.read_to_end(&mut bytes).map_err(Problem::Read)?;
    Ok(bytes)
}
