//! From floats to integers, with no sum that can overflow.
//!
//! Larger scales are more exact, so each is the largest that a bound allows: the accumulator of a
//! neuron can never exceed its bias plus the largest weights that can be active together (`bound`:
//! one piece a square, one square a king, and the maximum of each summand of the feature set), and
//! a sum of the dense layer can never exceed full activation times its weights.
//!
//! A linear net sums centipawns, more than 16 bits can hold: 32 queens might stand on the board.
//! Its weights have two digits, in a base so small that low digits cannot overflow either
//! ([`Base`]). So have those of any net for which 16 bits leave no useful scale.

use std::sync::Arc;

use super::activation::Activation;
use super::layers::Layers;
use super::net::{IntegerDense, IntegerWeights, Net};
use super::scales::{DenseUnits, Scales};
use super::valued::{Unplayable, Valued};
use super::weights::{DenseWeights, FloatWeights};
use features::FeatureSet;

mod dense;
mod difference;
mod given;
mod safe;
mod transformer;

pub use difference::QuantisationError;
pub use transformer::ROUNDING;

use dense::bias_integers;

/// Why a net cannot be quantised.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum QuantiseError {
    /// Sizes of weights and feature set differ.
    #[error(
        "the weights are for {weights} features, the feature set `{expression}` has {features}"
    )]
    OtherFeatures { weights: usize, features: usize, expression: String },
    /// The set is valued, and has no such quantised form.
    #[error(
        "`{expression}` is a valued set, and nets have no quantised form for it: {reason}. It can be trained and evaluated in floating point only"
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

/// Quantises trained weights for `features`, at scales with which no sum can
/// overflow.
pub fn quantise(
    weights: &FloatWeights,
    features: &Arc<FeatureSet>,
    provenance: serde_json::Value,
) -> Result<Net, QuantiseError> {
    let valued = check(weights, features)?;
    let scales = safe::largest_scales(weights, features, valued.as_deref())?;
    Ok(to_integers(weights, features, valued, scales, provenance))
}

/// Quantises at given scales: weights that were integers at these scales become the same integers.
/// Accumulators are not bounded; they wrap, as in the program of origin.
///
/// # Errors
/// Besides those of [`quantise`], weights that do not fit their integers and
/// sums of the dense layer that could exceed 32 bits.
pub fn quantise_at(
    scales: Scales,
    weights: &FloatWeights,
    features: &Arc<FeatureSet>,
    provenance: serde_json::Value,
) -> Result<Net, QuantiseError> {
    let valued = check(weights, features)?;
    given::check(weights, &scales)?;
    Ok(to_integers(weights, features, valued, scales, provenance))
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
    let dense = |(dense, units): (&DenseWeights, DenseUnits)| IntegerDense {
        weights: to_i32(&dense.weights, units.weights as i32),
        bias: bias_integers(&dense.bias, units.sums()).map(|bias| bias as i64).collect(),
    };
    let integers = IntegerWeights {
        ft_weights: rows(&weights.ft_weights).into(),
        ft_bias: rows(&weights.ft_bias),
        psqt: to_i32(&weights.psqt, per_centipawn as i32),
        dense: weights.dense.iter().zip(scales.dense(layers)).map(dense).collect(),
    };
    let architecture = weights.architecture.clone();
    Net::assembled(features.clone(), valued, architecture, scales, integers, provenance)
}

/// Checks that the weights can be quantised; returns the partial sums of a valued set.
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

/// Shifts scale products back, so scales are powers of two in nets with products.
fn usable(scale: i32, layers: &Layers) -> i32 {
    let hidden = layers.hidden().iter().map(|hidden| hidden.activation);
    let mut activations = hidden.chain([layers.activation()]);
    if activations.any(Activation::wants_shifts) { 1 << scale.ilog2() } else { scale }
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
