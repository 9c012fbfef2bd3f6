//! The rows each feature is active in, for devices that do not compute it
//! themselves.
//!
//! The backward pass gathers, for every feature, the gradients of the rows it
//! is active in. The processor inverts the index lists piece by piece during that
//! ([`super::cpu`]). On a graphics card thousands of threads would have to agree on
//! an order first; so the lists are inverted on the processor, by the threads that
//! build the batch anyway, and uploaded with it.
//!
//! The lists of features differ in length a thousandfold: every row has a king,
//! hardly any a pawn of the seventh rank. Each is cut into *parts* of at most
//! [`PART_ROWS`] rows, which are summed side by side and then added up in
//! order, so that no thread works much longer than another and the result does
//! not depend on which comes first.
//!
//! Inversion is parallel too: each *piece* of the rows is inverted alone, and then every *share*
//! of the features collects its rows from all pieces, in order.

use std::ops::Range;

use rayon::prelude::*;

use super::cpu::inverted::Inverted;
use super::cpu::rows::{Ones, Value, Values};
use super::indices::IndexRows;
use crate::buffer::filled_by_lengths;

/// Most rows in a part.
pub(super) const PART_ROWS: usize = 128;

/// Fewest rows in a piece: its lists fit a second-level cache.
const PIECE_ROWS: usize = 1 << 11;

/// Features for each row of a piece at most, since a piece counts for all of them.
const FEATURES_PER_ROW: usize = 64;

/// Shares of the features: more than there are threads, for some have more rows than others.
const SHARES: usize = 128;

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
    /// Inverts lists, with values laid out as their indices.
    ///
    /// # Panics
    /// If an index is not below `features`.
    pub fn new(lists: IndexRows<'_>, values: Option<&[f32]>, features: usize) -> Self {
        match values {
            None => Self::of(lists, Ones, features, |_, _| None),
            Some(values) => Self::of(lists, values, features, |shares, pieces| {
                Some(collected(shares, pieces, |slots, _, values| slots.copy_from_slice(values)))
            }),
        }
    }

    /// `values`: those that go with the rows, if the set has any.
    fn of<V: Values>(
        lists: IndexRows<'_>,
        factors: V,
        features: usize,
        values: impl FnOnce(&[Share], &[Inverted<V::Value>]) -> Option<Vec<f32>>,
    ) -> Self {
        let pieces = pieces(lists, factors, features);
        let shares = shares(&pieces, features);
        let mut inverse = Self {
            rows: collected(&shares, &pieces, |slots, rows, _| {
                slots.iter_mut().zip(rows).for_each(|(slot, &row)| *slot = row as i32);
            }),
            values: values(&shares, &pieces),
            part_starts: part_starts(&shares),
            first_parts: first_parts(&shares),
        };
        if inverse.rows.is_empty() {
            // Belongs to no part.
            inverse.rows.push(0);
            inverse.values.iter_mut().for_each(|values| values.push(0.0));
        }
        inverse
    }
}

/// Some consecutive features.
struct Share {
    features: Range<usize>,
    /// Number of rows in which each is active.
    counts: Vec<usize>,
    /// First of their rows among those of all features.
    first_row: usize,
    /// First of their parts.
    first_part: usize,
}

impl Share {
    /// A share of features, with the counts of their rows in all pieces.
    fn counted<V: Value>(features: Range<usize>, pieces: &[Inverted<V>]) -> Self {
        let mut counts = vec![0; features.len()];
        for piece in pieces {
            for (feature, rows, _) in piece.lists_of(features.clone()) {
                counts[feature - features.start] += rows.len();
            }
        }
        Self { features, counts, first_row: 0, first_part: 0 }
    }

    fn rows(&self) -> usize {
        self.counts.iter().sum()
    }

    fn parts(&self) -> usize {
        self.counts.iter().map(|&count| parts(count)).sum()
    }
}

/// Parts of a feature with `rows` rows.
fn parts(rows: usize) -> usize {
    rows.div_ceil(PART_ROWS)
}

fn pieces<V: Values>(lists: IndexRows<'_>, values: V, features: usize) -> Vec<Inverted<V::Value>> {
    let size = PIECE_ROWS.max(features / FEATURES_PER_ROW);
    let pieces = (0..lists.len().div_ceil(size)).into_par_iter().with_max_len(1);
    let inverted = |piece| {
        let rows = piece * size..lists.len().min((piece + 1) * size);
        let valued = move |row: usize| {
            let places = row * lists.width..;
            let entries = lists.row(row).zip(places);
            (row, entries.map(move |(feature, place)| (feature, values.at(place))))
        };
        Inverted::new(rows.map(valued), features)
    };
    pieces.map(inverted).collect()
}

