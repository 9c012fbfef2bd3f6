//! A position on its way to becoming a sample.

use crate::formats::entry::Entry;
use crate::formats::list::ListedPosition;
use chess::{Game, GameResult, Move, Position, Score};

/// A position with its move, score and result: input of filters and samples.
#[derive(Clone, Copy, Debug)]
pub struct CandidatePosition<'a> {
    pub position: &'a Position,
    /// Plies since the start of the game (move 1 is ply 0), if known.
    pub ply: Option<u32>,
    pub played: Option<Move>,
    /// The score from White's side.
    pub white_score: Option<Score>,
    /// Depth in plies of the search that gave the score, if the format has it.
    pub depth: Option<u32>,
    pub result: Option<GameResult>,
}

impl CandidatePosition<'_> {
    /// Visits the positions of a game in which a move was played, in order.
    pub fn visit(game: &Game, mut visit: impl FnMut(&CandidatePosition<'_>)) {
        let mut position = game.start.clone();
        for m in &game.moves {
            visit(&CandidatePosition {
                position: &position,
                ply: Some(position.ply()),
                played: Some(m.played),
                white_score: m.white_score,
                depth: None,
                result: game.result,
            });
            position.play(m.played);
        }
    }
}

impl Entry {
    /// Visits the positions of a game in which a move was played, or the listed position.
    pub fn visit(&self, mut visit: impl FnMut(&CandidatePosition<'_>)) {
        match self {
            Entry::Game(game) => CandidatePosition::visit(game, visit),
            Entry::Position(listed) => visit(&listed.candidate()),
        }
    }
}

impl ListedPosition {
    pub fn candidate(&self) -> CandidatePosition<'_> {
        let Self { position, ply, played, white_score, depth, result } = self;
        CandidatePosition {
            position,
            ply: *ply,
            played: *played,
            white_score: *white_score,
            depth: *depth,
            result: *result,
        }
    }
}
