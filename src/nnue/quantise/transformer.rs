//! The scale of the feature transformer.

use super::{QuantiseError, usable};
use crate::bound::Transformer;
use crate::digits::Base;
use crate::weights::FloatWeights;
use features::FeatureSet;

/// Grid per unit of the feature transformer's weights after quantisation-aware training. If all
/// weights lie on this grid, qa is a multiple of it too, so that integers hold them exactly. Most
/// nets have room for a qa of twice that or more.
pub const ROUNDING: f32 = 128.0;

const QA_MOST: f32 = 1024.0;
/// Below this scale two digits are used if they allow a larger one: half an integer of each row
/// would show in centipawns.
const QA_ENOUGH: f32 = 64.0;
const QA_LEAST: f32 = 16.0;

/// The largest safe scale of the feature transformer, and the base of its digits if one is not
/// enough.
pub(super) fn scale(
    weights: &FloatWeights,
    features: &FeatureSet,
) -> Result<(i32, Option<Base>), QuantiseError> {
    let bound = accumulator_bound(weights, features);
    // The bias is one more row.
    let rows = features.max_active() + 1;
    // Each row may be rounded by half a unit.
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

/// The largest scale at which sums of `rows` rows, bounded by `bound`, are safe in two digits; not
/// above zero if there is none.
pub(super) fn in_two_digits(bound: f32, rows: usize) -> (f32, Base) {
    let base = Base::of_rows(rows);
    // The high digit of each row may be rounded, by less than a unit.
    let room = f32::from(i16::MAX) - rows as f32;
    ((room * i32::from(base) as f32 / bound).floor().min(QA_MOST), base)
}

/// The largest scale up to `qa` that is exact for weights on the grid of quantisation-aware
/// training, if they are.
fn holding_rounded(qa: i32, weights: &FloatWeights) -> i32 {
    let exact = |values: &[f32]| values.iter().all(|w| (w * ROUNDING).fract() == 0.0);
    let step = ROUNDING as i32;
    let is_rounded = exact(&weights.ft_weights) && exact(&weights.ft_bias);
    if is_rounded && qa >= step { qa - qa % step } else { qa }
}

/// Largest absolute value that an accumulator can reach.
fn accumulator_bound(weights: &FloatWeights, features: &FeatureSet) -> f32 {
    let transformer = Transformer { weights: &weights.ft_weights, bias: &weights.ft_bias };
    (transformer.largest_sum(features) as f32).next_up()
}
