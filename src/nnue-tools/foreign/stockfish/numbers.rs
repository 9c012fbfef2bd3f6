//! The numbers of a net with the units of Stockfish's integers.
//!
//! | float | integers of one |
//! |---|---|
//! | sum of the feature transformer | 127 |
//! | product of two activations, or square of a sum | 127² / 128 |
//! | sum of `fc_0` and `fc_1` | 127 · 64 |
//! | clipped sum of these | 127 |
//! | centipawn of `fc_2` and of the skip | 57.76 |
//! | centipawn of the piece-square values | 115.52 |
//!
//! A weight has the integers of its sum over those of its input. The skip is the same ratio in
//! every net of Stockfish, so the weights of its neuron take the quotient of both ratios.

use super::convert::MIX;
use super::{ONE, PRODUCT_BITS, SKIP, UNIT};
use crate::foreign::integers::Scaled;
use nnue::tensors::{DensePlace, TensorName};
use nnue::{FloatWeights, IntegerDense, IntegerWeights, Layers};

/// Integers per unit of a product of two activations, and of a square.
const PRODUCT: f64 = (ONE * ONE) as f64 / (1 << PRODUCT_BITS) as f64;

/// Integers per centipawn of the last sum.
const OUTPUT: f64 = MIX.whole as f64 / MIX.output as f64;

/// Integers per centipawn of a piece-square value.
const PSQT: f64 = MIX.whole as f64 / MIX.psqt as f64;

/// Centipawns of one unit of the skip sum.
const SKIP_CENTIPAWNS: f64 = SKIP as f64 / OUTPUT;

/// The numbers of a net, or their floats.
pub(super) enum Numbers<'a> {
    /// At Stockfish's scales.
    Integers(&'a IntegerWeights),
    Floats(Box<FloatWeights>),
}

impl Numbers<'_> {
    /// The numbers of a tensor.
    pub(super) fn of<'a>(
        &'a self,
        tensor: TensorName,
        layers: &'a Layers,
    ) -> Box<dyn Iterator<Item = Scaled> + 'a> {
        match self {
            Self::Integers(weights) => copied(weights, tensor, layers),
            Self::Floats(weights) => quantised(weights, tensor, layers),
        }
    }
}

fn copied<'a>(
    weights: &'a IntegerWeights,
    tensor: TensorName,
    layers: &'a Layers,
) -> Box<dyn Iterator<Item = Scaled> + 'a> {
    let dense = |place: DensePlace| -> &'a IntegerDense { &weights.dense[place.index(layers)] };
    match tensor {
        TensorName::FtWeights => Box::new(Scaled::all(&weights.ft_weights[..], 1.0)),
        TensorName::FtBias => Box::new(Scaled::all(&weights.ft_bias, 1.0)),
        TensorName::Psqt => Box::new(Scaled::all(&weights.psqt, 1.0)),
        TensorName::DenseWeights(place) => Box::new(Scaled::all(&dense(place).weights, 1.0)),
        TensorName::DenseBias(place) => {
            let values = dense(place).bias.iter();
            Box::new(values.map(|&value| Scaled { value: value as f64, unit: 1.0 }))
        }
    }
}

fn quantised<'a>(
    weights: &'a FloatWeights,
    tensor: TensorName,
    layers: &'a Layers,
) -> Box<dyn Iterator<Item = Scaled> + 'a> {
    let one = f64::from(ONE);
    match tensor {
        TensorName::FtWeights => Box::new(Scaled::all(&weights.ft_weights, one)),
        TensorName::FtBias => Box::new(Scaled::all(&weights.ft_bias, one)),
        TensorName::Psqt => Box::new(Scaled::all(&weights.psqt, PSQT)),
        TensorName::DenseWeights(place) => {
            let inputs = layers.dense()[place.index(layers)].inputs;
            let units = Units { place, skip: weights.skip.into(), layers };
            let values = weights.dense[place.index(layers)].weights.iter().enumerate();
            Box::new(values.map(move |(at, &value)| Scaled {
                value: value.into(),
                unit: units.of_sum(at / inputs) / units.of_input(at % inputs, inputs),
            }))
        }
        TensorName::DenseBias(place) => {
            let units = Units { place, skip: weights.skip.into(), layers };
            let values = weights.dense[place.index(layers)].bias.iter().enumerate();
            Box::new(
                values.map(move |(at, &value)| Scaled {
                    value: value.into(),
                    unit: units.of_sum(at),
                }),
            )
        }
    }
}

/// Integers per unit of the inputs and sums of a dense layer.
#[derive(Clone, Copy)]
struct Units<'a> {
    place: DensePlace,
    /// Centipawns of one unit of the skip sum.
    skip: f64,
    layers: &'a Layers,
}

impl Units<'_> {
    /// Of a sum; sums are counted through all buckets.
    fn of_sum(self, sum: usize) -> f64 {
        let unit = f64::from(UNIT);
        let hidden = self.layers.hidden().get(self.place.index(self.layers));
        match hidden {
            None => OUTPUT,
            Some(hidden) if sum % hidden.sums() >= hidden.neurons => {
                unit * self.skip / SKIP_CENTIPAWNS
            }
            Some(_) => unit,
        }
    }

    /// Of an input; the first half of those of `fc_1` are squares.
    fn of_input(self, input: usize, inputs: usize) -> f64 {
        match self.place {
            DensePlace::Lowest => PRODUCT,
            DensePlace::Middle if input < inputs / 2 => PRODUCT,
            DensePlace::Middle | DensePlace::Output => f64::from(ONE),
        }
    }
}
