//! The quantised net and what it says of a position.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::activation::Activation;
use super::architecture::{Architecture, Layers};
use super::simd;
use crate::chess::{Color, Scene};
use crate::features::{Feature, FeatureSet};

/// Columns of a linear net's accumulator: its weights have more digits than
/// 16 bits hold, so each is a high and a low digit (see [`Scales::qb`]).
pub(super) const LINEAR_DIGITS: usize = 2;

/// Largest activation of a squared clipped ReLU. A square has twice the bits
/// of what is squared; those below this scale are rounded off, so that
/// activations stay in 16 bits.
const SQUARE_MOST: i32 = 1 << 12;

/// Integers per unit of the float net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scales {
    /// Feature transformer weights; of a linear net, per centipawn. A power of
    /// two where activations are squared.
    pub qa: i32,
    /// Weights of the dense layer; a power of two where activations are
    /// squared. Of a linear net: what one in the high digit is worth.
    pub qb: i32,
    /// Output weights of a net with two hidden layers; 1 in others.
    pub qc: i32,
}

impl Scales {
    /// Integers per unit of activation: the largest activation.
    pub(super) fn activation_unit(self, activation: Activation) -> i32 {
        match activation {
            Activation::ClippedRelu | Activation::Identity => self.qa,
            Activation::SquaredClippedRelu => (self.qa * self.qa).min(SQUARE_MOST),
        }
    }
}

/// A quantised net with the feature set it was made for.
#[derive(Clone, Debug)]
pub struct Net {
    pub(super) features: Arc<FeatureSet>,
    pub(super) architecture: Architecture,
    pub(super) scales: Scales,
    /// `[features][width]`, scale qa; the width is L1, or in a linear net the
    /// number of digits.
    pub(super) ft_weights: Vec<i16>,
    /// `[width]`, scale qa.
    pub(super) ft_bias: Vec<i16>,
    /// `[buckets][outputs][2 * l1]`, scale qb: the layer that reads the
    /// accumulators. It has L2 outputs, or 1, which is in centipawns.
    pub(super) dense_weights: Vec<i16>,
    /// `[buckets][outputs]`, scale of an activation times qb.
    pub(super) dense_bias: Vec<i32>,
    /// `[buckets][l2]`, scale qc, centipawns.
    pub(super) out_weights: Vec<i32>,
    /// `[buckets]`, scale of an activation times qb·qc, centipawns.
    pub(super) out_bias: Vec<i64>,
    /// Where the net comes from: data hashes, seed, configuration, program.
    pub(super) provenance: serde_json::Value,
}

/// The accumulators of both perspectives, and which bucket reads them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulators<'a> {
    /// Of the side to move, `[width]`.
    pub stm: &'a [i16],
    /// Of the other side, `[width]`.
    pub nstm: &'a [i16],
    /// Output bucket of the position.
    pub bucket: usize,
}

/// Columns of the accumulators of a net with such layers.
pub(super) fn accumulator_width(layers: Layers) -> usize {
    match layers {
        Layers::Linear => LINEAR_DIGITS,
        Layers::One { l1, .. } | Layers::Two { l1, .. } => l1,
    }
}

impl Net {
    /// The feature set it reads positions with.
    pub fn features(&self) -> &Arc<FeatureSet> {
        &self.features
    }

    /// Which layers there are.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Integers per unit.
    pub fn scales(&self) -> Scales {
        self.scales
    }

    /// Where the net comes from.
    pub fn provenance(&self) -> &serde_json::Value {
        &self.provenance
    }

    /// Columns of an accumulator.
    #[inline]
    pub(super) fn width(&self) -> usize {
        accumulator_width(self.architecture.layers)
    }

    /// The output bucket of a position.
    #[inline]
    pub(super) fn bucket(&self, scene: &Scene) -> usize {
        self.architecture.layers.buckets().of(scene.board().occupied().count())
    }

    /// First-layer row of a feature; `[width]`.
    #[inline]
    pub(super) fn row(&self, feature: Feature) -> &[i16] {
        let width = self.width();
        &self.ft_weights[feature.0 as usize * width..][..width]
    }

