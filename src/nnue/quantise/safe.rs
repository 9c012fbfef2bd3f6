//! The largest scales of all layers with which no sum can overflow.

use std::borrow::Cow;

use super::QuantiseError;
use super::dense::{self, Reads};
use super::transformer;
use crate::bound::Transformer;
use crate::digits::Base;
use crate::scales::{HiddenScale, Mix, Ratio, Rounding, Scales, TransformerScale};
use crate::valued::Valued;
use crate::weights::FloatWeights;
use features::FeatureSet;

/// Integers per unit of the output's weights, above hidden layers.
const OUTPUT_UNIT: i32 = 256;

/// Integers per unit of the inputs of a middle dense layer.
const MIDDLE_UNIT: i32 = 1 << 10;

/// The largest safe scales.
pub(super) fn largest_scales(
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

/// Scales of a net without a feature transformer; others start from these.
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

/// Integers per centipawn of the PSQT weights, and the base of their digits.
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
    let (scale, base) = transformer::in_two_digits(bound, carrier.max_active());
    if scale < 1.0 {
        let (layer, unit) = ("head of feature weights", "centipawns");
        return Err(QuantiseError::TooLarge { layer, bound, unit, bits: i32::BITS });
    }
    Ok((scale as i64, base))
}

/// Scales of a net with a feature transformer, without a head.
fn layered_scales(weights: &FloatWeights, features: &FeatureSet) -> Result<Scales, QuantiseError> {
    let layers = &weights.architecture.layers;
    let (one, base) = transformer::scale(weights, features)?;
    let activation = layers.activation();
    // Bytes for the lowest dense layer, if there is one above it and they are fine enough.
    let of_bytes = || upper_scales(weights, activation.byte_scale(one, base), Lowest::Bytes);
    if let Some(scales) = (!layers.hidden().is_empty()).then(of_bytes).flatten() {
        return Ok(scales);
    }
    let transformer = activation.word_scale(one, base);
    upper_scales(weights, transformer, Lowest::Words).ok_or_else(|| {
        let (layer, unit) = ("dense layer", "times full activation");
        let bound = weights.dense.iter().map(dense::largest_sum).fold(0.0, f32::max);
        QuantiseError::TooLarge { layer, bound, unit, bits: i32::BITS }
    })
}

/// Type of the lowest dense layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lowest {
    Bytes,
    Words,
}

/// Scales of all dense layers, from the lowest up; `None` if none are safe, or bytes would be too
/// coarse.
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
        let scale = dense::scale(dense, reads, least, layers)?;
        let top = (unit * f64::from(scale)) as i32;
        // The output reads all bits, a layer in the middle those of 16-bit numbers.
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
            scales.output = dense::scale(only, reads, None, layers)?;
        }
        _ => scales.output = OUTPUT_UNIT,
    }
    let per_centipawn = unit * f64::from(scales.output);
    scales.mix = Mix::of_output(per_centipawn as i64);
    scales.skip = layers.addition().map(|(place, _)| {
        let sums = scales.dense(layers)[place].sums();
        Ratio { times: (f64::from(weights.skip) * per_centipawn / sums).round() as i64, over: 1 }
    });
    Some(scales)
}
