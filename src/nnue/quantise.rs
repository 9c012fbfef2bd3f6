//! From floats to integers, with no sum that can overflow.
//!
//! Larger scales are more exact, so each is the largest that a bound allows:
//! the accumulator of a neuron can never exceed its bias plus the largest
//! weights that can be active together (each summand of the feature set says
//! how many), and a second-layer sum can never exceed full activation times
//! the weights of its sign.

use std::sync::Arc;

use rayon::prelude::*;

use super::net::{Net, Scales};
use super::weights::FloatWeights;
use crate::chess::{PackedPosition, Scene};
use crate::features::FeatureSet;

/// Why a net cannot be quantised.
#[derive(Debug, thiserror::Error)]
pub enum QuantiseError {
    /// Sizes of weights and feature set differ.
    #[error(
        "the weights are for {weights} features, the feature set `{expression}` has {features}"
    )]
    OtherFeatures {
        /// Rows in the weights.
        weights: usize,
        /// Size of the set.
        features: usize,
        /// The set.
        expression: String,
    },
    /// The set is valued.
    #[error(
        "`{expression}` is a valued set: its features carry numbers, for which nets have no quantised form yet; it can be trained and evaluated in floating point only"
    )]
    Valued {
        /// The set.
        expression: String,
    },
    /// A weight is NaN or infinite.
    #[error("the {layer} weights hold a value that is no number; the training run diverged")]
    NotFinite {
        /// Which weights.
        layer: &'static str,
    },
    /// No scale is large enough to be useful and small enough to be safe.
    #[error(
        "the feature transformer can reach {bound:.0} times full activation, too much for 16-bit sums; train with a smaller learning rate or fewer active features"
    )]
    TooLarge {
        /// Bound of the accumulator in units of activation.
        bound: f32,
    },
    /// Given scales are too large for the weights.
    #[error(
        "the {layer} weights do not fit integers at scales qa {}, qb {}, qc {}; the file they come from is damaged, or not meant for these scales",
        scales.qa, scales.qb, scales.qc
    )]
    DoesNotFit {
        /// Which weights.
        layer: &'static str,
        /// The scales.
        scales: Scales,
    },
}

const QA_MOST: f32 = 1024.0;
const QA_LEAST: f32 = 16.0;
const QB_MOST: f32 = 4096.0;
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
/// second-layer sums that could exceed 32 bits.
pub fn quantise_at(
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
    let bound = accumulator_bound(weights, features);
    let qa = (f32::from(i16::MAX) / bound).floor().min(QA_MOST);
    if qa < QA_LEAST {
        return Err(QuantiseError::TooLarge { bound });
    }
    let qb = (i32::MAX as f32 / (qa * hidden_bound(weights))).floor().clamp(1.0, QB_MOST);
    let qb = qb.min(f32::from(i16::MAX) / largest(&weights.l2_weights)).floor();
    Ok(Scales { qa: qa as i32, qb: qb as i32, qc: QC })
}

fn check_scales(weights: &FloatWeights, scales: Scales) -> Result<(), QuantiseError> {
    let Scales { qa, qb, qc } = scales;
    // Most negative integers are one further from zero than most positive ones.
    let i16_most = f32::from(i16::MAX) + 1.0;
    let (qa, qb, qc) = (qa as f32, qb as f32, qc as f32);
    let fits = [
        ("feature transformer", largest(&weights.ft_weights) * qa, i16_most),
        ("feature transformer bias", largest(&weights.ft_bias) * qa, i16_most),
        ("second layer", largest(&weights.l2_weights) * qb, i16_most),
        ("second layer bias", hidden_bound(weights) * qa * qb, i32::MAX as f32),
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
    let (qa, qb, qc) = (scales.qa as f32, scales.qb as f32, scales.qc as f32);
    let unit = f64::from(qa) * f64::from(qb);
    Net {
        features: features.clone(),
        architecture: weights.architecture,
        scales,
        ft_weights: to_i16(&weights.ft_weights, qa),
        ft_bias: to_i16(&weights.ft_bias, qa),
        l2_weights: to_i16(&weights.l2_weights, qb),
        l2_bias: weights.l2_bias.iter().map(|&b| (f64::from(b) * unit).round() as i32).collect(),
        out_weights: weights.out_weights.iter().map(|&w| (w * qc).round() as i32).collect(),
        out_bias: (f64::from(weights.out_bias) * unit * f64::from(qc)).round() as i64,
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
    let layers: [(&'static str, &[f32]); 6] = [
        ("feature transformer", &weights.ft_weights),
        ("feature transformer bias", &weights.ft_bias),
        ("second layer", &weights.l2_weights),
        ("second layer bias", &weights.l2_bias),
        ("output", &weights.out_weights),
        ("output bias", std::slice::from_ref(&weights.out_bias)),
    ];
    match layers.iter().find(|(_, values)| values.iter().any(|v| !v.is_finite())) {
        Some((layer, _)) => Err(QuantiseError::NotFinite { layer }),
        None => Ok(()),
    }
}

/// Largest absolute value a neuron's accumulator can reach, over all neurons,
/// rounding included.
fn accumulator_bound(weights: &FloatWeights, features: &FeatureSet) -> f32 {
    let l1 = weights.architecture.l1;
    let of_neuron = |neuron: usize| {
        let (mut high, mut low) =
            (weights.ft_bias[neuron].max(0.0), weights.ft_bias[neuron].min(0.0));
        for summand in features.summands() {
            let column = (summand.offset..summand.offset + summand.size)
                .map(|feature| weights.ft_weights[feature * l1 + neuron]);
            let (mut up, mut down): (Vec<f32>, Vec<f32>) = column.partition(|&w| w > 0.0);
            high += largest_sum(&mut up, summand.max_active, |a, b| b.total_cmp(a));
            low += largest_sum(&mut down, summand.max_active, f32::total_cmp);
        }
        // Each of the rows may be rounded up by half a unit of the largest scale.
        high.max(-low) + features.max_active() as f32 / QA_MOST
    };
    (0..l1).into_par_iter().map(of_neuron).reduce(|| f32::MIN_POSITIVE, f32::max)
}

/// Sum of the first `count` values in the given order.
fn largest_sum(
    values: &mut [f32],
    count: usize,
    order: impl Fn(&f32, &f32) -> std::cmp::Ordering,
) -> f32 {
    if values.len() > count && count > 0 {
        values.select_nth_unstable_by(count - 1, order);
    }
    values.iter().take(count).sum()
}

/// Largest absolute second-layer sum at full activation, bias included.
fn hidden_bound(weights: &FloatWeights) -> f32 {
    let inputs = 2 * weights.architecture.l1;
    weights
        .l2_weights
        .chunks_exact(inputs)
        .zip(&weights.l2_bias)
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
}

impl QuantisationError {
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
        let at =
            |share: f64| differences.get((share * last as f64) as usize).copied().unwrap_or(0.0);
        Self {
            positions: differences.len(),
            mean: differences.iter().sum::<f64>() / differences.len().max(1) as f64,
            percentile_99: at(0.99),
            largest: at(1.0),
        }
    }
}
