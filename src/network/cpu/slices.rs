//! The positions of a batch in slices, each of positions of one bucket.
//!
//! A position is multiplied with the weights of its own bucket alone. So the positions
//! are taken bucket by bucket, in slices of a limited size, and results lie in memory slice
//! after slice, each with the room of a full one. Afterwards they move back to the positions'
//! own places. Without buckets the slices are consecutive parts of the batch.
//!
//! The order is that of the batch within each bucket, so it depends on nothing else.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::buckets::BucketsPrimitive;
use crate::buffer::filled;
use crate::host::HostBackend;

/// Positions that one task brings back.
const TASK_POSITIONS: usize = 1 << 10;

/// A batch, cut.
#[derive(Debug)]
pub(crate) struct Slices {
    /// Positions of a full slice.
    size: usize,
    /// All positions, bucket by bucket.
    order: Vec<u32>,
    slices: Vec<Bounds>,
    /// Where each position lies: its slice times the size, and its place therein. `None` if
    /// that is where it stands in the batch.
    places: Option<Vec<u32>>,
}

/// One slice: its bucket, and which part of the order it is.
#[derive(Clone, Debug)]
struct Bounds {
    bucket: usize,
    part: Range<usize>,
}

/// One of [`Slices`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice<'a> {
    /// The bucket whose weights its positions are multiplied with.
    pub bucket: usize,
    /// Places of its positions in the batch, ascending.
    pub positions: &'a [u32],
}

impl Slices {
    /// A batch of `positions` positions with the buckets `of_each`, all below `buckets`; without
    /// them every position has bucket 0. `size` is that of a full slice.
    ///
    /// # Panics
    /// If a bucket is not below `buckets`, or there is not one per position.
    pub(crate) fn new(
        of_each: Option<&[i32]>,
        positions: usize,
        buckets: usize,
        size: usize,
    ) -> Self {
        match of_each {
            None => Self::plain(positions, size),
            Some(of_each) => {
                assert_eq!(of_each.len(), positions, "a bucket per position");
                Self::by_bucket(of_each, buckets, size)
            }
        }
    }

    fn plain(positions: usize, size: usize) -> Self {
        let mut slices = Vec::with_capacity(positions.div_ceil(size));
        cut(&mut slices, 0, 0..positions, size);
        Self { size, order: (0..positions as u32).collect(), slices, places: None }
    }

    fn by_bucket(of_each: &[i32], buckets: usize, size: usize) -> Self {
        let mut ends = vec![0; buckets];
        for &bucket in of_each {
            let Some(count) = usize::try_from(bucket).ok().and_then(|b| ends.get_mut(b)) else {
                panic!("bucket {bucket} of {buckets}")
            };
            *count += 1;
        }
        let mut slices = Vec::with_capacity(of_each.len() / size + buckets);
        let mut start = 0;
        for (bucket, end) in ends.iter_mut().enumerate() {
            // From how many there are to where they begin; counting on, to where they end.
            let count = std::mem::replace(end, start);
            cut(&mut slices, bucket, start..start + count, size);
            start += count;
        }
        let mut order = vec![0; of_each.len()];
        for (position, &bucket) in of_each.iter().enumerate() {
            let next = &mut ends[bucket as usize];
            order[*next] = position as u32;
            *next += 1;
        }
        let mut places = vec![0; of_each.len()];
        for (number, bounds) in slices.iter().enumerate() {
            for (place, &position) in (number * size..).zip(&order[bounds.part.clone()]) {
                places[position as usize] = place as u32;
            }
        }
        Self { size, order, slices, places: Some(places) }
    }

    pub(crate) fn len(&self) -> usize {
        self.slices.len()
    }

    /// Positions that there is room for.
    pub(crate) fn room(&self) -> usize {
        self.len() * self.size
    }

