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

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::activation::Activation;
use super::bound::Transformer;
use super::digits::Base;
use super::layers::Layers;
use super::net::{BYTE_UNIT, Dense, Net};
use super::scales::{DenseUnits, HiddenScale, Mix, Ratio, Rounding, Scales, TransformerScale};
use super::valued::{Unplayable, Valued};
use super::weights::{DenseWeights, FloatWeights};
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
    /// The set is valued, and not played as such.
    #[error(
        "`{expression}` is a valued set, and nets have no quantised form for what it asks: {reason}. It can be trained and evaluated in floating point only"
    )]
    Valued { expression: String, reason: Unplayable },
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
    DoesNotFit { layer: &'static str, scales: Box<Scales> },
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

/// Largest activation of a squared clipped ReLU. A square has twice the bits
/// of what is squared; those below this scale are rounded off, so that
/// activations stay in 16 bits.
const SQUARE_MOST: i32 = 1 << 12;

/// Integers per unit of sums that are multiplied in pairs: products stay in 16 bits.
const PAIR_MOST: i32 = 1 << 8;

/// Integers per unit of what a dense layer in the middle reads.
const MIDDLE_UNIT: i32 = 1 << 10;

/// Quantises trained weights for `features`, at scales with which no sum can
/// overflow.
pub fn quantise(
    weights: &FloatWeights,
    features: &Arc<FeatureSet>,
    provenance: serde_json::Value,
) -> Result<Net, QuantiseError> {
    let valued = check(weights, features)?;
    let scales = largest_scales(weights, features, valued.as_deref())?;
    Ok(to_integers(weights, features, valued, scales, provenance))
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
    let valued = check(weights, features)?;
    check_scales(weights, &scales)?;
    Ok(to_integers(weights, features, valued, scales, provenance))
}

/// The largest scales that are safe.
fn largest_scales(
    weights: &FloatWeights,
    features: &FeatureSet,
    valued: Option<&Valued>,
) -> Result<Scales, QuantiseError> {
    let layers = &weights.architecture.layers;
    let head = layers.has_psqt().then(|| head_scale(weights, features, valued)).transpose()?;
    let mut scales = match layers.is_linear() {
        true => linear_scales(),
        false => layered_scales(weights, features)?,
    };
    if let Some((per_centipawn, base)) = head {
        scales.psqt = Some(base);
        scales.mix = match layers.is_linear() {
            true => Mix::of_psqt(per_centipawn * valued.map_or(1, Valued::parts)),
            false => Mix::of_both(scales.mix.whole, per_centipawn),
        };
    }
    Ok(scales)
}

fn linear_scales() -> Scales {
    Scales {
        transformer: None,
        hidden: Vec::new(),
        output: 1,
        skip: None,
        psqt: None,
        mix: Mix::of_psqt(1),
        rounding: Rounding::default(),
    }
}

/// Integers per centipawn of what features count by themselves, and the base of their
/// digits.
fn head_scale(
    weights: &FloatWeights,
    features: &FeatureSet,
    valued: Option<&Valued>,
) -> Result<(i64, Base), QuantiseError> {
    let buckets = weights.architecture.layers.psqt_columns();
    let rows: Cow<'_, [f32]> = match valued {
        Some(valued) => valued.carried(&weights.psqt, buckets).into(),
        None => weights.psqt[..].into(),
    };
    let carrier = valued.map_or(features, |valued| valued.carrier());
    let none = vec![0.0; valued.map_or(1, Valued::multipliers) * buckets];
    let head = Transformer { weights: &rows[..], bias: &none[..] };
    let bound = (head.largest_sum(carrier) as f32).next_up();
    let (scale, base) = in_two_digits(bound, carrier.max_active());
    if scale < 1.0 {
        let (layer, unit) = ("head of feature weights", "centipawns");
        return Err(QuantiseError::TooLarge { layer, bound, unit, bits: i32::BITS });
    }
    Ok((scale as i64, base))
}

