//! A share of things, chosen by their hash.
//!
//! The choice depends on each thing alone: not on order, other things, a run's seed or the
//! number of threads.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::formats::entry::Entry;
use chess::{Game, Move, PackedPosition, Position, Role};

/// A share from 0 to 1. The choice of a smaller share is a subset of a larger one's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

impl Share {
    pub const NONE: Self = Self(0.0);
    pub const ALL: Self = Self(1.0);

    /// Whether a thing with this hash is chosen.
    pub fn holds(self, hash: u64) -> bool {
        // 2^64 times a share of 1 does not fit 64 bits.
        u128::from(hash) < (self.0 * 2f64.powi(64)) as u128
    }
}

#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{0} is not a share: write a number from 0 to 1")]
pub struct InvalidShare(f64);

impl TryFrom<f64> for Share {
    type Error = InvalidShare;

    fn try_from(share: f64) -> Result<Self, InvalidShare> {
        if (0.0..=1.0).contains(&share) { Ok(Self(share)) } else { Err(InvalidShare(share)) }
    }
}

impl From<Share> for f64 {
    fn from(Share(share): Share) -> f64 {
        share
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Hash of start position and moves.
pub(crate) fn game_hash(game: &Game) -> u64 {
    let mut hasher = blake3::Hasher::new();
    if let Some(start) = PackedPosition::pack(&game.start) {
        hasher.update(bytemuck::bytes_of(&start));
    }
    let moves: Vec<u8> = game.moves.iter().flat_map(|m| move_bytes(m.played)).collect();
    first_bits(hasher.update(&moves).finalize())
}

fn move_bytes(m: Move) -> [u8; 3] {
    [m.from() as u8, m.to() as u8, m.promotion().map_or(0, |role| role as u8)]
}

/// Hash of board and side to move, without castling rights, en passant and
/// counters: the same board at another time of the game counts as the same
/// position. Choices with another salt are independent.
pub(crate) fn position_hash(position: &Position, salt: u64) -> u64 {
    let board = position.board();
    let mut words = [0u64; 8];
    for (word, role) in words.iter_mut().zip(Role::ALL) {
        *word = board.by_role(role).0;
    }
    words[6] = board.white().0;
    words[7] = salt;
    let mut hasher = blake3::Hasher::new();
    hasher.update(bytemuck::bytes_of(&words));
    first_bits(hasher.update(&[u8::from(position.turn().is_white())]).finalize())
}

/// Hash of a game's moves or of a listed position. Choices with another salt are independent.
pub(crate) fn entry_hash(entry: &Entry, salt: u64) -> u64 {
    match entry {
        Entry::Game(game) => salted(game_hash(game), salt),
        Entry::Position(listed) => position_hash(&listed.position, salt),
    }
}

/// Another hash of a hash. Choices with another salt are independent.
pub(super) fn salted(hash: u64, salt: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    first_bits(hasher.update(&hash.to_le_bytes()).update(&salt.to_le_bytes()).finalize())
}

fn first_bits(hash: blake3::Hash) -> u64 {
    let (head, _) = hash.as_bytes().split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
    u64::from_le_bytes(*head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::random_game::random_game;
    use chess::{GameResult, Score};

    #[test]
    fn all_is_all_and_none_is_none() {
        for hash in [0, 1, u64::MAX / 2, u64::MAX] {
            assert!(Share::ALL.holds(hash) && !Share::NONE.holds(hash));
        }
        let half = Share::try_from(0.5).unwrap();
        assert!(half.holds(u64::MAX / 2) && !half.holds(u64::MAX / 2 + 1));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Share::try_from(share).is_err(), "{share}");
        }
    }

    #[test]
    fn of_a_game_only_start_and_moves_matter() {
        let game = random_game(0, 12);
        let mut other = game.clone();
        other.result = Some(GameResult::Draw);
        other.moves[0].white_score = Some(Score::Mate(1));
        assert_eq!(game_hash(&game), game_hash(&other));
        other.moves.pop();
        assert_ne!(game_hash(&game), game_hash(&other));
    }

    #[test]
    fn of_a_position_only_board_and_turn_matter() {
        let hash = |fen: &str| position_hash(&Position::from_fen(fen).unwrap(), 7);
        let base = hash("r3k3/p7/8/8/8/8/P7/4K2R w Kq - 0 1");
        assert_eq!(base, hash("r3k3/p7/8/8/8/8/P7/4K2R w - - 31 60"));
        for other in [
            "r3k3/p7/8/8/8/8/P7/4K2R b Kq - 0 1",
            "r3k3/p7/8/8/8/8/P7/4K1R1 w - - 0 1",
            "r3k3/P7/8/8/8/8/p7/4K2R w - - 0 1",
            "r3k3/p7/8/8/8/8/P7/4K2B w - - 0 1",
        ] {
            assert_ne!(base, hash(other), "{other}");
        }
        let start = Position::default();
        assert_ne!(position_hash(&start, 7), position_hash(&start, 8));
    }
}
