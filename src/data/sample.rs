//! One training position.

use bytemuck::{Pod, Zeroable};

use super::game::{GameMove, GameResult, NO_SCORE};
use crate::chess::{PackedPosition, Position};

/// A position with its targets, in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Sample {
    /// The position.
    pub position: PackedPosition,
    /// Centipawns, seen by the side to move; mates as in
    /// [`Score::to_i16`](super::Score::to_i16), [`Sample::NO_SCORE`] for none.
    pub score: i16,
    /// Seen by the side to move: 0 lost, 1 drawn, 2 won, 3 unknown.
    pub result: u8,
    /// Reserved, zero.
    pub reserved: u8,
}

impl Sample {
    /// The `score` of a position nobody has judged. Such samples are only
    /// loaded on request, for training on results alone.
    pub const NO_SCORE: i16 = NO_SCORE;

    /// The `result` of a game whose end is not known.
    pub const UNKNOWN_RESULT: u8 = 3;

    /// The sample of a move's position in a game, or `None` if the position
    /// has more than 32 pieces.
    pub fn new(position: &Position, played: &GameMove, result: Option<GameResult>) -> Option<Self> {
        let turn = position.turn();
        Some(Self {
            position: PackedPosition::pack(position)?,
            score: played.white_score.map_or(NO_SCORE, |score| score.seen_by(turn).to_i16()),
            result: result.map_or(Self::UNKNOWN_RESULT, |result| result.seen_by(turn)),
            reserved: 0,
        })
    }
}
