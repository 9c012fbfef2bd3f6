//! From floats to integers, with no sum that can overflow.
//!
//! Larger scales are more exact, so each is the largest that a bound allows:
//! the accumulator of a neuron can never exceed its bias plus the largest
//! weights that can be active together (`bound`: one piece a square, one place
//! a king, and as many as each summand of the feature set says), and a sum of
//! the dense layer can never exceed full activation times its weights.
//!
//! A linear net sums centipawns, of which 16 bits cannot hold enough: 32 queens
//! might stand on the board. Its weights are written with two digits, in a base
//! so small that low digits cannot overflow either ([`Base`]). So are those of
//! any net for which 16 bits leave no scale that is worth having.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::activation::Activation;
use super::architecture::Layers;
use super::bound::Transformer;
use super::digits::Base;
use super::net::{BYTE_UNIT, Net, Scales};
use super::weights::FloatWeights;
use chess::{PackedPosition, Scene};
use features::FeatureSet;

/// Why a net cannot be quantised.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum QuantiseError {
    /// Sizes of weights and feature set differ.
    #[error(
        "the weights are for {weights} features, the feature set `{expression}` has {features}"
    )]
    OtherFeatures { weights: usize, features: usize, expression: String },
    /// The set is valued.
    #[error(
        "`{expression}` is a valued set: its features carry numbers, for which nets have no quantised form yet; it can be trained and evaluated in floating point only"
    )]
    Valued { expression: String },
    /// A weight is NaN or infinite.
    #[error("the {layer} holds a value that is no number; the training run diverged")]
    NotFinite { layer: &'static str },
    /// No scale is large enough to be useful and small enough to be safe.
    #[error(
        "the sums of the {layer} can reach {bound:.0} {unit}, too much for {bits}-bit integers; train with a smaller learning rate or fewer active features"
    )]
    TooLarge { layer: &'static str, bound: f32, unit: &'static str, bits: u32 },
    /// Given scales are too large for the weights.
    #[error(
        "the {layer} does not fit integers at scales {scales}; the file they come from is damaged, or not meant for these scales"
    )]
    DoesNotFit { layer: &'static str, scales: Scales },
}

/// Multiples per unit to which training with rounding brings the weights of the
/// feature transformer. Where all of them are such multiples, qa is a multiple
/// of it too, so that integers hold them exactly. Most nets have room for a qa
/// of twice that or more.
pub const ROUNDING: f32 = 128.0;

const QA_MOST: f32 = 1024.0;
/// A scale below this is not worth having where two digits allow a larger one:
/// half an integer of each row would be seen in centipawns.
const QA_ENOUGH: f32 = 64.0;
const QA_LEAST: f32 = 16.0;
const QB_MOST: f32 = 4096.0;
/// Bytes whose scale is below this are too coarse for a dense layer: half an
/// integer of each weight would be seen in centipawns.
const QB_ENOUGH: f32 = 32.0;
const QC: i32 = 256;

/// Quantises trained weights for `features`, at scales with which no sum can
/// overflow.
pub fn quantise(
    weights: &FloatWeights,
    features: &Arc<FeatureSet>,
    provenance: serde_json::Value,
) -> Result<Net, QuantiseError> {
    check(weights, features)?;
    let scales = largest_scales(weights, features)?;
    Ok(to_integers(weights, features, scales, provenance))
}

/// Quantises at given scales: weights that were integers at these scales come
/// out as the same integers. Accumulators are not bounded; they wrap, as in
/// the program that the integers come from.
///
/// # Errors
/// Besides those of [`quantise`], weights that do not fit their integers and
/// sums of the dense layer that could exceed 32 bits.
pub(crate) fn quantise_at(
    scales: Scales,
    weights: &FloatWeights,
    features: &Arc<FeatureSet>,
    provenance: serde_json::Value,
) -> Result<Net, QuantiseError> {
    check(weights, features)?;
    check_scales(weights, scales)?;
    Ok(to_integers(weights, features, scales, provenance))
}

/// The largest scales that are safe.
fn largest_scales(weights: &FloatWeights, features: &FeatureSet) -> Result<Scales, QuantiseError> {
    match weights.architecture.layers {
        Layers::Linear => linear_scales(weights, features),
        Layers::One { .. } | Layers::Two { .. } => layered_scales(weights, features),
    }
}

