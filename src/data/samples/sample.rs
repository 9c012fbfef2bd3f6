//! One training position.

use bytemuck::{Pod, Zeroable};

use crate::samples::candidate::CandidatePosition;
use crate::samples::choice::Choice;
use chess::game::NO_SCORE;
use chess::{Move, PackedPosition, Position};

/// A position with its targets, in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Sample {
    pub position: PackedPosition,
    /// Centipawns, seen by the side to move; mates as in
    /// [`Score::to_i16`](chess::Score::to_i16), [`Sample::NO_SCORE`] for none.
    pub score: i16,
    /// Seen by the side to move: 0 lost, 1 drawn, 2 won, 3 unknown.
    pub result: u8,
    /// Index of the move played among the legal moves, counted from 1; 0 if unknown. See
    /// [`Sample::with_choice`].
    pub played: u8,
}

impl Sample {
    /// The `score` of a position without one. Such samples are loaded only on request, for
    /// training on results alone.
    pub const NO_SCORE: i16 = NO_SCORE;

    /// The `result` of a game whose end is not known.
    pub const UNKNOWN_RESULT: u8 = 3;

    /// The sample of a position, or `None` if it has more than 32 pieces.
    pub fn new(candidate: &CandidatePosition<'_>) -> Option<Self> {
        let turn = candidate.position.turn();
        let score = candidate.white_score.map(|score| score.seen_by(turn).to_i16());
        let result = candidate.result.map(|result| result.seen_by(turn));
        Some(Self {
            position: PackedPosition::pack(candidate.position)?,
            score: score.unwrap_or(NO_SCORE),
            result: result.unwrap_or(Self::UNKNOWN_RESULT),
            played: 0,
        })
    }

    /// The sample with the move played in this position of it; `None` if no other is legal.
    pub fn with_choice(self, position: &Position, played: Move) -> Option<Self> {
        let legal = position.legal_moves();
        let place = legal.iter().position(|&m| m == played)?;
        let played = u8::try_from(place + 1).ok()?;
        (legal.len() > 1).then_some(Self { played, ..self })
    }

    pub fn has_choice(&self) -> bool {
        self.played > 0
    }

    /// The move played and the others, if it is known.
    pub fn choice(&self) -> Option<Choice> {
        Choice::new(self.position.unpack()?, usize::from(self.played).checked_sub(1)?)
    }
}