/// Of a net with a feature transformer, without a head.
fn layered_scales(weights: &FloatWeights, features: &FeatureSet) -> Result<Scales, QuantiseError> {
    let layers = &weights.architecture.layers;
    let widest = transformer_scale(weights, features)?;
    // Bytes for the lowest dense layer, if there is one above it and they are fine enough.
    let of_bytes = || upper_scales(weights, transformer_of_bytes(widest, weights), Lowest::Bytes);
    if let Some(scales) = (!layers.hidden().is_empty()).then(of_bytes).flatten() {
        return Ok(scales);
    }
    let transformer = transformer_of_words(widest, weights);
    upper_scales(weights, transformer, Lowest::Words).ok_or_else(|| {
        let (layer, unit) = ("dense layer", "times full activation");
        let bound = weights.dense.iter().map(dense_bound).fold(0.0, f32::max);
        QuantiseError::TooLarge { layer, bound, unit, bits: i32::BITS }
    })
}

/// What the lowest dense layer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lowest {
    Bytes,
    Words,
}

/// With activations of at most [`BYTE_UNIT`].
fn transformer_of_bytes(
    (one, base): (i32, Option<Base>),
    weights: &FloatWeights,
) -> TransformerScale {
    let activation = weights.architecture.layers.activation();
    let long = match activation {
        Activation::SquaredClippedRelu => one * one,
        Activation::Pairwise => return pairwise_scale(one, base),
        Activation::ClippedRelu | Activation::Dual | Activation::Identity => one,
    };
    let shift = (long / BYTE_UNIT).max(1).ilog2();
    // What the shift takes, whole.
    let one = if activation.is_product() { one } else { one.min(BYTE_UNIT << shift) };
    TransformerScale { one, top: one, shift, base }
}

/// With activations as fine as 16 bits hold them.
fn transformer_of_words(
    (one, base): (i32, Option<Base>),
    weights: &FloatWeights,
) -> TransformerScale {
    let shift = match weights.architecture.layers.activation() {
        Activation::SquaredClippedRelu => (one * one / SQUARE_MOST).max(1).ilog2(),
        Activation::Pairwise => return pairwise_scale(one, base),
        Activation::ClippedRelu | Activation::Dual | Activation::Identity => 0,
    };
    TransformerScale { one, top: one, shift, base }
}

/// Sums of at most eight bits, so that their products are of 16, and activations of seven.
fn pairwise_scale(one: i32, base: Option<Base>) -> TransformerScale {
    let one = one.min(PAIR_MOST);
    let shift = (one * one / BYTE_UNIT).max(1).ilog2();
    TransformerScale { one, top: one.min(PAIR_MOST - 1), shift, base }
}

/// Scales of all dense layers, from the lowest up; `None` if there are none that are safe,
/// or bytes would be too coarse.
fn upper_scales(
    weights: &FloatWeights,
    transformer: TransformerScale,
    lowest: Lowest,
) -> Option<Scales> {
    let layers = &weights.architecture.layers;
    let mut scales =
        Scales { transformer: Some(transformer), hidden: Vec::new(), ..linear_scales() };
    let mut unit = transformer.unit(layers.activation());
    let mut most = transformer.most(layers.activation(), scales.rounding);
    for (place, dense) in weights.dense.iter().take(layers.hidden().len()).enumerate() {
        let least = match (place, lowest) {
            (0, Lowest::Bytes) => Some(f32::from(i8::MAX)),
            _ => None,
        };
        let reads = Reads { unit, most, inputs: layers.dense()[place].inputs };
        let scale = dense_scale(dense, reads, least, layers)?;
        let top = (unit * f64::from(scale)) as i32;
        // The output reads all bits there are, a layer in the middle those of 16-bit numbers.
        let is_last = place + 1 == layers.hidden().len();
        let shift = if is_last { 0 } else { (top / MIDDLE_UNIT).max(1).ilog2() };
        let own = HiddenScale { weights: scale, top, shift };
        scales.hidden.push(own);
        (unit, most) = (f64::from(top) / f64::from(1 << shift), own.most(scales.rounding));
    }
    match layers.hidden().len() {
        0 => {
            let reads = Reads { unit, most, inputs: 2 * layers.outputs_per_side() };
            let only = weights.dense.first()?;
            scales.output = dense_scale(only, reads, None, layers)?;
        }
        _ => scales.output = QC,
    }
    let per_centipawn = unit * f64::from(scales.output);
    scales.mix = Mix::of_output(per_centipawn as i64);
    scales.skip = layers.skip().map(|place| {
        let sums = scales.dense(layers)[place].sums();
        Ratio { times: (f64::from(weights.skip) * per_centipawn / sums).round() as i64, over: 1 }
    });
    Some(scales)
}

