//! Pieces that a move takes off the board and puts on it.
//!
//! Incremental evaluation needs no other record of a move: one is made per move and feeds every
//! feature block and both perspectives.

use arrayvec::ArrayVec;
use shakmaty::{CastlingSide, Color, Piece, Role, Square};

use crate::Move;
use crate::moves::MoveKind;

/// A piece on its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// Its square.
    pub square: Square,
    /// Kind and colour.
    pub piece: Piece,
}

/// Pieces removed and added by one move. At most two of each: a capture takes
/// two pieces off, castling moves two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardChange {
    /// Taken off: the moving piece on its origin, and the captured piece.
    pub removed: ArrayVec<PlacedPiece, 2>,
    /// Put on: the piece on its target, promoted if it promotes.
    pub added: ArrayVec<PlacedPiece, 2>,
}

impl BoardChange {
    /// The change made by a legal `m` of `mover`.
    #[inline]
    pub(crate) fn of_move(mover: Color, m: Move) -> Self {
        let mut change = Self::default();
        let (from, to) = (m.from(), m.to());
        match m.kind() {
            MoveKind::Normal => {
                change.remove(from, mover, m.role());
                if let Some(captured) = m.capture() {
                    change.remove(to, !mover, captured);
                }
                change.add(to, mover, m.lands_as());
            }
            MoveKind::EnPassant => {
                change.remove(from, mover, Role::Pawn);
                change.remove(m.passed(), !mover, Role::Pawn);
                change.add(to, mover, Role::Pawn);
            }
            MoveKind::Castle => {
                let side = CastlingSide::from_king_side(to > from);
                change.remove(from, mover, Role::King);
                change.remove(to, mover, Role::Rook);
                change.add(side.king_to(mover), mover, Role::King);
                change.add(side.rook_to(mover), mover, Role::Rook);
            }
        }
        change
    }

    #[inline]
    fn remove(&mut self, square: Square, color: Color, role: Role) {
        self.removed.push(PlacedPiece { square, piece: Piece { color, role } });
    }

    #[inline]
    fn add(&mut self, square: Square, color: Color, role: Role) {
        self.added.push(PlacedPiece { square, piece: Piece { color, role } });
    }
}

#[cfg(test)]
mod tests {
    use crate::Position;

    /// Removing and adding the pieces of the change gives the board after the move.
    fn check(position: &Position, depth: u32) {
        for m in position.legal_moves() {
            let next = position.after(m);
            let change = position.change(m);
            let mut board = position.board().clone();
            for p in &change.removed {
                assert_eq!(board.remove_piece_at(p.square), Some(p.piece));
            }
            for p in &change.added {
                assert_eq!(board.piece_at(p.square), None);
                board.set_piece_at(p.square, p.piece);
            }
            assert_eq!(&board, next.board());
            if depth > 1 {
                check(&next, depth - 1);
            }
        }
    }

    #[test]
    fn change_explains_every_move() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        ] {
            check(&Position::from_fen(fen).unwrap(), 2);
        }
    }
}
