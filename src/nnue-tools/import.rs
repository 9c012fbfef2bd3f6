//! Nets made elsewhere: the files of other programs become nets of ours.
//!
//! | files | of | recognised by |
//! |---|---|---|
//! | [`thesis`] | Lombardo's thesis (UBA 2024) | the feature set they begin with |
//! | [`stockfish`] | Stockfish 15.1, `export_net` | their first four bytes |
//! | [`bullet`] | the trainer bullet, `quantised.bin` | nothing: a [layout](bullet::BulletLayout) describes them |
//!
//! All of them keep the integers and scales of their files. Integers without a safe bound are
//! accepted: their accumulators wrap, as in the program of origin ([`Net::excess`] reports possible
//! overflows). `docs/importing.md` has details.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::provenance;
use base::files;
use bullet::{BulletError, BulletLayout, BulletNet};
use nnue::Net;
use nnue::QuantiseError;
use nnue::{Layers, LayersError};
use stockfish::{StockfishError, StockfishNet};
use thesis::{ThesisError, ThesisNet};

pub mod bullet;
mod fields;
pub mod stockfish;
#[cfg(test)]
mod tests;
pub mod thesis;

pub use fields::FieldError;

/// A file that could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{}: cannot be read", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The content makes no net.
    #[error("{}: not imported", path.display())]
    Content { path: PathBuf, source: ContentError },
}

/// Bytes that make no net.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// No recognised format.
    #[error(
        "byte 0: neither a net of Stockfish nor one of the thesis begins so; what a file of bullet has in it says --layout, as in `bullet 256 screlu -> 1`"
    )]
    Unknown,
    #[error(transparent)]
    Thesis(#[from] ThesisError),
    #[error(transparent)]
    Stockfish(#[from] StockfishError),
    #[error(transparent)]
    Bullet(#[from] BulletError),
    #[error(transparent)]
    Quantise(#[from] QuantiseError),
    /// Widths outside of the grammar, which no net file can have.
    #[error("no net here has such layers")]
    Layers { source: LayersError },
}

/// Most bytes of a net.
const MOST_BYTES: u64 = 1 << 30;

/// The net of a file; with a layout, of a file of bullet.
pub fn net(path: &Path, layout: Option<&BulletLayout>) -> Result<Net, ImportError> {
    let path = path.to_owned();
    let bytes = match files::read(&path, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(ImportError::Io { path, source }),
    };
    let net = Foreign::read(&bytes, layout).and_then(|foreign| {
        let provenance = foreign.provenance(&path, &bytes);
        foreign.into_net(provenance)
    });
    net.map_err(|source| ImportError::Content { path, source })
}

/// A net in the form of another program's file.
enum Foreign {
    Thesis(ThesisNet),
    Stockfish(StockfishNet),
    Bullet(BulletNet),
}

impl Foreign {
    fn read(bytes: &[u8], layout: Option<&BulletLayout>) -> Result<Self, ContentError> {
        if let Some(layout) = layout {
            return Ok(Self::Bullet(BulletNet::from_bytes(bytes, layout)?));
        }
        if StockfishNet::recognises(bytes) {
            return Ok(Self::Stockfish(StockfishNet::from_bytes(bytes)?));
        }
        if ThesisNet::recognises(bytes) {
            return Ok(Self::Thesis(ThesisNet::from_bytes(bytes)?));
        }
        Err(ContentError::Unknown)
    }

    /// Provenance: the file and its description.
    fn provenance(&self, path: &Path, bytes: &[u8]) -> Value {
        let mut imported = json!({
            "file": path.file_name().unwrap_or_default().to_string_lossy(),
            "blake3": blake3::hash(bytes).to_string(),
        });
        let more = match self {
            Self::Thesis(net) => json!({ "set": net.set(), "source": thesis::SOURCE }),
            Self::Stockfish(net) => {
                json!({ "description": net.description(), "source": stockfish::SOURCE })
            }
            Self::Bullet(net) => {
                json!({ "layout": net.layout().to_string(), "source": bullet::SOURCE })
            }
        };
        if let (Some(imported), Value::Object(more)) = (imported.as_object_mut(), more) {
            imported.extend(more);
        }
        provenance::now_with(json!({ "imported": imported }))
    }

    fn into_net(self, provenance: Value) -> Result<Net, ContentError> {
        let net = match self {
            Self::Thesis(net) => net.to_net(provenance)?,
            Self::Stockfish(net) => net.to_net(provenance)?,
            Self::Bullet(net) => net.to_net(provenance)?,
        };
        let line = net.architecture().layers.to_string();
        match line.parse::<Layers>() {
            Ok(_) => Ok(net),
            Err(source) => Err(ContentError::Layers { source }),
        }
    }
}
