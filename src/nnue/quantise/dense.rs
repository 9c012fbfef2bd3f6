//! The scale of one dense layer.

use super::{largest, usable};
use crate::layers::Layers;
use crate::net::BYTE_UNIT;
use crate::weights::DenseWeights;

const QB_MOST: f32 = 4096.0;
/// Bytes at a scale below this are too coarse for a dense layer: half an integer of each weight
/// would show in centipawns.
const QB_ENOUGH: f32 = 32.0;

/// Inputs of a dense layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reads {
    /// Integers per unit.
    pub unit: f64,
    /// Largest input.
    pub most: i32,
    /// Number of inputs.
    pub inputs: usize,
}

/// The largest scale of weights with which no sum leaves 32 bits: of bytes up to `byte` if they are
/// fine enough, and of 16 bits otherwise. `None` if there is none.
pub(super) fn scale(
    dense: &DenseWeights,
    reads: Reads,
    byte: Option<f32>,
    layers: &Layers,
) -> Option<i32> {
    if let Some(byte) = byte {
        let scale = (byte / largest(&dense.weights)).floor().min(QB_MOST);
        if scale < QB_ENOUGH || reads.most > BYTE_UNIT {
            return None;
        }
        let scale = usable(scale as i32, layers);
        return fits(dense, reads, scale).then_some(scale);
    }
    let bound = largest_sum(dense);
    let scale = (i32::MAX as f32 / (reads.unit as f32 * bound)).floor().clamp(1.0, QB_MOST);
    let scale = scale.min(f32::from(i16::MAX) / largest(&dense.weights)).floor();
    let mut scale = usable((scale as i32).max(1), layers);
    // The bound above is of floats; this one is of the integers themselves.
    while !fits(dense, reads, scale) {
        if scale == 1 {
            return None;
        }
        scale /= 2;
    }
    Some(scale)
}

/// Whether every weight of a dense layer is an i16 and no sum can leave 32 bits for any input.
fn fits(dense: &DenseWeights, reads: Reads, scale: i32) -> bool {
    let biases = bias_integers(&dense.bias, reads.unit * f64::from(scale));
    dense.weights.chunks_exact(reads.inputs).zip(biases).all(|(row, bias)| {
        let integers = || row.iter().map(|w| (w * scale as f32).round().abs() as i64);
        let full = integers().sum::<i64>() * i64::from(reads.most) + bias.abs() as i64;
        integers().all(|w| w <= i64::from(i16::MAX)) && full <= i64::from(i32::MAX)
    })
}

/// Biases in integers, before clipping to their type.
pub(super) fn bias_integers(bias: &[f32], unit: f64) -> impl Iterator<Item = f64> {
    bias.iter().map(move |&bias| (f64::from(bias) * unit).round())
}

/// Largest absolute sum of a dense layer at full activation, bias included.
pub(super) fn largest_sum(dense: &DenseWeights) -> f32 {
    let inputs = dense.weights.len() / dense.bias.len().max(1);
    dense
        .weights
        .chunks_exact(inputs.max(1))
        .zip(&dense.bias)
        .map(|(row, bias)| row.iter().map(|w| w.abs()).sum::<f32>() + bias.abs())
        .fold(1.0, f32::max)
        // Rounding, and room for the float arithmetic of this bound itself.
        * 1.01
        + inputs as f32 / QB_MOST
}
