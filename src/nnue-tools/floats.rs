//! Float weights in a file: a trained net before quantisation.
//!
//! Training continues from them without any loss. The file is one of safetensors, so that Python
//! reads it too: the tensors of the net, in units of activation and centipawns, and as the metadata
//! `oplus` a JSON object with the feature `expression` and the line of `layers`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};

use base::atomic::{WriteError, write_atomically};
use base::files;
use features::FeatureSet;
use nnue::{Architecture, DenseWeights, FloatWeights, Layers};

/// Key of the only metadata entry.
const METADATA: &str = "oplus";

/// Most bytes of a file of weights.
const MOST_BYTES: u64 = 16 << 30;

/// Features and layers of a file of weights.
#[derive(Serialize, Deserialize)]
struct FloatsHeader {
    expression: String,
    layers: Layers,
}

/// A file of weights that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FloatsError {
    /// The file is missing, or the disk fails.
    #[error("{}: cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{}: no weights of a net: {reason}; `oplus train` leaves such a file as \
         weights.safetensors in its folder",
        path.display()
    )]
    Content { path: PathBuf, reason: String },
}

/// Writes weights that were trained with `features`, atomically.
pub fn save(weights: &FloatWeights, features: &FeatureSet, path: &Path) -> Result<(), WriteError> {
    let failed = |error: &dyn std::fmt::Display| WriteError {
        path: path.to_owned(),
        source: io::Error::other(error.to_string()),
    };
    let layers = weights.architecture.layers.clone();
    let header = FloatsHeader { expression: features.canonical().to_owned(), layers };
    let header = serde_json::to_string(&header).map_err(|error| failed(&error))?;
    let tensors = named(weights);
    let views = tensors.iter().map(|(name, values)| {
        let view = TensorView::new(Dtype::F32, vec![values.len()], bytemuck::cast_slice(values));
        view.map(|view| (name.as_ref(), view))
    });
    let views = views.collect::<Result<Vec<_>, _>>().map_err(|error| failed(&error))?;
    let metadata = HashMap::from([(METADATA.to_owned(), header)]);
    let bytes = serialize(views, Some(metadata)).map_err(|error| failed(&error))?;
    write_atomically(path, &[&bytes])
}

/// Reads weights and their feature set.
pub fn load(path: &Path) -> Result<(FloatWeights, Arc<FeatureSet>), FloatsError> {
    let path = path.to_owned();
    let bytes = match files::read(&path, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(FloatsError::Read { path, source }),
    };
    read(&bytes).map_err(|reason| FloatsError::Content { path, reason })
}

/// The tensors by their names in the file.
fn named(weights: &FloatWeights) -> Vec<(Cow<'static, str>, &[f32])> {
    let mut named: Vec<(Cow<'static, str>, &[f32])> = vec![
        ("ft_weights".into(), &weights.ft_weights),
        ("ft_bias".into(), &weights.ft_bias),
        ("psqt".into(), &weights.psqt),
        ("skip".into(), std::slice::from_ref(&weights.skip)),
    ];
    for (place, layer) in weights.dense.iter().enumerate() {
        named.push((format!("dense.{place}.weights").into(), &layer.weights));
        named.push((format!("dense.{place}.bias").into(), &layer.bias));
    }
    named
}

fn read(bytes: &[u8]) -> Result<(FloatWeights, Arc<FeatureSet>), String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let header = metadata.metadata().as_ref().and_then(|all| all.get(METADATA));
    let header = header.ok_or_else(|| format!("it has no metadata `{METADATA}`"))?;
    let FloatsHeader { expression, layers } =
        serde_json::from_str(header).map_err(|error| format!("its metadata: {error}"))?;
    let features = FeatureSet::parse(&expression)
        .map_err(|error| format!("its feature expression `{expression}`: {error}"))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let take = |name: &str, len: usize| -> Result<Vec<f32>, String> {
        let tensor = tensors.tensor(name).map_err(|error| error.to_string())?;
        let values: Vec<f32> =
            tensor.data().as_chunks().0.iter().copied().map(f32::from_le_bytes).collect();
        if tensor.dtype() != Dtype::F32 || values.len() != len {
            return Err(format!("`{name}` has {} numbers of {len}", values.len()));
        }
        Ok(values)
    };
    let (size, buckets) = (features.size(), layers.buckets().count());
    let shapes = layers.dense();
    let dense = shapes.iter().enumerate().map(|(place, shape)| {
        Ok(DenseWeights {
            weights: take(&format!("dense.{place}.weights"), shape.inputs * shape.sums * buckets)?,
            bias: take(&format!("dense.{place}.bias"), shape.sums * buckets)?,
        })
    });
    let weights = FloatWeights {
        dense: dense.collect::<Result<_, String>>()?,
        ft_weights: take("ft_weights", size * layers.width())?,
        ft_bias: take("ft_bias", layers.width())?,
        psqt: take("psqt", size * layers.psqt_columns())?,
        skip: take("skip", 1)?[0],
        architecture: Architecture { features: size, layers },
    };
    Ok((weights, features))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::testing::{all_layers, layers, random_weights};

    #[test]
    fn weights_read_back_to_the_bit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("weights.safetensors");
        let features = FeatureSet::parse("H + PV").unwrap();
        for layers in all_layers() {
            let weights = random_weights(&features, &layers, 3);
            save(&weights, &features, &path).unwrap();
            let (again, set) = load(&path).unwrap();
            assert_eq!(again, weights, "{layers}");
            assert_eq!(set.canonical(), features.canonical());
        }
    }

    #[test]
    fn other_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("weights.safetensors");
        let features = FeatureSet::parse("piece({a, b} * {pawn})").unwrap();
        save(&random_weights(&features, layers("8 -> 1"), 1), &features, &path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for end in 0..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let error = load(&path).unwrap_err().to_string();
            assert!(error.contains("no weights of a net"), "{end}: {error}");
        }
        let missing = load(&dir.path().join("missing")).unwrap_err().to_string();
        assert!(missing.contains("missing: cannot be read"), "{missing}");
    }
}
