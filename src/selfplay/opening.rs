//! Random balanced openings.

use std::ops::RangeInclusive;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::chess::{Key, Position};

/// A position to begin from and how it came about.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Where the game begins.
    pub start: Position,
    /// Keys of the positions before, oldest first.
    pub history: Vec<Key>,
}

/// Plays a random number of random legal moves from the start position.
/// `None` if the game ended on the way.
pub fn random(rng: &mut ChaCha8Rng, plies: &RangeInclusive<u32>) -> Option<Opening> {
    let plies = if plies.is_empty() { *plies.start() } else { rng.random_range(plies.clone()) };
    let mut start = Position::default();
    let mut history = Vec::new();
    for _ in 0..plies {
        let moves = start.legal_moves();
        if moves.is_empty() {
            return None;
        }
        history.push(start.key());
        start.play(moves[rng.random_range(0..moves.len())]);
    }
    start.end().is_none().then_some(Opening { start, history })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn openings_have_the_plies_asked_for_and_differ() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let openings: Vec<Opening> = (0..200).filter_map(|_| random(&mut rng, &(6..=9))).collect();
        let mut plies: Vec<u32> = openings.iter().map(|opening| opening.start.ply()).collect();
        plies.sort_unstable();
        plies.dedup();
        assert_eq!(plies, [6, 7, 8, 9]);
        let mut keys: Vec<Key> = openings.iter().map(|opening| opening.start.key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert!(keys.len() > 190, "{}", keys.len());
    }
}