    #[inline]
    pub(crate) fn get(&self, number: usize) -> Slice<'_> {
        let Bounds { bucket, part } = self.slices[number].clone();
        Slice { bucket, positions: &self.order[part] }
    }

    pub(crate) fn par_iter(&self) -> impl IndexedParallelIterator<Item = Slice<'_>> {
        (0..self.len()).into_par_iter().map(|number| self.get(number))
    }

    /// Values of the batch, `[positions, width]`, as the slices lie; to be read with
    /// [`part`](Self::part).
    pub(crate) fn arranged<'a>(&self, values: &'a [f32], width: usize) -> Cow<'a, [f32]> {
        if self.places.is_none() {
            return Cow::Borrowed(values);
        }
        let piece = self.size * width;
        let copy = |piece: &mut [f32], slice: Slice<'_>| {
            for (to, &position) in piece.chunks_exact_mut(width).zip(slice.positions) {
                to.copy_from_slice(&values[position as usize * width..][..width]);
            }
        };
        Cow::Owned(filled(self.len() * piece, piece, 0.0, self.par_iter(), copy))
    }

    /// The part of arranged values, `[.., width]`, that belongs to a slice.
    #[inline]
    pub(crate) fn part<'a>(&self, values: &'a [f32], number: usize, width: usize) -> &'a [f32] {
        &values[number * self.size * width..][..self.slices[number].part.len() * width]
    }

    /// Values that lie as the slices do, each with its room, as the batch has them:
    /// `[positions, width]`.
    pub(crate) fn restored(&self, mut values: Vec<f32>, width: usize) -> Vec<f32> {
        let Some(places) = &self.places else {
            values.truncate(self.order.len() * width);
            return values;
        };
        let piece = TASK_POSITIONS * width;
        let copy = |piece: &mut [f32], places: &[u32]| {
            for (to, &place) in piece.chunks_exact_mut(width).zip(places) {
                to.copy_from_slice(&values[place as usize * width..][..width]);
            }
        };
        filled(places.len() * width, piece, 0.0, places.par_chunks(TASK_POSITIONS), copy)
    }
}

impl<B: HostBackend> BucketsPrimitive<B> {
    /// The slices of a batch of `positions` positions; see [`Slices::new`].
    pub(crate) fn slices(self, positions: usize, buckets: usize, size: usize) -> Slices {
        match self {
            Self::One => Slices::new(None, positions, buckets, size),
            Self::Each { of_each } => {
                let of_each = B::plain_indices(of_each);
                Slices::new(Some(B::indices(&of_each)), positions, buckets, size)
            }
            Self::Sorted { .. } => unreachable!("buckets are sorted for graphics cards alone"),
        }
    }
}

/// Adds the slices of one bucket.
fn cut(slices: &mut Vec<Bounds>, bucket: usize, part: Range<usize>, size: usize) {
    let starts = part.clone().step_by(size);
    slices.extend(starts.map(|start| Bounds { bucket, part: start..part.end.min(start + size) }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_laws(of_each: Option<&[i32]>, positions: usize, size: usize) {
        let slices = Slices::new(of_each, positions, 5, size);
        let mut seen = vec![0; positions];
        let mut last = None;
        for number in 0..slices.len() {
            let Slice { bucket, positions } = slices.get(number);
            assert!((1..=size).contains(&positions.len()) && positions.is_sorted());
            for &position in positions {
                seen[position as usize] += 1;
                assert_eq!(of_each.map_or(0, |of| of[position as usize]), bucket as i32);
            }
            let now = (bucket, positions[0]);
            assert!(last.replace(now).is_none_or(|before| before < now), "slices out of order");
        }
        assert!(seen.iter().all(|&times| times == 1));

        let values: Vec<f32> = (0..3 * positions).map(|i| i as f32).collect();
        let arranged = slices.arranged(&values, 3);
        for number in 0..slices.len() {
            let own = slices.get(number).positions;
            let part = slices.part(&arranged, number, 3);
            assert!(part.iter().step_by(3).eq(own.iter().map(|&p| &values[3 * p as usize])));
        }
        let mut arranged = arranged.into_owned();
        arranged.resize(3 * slices.room(), 0.0);
        assert_eq!(slices.restored(arranged, 3), values);
    }

    proptest! {
        #[test]
        fn every_position_is_in_one_slice_of_its_bucket(
            of_each in prop::collection::vec(0i32..5, 0..300),
            size in 1usize..70,
        ) {
            assert_laws(Some(&of_each), of_each.len(), size);
            assert_laws(None, of_each.len(), size);
            // Most of the buckets empty.
            let last = vec![4; of_each.len()];
            assert_laws(Some(&last), of_each.len(), size);
        }
    }

    #[test]
    #[should_panic(expected = "bucket 5 of 5")]
    fn a_bucket_that_is_not_there_is_refused() {
        Slices::new(Some(&[0, 5]), 2, 5, 64);
    }

    #[test]
    #[should_panic(expected = "a bucket per position")]
    fn every_position_has_a_bucket() {
        Slices::new(Some(&[0, 4]), 3, 5, 64);
    }
}
