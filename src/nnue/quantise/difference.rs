//! Quantisation error of a net.

use rayon::prelude::*;

use crate::net::Net;
use crate::scales::TransformerScale;
use crate::weights::FloatWeights;
use chess::{PackedPosition, Scene};

/// Distance between the evaluations of integers and floats, in centipawns.
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
    /// Positions by whole centipawns of their difference; the last bin has all larger differences.
    #[serde(default)]
    pub histogram: [u32; QuantisationError::BINS],
    /// Share of weights and biases that were clipped to their type.
    #[serde(default)]
    pub clipped: f64,
}

impl QuantisationError {
    /// Bins of the histogram.
    pub const BINS: usize = 21;

    /// Compares a net with its float weights.
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

/// Share of weights and biases whose nearest integers do not fit their type. The order of neurons
/// is ignored: a net may be [sorted](Net::sorted).
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
    // Two digits hold any feature transformer.
    if let Some(TransformerScale { one, base: None, .. }) = net.scales.transformer {
        count(&weights.ft_weights, one.into(), short);
        count(&weights.ft_bias, one.into(), short);
    }
    cut as f64 / all.max(1) as f64
}
