//! Scores of 0 that stand for none.
//!
//! Stockfish's `min` binpacks compress better since the scores of positions in check, and of those
//! in which a capture or promotion is played, are set to 0: trainers drop these positions. Such a
//! 0 looks like an evaluation. Zeros are therefore counted apart there and in quiet positions,
//! whose share of zeros is that of evaluations.

use serde::Serialize;

/// Scores, and those of exactly 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Zeros {
    pub scores: u64,
    pub zeros: u64,
}

impl Zeros {
    fn add(&mut self, is_zero: bool) {
        self.scores += 1;
        self.zeros += u64::from(is_zero);
    }

    /// Zeros among the scores, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.zeros as f64 / self.scores.max(1) as f64
    }
}

/// Zeros in quiet positions and in the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ZeroScores {
    pub quiet: Zeros,
    /// In check, or a capture or promotion is played.
    pub loud: Zeros,
}

impl ZeroScores {
    pub(super) fn add(&mut self, is_loud: bool, is_zero: bool) {
        if is_loud { self.loud.add(is_zero) } else { self.quiet.add(is_zero) }
    }

    /// Zeros of loud positions beyond those expected from the share in quiet ones.
    pub fn placeholders(&self) -> u64 {
        if self.quiet.scores == 0 {
            return 0;
        }
        let expected = self.quiet.share() * self.loud.scores as f64;
        (self.loud.zeros as f64 - expected).max(0.0).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_the_zeros_that_evaluations_do_not_explain() {
        let zeros = |quiet: [u64; 2], loud: [u64; 2]| {
            let of = |[scores, zeros]: [u64; 2]| Zeros { scores, zeros };
            ZeroScores { quiet: of(quiet), loud: of(loud) }.placeholders()
        };
        assert_eq!(zeros([1_000, 30], [500, 15]), 0);
        assert_eq!(zeros([1_000, 30], [500, 500]), 485);
        assert_eq!(zeros([1_000, 30], [500, 0]), 0);
        assert_eq!(zeros([0, 0], [500, 500]), 0);
    }
}
