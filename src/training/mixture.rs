//! Training order of samples of several weights: endless, shuffled, resumable.
//!
//! A pass over the data draws from each stretch of samples in proportion to its weight and
//! mixes all draws. Two passes show every sample of a stretch with weight ½ once; each pass
//! shows every sample of one with weight 2 twice. As with `Shuffle` nothing is stored: the
//! sample at a place of the stream follows from the place. Large sets are read by windows,
//! and each stretch by blocks (`blocks.rs`).

use std::ops::Range;

use super::blocks::BlockShuffle;
use super::shuffle::mix;
use data::{Stretch, Weight};

/// A seeded endless stream of indices of samples.
#[derive(Clone, Debug)]
pub struct Mixture {
    parts: Vec<MixturePart>,
    /// Over the draws of a pass.
    draws: BlockShuffle,
}

/// A stretch of samples and its draws.
#[derive(Clone, Debug)]
struct MixturePart {
    /// Index of the first sample.
    first: usize,
    /// Number of the first draw, and how many there are in a pass.
    first_draw: u64,
    draws: u64,
    /// The sample of each draw; `None` where every sample has one draw.
    own: Option<BlockShuffle>,
}

impl Mixture {
    /// Mixture of `samples` samples, at least one, with the weights of their stretches. Samples
    /// behind the last stretch have weight 1.
    pub fn new(samples: usize, stretches: &[Stretch], seed: u64) -> Self {
        let rest = Stretch { samples, weight: Weight::ONE };
        let (mut parts, mut first, mut first_draw) = (Vec::new(), 0, 0);
        for (number, &Stretch { samples: covered, weight }) in
            (1..).zip(stretches.iter().chain([&rest]))
        {
            let samples = covered.min(samples - first);
            if samples == 0 {
                continue;
            }
            let draws = weight.of(samples);
            let own =
                (weight != Weight::ONE).then(|| BlockShuffle::new(samples, mix(seed ^ number)));
            parts.push(MixturePart { first, first_draw, draws, own });
            first += samples;
            first_draw += draws;
        }
        Self { parts, draws: BlockShuffle::new(first_draw as usize, seed) }
    }

    /// Mixture of samples of equal weight.
    pub fn even(samples: usize, seed: u64) -> Self {
        Self::new(samples, &[], seed)
    }

    /// The index of the sample at a place of the stream.
    #[inline]
    pub fn at(&self, place: u64) -> usize {
        let (draw, pass) = (self.draws.at(place) as u64, place / self.draws.pass());
        let after = self.parts.partition_point(|part| part.first_draw <= draw);
        let part = &self.parts[after - 1];
        let own_draw = draw - part.first_draw;
        part.first
            + match &part.own {
                None => own_draw as usize,
                Some(shuffle) => shuffle.by_blocks(pass * part.draws + own_draw),
            }
    }

    /// The window of places, two million at most, in which a place stands.
    pub fn window(&self, place: u64) -> Range<u64> {
        self.draws.window(place)
    }

    /// Where the sample at a place stands among the [samples](Self::samples_of) of its window,
    /// laid end to end.
    #[inline]
    pub fn within(&self, place: u64) -> usize {
        self.draws.within(place)
    }

    /// The samples of a window, in ranges as long as blocks. Those of small stretches with a
    /// weight of their own are single: such a stretch is shuffled as a whole.
    pub fn samples_of(&self, window: Range<u64>) -> Vec<Range<usize>> {
        let pass = window.start / self.draws.pass();
        let draws = self.draws.ranges(window);
        draws.into_iter().flat_map(|draws| self.samples_of_draws(pass, &draws)).collect()
    }