/// Of a net with hidden layers.
fn layered_scales(weights: &FloatWeights, features: &FeatureSet) -> Result<Scales, QuantiseError> {
    let layers = weights.architecture.layers;
    let (qa, base) = transformer_scale(weights, features)?;
    let qa = usable(holding_rounded(qa, weights), layers.activation());
    let scales = Scales { qa, qb: 1, qc: if layers.l2() > 0 { QC } else { 1 }, base, shift: 0 };
    match layers.l2() > 0 {
        true => byte_scales(weights, scales).map_or_else(|| word_scales(weights, scales), Ok),
        false => word_scales(weights, scales),
    }
}

/// With a dense layer of bytes: activations of at most [`BYTE_UNIT`], weights of
/// at most 127. `None` where that would leave the weights too coarse.
fn byte_scales(weights: &FloatWeights, scales: Scales) -> Option<Scales> {
    let activation = weights.architecture.layers.activation();
    let shift = (scales.activation_unit(activation) / BYTE_UNIT).max(1).ilog2();
    let qa = match activation.wants_shifts() {
        // What the shift takes, whole.
        false => scales.qa.min(BYTE_UNIT << shift),
        true => scales.qa,
    };
    let qb = (f32::from(i8::MAX) / largest(&weights.dense_weights)).floor().min(QB_MOST);
    if qb < QB_ENOUGH {
        return None;
    }
    let scales = Scales { qa, qb: usable(qb as i32, activation), shift, ..scales };
    dense_fits(weights, scales).then_some(scales)
}

/// With a dense layer of 16 bits.
fn word_scales(weights: &FloatWeights, mut scales: Scales) -> Result<Scales, QuantiseError> {
    let activation = weights.architecture.layers.activation();
    let unit = scales.activation_unit(activation) as f32;
    let bound = dense_bound(weights);
    let qb = (i32::MAX as f32 / (unit * bound)).floor().clamp(1.0, QB_MOST);
    let qb = qb.min(f32::from(i16::MAX) / largest(&weights.dense_weights)).floor();
    scales.qb = usable((qb as i32).max(1), activation);
    // The bound above is of floats; this one is of the integers themselves.
    while !dense_fits(weights, scales) {
        if scales.qb == 1 {
            let (layer, unit) = ("dense layer", "times full activation");
            return Err(QuantiseError::TooLarge { layer, bound, unit, bits: i32::BITS });
        }
        scales.qb /= 2;
    }
    Ok(scales)
}

/// The largest safe scale of the feature transformer, and the base of its
/// digits where one is not enough.
fn transformer_scale(
    weights: &FloatWeights,
    features: &FeatureSet,
) -> Result<(i32, Option<Base>), QuantiseError> {
    let bound = accumulator_bound(weights, features);
    // The bias is one of them.
    let rows = features.max_active() + 1;
    // Each of them may be rounded by half a unit.
    let room = f32::from(i16::MAX) - rows as f32 / 2.0;
    let of_one_digit = (room / bound).floor().min(QA_MOST);
    if of_one_digit >= QA_ENOUGH {
        return Ok((of_one_digit as i32, None));
    }
    let (qa, base) = in_two_digits(bound, rows);
    if qa < QA_LEAST {
        let (layer, unit) = ("feature transformer", "times full activation");
        return Err(QuantiseError::TooLarge { layer, bound, unit, bits: i32::BITS });
    }
    Ok((qa as i32, Some(base)))
}

/// The largest scale at which sums of so many rows, which can reach `bound`, are
/// safe in two digits; not above zero if there is none.
fn in_two_digits(bound: f32, rows: usize) -> (f32, Base) {
    let base = Base::of_rows(rows);
    // The high digit of each row may be rounded, by less than a unit.
    let room = f32::from(i16::MAX) - rows as f32;
    ((room * i32::from(base) as f32 / bound).floor().min(QA_MOST), base)
}

/// The largest scale up to `qa` that holds weights rounded in training exactly,
/// if they are.
fn holding_rounded(qa: i32, weights: &FloatWeights) -> i32 {
    let exact = |values: &[f32]| values.iter().all(|w| (w * ROUNDING).fract() == 0.0);
    let step = ROUNDING as i32;
    let is_rounded = exact(&weights.ft_weights) && exact(&weights.ft_bias);
    if is_rounded && qa >= step { qa - qa % step } else { qa }
}

/// Squares are brought back to their scale by shifts, so scales are powers of
/// two there.
fn usable(scale: i32, activation: Activation) -> i32 {
    match activation.wants_shifts() {
        true => 1 << scale.ilog2(),
        false => scale,
    }
}