    /// Accumulator of one perspective from scratch; `[width]`.
    pub(super) fn refresh(
        &self,
        scene: &Scene,
        perspective: Color,
        active: &mut Vec<Feature>,
        out: &mut [i16],
    ) {
        active.clear();
        self.features.active(scene, perspective, active);
        let rows: Vec<&[i16]> = active.iter().map(|&feature| self.row(feature)).collect();
        simd::update_rows(out, &self.ft_bias, &rows, &[]);
    }

    /// Centipawns for the side to move. `activated`, `[2 * width]`, is
    /// overwritten.
    pub(super) fn propagate(&self, sums: Accumulators<'_>, activated: &mut [i16]) -> i32 {
        let Scales { qa, qb, qc } = self.scales;
        let layers = self.architecture.layers;
        let unit = self.scales.activation_unit(layers.activation()) * qb;
        match layers {
            Layers::Linear => {
                let digit = |i: usize| i64::from(sums.stm[i]) - i64::from(sums.nstm[i]);
                rounded(digit(0) * i64::from(qb) + digit(1), i64::from(qa))
            }
            Layers::One { .. } => {
                self.activate(sums, activated);
                let row = &self.dense_weights[sums.bucket * activated.len()..][..activated.len()];
                let sum = simd::dot(row, activated) + self.dense_bias[sums.bucket];
                rounded(i64::from(sum), i64::from(unit))
            }
            Layers::Two { l2, .. } => {
                self.activate(sums, activated);
                let sum = self.hidden(sums.bucket, l2, unit, activated);
                rounded(sum, i64::from(unit) * i64::from(qc))
            }
        }
    }

    /// What the dense layer reads: both accumulators through the activation.
    fn activate(&self, sums: Accumulators<'_>, activated: &mut [i16]) {
        let top = self.scales.qa as i16;
        let (stm, nstm) = activated.split_at_mut(sums.stm.len());
        for (out, sums) in [(stm, sums.stm), (nstm, sums.nstm)] {
            match self.architecture.layers.activation() {
                Activation::SquaredClippedRelu => simd::clip_square(out, sums, top, self.shift()),
                Activation::ClippedRelu | Activation::Identity => simd::clip(out, sums, top),
            }
        }
    }

    /// Bits by which the square of an accumulator value is larger than an
    /// activation.
    fn shift(&self) -> u32 {
        let square = self.scales.qa * self.scales.qa;
        (square / self.scales.activation_unit(Activation::SquaredClippedRelu)).ilog2()
    }

    /// The second hidden layer and the output layer, at scale `unit`·qc.
    fn hidden(&self, bucket: usize, l2: usize, unit: i32, inputs: &[i16]) -> i64 {
        let neurons = bucket * l2..(bucket + 1) * l2;
        let rows = self.dense_weights[neurons.start * inputs.len()..].chunks_exact(inputs.len());
        let biases = &self.dense_bias[neurons.clone()];
        let is_squared = self.architecture.layers.activation() == Activation::SquaredClippedRelu;
        let mut sum = self.out_bias[bucket];
        for ((row, bias), &weight) in rows.zip(biases).zip(&self.out_weights[neurons]) {
            let clipped = i64::from((simd::dot(row, inputs) + bias).clamp(0, unit));
            // The unit is a power of two where squares are to be brought back to it.
            let hidden = if is_squared { (clipped * clipped) >> unit.ilog2() } else { clipped };
            sum += hidden * i64::from(weight);
        }
        sum
    }

    /// Centipawns for the side to move, from scratch.
    pub fn evaluate(&self, scene: &Scene, turn: Color) -> i32 {
        let width = self.width();
        let mut active = Vec::new();
        let (mut stm, mut nstm) = (vec![0; width], vec![0; width]);
        self.refresh(scene, turn, &mut active, &mut stm);
        self.refresh(scene, !turn, &mut active, &mut nstm);
        let sums = Accumulators { stm: &stm, nstm: &nstm, bucket: self.bucket(scene) };
        self.propagate(sums, &mut vec![0; 2 * width])
    }
}

/// The quotient, rounded to the nearest integer.
fn rounded(sum: i64, whole: i64) -> i32 {
    (sum + whole / 2).div_euclid(whole) as i32
}
