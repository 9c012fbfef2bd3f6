//! The quantised net and its evaluation of a position.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::activation::Activation;
use super::aligned::Aligned;
use super::architecture::{Architecture, Layers};
use super::digits::Base;
use chess::{Color, Scene};
use features::{Feature, FeatureSet};

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
    /// Base of the digits of the feature transformer, where one of 16 bits is
    /// not enough for its sums; none in a linear net, whose base is qb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// Bits that activations lose, so that they are at most 128 and fit a byte; 0
    /// where they need not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shift: u32,
}

/// Largest activation with which an input of the dense layer is a byte, and
/// products with weights of a byte can be added in pairs: 2 · 128 · 127 < 2¹⁵.
pub(super) const BYTE_UNIT: i32 = 128;

fn is_zero(shift: &u32) -> bool {
    *shift == 0
}

/// `qa 127, qb 64, qc 16`, and the base and the shift where there are such.
impl fmt::Display for Scales {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { qa, qb, qc, base, shift } = self;
        write!(f, "qa {qa}, qb {qb}, qc {qc}")?;
        if *shift > 0 {
            write!(f, ", activations shifted by {shift}")?;
        }
        base.map_or(Ok(()), |base| write!(f, ", two digits of base {}", i32::from(base)))
    }
}

impl Scales {
    /// Base of the two digits of the feature transformer; `None` where it has
    /// one. The qb of a linear net is a base wherever such scales come from.
    pub(super) fn digits(self, layers: Layers) -> Option<Base> {
        match layers {
            Layers::Linear => Base::try_from(self.qb).ok(),
            Layers::One { .. } | Layers::Two { .. } => self.base,
        }
    }

    /// How many digits a number of the feature transformer has.
    pub(super) fn digit_count(self, layers: Layers) -> usize {
        match (layers, self.base) {
            (Layers::Linear, _) | (_, Some(_)) => 2,
            (Layers::One { .. } | Layers::Two { .. }, None) => 1,
        }
    }

    /// Integers per unit of activation: the largest activation.
    pub(super) fn activation_unit(self, activation: Activation) -> i32 {
        activation.of_integer(self.qa).min(activation.most_steps()) >> self.shift
    }

    /// Bits by which a clipped sum, or its square, is longer than an
    /// activation.
    #[inline]
    pub(super) fn activation_shift(self, activation: Activation) -> u32 {
        (activation.of_integer(self.qa) / self.activation_unit(activation)).ilog2()
    }

    /// The activation of a sum, as the dense layer reads it.
    fn activate(self, sum: i32, activation: Activation) -> i32 {
        let clipped = sum.clamp(0, self.qa);
        let long = activation.of_integer(clipped);
        let shift = self.activation_shift(activation);
        (long + ((1 << shift) >> 1)) >> shift
    }
}

/// A quantised net with the feature set it was made for.
#[derive(Clone, Debug)]
pub struct Net {
    pub(super) features: Arc<FeatureSet>,
    pub(super) architecture: Architecture,
    pub(super) scales: Scales,
    /// `[features][width]`, scale qa; the width is L1, or twice that in a net of
    /// two digits: first all high digits, then all low ones. In a linear net
    /// it is 2.
    pub(super) ft_weights: Aligned,
    /// The same followed by the rows of bundles; made when first used, and never for
    /// sets without bundles.
    pub(super) bundled: OnceLock<Aligned>,
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
        self.ft_bias.len()
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

    /// First-layer rows of all features, and behind them, each added up, those
    /// of all [bundles](FeatureSet::bundles).
    pub(super) fn rows(&self) -> &[i16] {
        if !self.features.has_bundles() {
            return &self.ft_weights;
        }
        self.bundled.get_or_init(|| {
            let (width, at) = (self.width(), self.ft_weights.len());
            let mut rows = self.ft_weights.clone();
            rows.grow(at + self.features.bundles().count() * width);
            let sums = rows[at..].chunks_exact_mut(width);
            for (sum, bundle) in sums.zip(self.features.bundles()) {
                for feature in bundle {
                    for (sum, weight) in sum.iter_mut().zip(self.row(*feature)) {
                        *sum = sum.wrapping_add(*weight);
                    }
                }
            }
            rows
        })
    }

    /// Accumulator of one perspective from scratch; `[width]`.
    fn accumulate(&self, scene: &Scene, perspective: Color) -> Vec<i16> {
        let mut active = Vec::new();
        self.features.active(scene, perspective, &mut active);
        let mut sums = self.ft_bias.clone();
        for feature in active {
            for (sum, weight) in sums.iter_mut().zip(self.row(feature)) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        sums
    }

    /// Centipawns for the side to move, from scratch: the plain reference that the
    /// faster ways of the search equal bit for bit.
    pub fn evaluate(&self, scene: &Scene, turn: Color) -> i32 {
        let [stm, nstm] = [turn, !turn].map(|perspective| self.accumulate(scene, perspective));
        self.propagate(Accumulators { stm: &stm, nstm: &nstm, bucket: self.bucket(scene) })
    }

    /// The sums of an accumulator: digits put together.
    fn sums(&self, accumulator: &[i16]) -> Vec<i32> {
        let layers = self.architecture.layers;
        match self.scales.digits(layers) {
            None => accumulator.iter().map(|&sum| i32::from(sum)).collect(),
            Some(base) => base.join_rows(accumulator, layers.width()),
        }
    }

    /// Centipawns for the side to move.
    pub(super) fn propagate(&self, sums: Accumulators<'_>) -> i32 {
        let Accumulators { stm, nstm, bucket } = sums;
        let Scales { qa, qb, qc, .. } = self.scales;
        let layers = self.architecture.layers;
        let activation = layers.activation();
        let unit = i64::from(self.scales.activation_unit(activation) * qb);
        let [stm, nstm] = [stm, nstm].map(|accumulator| self.sums(accumulator));
        let activated: Vec<i32> =
            stm.iter().chain(&nstm).map(|&sum| self.scales.activate(sum, activation)).collect();
        match layers {
            Layers::Linear => rounded(i64::from(stm[0]) - i64::from(nstm[0]), i64::from(qa)),
            Layers::One { .. } => rounded(i64::from(self.neuron(bucket, &activated)), unit),
            Layers::Two { l2, .. } => {
                let neurons = bucket * l2..(bucket + 1) * l2;
                let output = neurons.fold(self.out_bias[bucket], |sum, neuron| {
                    let clipped = i64::from(self.neuron(neuron, &activated)).clamp(0, unit);
                    let hidden = activation.in_unit(clipped, unit);
                    sum + hidden * i64::from(self.out_weights[neuron])
                });
                rounded(output, unit * i64::from(qc))
            }
        }
    }

    /// A sum of the dense layer, bias included.
    fn neuron(&self, neuron: usize, inputs: &[i32]) -> i32 {
        let weights = &self.dense_weights[neuron * inputs.len()..][..inputs.len()];
        let products = weights.iter().zip(inputs).map(|(&w, &x)| i32::from(w) * x);
        products.fold(self.dense_bias[neuron], i32::wrapping_add)
    }
}

/// The quotient, rounded to the nearest integer.
#[inline]
pub(super) fn rounded(sum: i64, whole: i64) -> i32 {
    (sum + whole / 2).div_euclid(whole) as i32
}
