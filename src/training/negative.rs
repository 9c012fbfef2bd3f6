//! Negative sampling: the move played is ranked above another legal move.
//!
//! The negative move is drawn evenly from the other legal moves. As with the order of the
//! samples ([`super::shuffle`]) there is no state of a generator: seed and
//! place in the stream decide the draw, so it is the same on any thread and
//! after any stop, and another whenever the sample comes up again.

use super::shuffle::mix;
use chess::Position;
use data::Sample;

/// Keeps these draws apart from the order of the samples.
const SALT: u64 = 0x7269_7661_6c73;

/// Draws the negative move of the sample at any place of a stream.
#[derive(Clone, Copy, Debug)]
pub struct NegativeSampler {
    seed: u64,
}

impl NegativeSampler {
    pub fn new(seed: u64) -> Self {
        Self { seed: mix(seed ^ SALT) }
    }

    /// The positions after the move played and after the negative one; `None` if the
    /// sample does not keep the move ([`Sample::with_choice`]).
    pub(crate) fn followers(&self, sample: &Sample, place: u64) -> Option<[Position; 2]> {
        let choice = sample.choice()?;
        let negative = self.below(choice.others(), place);
        Some([choice.after_played(), choice.after_other(negative)])
    }

    /// A number below `count`, at least 1: the high half of a product (Lemire,
    /// 2019), with a negligible bias of 2⁻⁵⁶.
    fn below(&self, count: usize, place: u64) -> usize {
        let random = mix(self.seed ^ mix(place));
        ((u128::from(random) * count as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random_choices;
    use chess::{Move, PackedPosition};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_negative_move_is_legal_and_not_the_move_played(seed: u64, place: u64) {
            for sample in random_choices(30, seed) {
                let [q, r] = NegativeSampler::new(seed).followers(&sample, place).unwrap();
                let position = sample.position.unpack().unwrap();
                let legal = position.legal_moves();
                let played = legal[usize::from(sample.played) - 1];
                prop_assert_eq!(q.fen(), position.after(played).fen());
                let fen = |&m: &Move| position.after(m).fen();
                prop_assert!(legal.iter().any(|m| fen(m) == r.fen()));
                prop_assert_ne!(r.fen(), q.fen());
            }
        }
    }

    /// χ² of the negative moves drawn over many places.
    #[test]
    fn all_negative_moves_are_drawn_equally_often() {
        const PLACES: u64 = 19 * 200;
        for seed in [1, 2, 3] {
            let draw = NegativeSampler::new(seed);
            let position = PackedPosition::pack(&Position::default()).unwrap();
            let sample = Sample { position, score: 0, result: 1, played: 7 };
            let mut drawn: BTreeMap<String, f64> = BTreeMap::new();
            for place in 0..PLACES {
                let [_, negative] = draw.followers(&sample, place).unwrap();
                *drawn.entry(negative.fen()).or_default() += 1.0;
            }
            assert_eq!(drawn.len(), 19);
            let expected = PLACES as f64 / 19.0;
            let chi2: f64 = drawn.values().map(|n| (n - expected).powi(2) / expected).sum();
            // 18 degrees of freedom: 42.3 is passed once in a thousand.
            assert!(chi2 < 42.3, "seed {seed}: {chi2}");
        }
    }

    #[test]
    fn seeds_and_places_draw_differently() {
        let sequence = |seed, from: u64| -> Vec<usize> {
            (from..from + 100).map(|place| NegativeSampler::new(seed).below(30, place)).collect()
        };
        assert_eq!(sequence(1, 0), sequence(1, 0));
        assert_ne!(sequence(1, 0), sequence(2, 0));
        assert_ne!(sequence(1, 0), sequence(1, 100));
    }
}
