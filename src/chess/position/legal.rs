//! What keeps moves from being legal: checks and pins.

use shakmaty::{CastlingSide, Move, Square, attacks};

use super::Position;
use crate::Bitboard;

impl Position {
    /// Whether the move is legal here.
    pub fn is_legal(&self, m: Move) -> bool {
        self.legal_moves().contains(&m)
    }

    /// Pieces of the side to move that alone stand between their king and a slider.
    #[inline]
    pub(super) fn pinned(&self, king: Square) -> Bitboard {
        let board = &self.board;
        let straight = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
        let diagonal = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
        let mut pinned = Bitboard::EMPTY;
        for sniper in (straight | diagonal) & board.by_color(!self.turn) {
            let between = attacks::between(king, sniper) & board.occupied();
            if !between.more_than_one() {
                pinned |= between;
            }
        }
        pinned & board.by_color(self.turn)
    }

    /// Whether a king can stand on a square once it has left its own.
    #[inline]
    pub(super) fn is_safe_for_king(&self, king: Square, to: Square) -> bool {
        let occupied = self.board.occupied() & !Bitboard::from(king);
        self.board.attacks_to(to, !self.turn, occupied).is_empty()
    }

    /// Whether taking the pawn that went past `to` leaves the own king in no check.
    pub(super) fn may_take_passed(&self, from: Square, to: Square) -> bool {
        let Some(king) = self.board.king_of(self.turn) else { return true };
        let taken = Square::from_coords(to.file(), from.rank());
        let occupied = self.board.occupied().toggled(from).toggled(taken).with(to);
        self.board.attacks_to(king, !self.turn, occupied).without(taken).is_empty()
    }

    /// The move by which the king castles on a side, if it may.
    pub(super) fn castling(&self, king: Square, side: CastlingSide) -> Option<Move> {
        let rook = self.castles.rook(self.turn, side)?;
        let (board, occupied) = (&self.board, self.board.occupied());
        if (self.castles.path(self.turn, side) & occupied).any() {
            return None;
        }
        let is_attacked =
            |square: Square, occupied| board.attacks_to(square, !self.turn, occupied).any();
        let lands = side.king_to(self.turn);
        let afterwards = occupied ^ king ^ rook ^ side.rook_to(self.turn);
        let mut way = attacks::between(king, lands).with(king).into_iter();
        let is_barred = is_attacked(lands, afterwards)
            || way.any(|square| is_attacked(square, occupied ^ king));
        (!is_barred).then_some(Move::Castle { king, rook })
    }
}
