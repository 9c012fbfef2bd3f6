//! One game: start position, moves with scores, result.

use crate::chess::{Color, Move, Position};

/// An engine's judgement of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Centipawns(i32),
    /// Mate in so many moves; negative when being mated.
    Mate(i32),
}

impl Score {
    /// The same judgement from the other side.
    pub fn flipped(self) -> Self {
        match self {
            Score::Centipawns(cp) => Score::Centipawns(-cp),
            Score::Mate(n) => Score::Mate(-n),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// A win for that colour.
    Win(Color),
    /// A draw.
    Draw,
}

/// A move and what was thought of the position it was played in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameMove {
    /// The move.
    pub played: Move,
    /// Score of the position *before* the move, from White's side, if known.
    pub white_score: Option<Score>,
}

/// A game.
#[derive(Clone, Debug)]
pub struct Game {
    /// Where it starts.
    pub start: Position,
    /// Moves in order.
    pub moves: Vec<GameMove>,
    /// `None` when unknown or unfinished.
    pub result: Option<GameResult>,
}