/// All features, share by share; one share at least.
fn shares<V: Value>(pieces: &[Inverted<V>], features: usize) -> Vec<Share> {
    let size = features.div_ceil(SHARES).max(1);
    let shares = (0..features.div_ceil(size).max(1)).into_par_iter().with_max_len(1);
    let counted = |share| Share::counted(share * size..features.min((share + 1) * size), pieces);
    let mut shares: Vec<Share> = shares.map(counted).collect();
    let (mut rows, mut parts) = (0, 0);
    for share in &mut shares {
        (share.first_row, share.first_part) = (rows, parts);
        (rows, parts) = (rows + share.rows(), parts + share.parts());
    }
    shares
}

/// The rows of all features, or their values; `copy` takes those of a feature from a piece.
fn collected<V: Value, T: Copy + Default + Send + Sync>(
    shares: &[Share],
    pieces: &[Inverted<V>],
    copy: impl Fn(&mut [T], &[u32], &[V]) + Sync,
) -> Vec<T> {
    let lengths: Vec<usize> = shares.iter().map(Share::rows).collect();
    filled_by_lengths(&lengths, T::default(), shares.par_iter(), |slots, share| {
        let mut next: Vec<usize> = starts(0, share.counts.iter().copied()).collect();
        for piece in pieces {
            for (feature, rows, values) in piece.lists_of(share.features.clone()) {
                let start = &mut next[feature - share.features.start];
                copy(&mut slots[*start..*start + rows.len()], rows, values);
                *start += rows.len();
            }
        }
    })
}

fn part_starts(shares: &[Share]) -> Vec<i32> {
    let lengths = and_an_end(shares.iter().map(Share::parts));
    filled_by_lengths(&lengths, 0, shares.par_iter(), |slots, share| {
        let of_features = starts(share.first_row, share.counts.iter().copied());
        let counts = share.counts.iter().chain([&1]);
        let parts = of_features
            .zip(counts)
            .flat_map(|(start, count)| (start..start + count).step_by(PART_ROWS));
        slots.iter_mut().zip(parts).for_each(|(slot, part)| *slot = part as i32);
    })
}

fn first_parts(shares: &[Share]) -> Vec<i32> {
    let lengths = and_an_end(shares.iter().map(|share| share.features.len()));
    filled_by_lengths(&lengths, 0, shares.par_iter(), |slots, share| {
        let parts = starts(share.first_part, share.counts.iter().map(|&count| parts(count)));
        slots.iter_mut().zip(parts).for_each(|(slot, part)| *slot = part as i32);
    })
}

/// With a place for where the last ends.
fn and_an_end(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.iter_mut().rev().take(1).for_each(|last| *last += 1);
    lengths
}

/// Where lists begin that lie end to end, and where the last ends.
fn starts(first: usize, lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    let mut start = first;
    let ends = lengths.map(move |length| {
        start += length;
        start
    });
    std::iter::once(first).chain(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::IndexForm;
    use proptest::prelude::*;

    /// Rows and values of the parts of each feature, in order.
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
            rows in 0..3 * PIECE_ROWS,
            valued: bool,
            active in prop::collection::vec(0i32..4, 1..4),
        ) {
            // Far from each other, so that some features, and shares, are never active.
            let (width, apart, features) = (5, 70, 2 * SHARES + 9);
            let (mut indices, mut values) = (Vec::new(), Vec::new());
            let mut expected = vec![Vec::new(); features];
            for row in 0..rows {
                let mut list = active.clone();
                list.rotate_left(row % active.len());
                list.truncate(1 + row % active.len());
                list.sort_unstable();
                list.dedup();
                for (i, feature) in list.iter().enumerate() {
                    let value = if valued { (row + i) as f32 } else { 1.0 };
                    expected[(apart * feature) as usize].push((row as i32, value));
                    values.push((row + i) as f32);
                }
                indices.extend(list.iter().map(|feature| apart * feature));
                indices.resize(width * (row + 1), -1);
                values.resize(width * (row + 1), 9.0);
            }
            let rows = IndexRows { words: &indices, width, form: IndexForm::Word };
            let inverse = Inverse::new(rows, valued.then_some(&values[..]), features);
            prop_assert_eq!(inverse.values.is_some(), valued);
            prop_assert_eq!(lists(&inverse), expected);
            prop_assert!(!inverse.rows.is_empty());
        }
    }
}
