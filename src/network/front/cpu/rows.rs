//! The active features of each row, with or without values.
//!
//! The kernels are written once, over the kind of values. For a binary set
//! that is [`Ones`], which holds nothing and multiplies by doing nothing, so
//! its rows are index lists and its loops plain sums.

use std::ops::Range;

/// The values of a list of active features.
pub(crate) trait Values: Copy + Send + Sync {
    type Value: Value;

    /// The values of a part of the list.
    fn part(self, part: Range<usize>) -> Self;

    /// The value at a place of the list.
    fn at(self, place: usize) -> Self::Value;
}

/// The factor of an active feature's weights.
pub(crate) trait Value: Copy + Default + Send + Sync {
    /// The product with `x`.
    fn times(self, x: f32) -> f32;
}

/// The values of a binary set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ones;

/// The value of every active feature of a binary set; any number of them take
/// no memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct One;

impl Values for Ones {
    type Value = One;

    #[inline(always)]
    fn part(self, _part: Range<usize>) -> Self {
        self
    }

    #[inline(always)]
    fn at(self, _place: usize) -> One {
        One
    }
}

impl Value for One {
    #[inline(always)]
    fn times(self, x: f32) -> f32 {
        x
    }
}

impl Values for &[f32] {
    type Value = f32;

    #[inline(always)]
    fn part(self, part: Range<usize>) -> Self {
        &self[part]
    }

    #[inline(always)]
    fn at(self, place: usize) -> f32 {
        self[place]
    }
}

impl Value for f32 {
    #[inline(always)]
    fn times(self, x: f32) -> f32 {
        self * x
    }
}

/// The active features of each row, borrowed from tensors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a, V> {
    /// `rows × width`, features first, then
    /// [`PADDING`](crate::front::PADDING).
    pub indices: &'a [i32],
    /// Laid out as the indices.
    pub values: V,
    /// Entries per row.
    pub width: usize,
}

impl<'a, V: Values + 'a> Rows<'a, V> {
    pub(crate) fn len(&self) -> usize {
        self.indices.len() / self.width
    }

    #[inline]
    pub(crate) fn row(&self, row: usize) -> Row<'a, V> {
        let Self { indices, values, .. } = self.slice(row, 1);
        Row { indices, values }
    }

    #[inline]
    fn slice(&self, start: usize, len: usize) -> Self {
        let start = start * self.width;
        let part = start..start + len * self.width;
        let (indices, values) = (&self.indices[part.clone()], self.values.part(part));
        Self { indices, values, width: self.width }
    }
}

/// One of [`Rows`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a, V> {
    indices: &'a [i32],
    values: V,
}

impl<'a, V: Values + 'a> Row<'a, V> {
    /// Its active features and their values.
    #[inline(always)]
    pub(crate) fn features(self) -> impl Iterator<Item = (usize, V::Value)> + 'a {
        // Padding is negative, a feature never is.
        let active = self.indices.iter().take_while(|&&feature| feature >= 0).enumerate();
        active.map(move |(place, &feature)| (feature as usize, self.values.at(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDICES: [i32; 9] = [3, 0, -1, /**/ -1, -1, -1, /**/ 1, 2, 4];

    #[test]
    fn a_row_ends_at_its_padding() {
        let values = [0.5, 2.0, 9.0, /**/ 9.0, 9.0, 9.0, /**/ -1.0, 0.0, 1.0];
        let rows = Rows { indices: &INDICES, values: &values[..], width: 3 };
        let list = |rows: Rows<'_, &[f32]>, row| rows.row(row).features().collect::<Vec<_>>();
        assert_eq!(list(rows, 0), [(3, 0.5), (0, 2.0)]);
        assert_eq!(list(rows, 1), []);
        assert_eq!(list(rows, 2), [(1, -1.0), (2, 0.0), (4, 1.0)]);
        assert_eq!(list(rows.slice(1, 2), 1), list(rows, 2));
    }

    #[test]
    fn a_binary_row_is_its_indices() {
        let rows = Rows { indices: &INDICES, values: Ones, width: 3 };
        let features: Vec<usize> = rows.row(0).features().map(|(feature, _)| feature).collect();
        assert_eq!((rows.len(), features), (3, vec![3, 0]));
        assert_eq!(size_of::<Row<'_, Ones>>(), size_of::<&[i32]>());
        assert_eq!(size_of::<[One; 100]>(), 0);
    }
}
