//! Making moves.

use shakmaty::{CastlingSide, Color, Piece, Role, Square, attacks};

use super::{Passed, Position, PositionKey};
use crate::moves::MoveKind;
use crate::{Bitboard, Move, zobrist};

impl Position {
    /// Plays a move that is known to be legal.
    #[inline]
    pub fn play(&mut self, m: Move) {
        let mover = self.turn;
        self.forget_passed();
        self.halfmoves = if m.is_zeroing() { 0 } else { self.halfmoves.saturating_add(1) };
        let (from, to) = (m.from(), m.to());
        match m.kind() {
            MoveKind::Normal => {
                if let Some(captured) = m.capture() {
                    // The landing piece replaces it.
                    self.toggle(to, captured.of(!mover));
                }
                self.take(from, m.role().of(mover));
                self.put(to, m.lands_as().of(mover));
                self.spoil_castling(m.role(), from, to);
            }
            MoveKind::EnPassant => {
                self.take(m.passed(), Role::Pawn.of(!mover));
                self.take(from, Role::Pawn.of(mover));
                self.put(to, Role::Pawn.of(mover));
            }
            MoveKind::Castle => self.castle(from, to),
        }
        self.pass_turn();
        if mover.is_black() {
            self.fullmoves = self.fullmoves.saturating_add(1);
        }
        self.checkers = self.attackers_of_king(self.turn);
        if m.role() == Role::Pawn && from.abs_diff(to) == 16 {
            self.note_passed(from, to);
        }
    }

    /// The key after most legal moves: those that change no castling rights and no en passant
    /// square. After others it is a wrong guess, which is harmless.
    #[inline]
    pub fn key_after(&self, m: Move) -> PositionKey {
        let key = self.key ^ zobrist::white_turn();
        if m.kind() != MoveKind::Normal {
            return key;
        }
        let (from, to) = (m.from(), m.to());
        let taken = m.capture().map_or(0, |role| zobrist::piece(to, role.of(!self.turn)));
        let left = zobrist::piece(from, m.role().of(self.turn));
        let reached = zobrist::piece(to, m.lands_as().of(self.turn));
        key ^ taken ^ left ^ reached
    }

    /// The position after a legal move.
    #[inline]
    pub fn after(&self, m: Move) -> Self {
        let mut next = self.clone();
        next.play(m);
        next
    }

    /// The position with the other side to move, or `None` in check.
    pub fn after_null(&self) -> Option<Self> {
        if self.is_check() {
            return None;
        }
        let mut next = self.clone();
        next.forget_passed();
        next.halfmoves = next.halfmoves.saturating_add(1);
        if next.turn.is_black() {
            next.fullmoves = next.fullmoves.saturating_add(1);
        }
        next.pass_turn();
        next.checkers = Bitboard::EMPTY;
        Some(next)
    }

    #[inline]
    fn take(&mut self, square: Square, piece: Piece) {
        self.board.discard_piece_at(square);
        self.toggle(square, piece);
    }

    /// Updates the keys for a piece that comes or goes.
    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece) {
        let key = zobrist::piece(square, piece);
        self.key ^= key;
        self.parts.toggle(piece, key);
    }

    /// Puts a piece on a square, in place of any other.
    #[inline]
    fn put(&mut self, square: Square, piece: Piece) {
        self.board.set_piece_at(square, piece);
        self.toggle(square, piece);
    }

    #[inline]
    fn pass_turn(&mut self) {
        self.turn = !self.turn;
        self.key ^= zobrist::white_turn();
    }

    /// Castles, to the squares that both kinds of chess share.
    fn castle(&mut self, king: Square, rook: Square) {
        let (mover, side) = (self.turn, CastlingSide::from_queen_side(rook < king));
        self.take(king, Role::King.of(mover));
        self.take(rook, Role::Rook.of(mover));
        self.put(side.rook_to(mover), Role::Rook.of(mover));
        self.put(side.king_to(mover), Role::King.of(mover));
        self.change_castles(|castles| castles.discard_color(mover));
    }

    /// Kings and rooks that leave their squares, and rooks captured there, lose castling rights.
    #[inline]
    fn spoil_castling(&mut self, role: Role, from: Square, to: Square) {
        let (mover, rooks) = (self.turn, self.castles.castling_rights());
        if rooks.is_empty() {
            return;
        }
        let king_leaves = role == Role::King && self.castles.has_color(mover);
        if king_leaves || rooks.contains(from) || rooks.contains(to) {
            self.change_castles(|castles| {
                if king_leaves {
                    castles.discard_color(mover);
                }
                castles.discard_rook(from);
                castles.discard_rook(to);
            });
        }
    }

    #[cold]
    fn change_castles(&mut self, change: impl FnOnce(&mut shakmaty::Castles)) {
        self.key ^= zobrist::castling(&self.castles);
        change(&mut self.castles);
        self.key ^= zobrist::castling(&self.castles);
    }

    /// Ends the right to capture the pawn of the last double step.
    #[inline]
    fn forget_passed(&mut self) {
        if let Passed::Takeable(square) = self.passed {
            self.key ^= zobrist::en_passant(square.file());
        }
        self.passed = Passed::Nothing;
    }

    /// Records a double step: whether a pawn of the side to move stands beside it and may capture
    /// it.
    fn note_passed(&mut self, from: Square, to: Square) {
        let Ok(between) = Square::try_from((u32::from(from) + u32::from(to)) / 2) else { return };
        let own = self.board.pawns() & self.board.by_color(self.turn);
        let takers = attacks::pawn_attacks(!self.turn, between) & own;
        if takers.is_empty() {
            return;
        }
        self.passed = match takers.into_iter().any(|taker| self.may_take_passed(taker, between)) {
            true => Passed::Takeable(between),
            false => Passed::Pinned(between),
        };
        if let Passed::Takeable(square) = self.passed {
            self.key ^= zobrist::en_passant(square.file());
        }
    }

    /// Pieces of the other side that attack a king.
    #[inline]
    fn attackers_of_king(&self, side: Color) -> Bitboard {
        let king = self.board.king_of(side);
        king.map_or(Bitboard::EMPTY, |king| {
            self.board.attacks_to(king, !side, self.board.occupied())
        })
    }
}
