//! Checks of weights against given scales.

use super::dense::largest_sum;
use super::{QuantiseError, largest, usable};
use crate::scales::Scales;
use crate::weights::FloatWeights;

pub(super) fn check(weights: &FloatWeights, scales: &Scales) -> Result<(), QuantiseError> {
    let layers = &weights.architecture.layers;
    let refuse = |layer| Err(QuantiseError::DoesNotFit { layer, scales: scales.clone().into() });
    let Some(transformer) = scales.transformer else { return Ok(()) };
    if transformer.one != usable(transformer.one, layers) {
        return refuse("squared activation");
    }
    // The negative range is one wider than the positive one.
    let i16_most = f32::from(i16::MAX) + 1.0;
    // Value of one in the only digit, or the high one.
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
            let sum = largest_sum(dense) * units.sums() as f32;
            fits.push(("dense layer bias", sum, i32::MAX as f32));
        }
    }
    match fits.into_iter().find(|(_, value, most)| value > most) {
        Some((layer, ..)) => refuse(layer),
        None => Ok(()),
    }
}
