//! Float weights in a file: a trained net before quantisation.
//!
//! Training continues from them without any loss. The file is one of safetensors with names and
//! shapes of PyTorch, so that `torch` reads and writes it too:
//!
//! | tensor | shape |
//! |---|---|
//! | `ft.weight`, `ft.bias` | `[features, width]`, `[width]` |
//! | `psqt.weight` | `[features, buckets]` |
//! | `dense.N.weight`, `dense.N.bias` | `[buckets, sums, inputs]`, `[buckets, sums]` |
//! | `skip` | `[1]` |
//!
//! Units are those of [`FloatWeights`], activations and centipawns. The metadata `oplus` is a JSON
//! object with the feature `expression` and the line of `layers`.

mod read;
mod state;
mod tensor;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use safetensors::tensor::{Dtype, SafeTensorError, TensorView, serialize};
use serde::Deserialize;

use base::atomic::{WriteError, write_atomically};
use base::files;
use features::FeatureSet;
use nnue::{FloatWeights, Layers};

pub use read::{FloatsContentError, FloatsDescription, from_bytes, recognises};
pub use state::{FloatArray, StateError, from_state};
pub use tensor::FloatTensor;

/// Key of the only metadata entry.
const METADATA: &str = "oplus";

/// Most bytes of a file of weights.
const MOST_BYTES: u64 = 16 << 30;

/// Features and layers of a file of weights; files of other programs may lack them.
#[derive(Default, Deserialize)]
struct FloatsHeader {
    expression: Option<String>,
    layers: Option<Layers>,
}

/// A file of weights that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FloatsError {
    /// The file is missing, or the disk fails.
    #[error("{}: cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{}: {source}; `oplus train` leaves such a file as weights.safetensors in its folder",
        path.display()
    )]
    Content { path: PathBuf, source: FloatsContentError },
}

/// Writes weights that were trained with `features`, atomically.
pub fn save(weights: &FloatWeights, features: &FeatureSet, path: &Path) -> Result<(), WriteError> {
    let bytes = to_bytes(weights, features).map_err(|error| WriteError {
        path: path.to_owned(),
        source: io::Error::other(error.to_string()),
    })?;
    write_atomically(path, &[&bytes])
}

/// The file as bytes.
pub fn to_bytes(weights: &FloatWeights, features: &FeatureSet) -> Result<Vec<u8>, SafeTensorError> {
    let layers = &weights.architecture.layers;
    // Texts alone: there is no map that JSON could refuse.
    let header = serde_json::json!({ "expression": features.canonical(), "layers": layers });
    let views = FloatTensor::of(layers).into_iter().map(|tensor| {
        let values = bytemuck::cast_slice(tensor.values(weights));
        let view = TensorView::new(Dtype::F32, tensor.shape(&weights.architecture), values)?;
        Ok((tensor.name(), view))
    });
    let views = views.collect::<Result<Vec<_>, SafeTensorError>>()?;
    serialize(views, Some(HashMap::from([(METADATA.to_owned(), header.to_string())])))
}

/// Reads weights and their feature set.
pub fn load(path: &Path) -> Result<(FloatWeights, Arc<FeatureSet>), FloatsError> {
    let path = path.to_owned();
    let bytes = match files::read(&path, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(FloatsError::Read { path, source }),
    };
    from_bytes(&bytes, &FloatsDescription::default())
        .map_err(|source| FloatsError::Content { path, source })
}
