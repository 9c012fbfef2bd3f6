//! Which rows a feature is active in: the index list turned round.

use super::rows::{Rows, Value, Values};

/// For each feature the rows it is active in, ascending.
#[derive(Debug)]
pub struct Inverted<V> {
    /// `starts[f]..starts[f + 1]` is the part of `rows` that belongs to `f`.
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// The value in each of the rows.
    values: Vec<V>,
}

impl<V: Value> Inverted<V> {
    /// Counting sort of the (row, feature) pairs by feature.
    pub fn new(of: Rows<'_, impl Values<Value = V>>, features: usize) -> Self {
        let mut starts = vec![0u32; features + 1];
        for_each_pair(of, |_, feature, _| starts[feature + 1] += 1);
        for feature in 0..features {
            starts[feature + 1] += starts[feature];
        }
        let mut next = starts.clone();
        let pairs = starts[features] as usize;
        let (mut rows, mut values) = (vec![0u32; pairs], vec![V::default(); pairs]);
        for_each_pair(of, |row, feature, value| {
            let place = next[feature] as usize;
            (rows[place], values[place]) = (row as u32, value);
            next[feature] += 1;
        });
        Self { starts, rows, values }
    }

    /// The rows in which `feature` is active, with its value there.
    #[inline(always)]
    pub fn rows_of(&self, feature: usize) -> impl Iterator<Item = (usize, V)> {
        let part = self.starts[feature] as usize..self.starts[feature + 1] as usize;
        let (rows, values) = (&self.rows[part.clone()], &self.values[part]);
        rows.iter().zip(values).map(|(&row, &value)| (row as usize, value))
    }
}

#[inline]
fn for_each_pair<V: Values>(of: Rows<'_, V>, mut visit: impl FnMut(usize, usize, V::Value)) {
    for row in 0..of.len() {
        for (feature, value) in of.row(row).features() {
            visit(row, feature, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_every_pair_once_by_feature() {
        let indices = [2, 0, -1, /**/ -1, -1, -1, /**/ 1, 2, 4];
        let values = [0.5, 2.0, 0.0, /**/ 0.0, 0.0, 0.0, /**/ -1.0, 3.0, 1.0];
        let inverted = Inverted::new(Rows { indices: &indices, values: &values[..], width: 3 }, 5);
        let lists: Vec<Vec<(usize, f32)>> =
            (0..5).map(|feature| inverted.rows_of(feature).collect()).collect();
        let expected =
            [vec![(0, 2.0)], vec![(2, -1.0)], vec![(0, 0.5), (2, 3.0)], vec![], vec![(2, 1.0)]];
        assert_eq!(lists, expected);
    }
}
