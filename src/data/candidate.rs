//! A position on its way to becoming a sample.

use super::{Game, GameResult, ListedPosition, Score};
use chess::{Move, Position};

/// A position with what is known of it, wherever it comes from: what a
/// filter judges and a sample is made of.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    pub position: &'a Position,
    /// Plies since the start of the game (move 1 is ply 0), if known.
    pub ply: Option<u32>,
    /// The move played, if known.
    pub played: Option<Move>,
    /// The score from White's side, if there is one.
    pub white_score: Option<Score>,
    /// How the game ended, if known.
    pub result: Option<GameResult>,
}

impl Candidate<'_> {
    /// Shows the positions of a game in which a move was played, in order.
    pub fn visit(game: &Game, mut visitor: impl FnMut(&Candidate<'_>)) {
        let mut position = game.start.clone();
        for m in &game.moves {
            visitor(&Candidate {
                position: &position,
                ply: Some(position.ply()),
                played: Some(m.played),
                white_score: m.white_score,
                result: game.result,
            });
            position.play(m.played);
        }
    }
}

impl ListedPosition {
    /// The position for a filter.
    pub fn candidate(&self) -> Candidate<'_> {
        Candidate {
            position: &self.position,
            ply: self.ply,
            played: self.played,
            white_score: self.white_score,
            result: self.result,
        }
    }
}
