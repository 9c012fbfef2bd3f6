//! The choices of a game: positions in which more than one move is legal.

use super::outlook::Recent;
use chess::{Game, Move, MoveList, Position};

/// Where a move is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'p> {
    pub position: &'p Position,
    /// The moves before.
    pub recent: Recent,
}

/// Where a move stands among the legal ones; others are never encoded ([`super::game::Told`]).
#[inline]
pub(crate) fn index_of(legal: &MoveList, m: Move) -> usize {
    legal.iter().position(|&other| other == m).unwrap_or(0)
}

/// Visits the choices of a game in order: position, moves before, legal moves, move played.
pub fn follow(game: &Game, mut choice: impl FnMut(&Position, Recent, &MoveList, Move)) {
    let mut position = game.start.clone();
    let mut recent = Recent::default();
    for m in &game.moves {
        let legal = position.legal_moves();
        if legal.len() > 1 {
            choice(&position, recent, &legal, m.played);
        }
        position.play(m.played);
        recent = recent.then(m.played);
    }
}
