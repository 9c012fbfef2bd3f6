//! Node limits that vary a little from move to move.
//!
//! At fixed nodes a search is a function of the game so far, so two equal players play every
//! opening twice in the same way, and their match has no information. A seed draws a few nodes more
//! or less at each move: the players play different games of the same strength, and the games are
//! reproducible.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::game::Turn;

/// Variation of a player's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Jitter {
    percent: u8,
    seed: u64,
}

impl Jitter {
    /// Largest deviation, in per cent.
    pub const MOST: u8 = 90;

    /// Up to `percent` (1 to [`Self::MOST`]) more or fewer; `None` beyond. No
    /// two players of a match should have the same seed.
    pub fn new(percent: u8, seed: u64) -> Option<Self> {
        (1..=Self::MOST).contains(&percent).then_some(Self { percent, seed })
    }

    /// Nodes for a move: a function of the seed, the position and its ply.
    pub fn vary(self, nodes: u64, turn: &Turn<'_>) -> u64 {
        let ply = turn.history.len() as u64;
        let place = turn.position.key() ^ ply.rotate_left(32);
        let mut rng = ChaCha8Rng::seed_from_u64(place ^ self.seed.rotate_left(48));
        let span = nodes.saturating_mul(self.percent.into()) / 100;
        rng.random_range(nodes - span..=nodes.saturating_add(span)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::GameClock;
    use crate::time_control::TimeControl;
    use chess::{ByColor, Position, PositionKey};

    fn nodes(jitter: Jitter, history: &[PositionKey]) -> u64 {
        let position = Position::default();
        let clock = GameClock::new(TimeControl::Untimed, std::time::Duration::ZERO);
        let clocks = ByColor { white: clock, black: clock };
        let turn = Turn { start: &position, moves: &[], position: &position, history, clocks };
        jitter.vary(1000, &turn)
    }

    #[test]
    fn nodes_vary_by_seed_and_ply_within_their_bounds() {
        let plies: Vec<PositionKey> = vec![0; 200];
        let drawn = |seed| -> Vec<u64> {
            let jitter = Jitter::new(20, seed).unwrap();
            (0..200).map(|ply| nodes(jitter, &plies[..ply])).collect()
        };
        let (one, two) = (drawn(1), drawn(2));
        assert_eq!(one, drawn(1));
        assert_ne!(one, two);
        assert!(one.iter().chain(&two).all(|nodes| (800..=1200).contains(nodes)));
        let mean = one.iter().sum::<u64>() / 200;
        assert!((970..=1030).contains(&mean), "{mean}");
    }

    #[test]
    fn deviations_out_of_range_are_refused() {
        assert_eq!(Jitter::new(0, 1), None);
        assert_eq!(Jitter::new(91, 1), None);
    }
}