/// What a dense layer reads.
#[derive(Clone, Copy, Debug)]
struct Reads {
    /// Integers per unit.
    unit: f64,
    /// The largest.
    most: i32,
    /// How many.
    inputs: usize,
}

/// The largest scale of weights with which no sum leaves 32 bits: of bytes up to `byte`, if
/// they are fine enough, and of 16 bits otherwise. `None` if there is none.
fn dense_scale(
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
        return dense_fits(dense, reads, scale).then_some(scale);
    }
    let bound = dense_bound(dense);
    let scale = (i32::MAX as f32 / (reads.unit as f32 * bound)).floor().clamp(1.0, QB_MOST);
    let scale = scale.min(f32::from(i16::MAX) / largest(&dense.weights)).floor();
    let mut scale = usable((scale as i32).max(1), layers);
    // The bound above is of floats; this one is of the integers themselves.
    while !dense_fits(dense, reads, scale) {
        if scale == 1 {
            return None;
        }
        scale /= 2;
    }
    Some(scale)
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
    let usual = |qa: f32| usable(holding_rounded(qa as i32, weights), &weights.architecture.layers);
    if of_one_digit >= QA_ENOUGH {
        return Ok((usual(of_one_digit), None));
    }
    let (qa, base) = in_two_digits(bound, rows);
    if qa < QA_LEAST {
        let (layer, unit) = ("feature transformer", "times full activation");
        return Err(QuantiseError::TooLarge { layer, bound, unit, bits: i32::BITS });
    }
    Ok((usual(qa), Some(base)))
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

/// Products are brought back to their scale by shifts, so scales are powers of
/// two in nets that have any.
fn usable(scale: i32, layers: &Layers) -> i32 {
    let hidden = layers.hidden().iter().map(|hidden| hidden.activation);
    let mut activations = hidden.chain([layers.activation()]);
    if activations.any(Activation::wants_shifts) { 1 << scale.ilog2() } else { scale }
}

/// Whether every weight of a dense layer is an i16 and no sum can leave 32
/// bits, whatever it reads.
fn dense_fits(dense: &DenseWeights, reads: Reads, scale: i32) -> bool {
    let biases = bias_integers(&dense.bias, reads.unit * f64::from(scale));
    dense.weights.chunks_exact(reads.inputs).zip(biases).all(|(row, bias)| {
        let integers = || row.iter().map(|w| (w * scale as f32).round().abs() as i64);
        let full = integers().sum::<i64>() * i64::from(reads.most) + bias.abs() as i64;
        integers().all(|w| w <= i64::from(i16::MAX)) && full <= i64::from(i32::MAX)
    })
}

/// Not yet cut to the bits they have.
fn bias_integers(bias: &[f32], unit: f64) -> impl Iterator<Item = f64> {
    bias.iter().map(move |&bias| (f64::from(bias) * unit).round())
}

fn check_scales(weights: &FloatWeights, scales: &Scales) -> Result<(), QuantiseError> {
    let layers = &weights.architecture.layers;
    let refuse = |layer| Err(QuantiseError::DoesNotFit { layer, scales: scales.clone().into() });
    let Some(transformer) = scales.transformer else { return Ok(()) };
    if transformer.one != usable(transformer.one, layers) {
        return refuse("squared activation");
    }
    // Most negative integers are one further from zero than most positive ones.
    let i16_most = f32::from(i16::MAX) + 1.0;
    // What one in the only digit, or the high one, is worth.
    let digit = scales.digits().map_or(1.0, |base| i32::from(base) as f32);
    let qa = transformer.one as f32;
    let mut fits = vec![
        ("feature transformer", largest(&weights.ft_weights) * qa / digit, i16_most),
        ("feature transformer bias", largest(&weights.ft_bias) * qa / digit, i16_most),
    ];
    let is_wide = |place| place > 0 && place + 1 == weights.dense.len();
    for (place, (dense, units)) in weights.dense.iter().zip(scales.dense(layers)).enumerate() {
        let most = if is_wide(place) { i32::MAX as f32 } else { i16_most };
        fits.push(("dense layer", largest(&dense.weights) * units.weights as f32, most));
        if !is_wide(place) {
            let sum = dense_bound(dense) * units.sums() as f32;
            fits.push(("dense layer bias", sum, i32::MAX as f32));
        }
    }
    match fits.into_iter().find(|(_, value, most)| value > most) {
        Some((layer, ..)) => refuse(layer),
        None => Ok(()),
    }
}

