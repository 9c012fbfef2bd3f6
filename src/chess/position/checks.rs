//! Moves that give check from their target square.

use shakmaty::{ByRole, attacks};

use super::Position;
use crate::{Bitboard, Move};

/// Squares from which each piece of the side to move would give check; none for kings.
#[derive(Clone, Debug)]
pub struct CheckSquares(pub(super) ByRole<Bitboard>);

impl Position {
    /// Squares from which each piece would give check.
    #[inline]
    pub fn check_squares(&self) -> CheckSquares {
        let Some(king) = self.board.king_of(!self.turn) else {
            return CheckSquares(ByRole::default());
        };
        let occupied = self.board.occupied();
        let bishop = attacks::bishop_attacks(king, occupied);
        let rook = attacks::rook_attacks(king, occupied);
        CheckSquares(ByRole {
            pawn: attacks::pawn_attacks(!self.turn, king),
            knight: attacks::knight_attacks(king),
            bishop,
            rook,
            queen: bishop | rook,
            king: Bitboard::EMPTY,
        })
    }
}

impl CheckSquares {
    /// Whether the moved piece attacks the other king from its target square: a cheap guess at
    /// "gives check". It misses discoveries, castling, and attacks of a promoted piece through the
    /// square that the pawn left.
    #[inline]
    pub fn has(&self, m: Move) -> bool {
        !m.is_castle() && self.0.get(m.lands_as()).contains(m.to())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_direct_checks(position: &Position, depth: u32) {
        let king = position.board().king_of(!position.turn()).unwrap();
        for m in position.legal_moves() {
            let after = position.after(m);
            let checkers =
                after.board().attacks_to(king, position.turn(), after.board().occupied());
            let direct = checkers.contains(m.to()) && !m.is_castle();
            let expected = position.check_squares().has(m);
            // A promoted piece may give check through the square that the pawn left.
            let is_right = if m.is_promotion() { !expected || direct } else { expected == direct };
            assert!(is_right, "{position} {}", position.uci(m));
            if depth > 0 {
                check_direct_checks(&after, depth - 1);
            }
        }
    }

    #[test]
    fn direct_checks_are_those_of_the_moved_piece() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            check_direct_checks(&Position::from_fen(fen).unwrap(), 2);
        }
    }
}
