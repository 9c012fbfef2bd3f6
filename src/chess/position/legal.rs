//! Restrictions on legal moves: checks and pins.

use shakmaty::{CastlingSide, Rank, Role, Square, attacks};

use super::{Passed, Position};
use crate::{Bitboard, Move, maps};

impl Position {
    /// Whether the move is legal here.
    pub fn is_legal(&self, m: Move) -> bool {
        self.legal_move(m.from(), m.to(), m.promotion()) == Some(m)
    }

    /// The legal move between two squares, found without a list; castling is from the king's
    /// square to the rook's.
    pub fn legal_move(&self, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
        let (board, own) = (&self.board, self.board.by_color(self.turn));
        let role = board.role_at(from).filter(|_| own.contains(from))?;
        let king = board.king_of(self.turn)?;
        if own.contains(to) {
            let side = CastlingSide::from_king_side(to > from);
            let castles = role == Role::King && promotion.is_none() && !self.is_check();
            let m = self.castling(king, side).filter(|_| castles)?;
            return (m == Move::castle([from, to])).then_some(m);
        }
        if role == Role::Pawn {
            if promotion.is_some_and(|role| matches!(role, Role::Pawn | Role::King))
                || promotion.is_some() != Bitboard::BACKRANKS.contains(to)
            {
                return None;
            }
            if self.takes_passed(from, to) {
                let may = self.may_take_passed(from, to);
                return may.then_some(Move::en_passant([from, to]));
            }
        } else if promotion.is_some() {
            return None;
        }
        let is_legal = match role {
            Role::King => {
                attacks::king_attacks(from).contains(to) && self.is_safe_for_king(king, to)
            }
            Role::Pawn => {
                self.pawn_reaches(from, to) && self.answers_checks_and_pins(king, from, to)
            }
            _ => {
                board.attacks_from(from).contains(to)
                    && self.answers_checks_and_pins(king, from, to)
            }
        };
        let capture = board.role_at(to);
        is_legal.then(|| Move::normal(role, [from, to], capture, promotion))
    }

    /// Whether a pawn captures the one that has just passed it.
    fn takes_passed(&self, from: Square, to: Square) -> bool {
        matches!(self.passed, Passed::Takeable(passed) if passed == to)
            && attacks::pawn_attacks(self.turn, from).contains(to)
    }

    /// Whether a pawn reaches a square, by a step or a capture.
    fn pawn_reaches(&self, from: Square, to: Square) -> bool {
        let free = !self.board.occupied();
        if self.board.by_color(!self.turn).contains(to) {
            return attacks::pawn_attacks(self.turn, from).contains(to);
        }
        let forward = self.turn.fold_wb(8, -8);
        let single = Bitboard::from(from).shift(forward) & free;
        let double = match from.rank() == self.turn.fold_wb(Rank::Second, Rank::Seventh) {
            true => single.shift(forward) & free,
            false => Bitboard::EMPTY,
        };
        (single | double).contains(to)
    }

    /// Whether a move of a piece other than the king leaves the king out of check.
    fn answers_checks_and_pins(&self, king: Square, from: Square, to: Square) -> bool {
        let answers_check = match self.checkers.single_square() {
            Some(checker) => attacks::between(king, checker).with(checker).contains(to),
            None => self.checkers.is_empty(),
        };
        answers_check
            && (!self.pinned(king).contains(from) || attacks::ray(king, from).contains(to))
    }

    /// Pieces of the side to move that alone stand between their king and a slider.
    #[inline]
    pub(super) fn pinned(&self, king: Square) -> Bitboard {
        maps::pinned(&self.board, self.turn, king)
    }

    /// Whether a king can stand on a square once it has left its own.
    #[inline]
    pub(super) fn is_safe_for_king(&self, king: Square, to: Square) -> bool {
        let occupied = self.board.occupied() & !Bitboard::from(king);
        self.board.attacks_to(to, !self.turn, occupied).is_empty()
    }

    /// Whether capturing the pawn that passed `to` leaves the own king out of check.
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
        (!is_barred).then(|| Move::castle([king, rook]))
    }
}
