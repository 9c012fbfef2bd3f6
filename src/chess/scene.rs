//! The part of a position that features see.
//!
//! The board, the castling rights, the en passant square and the half-move clock; not the side to
//! move, which shows only in the order of the two perspectives. Few feature sets need the costly maps of attacks, mobility
//! and pins, so each is computed on first use and then kept: both perspectives, and the moves
//! before and after this position, share it.

use std::cell::OnceCell;

use shakmaty::{Bitboard, Board, ByColor, Color, Square};

use super::maps::{self, PieceMaps, Restraint};
use super::{Hits, PackedPosition, Position};

/// Board, castling rights, en passant and half-move clock, with maps computed at most once.
#[derive(Clone, Debug)]
pub struct Scene {
    board: Board,
    castling_rooks: Bitboard,
    en_passant: Option<Square>,
    halfmoves: u32,
    attacks: OnceCell<PieceMaps>,
    hits: OnceCell<Hits>,
    leapers_hits: OnceCell<Hits>,
    mobility: OnceCell<PieceMaps>,
    // Boxed: large and rarely used.
    restraints: OnceCell<Box<ByColor<Restraint>>>,
}

impl Scene {
    /// A board with castling rights (the rooks that may castle) and the square
    /// onto which an en passant capture is legal; the half-move clock is 0.
    #[inline]
    pub fn new(board: Board, castling_rooks: Bitboard, en_passant: Option<Square>) -> Self {
        Self {
            board,
            castling_rooks,
            en_passant,
            halfmoves: 0,
            attacks: OnceCell::new(),
            hits: OnceCell::new(),
            leapers_hits: OnceCell::new(),
            mobility: OnceCell::new(),
            restraints: OnceCell::new(),
        }
    }

    /// Pieces alone: no castling, no en passant.
    pub fn of_board(board: Board) -> Self {
        Self::new(board, Bitboard::EMPTY, None)
    }

    /// The same with another half-move clock.
    #[inline]
    pub fn with_halfmoves(self, halfmoves: u32) -> Self {
        Self { halfmoves, ..self }
    }

    /// Becomes the scene of another position, in place.
    #[inline]
    pub fn set(&mut self, position: &Position) {
        self.board.clone_from(position.board());
        self.castling_rooks = position.castling_rooks();
        self.en_passant = position.en_passant();
        self.halfmoves = position.halfmoves();
        self.forget();
    }

    /// Drops the maps; the next use computes them again.
    #[inline]
    pub fn forget(&mut self) {
        self.attacks = OnceCell::new();
        self.hits = OnceCell::new();
        self.leapers_hits = OnceCell::new();
        self.mobility = OnceCell::new();
        self.restraints = OnceCell::new();
    }

    /// The pieces on their squares.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Rooks that may still castle, both colours.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling_rooks
    }

    /// The square of a legal en passant capture, and the side that may make it.
    #[inline]
    pub fn en_passant(&self) -> Option<(Square, Color)> {
        self.en_passant.map(|square| (square, Color::from_white(square as u32 >= 32)))
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        self.halfmoves
    }

    /// Squares attacked by the pieces of each kind, those of own pieces included.
    #[inline]
    pub fn attacks(&self) -> &PieceMaps {
        self.attacks.get_or_init(|| maps::attacks(&self.board))
    }

    /// Attacks between kinds of pieces, as White sees them.
    #[inline]
    pub fn hits(&self) -> &Hits {
        self.hits.get_or_init(|| Hits::of(&self.board, self.attacks()))
    }

    /// Attacks of pawns, knights and kings on kinds of pieces, as White sees them.
    #[inline]
    pub fn leapers_hits(&self) -> &Hits {
        self.leapers_hits.get_or_init(|| Hits::of_leapers(&self.board))
    }

    /// Squares to which the pieces of each kind can move; see [`maps::mobility`].
    #[inline]
    pub fn mobility(&self) -> &PieceMaps {
        self.mobility.get_or_init(|| maps::mobility(&self.board))
    }

    /// Restrictions on the moves of each side: checks and pins.
    #[inline]
    pub fn restraints(&self) -> &ByColor<Restraint> {
        self.restraints.get_or_init(|| Box::new(maps::restraints(&self.board)))
    }
}

impl From<&Position> for Scene {
    #[inline]
    fn from(position: &Position) -> Self {
        Self::new(position.board().clone(), position.castling_rooks(), position.en_passant())
            .with_halfmoves(position.halfmoves())
    }
}

impl From<&PackedPosition> for Scene {
    #[inline]
    fn from(packed: &PackedPosition) -> Self {
        let (board, castling_rooks) = packed.board_and_castling_rooks();
        Self::new(board, castling_rooks, packed.en_passant()).with_halfmoves(packed.halfmoves())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_that_of_the_position() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 41 60").unwrap();
        let packed = PackedPosition::pack(&position).unwrap();
        let mut scene = Scene::of_board(position.board().clone());
        assert_eq!(scene.halfmoves(), 0);
        scene.set(&position);
        let passed = Scene::from(&position.after_null().unwrap());
        let clocks = [&scene, &Scene::from(&position), &Scene::from(&packed), &passed];
        assert_eq!(clocks.map(Scene::halfmoves), [41, 41, 41, 42]);
    }
}
