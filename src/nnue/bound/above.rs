//! The largest numbers above the accumulators.
//!
//! A layer's inputs have a largest value; so have its sums, and the centipawns. The bounds are
//! computed in integers wide enough for any file.

use crate::net::{IntegerDense, Net};

impl Net {
    /// The overflow of numbers above the accumulators; `None` if there can be none.
    pub(super) fn excess_above(&self) -> Option<String> {
        self.dense_excess().or_else(|| self.output_excess())
    }

    /// The overflow of a dense layer with 32-bit sums.
    fn dense_excess(&self) -> Option<String> {
        let narrow =
            self.weights.dense.len() - usize::from(!self.architecture.layers.hidden().is_empty());
        let sums = (0..narrow).map(|place| (place + 1, self.largest_sum(place)));
        let (number, largest) = { sums }.find(|(_, largest)| *largest > i128::from(i32::MAX))?;
        Some(format!("the sums of dense layer {number} can reach {largest}, too much for 32 bits"))
    }

    /// The overflow of the sum for centipawns beyond 64 bits, or of centipawns beyond 32.
    pub(super) fn output_excess(&self) -> Option<String> {
        let mix = self.scales.mix;
        let (output, head) = (self.largest_output(), self.largest_head());
        let sum = output * i128::from(mix.output)
            + head * i128::from(mix.psqt)
            + i128::from(mix.whole / 2);
        let largest = output.max(sum);
        if largest > i128::from(i64::MAX) {
            return Some(format!(
                "the sum that centipawns are made of can reach {largest}, too much for 64 bits"
            ));
        }
        let centipawns = sum / i128::from(mix.whole);
        (centipawns > i128::from(i32::MAX)).then(|| {
            format!("its evaluations can reach {centipawns} centipawns, too much for 32 bits")
        })
    }

    /// Bound of the output layer, with the part of a skip.
    fn largest_output(&self) -> i128 {
        let Some(last) = self.weights.dense.len().checked_sub(1) else { return 0 };
        let skipped = match (self.architecture.layers.addition(), self.scales.skip) {
            (Some((place, addition)), Some(weight)) => {
                // A sum has 32 bits for any weights.
                let sum = self.largest_sum(place).min(-i128::from(i32::MIN));
                addition.largest(sum) * i128::from(weight.times).abs() / i128::from(weight.over)
            }
            _ => 0,
        };
        self.largest_sum(last) + skipped
    }

    /// Bound of the PSQT sums: the side to move's less the other's.
    fn largest_head(&self) -> i128 {
        let Some(base) = self.scales.psqt else { return 0 };
        let base = i128::from(i32::from(base));
        // A sum has 16 bits for any rows.
        let digit = (self.largest_digit_sum() as i128).min(-i128::from(i16::MIN));
        let valued = self.valued.as_ref();
        let numbers = valued.map_or(1, |it| it.multipliers() as i128 * i128::from(it.parts()));
        2 * (digit * base + digit) * numbers
    }

    /// The largest absolute sum of a dense layer.
    fn largest_sum(&self, place: usize) -> i128 {
        let layers = &self.architecture.layers;
        let inputs = layers.dense()[place].inputs;
        self.weights.dense[place].largest_sum(inputs, self.scales.most_read(layers)[place])
    }

    /// The overflow of PSQT sums beyond two digits; `None` if there can be none.
    pub(super) fn digit_excess(&self) -> Option<String> {
        let most = i64::from(i32::from(self.scales.psqt?)) * i64::from(i16::MAX);
        let rows: Vec<i64> = self.weights.psqt.iter().copied().map(i64::from).collect();
        let rows = match &self.valued {
            Some(valued) => valued.carried(&rows, self.architecture.layers.psqt_columns()),
            None => rows,
        };
        let largest = rows.iter().map(|count| count.abs()).max().unwrap_or(0);
        (largest > most).then(|| {
            format!("a feature counts {largest} by itself, and two digits hold {most} at most")
        })
    }
}

impl IntegerDense {
    /// The largest absolute sum of its neurons, which read numbers up to `most`.
    fn largest_sum(&self, inputs: usize, most: i32) -> i128 {
        let of = |(row, bias): (&[i32], &i64)| {
            let weights: i128 = row.iter().map(|&weight| i128::from(weight).abs()).sum();
            weights * i128::from(most) + i128::from(*bias).abs()
        };
        self.weights.chunks_exact(inputs).zip(&self.bias).map(of).max().unwrap_or(0)
    }
}
