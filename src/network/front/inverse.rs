//! The rows each feature is active in, for devices that do not compute it
//! themselves.
//!
//! The backward pass gathers, for every feature, the gradients of the rows it
//! is active in. The processor inverts the index lists piece by piece during that
//! ([`super::cpu`]). On a graphics card thousands of threads would have to agree on
//! an order first; so the lists are inverted on the processor, by the thread that
//! builds the batch anyway, and uploaded with it.
//!
//! The lists of features differ in length a thousandfold: every row has a king,
//! hardly any a pawn of the seventh rank. Each is cut into *parts* of at most
//! [`PART_ROWS`] rows, which are summed side by side and then added up in
//! order, so that no thread works much longer than another and the result does
//! not depend on which comes first.

use super::cpu::inverted::Inverted;
use super::cpu::rows::{Ones, Rows};

/// Most rows in a part.
pub(super) const PART_ROWS: usize = 128;

/// The rows of each feature, in parts. Nothing of it is empty, so that every
/// list can be a buffer on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Inverse {
    /// Rows of the first feature, ascending, then of the second, and so on.
    pub rows: Vec<i32>,
    /// The value in each of `rows`; `None` if the set is binary.
    pub values: Option<Vec<f32>>,
    /// Where each part begins in `rows`, and where the last ends.
    pub part_starts: Vec<i32>,
    /// The first part of each feature, and how many parts there are.
    pub first_parts: Vec<i32>,
}

impl Inverse {
    /// Inverts lists that are laid out as
    /// [`ActiveFeatures::new`](super::ActiveFeatures::new) describes.
    ///
    /// # Panics
    /// If an index is not below `features`.
    pub fn new(indices: &[i32], values: Option<&[f32]>, width: usize, features: usize) -> Self {
        match values {
            None => {
                let rows = Rows { indices, values: Ones, width };
                let inverted = Inverted::new(rows.enumerated(), features);
                Self::in_parts(inverted.ends(), features, inverted.rows(), None)
            }
            Some(values) => {
                let rows = Rows { indices, values, width };
                let inverted = Inverted::new(rows.enumerated(), features);
                let values = Some(inverted.values().to_vec());
                Self::in_parts(inverted.ends(), features, inverted.rows(), values)
            }
        }
    }

    /// `ends`: the features that are active somewhere, ascending, and where the
    /// rows of each end.
    fn in_parts(
        ends: &[(u32, u32)],
        features: usize,
        rows: &[u32],
        mut values: Option<Vec<f32>>,
    ) -> Self {
        let mut part_starts = Vec::with_capacity(ends.len() + rows.len() / PART_ROWS + 1);
        let mut first_parts = Vec::with_capacity(features + 1);
        let mut start = 0;
        for &(feature, end) in ends {
            // Features in between have no rows and so no parts.
            first_parts.resize(feature as usize + 1, part_starts.len() as i32);
            part_starts.extend((start..end as i32).step_by(PART_ROWS));
            start = end as i32;
        }
        first_parts.resize(features + 1, part_starts.len() as i32);
        part_starts.push(start);
        let mut rows: Vec<i32> = rows.iter().map(|&row| row as i32).collect();
        if rows.is_empty() {
            // Belongs to no part.
            rows.push(0);
            values = values.map(|_| vec![0.0]);
        }
        Self { rows, values, part_starts, first_parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the parts of each feature say, in order.
    fn lists(inverse: &Inverse) -> Vec<Vec<(i32, f32)>> {
        let part = |part: i32| {
            let bounds = &inverse.part_starts[part as usize..][..2];
            let range = bounds[0] as usize..bounds[1] as usize;
            assert!((1..=PART_ROWS).contains(&range.len()), "a part of {range:?}");
            range.map(|i| (inverse.rows[i], inverse.values.as_ref().map_or(1.0, |v| v[i])))
        };
        let parts = inverse.first_parts.windows(2).map(|bounds| bounds[0]..bounds[1]);
        parts.map(|parts| parts.flat_map(part).collect()).collect()
    }

    proptest! {
        #[test]
        fn every_feature_has_its_rows_in_order(
            rows in 0usize..700,
            valued: bool,
            active in prop::collection::vec(0i32..4, 1..4),
        ) {
            // Feature 2 × f, so that some features are never active.
            let width = 5;
            let (mut indices, mut values) = (Vec::new(), Vec::new());
            let mut expected = vec![Vec::new(); 9];
            for row in 0..rows {
                let mut list = active.clone();
                list.rotate_left(row % active.len());
                list.truncate(1 + row % active.len());
                list.sort_unstable();
                list.dedup();
                for (i, feature) in list.iter().enumerate() {
                    let value = if valued { (row + i) as f32 } else { 1.0 };
                    expected[2 * *feature as usize].push((row as i32, value));
                    values.push((row + i) as f32);
                }
                indices.extend(list.iter().map(|feature| 2 * feature));
                indices.resize(width * (row + 1), -1);
                values.resize(width * (row + 1), 9.0);
            }
            let inverse = Inverse::new(&indices, valued.then_some(&values[..]), width, 9);
            prop_assert_eq!(inverse.values.is_some(), valued);
            prop_assert_eq!(lists(&inverse), expected);
            prop_assert!(!inverse.rows.is_empty());
        }
    }
}
