//! Moves as lists keep them: a number, for lists are long and few of their moves are tried.

use chess::{Move, Role, Square};

/// A move in 32 bits, so laid out that the histories find their place by a shift:
///
/// ```text
/// bits 0–5  6–11  12–14  15–17     18–20      21–22
///      from to    role   captured  promotion  kind
/// ```
///
/// Roles count from 0, captured and promoted ones from 1 with 0 for none. Castling goes from the
/// king to the rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListedMove(u32);

const NORMAL: u32 = 0;
const EN_PASSANT: u32 = 1;
const CASTLE: u32 = 2;

impl ListedMove {
    #[inline]
    pub(crate) fn of(m: Move) -> Self {
        let (from, to) = (m.from().map_or(0, |from| from as u32), m.to() as u32);
        let kind = match m {
            Move::EnPassant { .. } => EN_PASSANT,
            Move::Castle { .. } => CASTLE,
            Move::Normal { .. } | Move::Put { .. } => NORMAL,
        };
        let number = |role: Option<Role>| role.map_or(0, |role| role as u32);
        let roles = (m.role() as u32 - 1) | number(m.capture()) << 3 | number(m.promotion()) << 6;
        Self(from | to << 6 | roles << 12 | kind << 21)
    }

    #[inline]
    pub(crate) fn unpack(self) -> Move {
        let (from, to) = (self.from(), self.to());
        match self.0 >> 21 {
            EN_PASSANT => Move::EnPassant { from, to },
            CASTLE => Move::Castle { king: from, rook: to },
            _ => Move::Normal {
                role: self.role(),
                from,
                capture: self.captured(),
                to,
                promotion: self.promotion(),
            },
        }
    }

    #[inline]
    pub(crate) fn from(self) -> Square {
        Square::new(self.0 & 63)
    }

    #[inline]
    pub(crate) fn to(self) -> Square {
        Square::new(self.0 >> 6 & 63)
    }

    #[inline]
    pub(crate) fn role(self) -> Role {
        Role::ALL[((self.0 >> 12 & 7) as usize).min(5)]
    }

    #[inline]
    pub(crate) fn captured(self) -> Option<Role> {
        Role::ALL.get(((self.0 >> 15 & 7) as usize).wrapping_sub(1)).copied()
    }

    #[inline]
    pub(crate) fn promotion(self) -> Option<Role> {
        Role::ALL.get(((self.0 >> 18 & 7) as usize).wrapping_sub(1)).copied()
    }

    /// Origin and target: below 2¹².
    #[inline]
    pub(crate) fn squares(self) -> usize {
        (self.0 & 0xfff) as usize
    }

    /// Target and role: below 2⁹.
    #[inline]
    pub(crate) fn piece_to(self) -> usize {
        (self.0 >> 6 & 0x1ff) as usize
    }

    /// Target, role and the role captured: below 2¹².
    #[inline]
    pub(crate) fn piece_to_captured(self) -> usize {
        (self.0 >> 6 & 0xfff) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn legal_moves_are_what_they_were() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        ] {
            for m in Position::from_fen(fen).unwrap().legal_moves() {
                assert_eq!(ListedMove::of(m).unpack(), m);
            }
        }
    }
}
