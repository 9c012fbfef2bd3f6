//! One training position.

use bytemuck::{Pod, Zeroable};

use super::Candidate;
use super::game::NO_SCORE;
use crate::chess::PackedPosition;

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

    /// The sample of a position, or `None` if it has more than 32 pieces.
    pub fn new(candidate: &Candidate<'_>) -> Option<Self> {
        let turn = candidate.position.turn();
        let score = candidate.white_score.map(|score| score.seen_by(turn).to_i16());
        let result = candidate.result.map(|result| result.seen_by(turn));
        Some(Self {
            position: PackedPosition::pack(candidate.position)?,
            score: score.unwrap_or(NO_SCORE),
            result: result.unwrap_or(Self::UNKNOWN_RESULT),
            reserved: 0,
        })
    }
}
