//! The order in which samples of several weights are learnt from: endless, shuffled,
//! resumable.
//!
//! A pass over the data shows of each stretch of samples as many as its weight says, all
//! of them mixed. Of a stretch with weight ½ two passes show every sample once, of one with
//! weight 2 each pass shows every sample twice. As with `Shuffle` nothing is stored: which
//! sample stands at a place of the stream follows from the place.

use super::shuffle::{Shuffle, mix};
use data::{Stretch, Weight};

/// A seeded endless stream of indices of samples.
#[derive(Clone, Debug)]
pub struct Mixture {
    parts: Vec<Part>,
    /// Over the draws of a pass.
    draws: Shuffle,
}

/// A stretch of samples and its draws.
#[derive(Clone, Debug)]
struct Part {
    /// Index of the first sample.
    first: usize,
    /// Number of the first draw, and how many there are in a pass.
    first_draw: u64,
    draws: u64,
    /// Which sample each draw takes; `None` where every sample has one draw.
    own: Option<Shuffle>,
}

impl Mixture {
    /// Of so many samples, one at least, and the stretches they consist of. What no
    /// stretch covers has weight 1.
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
            let own = (weight != Weight::ONE).then(|| Shuffle::new(samples, mix(seed ^ number)));
            parts.push(Part { first, first_draw, draws, own });
            first += samples;
            first_draw += draws;
        }
        Self { parts, draws: Shuffle::new(first_draw as usize, seed) }
    }

    /// Of samples that are all seen equally often.
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
                Some(shuffle) => shuffle.at(pass * part.draws + own_draw),
            }
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

    #[test]
    fn without_weights_it_is_the_plain_shuffle() {
        let (mixture, shuffle) = (Mixture::even(1000, 7), Shuffle::new(1000, 7));
        assert!((0..3000).all(|place| mixture.at(place) == shuffle.at(place)));
    }
}
