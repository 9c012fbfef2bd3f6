//! The rows each feature is active in: the inverted index list.

use std::mem;
use std::ops::Range;

use super::rows::Value;

/// For each feature that is active at all the rows it is active in.
#[derive(Debug)]
pub(crate) struct Inverted<V> {
    /// Features with a row, ascending, and where the rows of each end.
    features: Vec<(u32, u32)>,
    rows: Vec<u32>,
    /// The value in each of the rows.
    values: Vec<V>,
}

impl<V: Value> Inverted<V> {
    /// Counting sort of the (row, feature) pairs by feature, for the number of each row with its
    /// features and their values.
    pub(crate) fn new<L: Iterator<Item = (usize, V)>>(
        of: impl Iterator<Item = (usize, L)> + Clone,
        features: usize,
    ) -> Self {
        let mut next = vec![0u32; features + 1];
        for_each_pair(of.clone(), |_, feature, _| next[feature + 1] += 1);
        for feature in 0..features {
            next[feature + 1] += next[feature];
        }
        let pairs = next[features] as usize;
        let (mut rows, mut values) = (vec![0u32; pairs], vec![V::default(); pairs]);
        for_each_pair(of, |row, feature, value| {
            let place = next[feature] as usize;
            (rows[place], values[place]) = (row as u32, value);
            next[feature] += 1;
        });
        // Every feature's place has moved on to where its rows end.
        let mut start = 0;
        let ends = (0..features as u32).zip(&next).map(|(feature, &end)| (feature, end));
        let features = ends.filter(|&(_, end)| mem::replace(&mut start, end) < end).collect();
        Self { features, rows, values }
    }

    /// Every feature that is active in some row, with these rows and its value
    /// in each.
    #[inline(always)]
    pub(crate) fn lists(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = (usize, V)>)> {
        let mut start = 0;
        self.features.iter().map(move |&(feature, end)| {
            let part = mem::replace(&mut start, end as usize)..end as usize;
            let (rows, values) = (&self.rows[part.clone()], &self.values[part]);
            let list = rows.iter().zip(values).map(|(&row, &value)| (row as usize, value));
            (feature as usize, list)
        })
    }
}

impl<V> Inverted<V> {
    /// The active ones of some consecutive features, ascending, each with its rows and its value in
    /// each.
    pub(crate) fn lists_of(
        &self,
        features: Range<usize>,
    ) -> impl Iterator<Item = (usize, &[u32], &[V])> {
        let place = |feature: usize| self.features.partition_point(|it| (it.0 as usize) < feature);
        let places = place(features.start)..place(features.end);
        let before = places.start.checked_sub(1);
        let mut start = before.map_or(0, |before| self.features[before].1 as usize);
        self.features[places].iter().map(move |&(feature, end)| {
            let part = mem::replace(&mut start, end as usize)..end as usize;
            (feature as usize, &self.rows[part.clone()], &self.values[part])
        })
    }
}

#[inline]
fn for_each_pair<V, L: Iterator<Item = (usize, V)>>(
    of: impl Iterator<Item = (usize, L)>,
    mut visit: impl FnMut(usize, usize, V),
) {
    for (name, list) in of {
        for (feature, value) in list {
            visit(name, feature, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::Rows;
    use super::*;

    #[test]
    fn lists_every_pair_once_by_feature() {
        let indices = [2, 0, -1, /**/ -1, -1, -1, /**/ 1, 2, 4];
        let values = [0.5, 2.0, 0.0, /**/ 0.0, 0.0, 0.0, /**/ -1.0, 3.0, 1.0];
        let rows = Rows { indices: &indices, values: &values[..], width: 3 };
        let inverted = Inverted::new((0..3).map(|row| (row, rows.row(row).features())), 5);
        let lists: Vec<(usize, Vec<(usize, f32)>)> =
            inverted.lists().map(|(feature, rows)| (feature, rows.collect())).collect();
        let expected = [
            (0, vec![(0, 2.0)]),
            (1, vec![(2, -1.0)]),
            (2, vec![(0, 0.5), (2, 3.0)]),
            (4, vec![(2, 1.0)]),
        ];
        assert_eq!(lists, expected);
        let some: Vec<(usize, &[u32], &[f32])> = inverted.lists_of(1..4).collect();
        assert_eq!(some, [(1, &[2][..], &[-1.0][..]), (2, &[0, 2], &[0.5, 3.0])]);
    }
}