    fn samples_of_draws(&self, pass: u64, draws: &Range<usize>) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for part in &self.parts {
            let start = part.first_draw.max(draws.start as u64);
            let end = (part.first_draw + part.draws).min(draws.end as u64);
            if start >= end {
                continue;
            }
            let own = start - part.first_draw..end - part.first_draw;
            let shift = |range: Range<usize>| part.first + range.start..part.first + range.end;
            match &part.own {
                None => ranges.push(shift(own.start as usize..own.end as usize)),
                Some(shuffle) => {
                    let before = pass * part.draws;
                    let places = before + own.start..before + own.end;
                    ranges.extend(shuffle.ranges_by_blocks(places).into_iter().map(shift));
                }
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stretches() -> impl Strategy<Value = Vec<Stretch>> {
        let weight = prop_oneof![Just(0.25), Just(0.5), Just(1.0), Just(2.0), Just(3.0)];
        let stretch = (1usize..60, weight).prop_map(|(samples, weight)| Stretch {
            samples: samples * 4,
            weight: Weight::try_from(weight).unwrap(),
        });
        prop::collection::vec(stretch, 1..5)
    }

    proptest! {
        /// In four passes, which make a whole number of showings of all weights used.
        #[test]
        fn every_sample_is_seen_as_often_as_its_weight_says(
            stretches in stretches(),
            seed: u64,
        ) {
            let samples: usize = stretches.iter().map(|stretch| stretch.samples).sum();
            let mixture = Mixture::new(samples, &stretches, seed);
            let mut seen = vec![0.0; samples];
            (0..4 * mixture.draws.pass()).for_each(|place| seen[mixture.at(place)] += 1.0);
            let mut rest = seen.as_slice();
            for Stretch { samples, weight } in stretches {
                let (own, after) = rest.split_at(samples);
                prop_assert!(own.iter().all(|&times| times == 4.0 * f64::from(weight)));
                rest = after;
            }
        }
    }

    /// All samples of the window of a place, each at its place within.
    fn assert_known(mixture: &Mixture, place: u64) {
        let window = mixture.window(place);
        assert!(window.contains(&place));
        let listed: Vec<usize> = mixture.samples_of(window.clone()).into_iter().flatten().collect();
        assert_eq!(listed.len() as u64, window.end - window.start);
        for place in window {
            assert_eq!(listed[mixture.within(place)], mixture.at(place), "place {place}");
        }
    }

    fn stretch(samples: usize, weight: f64) -> Stretch {
        Stretch { samples, weight: Weight::try_from(weight).unwrap() }
    }

    /// Stretches that are shuffled as a whole, in one window and in two.
    #[test]
    fn windows_of_small_stretches_are_known_beforehand() {
        let few = Mixture::new(900, &[stretch(400, 0.5), stretch(200, 3.0)], 5);
        [0, 4_321].into_iter().for_each(|place| assert_known(&few, place));
        let many = Mixture::new(2_000_000, &[stretch(40, 0.5), stretch(700_000, 2.0)], 5);
        [0, 2_600_000, 9_000_000].into_iter().for_each(|place| assert_known(&many, place));
    }

    /// Weighted stretches of several windows each.
    #[test]
    fn windows_of_weighted_samples_are_known_beforehand() {
        let stretches = [stretch(3_000_000, 0.5), stretch(2_500_000, 1.0), stretch(2_200_000, 2.0)];
        let mixture = Mixture::new(7_700_000, &stretches, 3);
        let pass = mixture.draws.pass();
        assert_eq!(pass, 8_400_000);
        for place in [0, pass - 1, 3 * pass + 5_000_000] {
            assert_known(&mixture, place);
        }
        let mut seen = vec![0u8; 7_700_000];
        (0..2 * pass).for_each(|place| seen[mixture.at(place)] += 1);
        for (samples, times) in
            [(0..3_000_000, 1), (3_000_000..5_500_000, 2), (5_500_000..7_700_000, 4)]
        {
            assert!(seen[samples].iter().all(|&seen| seen == times));
        }
    }

    #[test]
    fn without_weights_it_is_the_plain_shuffle() {
        let (mixture, shuffle) = (Mixture::even(1000, 7), BlockShuffle::new(1000, 7));
        assert!((0..3000).all(|place| mixture.at(place) == shuffle.at(place)));
    }
}