/// Of a linear net.
fn linear_scales(weights: &FloatWeights, features: &FeatureSet) -> Result<Scales, QuantiseError> {
    let bound = accumulator_bound(weights, features);
    let (qa, base) = in_two_digits(bound, features.max_active());
    if qa < 1.0 {
        let (layer, unit) = ("linear model", "centipawns");
        return Err(QuantiseError::TooLarge { layer, bound, unit, bits: i32::BITS });
    }
    Ok(Scales { qa: qa as i32, qb: base.into(), qc: 1, base: None, shift: 0 })
}

/// Whether every weight of the dense layer is an i16 and no sum can leave 32
/// bits, whatever the activations.
fn dense_fits(weights: &FloatWeights, scales: Scales) -> bool {
    let inputs = 2 * weights.architecture.layers.width();
    let qb = scales.qb as f32;
    let unit = scales.activation_unit(weights.architecture.layers.activation());
    let biases = dense_bias(weights, scales);
    weights.dense_weights.chunks_exact(inputs).zip(biases).all(|(row, bias)| {
        let integers = || row.iter().map(|w| (w * qb).round().abs() as i64);
        let full = integers().sum::<i64>() * i64::from(unit) + bias.abs() as i64;
        integers().all(|w| w <= i64::from(i16::MAX)) && full <= i64::from(i32::MAX)
    })
}

/// At the scale of the dense layer's sums, not yet cut to 32 bits.
fn dense_bias(weights: &FloatWeights, scales: Scales) -> impl Iterator<Item = f64> {
    let activation = weights.architecture.layers.activation();
    let unit = f64::from(scales.activation_unit(activation)) * f64::from(scales.qb);
    weights.dense_bias.iter().map(move |&bias| (f64::from(bias) * unit).round())
}

fn check_scales(weights: &FloatWeights, scales: Scales) -> Result<(), QuantiseError> {
    let layers = weights.architecture.layers;
    let activation = layers.activation();
    let Scales { qa, qb, qc, .. } = scales;
    if (qa, qb) != (usable(qa, activation), usable(qb, activation)) {
        return Err(QuantiseError::DoesNotFit { layer: "squared activation", scales });
    }
    // Most negative integers are one further from zero than most positive ones.
    let i16_most = f32::from(i16::MAX) + 1.0;
    let (qa, qb, qc) = (qa as f32, qb as f32, qc as f32);
    let unit = scales.activation_unit(activation) as f32;
    // What one in the only digit, or the high one, is worth.
    let digit = scales.digits(layers).map_or(1.0, |base| i32::from(base) as f32);
    let fits = [
        ("feature transformer", largest(&weights.ft_weights) * qa / digit, i16_most),
        ("feature transformer bias", largest(&weights.ft_bias) * qa / digit, i16_most),
        ("dense layer", largest(&weights.dense_weights) * qb, i16_most),
        ("dense layer bias", dense_bound(weights) * unit * qb, i32::MAX as f32),
        ("output", largest(&weights.out_weights) * qc, i32::MAX as f32),
    ];
    match fits.into_iter().find(|(_, value, most)| value > most) {
        Some((layer, ..)) => Err(QuantiseError::DoesNotFit { layer, scales }),
        None => Ok(()),
    }
}

fn to_integers(
    weights: &FloatWeights,
    features: &Arc<FeatureSet>,
    scales: Scales,
    provenance: serde_json::Value,
) -> Net {
    let layers = weights.architecture.layers;
    let (qb, qc) = (scales.qb as f32, scales.qc as f32);
    let unit = f64::from(scales.activation_unit(layers.activation())) * f64::from(qb);
    let rows = |values: &[f32]| match scales.digits(layers) {
        None => to_i16(values, scales.qa as f32),
        Some(base) => base.split_rows(&to_i32(values, scales.qa), layers.width()),
    };
    let out_bias = |&b: &f32| (f64::from(b) * unit * f64::from(qc)).round() as i64;
    Net {
        features: features.clone(),
        architecture: weights.architecture,
        scales,
        ft_weights: rows(&weights.ft_weights).into(),
        bundled: OnceLock::new(),
        ft_bias: rows(&weights.ft_bias),
        dense_weights: to_i16(&weights.dense_weights, qb),
        dense_bias: dense_bias(weights, scales).map(|b| b as i32).collect(),
        out_weights: weights.out_weights.iter().map(|&w| (w * qc).round() as i32).collect(),
        out_bias: weights.out_bias.iter().map(out_bias).collect(),
        provenance,
    }
}

