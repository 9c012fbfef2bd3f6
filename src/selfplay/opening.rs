//! Random balanced openings.

use std::ops::RangeInclusive;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::chess::{GameMove, Key, Position};

/// Random moves from the start position.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The moves; nobody has judged the positions before them.
    pub moves: Vec<GameMove>,
    /// Where the players take over.
    pub position: Position,
    /// Keys of the positions before, oldest first.
    pub history: Vec<Key>,
}

/// Plays a random number of random legal moves from the start position.
/// `None` if the game ended on the way.
pub fn random(rng: &mut ChaCha8Rng, plies: &RangeInclusive<u32>) -> Option<Opening> {
    let plies = if plies.is_empty() { *plies.start() } else { rng.random_range(plies.clone()) };
    let mut position = Position::default();
    let (mut moves, mut history) = (Vec::new(), Vec::new());
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return None;
        }
        let played = legal[rng.random_range(0..legal.len())];
        moves.push(GameMove { played, white_score: None });
        history.push(position.key());
        position.play(played);
    }
    position.end().is_none().then_some(Opening { moves, position, history })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn openings_have_the_plies_asked_for_and_differ() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let openings: Vec<Opening> = (0..200).filter_map(|_| random(&mut rng, &(6..=9))).collect();
        let mut plies: Vec<u32> = openings.iter().map(|opening| opening.position.ply()).collect();
        plies.sort_unstable();
        plies.dedup();
        assert_eq!(plies, [6, 7, 8, 9]);
        let mut keys: Vec<Key> = openings.iter().map(|opening| opening.position.key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert!(keys.len() > 190, "{}", keys.len());
    }
}
