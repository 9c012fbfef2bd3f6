//! The order of samples that may be more than the memory holds.
//!
//! A [`Shuffle`] leaps from one end to the other with every sample; from a file each leap
//! would fetch a page for one sample of the hundred on it. Large sets are therefore shuffled in
//! two steps: each pass takes *blocks* of neighbours in an order of its own, and shuffles the
//! samples of some hundred blocks, a *window*, among each other. Blocks are read whole, their
//! window is known beforehand, and two samples of a game are still hundreds of batches apart
//! or, within a window of two million, anywhere. A set that fits one window is shuffled as a whole.
//!
//! As with `Shuffle` nothing is stored: the sample at a place follows from place and seed.

use std::ops::Range;

use super::shuffle::{Shuffle, mix};

/// Samples of a block.
pub(crate) const BLOCK: u64 = 1 << 12;
/// Samples of a window.
pub(crate) const WINDOW: u64 = 1 << 21;

/// A seeded endless stream of indices, each once in a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockShuffle {
    /// Order of all samples, if they fit a window.
    whole: Shuffle,
    /// Order of the blocks, if they do not.
    blocks: Option<Shuffle>,
    seed: u64,
}

/// Keeps the order of blocks apart from that of samples.
const BLOCKS: u64 = u64::from_be_bytes(*b"  blocks");

impl BlockShuffle {
    /// Over indices below `len`, which is at least 1.
    pub(crate) fn new(len: usize, seed: u64) -> Self {
        let blocks = (len as u64 > WINDOW)
            .then(|| Shuffle::new((len as u64 / BLOCK) as usize, mix(seed ^ BLOCKS)));
        Self { whole: Shuffle::new(len, seed), blocks, seed }
    }

    /// Places of a pass: how many indices there are.
    pub(crate) fn pass(&self) -> u64 {
        self.whole.pass()
    }

    /// The index at a place of the stream.
    #[inline]
    pub(crate) fn at(&self, place: u64) -> usize {
        match self.blocks {
            None => self.whole.at(place),
            Some(_) => self.by_blocks(self.window(place).start + self.within(place) as u64),
        }
    }

    /// Where the index at a place stands among the [ranges](Self::ranges) of its window, laid end
    /// to end.
    #[inline]
    pub(crate) fn within(&self, place: u64) -> usize {
        if self.blocks.is_none() {
            return self.whole.at(place);
        }
        let window = self.window(place);
        let seed = mix(self.seed ^ mix(window.start));
        Shuffle::new((window.end - window.start) as usize, seed).at(place - window.start)
    }

    /// The index at a place if samples are not shuffled within windows: neighbours where
    /// blocks are.
    #[inline]
    pub(crate) fn by_blocks(&self, place: u64) -> usize {
        let Some(blocks) = &self.blocks else { return self.whole.at(place) };
        let (pass, offset) = (place / self.pass(), place % self.pass());
        let (block, rest) = (offset / BLOCK, offset % BLOCK);
        if block >= blocks.pass() {
            // Samples behind the last whole block stay at the end.
            return offset as usize;
        }
        (blocks.at(pass * blocks.pass() + block) as u64 * BLOCK + rest) as usize
    }

    /// The places of the window of a place. Each pass has windows of its own.
    #[inline]
    pub(crate) fn window(&self, place: u64) -> Range<u64> {
        let (base, offset) = (place / self.pass() * self.pass(), place % self.pass());
        let first = offset / WINDOW * WINDOW;
        base + first..base + (first + WINDOW).min(self.pass())
    }

    /// The indices of a window as ranges: blocks, in their order, or all of them.
    pub(crate) fn ranges(&self, window: Range<u64>) -> Vec<Range<usize>> {
        match self.blocks {
            None => std::iter::once(0..self.pass() as usize).collect(),
            Some(_) => self.ranges_by_blocks(window),
        }
    }

    /// The indices that [`by_blocks`](Self::by_blocks) gives for some places, in their order: a
    /// range for each block, or single ones where there are no blocks.
    pub(crate) fn ranges_by_blocks(&self, places: Range<u64>) -> Vec<Range<usize>> {
        if self.blocks.is_none() {
            let single = |index| index..index + 1;
            return places.map(|place| single(self.whole.at(place))).collect();
        }
        let mut ranges = Vec::new();
        let mut place = places.start;
        while place < places.end {
            let offset = place % self.pass();
            let block_end = (offset / BLOCK * BLOCK + BLOCK).min(self.pass());
            let count = (block_end - offset).min(places.end - place);
            let first = self.by_blocks(place);
            ranges.push(first..first + count as usize);
            place += count;
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three windows and something.
    const MANY: u64 = 3 * WINDOW + 5 * BLOCK + 77;

    #[test]
    fn every_pass_visits_every_sample_once() {
        for len in [1, 5, WINDOW, WINDOW + 1, MANY] {
            let shuffle = BlockShuffle::new(len as usize, 3);
            for pass in [0, 7] {
                let mut seen = vec![false; len as usize];
                for offset in 0..len {
                    let index = shuffle.at(pass * len + offset);
                    assert!(!std::mem::replace(&mut seen[index], true), "{index} of {len}");
                }
            }
        }
    }

    #[test]
    fn what_fits_a_window_is_shuffled_as_a_whole() {
        let (shuffle, whole) = (BlockShuffle::new(1_000, 7), Shuffle::new(1_000, 7));
        assert!((0..3_000).all(|place| shuffle.at(place) == whole.at(place)));
        assert_eq!(shuffle.window(2_500), 2_000..3_000);
        assert_eq!(shuffle.ranges(2_000..3_000), vec![0..1_000; 1]);
        assert!((0..3_000).all(|place| shuffle.within(place) == whole.at(place)));
    }

    #[test]
    fn a_window_is_read_in_whole_blocks_that_are_known_beforehand() {
        let shuffle = BlockShuffle::new(MANY as usize, 11);
        for place in [0, WINDOW + 3, MANY - 1, 5 * MANY + 2 * WINDOW] {
            let window = shuffle.window(place);
            assert!(window.contains(&place));
            let ranges = shuffle.ranges(window.clone());
            assert!(ranges.len() as u64 <= WINDOW / BLOCK + 1);
            let listed: Vec<usize> = ranges.into_iter().flatten().collect();
            assert_eq!(listed.len() as u64, window.end - window.start);
            assert!(window.into_iter().all(|at| listed[shuffle.within(at)] == shuffle.at(at)));
        }
    }

    #[test]
    fn neighbours_passes_and_seeds_are_torn_apart() {
        let shuffle = BlockShuffle::new(MANY as usize, 5);
        let near =
            |place: &u64| shuffle.at(*place).abs_diff(shuffle.at(place + 1)) < BLOCK as usize;
        let neighbours = (0..100_000).filter(near).count();
        // Two of a window are of one block once in 512.
        assert!((120..300).contains(&neighbours), "{neighbours}");
        let order = |seed, pass: u64| -> Vec<usize> {
            let shuffle = BlockShuffle::new(MANY as usize, seed);
            (0..1_000).map(|offset| shuffle.at(pass * MANY + offset)).collect()
        };
        assert_ne!(order(1, 0), order(1, 1));
        assert_ne!(order(1, 0), order(2, 0));
        assert_eq!(order(1, 1), order(1, 1));
    }
}
