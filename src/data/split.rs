//! Which games validate.
//!
//! Decided by what was played and nothing else: no seed, no order, no file
//! name. Runs with different seeds therefore share their validation games,
//! the same game found twice falls on one side, and a smaller share is a
//! subset of a larger one.

use super::Game;
use crate::chess::{Move, PackedPosition};

/// Decides the side of games for one share.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Games with a hash below this validate.
    threshold: u64,
}

impl Split {
    /// A share of games from 0 to below 1; otherwise `None`.
    pub fn new(share: f64) -> Option<Self> {
        // 2^64; the product is below it, so the conversion is exact enough.
        (0.0..1.0).contains(&share).then(|| Self { threshold: (share * 2f64.powi(64)) as u64 })
    }

    /// Whether the game validates.
    pub fn validates(self, game: &Game) -> bool {
        game_hash(game) < self.threshold
    }
}

/// 64 bits of the BLAKE3 of start position and moves.
fn game_hash(game: &Game) -> u64 {
    let mut hasher = blake3::Hasher::new();
    if let Some(start) = PackedPosition::pack(&game.start) {
        hasher.update(bytemuck::bytes_of(&start));
    }
    let moves: Vec<u8> = game.moves.iter().flat_map(|m| move_bytes(m.played)).collect();
    let hash = hasher.update(&moves).finalize();
    let (head, _) = hash.as_bytes().split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
    u64::from_le_bytes(*head)
}

fn move_bytes(m: Move) -> [u8; 3] {
    let from = m.from().map_or(64, |square| square as u8);
    [from, m.to() as u8, m.promotion().map_or(0, |role| role as u8)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::random_game::random_game;
    use crate::data::{GameResult, Score};

    fn games(n: u64) -> Vec<Game> {
        (0..n).map(|seed| random_game(seed, 12)).collect()
    }

    #[test]
    fn shares_are_kept_and_nested() {
        let games = games(2_000);
        let of = |share: f64| -> Vec<bool> {
            games.iter().map(|game| Split::new(share).unwrap().validates(game)).collect()
        };
        let (small, large) = (of(0.05), of(0.3));
        assert!(small.iter().zip(&large).all(|(small, large)| !small | large));
        let count = |side: &[bool]| side.iter().filter(|v| **v).count();
        // Four standard deviations of the binomial.
        assert!((count(&small) as f64 - 100.0).abs() < 39.0, "{}", count(&small));
        assert!((count(&large) as f64 - 600.0).abs() < 82.0, "{}", count(&large));
        assert_eq!(count(&of(0.0)), 0);
    }

    #[test]
    fn only_start_and_moves_matter() {
        let game = &games(1)[0];
        let mut other = game.clone();
        other.result = Some(GameResult::Draw);
        other.moves[0].white_score = Some(Score::Mate(1));
        assert_eq!(game_hash(game), game_hash(&other));
        other.moves.pop();
        assert_ne!(game_hash(game), game_hash(&other));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for share in [-0.1, 1.0, 2.0, f64::NAN] {
            assert!(Split::new(share).is_none(), "{share}");
        }
    }
}