fn to_integers(
    weights: &FloatWeights,
    features: &Arc<FeatureSet>,
    valued: Option<Arc<Valued>>,
    scales: Scales,
    provenance: serde_json::Value,
) -> Net {
    let layers = &weights.architecture.layers;
    let one = scales.transformer.map_or(1, |transformer| transformer.one);
    let rows = |values: &[f32]| match scales.digits() {
        None => to_i16(values, one as f32),
        Some(base) => base.split_rows(&to_i32(values, one), layers.width()),
    };
    let per_centipawn = match &valued {
        Some(valued) => scales.mix.whole / valued.parts(),
        None if layers.is_linear() => scales.mix.whole,
        None => scales.mix.output,
    };
    let dense = |(dense, units): (&DenseWeights, DenseUnits)| Dense {
        weights: to_i32(&dense.weights, units.weights as i32),
        bias: bias_integers(&dense.bias, units.sums()).map(|bias| bias as i64).collect(),
    };
    Net {
        features: features.clone(),
        valued,
        architecture: weights.architecture.clone(),
        ft_weights: rows(&weights.ft_weights).into(),
        ft_bias: rows(&weights.ft_bias),
        psqt: to_i32(&weights.psqt, per_centipawn as i32),
        dense: weights.dense.iter().zip(scales.dense(layers)).map(dense).collect(),
        composed: OnceLock::new(),
        carried: OnceLock::new(),
        scales,
        provenance,
    }
}

/// Whether such weights can be quantised, and how their set is added up where it is valued.
fn check(
    weights: &FloatWeights,
    features: &FeatureSet,
) -> Result<Option<Arc<Valued>>, QuantiseError> {
    let valued = Valued::read_by(features, &weights.architecture.layers).map_err(|reason| {
        QuantiseError::Valued { expression: features.expression().to_owned(), reason }
    })?;
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
        None => Ok(valued),
    }
}

/// Largest absolute value that an accumulator can reach.
fn accumulator_bound(weights: &FloatWeights, features: &FeatureSet) -> f32 {
    let transformer = Transformer { weights: &weights.ft_weights, bias: &weights.ft_bias };
    (transformer.largest_sum(features) as f32).next_up()
}

/// Largest absolute sum of a dense layer at full activation, bias included.
fn dense_bound(dense: &DenseWeights) -> f32 {
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

/// Share of weights and biases whose nearest integers do not fit the bits that they have.
/// Which neuron stands where plays no part: a net's may be [sorted](Net::sorted).
fn clipped(weights: &FloatWeights, net: &Net) -> f64 {
    let layers = &net.architecture.layers;
    let (mut cut, mut all) = (0_usize, 0);
    let mut count = |values: &[f32], scale: f64, most: f64| {
        let is_cut = |value: &&f32| (f64::from(**value) * scale).round().abs() > most;
        cut += values.iter().filter(is_cut).count();
        all += values.len();
    };
    let (short, long) = (f64::from(i16::MAX), f64::from(i32::MAX));
    for (place, (dense, units)) in weights.dense.iter().zip(net.scales.dense(layers)).enumerate() {
        let is_wide = place > 0 && place + 1 == weights.dense.len();
        count(&dense.weights, units.weights, if is_wide { long } else { short });
        count(&dense.bias, units.sums(), if is_wide { f64::INFINITY } else { long });
    }
    // Two digits hold whatever a feature transformer has.
    if let Some(TransformerScale { one, base: None, .. }) = net.scales.transformer {
        count(&weights.ft_weights, one.into(), short);
        count(&weights.ft_bias, one.into(), short);
    }
    cut as f64 / all.max(1) as f64
}
