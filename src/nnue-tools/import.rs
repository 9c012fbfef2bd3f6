//! Nets made elsewhere: the files of other programs become nets of ours.
//!
//! Integers of [other programs](crate::foreign) keep their values and scales. Integers without a
//! safe bound are accepted: their accumulators wrap, as in the program of origin ([`Net::excess`]
//! reports possible overflows). [Float weights](crate::floats) are quantised as those of a training
//! here. `docs/importing.md` has details.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::floats::{self, FloatsContentError, FloatsDescription};
use super::foreign::bullet::{self, BulletError, BulletLayout, BulletNet};
use super::foreign::stockfish::{self, StockfishError, StockfishNet};
use super::foreign::thesis::{self, ThesisError, ThesisNet};
use super::provenance;
use base::files;
use features::FeatureSet;
use nnue::{FloatWeights, Layers, LayersError, Net, QuantiseError, quantise};

#[cfg(test)]
mod tests;

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
        "byte 0: neither a net of Stockfish nor one of the thesis begins so, nor a safetensors file; \
         a file of bullet has no header: describe it by --layout, as in `bullet 256 screlu -> 1`"
    )]
    Unknown,
    /// Features, layers or a unit for a file of integers.
    #[error(
        "{format} has features, layers and units of its own: --features, --layers and \
         --output-unit are for float weights in a safetensors file; leave them out"
    )]
    Described { format: &'static str },
    #[error(transparent)]
    Floats(#[from] FloatsContentError),
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

/// The part of a file's meaning that is not in the file.
#[derive(Clone, Debug)]
pub enum Description {
    /// Of a file of bullet, which has no header.
    Bullet(BulletLayout),
    /// Of float weights, as far as their metadata lack it; the default for all other files.
    Floats(FloatsDescription),
}

impl Default for Description {
    fn default() -> Self {
        Self::Floats(FloatsDescription::default())
    }
}

/// Most bytes of a net.
const MOST_BYTES: u64 = 16 << 30;

/// The net of a file.
pub fn net(path: &Path, description: &Description) -> Result<Net, ImportError> {
    let path = path.to_owned();
    let bytes = match files::read(&path, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(ImportError::Io { path, source }),
    };
    let net = Foreign::read(&bytes, description).and_then(|foreign| {
        let provenance = foreign.provenance(&path, &bytes);
        foreign.into_net(provenance)
    });
    net.map_err(|source| ImportError::Content { path, source })
}

/// A net in the form of its file.
enum Foreign {
    Thesis(ThesisNet),
    Stockfish(StockfishNet),
    Bullet(BulletNet),
    Floats(FloatWeights, Arc<FeatureSet>),
}

impl Foreign {
    fn read(bytes: &[u8], description: &Description) -> Result<Self, ContentError> {
        let floats = match description {
            Description::Bullet(layout) => {
                return Ok(Self::Bullet(BulletNet::from_bytes(bytes, layout)?));
            }
            Description::Floats(floats) => floats,
        };
        if floats::recognises(bytes) {
            let (weights, features) = floats::from_bytes(bytes, floats)?;
            return Ok(Self::Floats(weights, features));
        }
        let format = match (StockfishNet::recognises(bytes), ThesisNet::recognises(bytes)) {
            (true, _) => "a net of Stockfish",
            (_, true) => "a net of the thesis",
            (false, false) => return Err(ContentError::Unknown),
        };
        if !floats.is_empty() {
            return Err(ContentError::Described { format });
        }
        Ok(match StockfishNet::recognises(bytes) {
            true => Self::Stockfish(StockfishNet::from_bytes(bytes)?),
            false => Self::Thesis(ThesisNet::from_bytes(bytes)?),
        })
    }

    /// Provenance: the file and its description. Float weights are quantised here, within the
    /// bounds of nets that were trained here; so they are not `imported`.
    fn provenance(&self, path: &Path, bytes: &[u8]) -> Value {
        let mut file = json!({
            "file": path.file_name().unwrap_or_default().to_string_lossy(),
            "blake3": blake3::hash(bytes).to_string(),
        });
        let (key, more) = match self {
            Self::Floats(..) => ("weights", json!({})),
            Self::Thesis(net) => {
                ("imported", json!({ "set": net.set(), "source": thesis::SOURCE }))
            }
            Self::Stockfish(net) => (
                "imported",
                json!({ "description": net.description(), "source": stockfish::SOURCE }),
            ),
            Self::Bullet(net) => (
                "imported",
                json!({ "layout": net.layout().to_string(), "source": bullet::SOURCE }),
            ),
        };
        if let (Some(file), Value::Object(more)) = (file.as_object_mut(), more) {
            file.extend(more);
        }
        provenance::now_with(json!({ key: file }))
    }

    fn into_net(self, provenance: Value) -> Result<Net, ContentError> {
        let net = match self {
            Self::Thesis(net) => net.to_net(provenance)?,
            Self::Stockfish(net) => net.to_net(provenance)?,
            Self::Bullet(net) => net.to_net(provenance)?,
            Self::Floats(weights, features) => quantise(&weights, &features, provenance)?,
        };
        let line = net.architecture().layers.to_string();
        match line.parse::<Layers>() {
            Ok(_) => Ok(net),
            Err(source) => Err(ContentError::Layers { source }),
        }
    }
}