fn check(weights: &FloatWeights, features: &FeatureSet) -> Result<(), QuantiseError> {
    if features.is_valued() {
        return Err(QuantiseError::Valued { expression: features.expression().to_owned() });
    }
    if weights.architecture.features != features.size() {
        return Err(QuantiseError::OtherFeatures {
            weights: weights.architecture.features,
            features: features.size(),
            expression: features.expression().to_owned(),
        });
    }
    let tensors = weights.tensors();
    match tensors.into_iter().find(|(_, values)| values.iter().any(|v| !v.is_finite())) {
        Some((layer, _)) => Err(QuantiseError::NotFinite { layer }),
        None => Ok(()),
    }
}

/// Largest absolute value that an accumulator can reach.
fn accumulator_bound(weights: &FloatWeights, features: &FeatureSet) -> f32 {
    let transformer = Transformer { weights: &weights.ft_weights, bias: &weights.ft_bias };
    (transformer.largest_sum(features) as f32).next_up()
}

/// Largest absolute sum of the dense layer at full activation, bias included.
fn dense_bound(weights: &FloatWeights) -> f32 {
    let inputs = 2 * weights.architecture.layers.width();
    weights
        .dense_weights
        .chunks_exact(inputs)
        .zip(&weights.dense_bias)
        .map(|(row, bias)| row.iter().map(|w| w.abs()).sum::<f32>() + bias.abs())
        .fold(1.0, f32::max)
        // Rounding, and room for the float arithmetic of this bound itself.
        * 1.01
        + inputs as f32 / QB_MOST
}

fn largest(values: &[f32]) -> f32 {
    values.iter().fold(f32::MIN_POSITIVE, |most, v| most.max(v.abs()))
}

fn to_i16(values: &[f32], scale: f32) -> Vec<i16> {
    values.iter().map(|v| (v * scale).round() as i16).collect()
}

fn to_i32(values: &[f32], scale: i32) -> Vec<i32> {
    values.iter().map(|&v| (f64::from(v) * f64::from(scale)).round() as i32).collect()
}

/// How far the integers are from the floats, in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct QuantisationError {
    /// Positions compared.
    pub positions: usize,
    /// Mean absolute difference.
    pub mean: f64,
    /// 99 % of the positions differ by no more than this.
    pub percentile_99: f64,
    /// Largest difference.
    pub largest: f64,
    /// Positions by whole centipawns of their difference; the last bin has all
    /// that differ by more.
    #[serde(default)]
    pub histogram: [u32; QuantisationError::BINS],
    /// Share of weights and biases that are not the nearest integers, but were
    /// cut to what fits.
    #[serde(default)]
    pub clipped: f64,
}

impl QuantisationError {
    /// Bins of the histogram.
    pub const BINS: usize = 21;

    /// Compares a net with the weights it was made from.
    pub fn measure(weights: &FloatWeights, net: &Net, positions: &[PackedPosition]) -> Self {
        let mut differences: Vec<f64> = positions
            .par_iter()
            .map(|position| {
                let (scene, turn) = (Scene::from(position), position.turn());
                let float = weights.evaluate(net.features(), &scene, turn);
                (f64::from(float) - f64::from(net.evaluate(&scene, turn))).abs()
            })
            .collect();
        differences.sort_by(f64::total_cmp);
        let last = differences.len().saturating_sub(1);
        let mut histogram = [0; Self::BINS];
        differences.iter().for_each(|&d| histogram[(d as usize).min(Self::BINS - 1)] += 1);
        let at =
            |share: f64| differences.get((share * last as f64) as usize).copied().unwrap_or(0.0);
        Self {
            positions: differences.len(),
            mean: differences.iter().sum::<f64>() / differences.len().max(1) as f64,
            percentile_99: at(0.99),
            largest: at(1.0),
            histogram,
            clipped: clipped(weights, net),
        }
    }
}

/// Share of 16-bit weights and biases that lie off the floats they were made of
/// by more than rounding does.
fn clipped(weights: &FloatWeights, net: &Net) -> f64 {
    let Scales { qa, qb, .. } = net.scales;
    let mut tensors: Vec<(&[f32], &[i16], i32)> =
        vec![(&weights.dense_weights, &net.dense_weights, qb)];
    // Two digits hold whatever a feature transformer has.
    if net.scales.digits(net.architecture.layers).is_none() {
        tensors.push((&weights.ft_weights, &net.ft_weights, qa));
        tensors.push((&weights.ft_bias, &net.ft_bias, qa));
    }
    let (mut cut, mut all) = (0_usize, 0);
    for (floats, integers, scale) in tensors {
        let scale = scale as f32;
        let is_off =
            |&(float, integer): &(&f32, &i16)| (float * scale).round() != f32::from(*integer);
        cut += floats.iter().zip(integers).filter(is_off).count();
        all += integers.len();
    }
    cut as f64 / all.max(1) as f64
}
