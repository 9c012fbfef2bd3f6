//! A net of ours as a net of Stockfish 15.1.
//!
//! A net at Stockfish's scales, an imported one, keeps its integers; any other is
//! [quantised](super::numbers) at them. The index order of the file is one of many for the same
//! features: rows are reordered for nets of `HALF-KA-HM`.

use serde_json::Value;

use super::convert::scales;
use super::numbers::Numbers;
use super::{Affine, SET, SIZES, SOURCE, Sizes, Stack, StockfishError, StockfishNet};
use crate::foreign::OutOfRange;
use crate::foreign::integers::{FileInteger, integers};
use crate::provenance::PROGRAM;
use features::Feature;
use nnue::tensors::{DensePlace, TensorName};
use nnue::{Architecture, Base, Net, Scales};

/// A net that no file of Stockfish 15.1 can hold.
#[derive(Debug, thiserror::Error)]
pub enum StockfishExportError {
    #[error(
        "its features are `{found}`, those of Stockfish 15.1 are HALF-KA-HM; train a net of HALF-KA-HM, or export this one with --format raw"
    )]
    Features { found: String },
    #[error(
        "its layers are `{found}`, those of Stockfish 15.1 `{expected}`; train a net of these layers, or export this one with --format raw"
    )]
    Layers { found: String, expected: String },
    /// Weights that the scales of the file cannot hold.
    #[error(
        "{0}; every weight of a net that is trained with `clip_weights = 0.46` fits, or export this one with --format raw"
    )]
    Weight(#[from] OutOfRange),
    /// Piece-square values that leave an accumulator.
    #[error(transparent)]
    Psqt(#[from] StockfishError),
}

impl StockfishNet {
    /// The net as one of Stockfish 15.1.
    pub fn of_net(net: &Net) -> Result<Self, StockfishExportError> {
        Self::of_net_and_sizes(net, SIZES)
    }

    pub(super) fn of_net_and_sizes(net: &Net, sizes: Sizes) -> Result<Self, StockfishExportError> {
        let expected = sizes.layers();
        let layers = &net.architecture().layers;
        if *layers != expected {
            let [found, expected] = [layers, &expected].map(ToString::to_string);
            return Err(StockfishExportError::Layers { found, expected });
        }
        let order = SET.reordered(net.features()).ok_or_else(|| {
            StockfishExportError::Features { found: net.features().canonical().to_owned() }
        })?;
        let scales = scales(Base::of_rows(SET.max_active()));
        let numbers = match *net.scales() == scales {
            true => Numbers::Integers(net.weights()),
            false => Numbers::Floats(net.to_floats().into()),
        };
        let tensors = Tensors { architecture: net.architecture(), scales: &scales, numbers };
        Ok(Self {
            description: description(net),
            sizes,
            biases: tensors.integers(TensorName::FtBias)?,
            weights: rows(&tensors.integers(TensorName::FtWeights)?, sizes.l1, &order),
            psqt: rows(&tensors.integers(TensorName::Psqt)?, sizes.buckets, &order),
            stacks: tensors.stacks()?,
        })
    }
}

/// The description of the file that a net was imported from, or program and fingerprint.
fn description(net: &Net) -> String {
    let imported = &net.provenance()["imported"];
    match (&imported["source"], &imported["description"]) {
        (Value::String(source), Value::String(description)) if source == SOURCE => {
            description.clone()
        }
        _ => format!("{PROGRAM}, net {}", net.fingerprint()),
    }
}

/// Rows in the order of the file; zeros for features that no position has.
fn rows<T: Copy + Default>(values: &[T], width: usize, order: &[Option<Feature>]) -> Vec<T> {
    let mut rows = vec![T::default(); order.len() * width];
    for (row, feature) in rows.chunks_exact_mut(width).zip(order) {
        if let Some(feature) = feature {
            row.copy_from_slice(&values[feature.0 as usize * width..][..width]);
        }
    }
    rows
}

/// The tensors of a net as integers of the file.
struct Tensors<'a> {
    architecture: &'a Architecture,
    scales: &'a Scales,
    numbers: Numbers<'a>,
}

impl Tensors<'_> {
    /// The dense layers by bucket.
    fn stacks(&self) -> Result<Vec<Stack>, OutOfRange> {
        let fc_0 = self.affines(DensePlace::Lowest)?;
        let fc_1 = self.affines(DensePlace::Middle)?;
        let fc_2 = self.affines(DensePlace::Output)?;
        let stacks = fc_0.into_iter().zip(fc_1).zip(fc_2);
        Ok(stacks.map(|((fc_0, fc_1), fc_2)| Stack { fc_0, fc_1, fc_2 }).collect())
    }

    /// A dense layer, a copy a bucket.
    fn affines(&self, place: DensePlace) -> Result<Vec<Affine>, OutOfRange> {
        let layers = &self.architecture.layers;
        let shape = layers.dense()[place.index(layers)];
        let weights: Vec<i8> = self.integers(TensorName::DenseWeights(place))?;
        let biases: Vec<i32> = self.integers(TensorName::DenseBias(place))?;
        let weights = weights.chunks_exact(shape.sums * shape.inputs);
        let copies = weights.zip(biases.chunks_exact(shape.sums));
        let affine = |(weights, biases): (&[i8], &[i32])| Affine {
            biases: biases.into(),
            weights: weights.into(),
        };
        Ok(copies.map(affine).collect())
    }

    fn integers<T: FileInteger>(&self, tensor: TensorName) -> Result<Vec<T>, OutOfRange> {
        let axes = tensor.axes(self.architecture, self.scales);
        integers(tensor, &axes, self.numbers.of(tensor, &self.architecture.layers))
    }
}
