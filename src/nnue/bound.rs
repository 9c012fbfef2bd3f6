//! An upper bound of the accumulators over all positions.
//!
//! The bound is structural: it takes the largest weights that can be active together in the feature
//! set. The quantiser chooses the scale by it, and a file with the claim of safe sums is checked
//! against it.

mod above;

use std::ops::Range;

use rayon::prelude::*;

use super::net::Net;
use features::FeatureSet;
use features::together::Together;

/// Neurons computed together: those of a cache line.
const TILE: usize = 16;

/// Weights of the feature transformer, in floats or integers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transformer<'a, W> {
    /// `[features][width]`
    pub weights: &'a [W],
    /// `[width]`
    pub bias: &'a [W],
}

impl<W: Copy + Sync + Into<f32>> Transformer<'_, W> {
    /// Largest absolute value that an accumulator can reach, bias included.
    pub(crate) fn largest_sum(&self, features: &FeatureSet) -> f64 {
        let width = self.bias.len();
        let parts: Vec<Together> = features.parts().flat_map(|part| part.together()).collect();
        let tiles = (0..width).into_par_iter().step_by(TILE);
        tiles
            .map(|start| self.largest_of(start..width.min(start + TILE), &parts))
            .reduce(|| 0.0, f64::max)
    }

    fn largest_of(&self, neurons: Range<usize>, parts: &[Together]) -> f64 {
        let mut range = Extremes::default();
        for (neuron, extremes) in neurons.clone().zip(&mut range.0) {
            let bias = f64::from(self.bias[neuron].into());
            *extremes = (bias, bias);
        }
        for part in parts {
            let copies = part.copies.iter().map(|&copy| self.of_copy(&neurons, part, copy));
            let widest = copies.fold(Extremes::default(), Extremes::widest);
            range = range.plus(widest);
        }
        range.0.into_iter().fold(0.0, |most, (low, high)| most.max(high).max(-low))
    }

    /// The range that one copy can add to each neuron.
    fn of_copy(&self, neurons: &Range<usize>, part: &Together, copy: u32) -> Extremes {
        let width = self.bias.len();
        let mut groups = vec![([0.0_f32; TILE], [0.0_f32; TILE]); part.groups.len()];
        for (group, (lows, highs)) in groups.iter_mut().enumerate() {
            for feature in part.groups.of(group) {
                let row = &self.weights[(copy + feature) as usize * width..][neurons.clone()];
                for ((weight, low), high) in row.iter().zip(&mut *lows).zip(&mut *highs) {
                    let weight: f32 = (*weight).into();
                    (*low, *high) = (low.min(weight), high.max(weight));
                }
            }
        }
        let sum_of_most = |value: &dyn Fn(usize) -> f32| {
            largest_sum((0..groups.len()).map(value).collect(), part.most)
        };
        Extremes(std::array::from_fn(|lane| {
            (
                -sum_of_most(&|group| -groups[group].0[lane]),
                sum_of_most(&|group| groups[group].1[lane]),
            )
        }))
    }
}

/// The smallest and largest sum of each neuron of a tile.
#[derive(Clone, Copy, Debug, Default)]
struct Extremes([(f64, f64); TILE]);

impl Extremes {
    fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| (self.0[i].0 + other.0[i].0, self.0[i].1 + other.0[i].1)))
    }

    fn widest(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| {
            (self.0[i].0.min(other.0[i].0), self.0[i].1.max(other.0[i].1))
        }))
    }
}

/// Sum of the `count` largest values.
fn largest_sum(mut values: Vec<f32>, count: usize) -> f64 {
    if values.len() > count && count > 0 {
        values.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
    }
    values.into_iter().take(count).map(f64::from).sum()
}

impl Net {
    /// A possible overflow in some position; `None` if there is none. Sums of imported nets may
    /// wrap, as in their own program; numbers computed from them may not.
    pub(super) fn overflow(&self) -> Option<String> {
        match self.provenance.get("imported") {
            Some(_) => self.digit_excess().or_else(|| self.output_excess()),
            None => self.excess(),
        }
    }

    /// The sum that could overflow in some position, by the features that exclude each other;
    /// `None` if no sum can.
    pub fn excess(&self) -> Option<String> {
        self.digit_excess().or_else(|| self.accumulator_excess()).or_else(|| self.excess_above())
    }

    fn accumulator_excess(&self) -> Option<String> {
        let transformer =
            Transformer { weights: &self.weights.ft_weights[..], bias: &self.weights.ft_bias[..] };
        let largest = transformer.largest_sum(self.carrier()).max(self.largest_digit_sum());
        // Early versions of this program ignored the rounding of rows, half a unit each.
        let most = f64::from(i16::MAX) + self.carrier().max_active() as f64 / 2.0;
        (largest > most).then(|| {
            format!("its accumulators can reach {largest:.0}, but hold no more than {}", i16::MAX)
        })
    }

    /// The largest digit of a PSQT sum.
    fn largest_digit_sum(&self) -> f64 {
        let columns = self.head_width();
        let Some(base) = self.scales.psqt else { return 0.0 };
        let digits = base.split_rows(self.carried_head(), columns);
        let bias = vec![0_i16; 2 * columns];
        Transformer { weights: &digits[..], bias: &bias[..] }.largest_sum(self.carrier())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_one_piece_a_square() {
        // Two kinds on three squares, two neurons; and a pair of rows that do not exclude each
        // other.
        let features = FeatureSet::parse("piece({a1, b1, c1} * {pawn, rook} * {own})").unwrap();
        let weights: [f32; 12] = [5.0, -1.0, 4.0, -2.0, 3.0, -7.0, 1.0, 0.0, 0.0, 0.0, -9.0, 2.0];
        let transformer = Transformer { weights: &weights, bias: &[1.0, -1.0] };
        // 5 + 3 + 0 and the bias, not 5 + 4 + 3 + 1; −9 is less than that.
        // The other neuron: −2 − 7 − 1.
        assert_eq!(transformer.largest_sum(&features), 10.0);
    }
}
