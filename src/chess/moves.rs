//! A move in one number: search and tables read its parts by shifts.

use std::fmt;
use std::num::NonZeroU32;

use arrayvec::ArrayVec;
use shakmaty::{CastlingSide, Role, Square};

/// A legal move, castling from the king's square to the rook's.
///
/// ```text
/// bits 0–2   3–8  9–14  15–17     18–20      21–23     24–25
///      role  to   from  captured  promotion  lands as  kind
/// ```
///
/// Captured and promoted roles count from 1, with 0 for none. The piece that lands follows from the
/// others, but is read more often.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU32);

/// Legal moves of a position: 218 at most in a game. The capacity is that of the board library,
/// which also reads boards full of queens.
pub type MoveList = ArrayVec<Move, 270>;

/// Effect on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveKind {
    /// A piece goes to another square, where it may capture, and promote.
    Normal,
    /// A pawn captures one that has just passed it.
    EnPassant,
    /// King and rook, on `from` and `to`, change places.
    Castle,
}

const TO: u32 = 3;
const FROM: u32 = 9;
const CAPTURED: u32 = 15;
const PROMOTION: u32 = 18;
const LANDS_AS: u32 = 21;
const KIND: u32 = 24;

#[inline]
fn number(role: Option<Role>) -> u32 {
    role.map_or(0, |role| role as u32)
}

impl Move {
    /// A piece goes from one square to another.
    #[inline]
    pub(crate) fn normal(
        role: Role,
        [from, to]: [Square; 2],
        captured: Option<Role>,
        promotion: Option<Role>,
    ) -> Self {
        Self::new(role, [from, to], captured, promotion, MoveKind::Normal)
    }

    #[inline]
    pub(crate) fn en_passant([from, to]: [Square; 2]) -> Self {
        Self::new(Role::Pawn, [from, to], Some(Role::Pawn), None, MoveKind::EnPassant)
    }

    #[inline]
    pub(crate) fn castle([king, rook]: [Square; 2]) -> Self {
        Self::new(Role::King, [king, rook], None, None, MoveKind::Castle)
    }

    #[inline]
    fn new(
        role: Role,
        [from, to]: [Square; 2],
        captured: Option<Role>,
        promotion: Option<Role>,
        kind: MoveKind,
    ) -> Self {
        let squares = (to as u32) << TO | (from as u32) << FROM;
        let roles = number(captured) << CAPTURED | number(promotion) << PROMOTION;
        let lands_as = (promotion.unwrap_or(role) as u32) << LANDS_AS;
        Self(NonZeroU32::from(role) | squares | roles | lands_as | (kind as u32) << KIND)
    }

    /// From the board library's form; `None` of a piece put on the board from a pocket.
    pub(crate) fn of_shakmaty(m: shakmaty::Move) -> Option<Self> {
        let squares = [m.from()?, m.to()];
        Some(match m {
            shakmaty::Move::EnPassant { .. } => Self::en_passant(squares),
            shakmaty::Move::Castle { .. } => Self::castle(squares),
            _ => Self::normal(m.role(), squares, m.capture(), m.promotion()),
        })
    }

    /// In the board library's form.
    pub(crate) fn shakmaty(self) -> shakmaty::Move {
        let (from, to) = (self.from(), self.to());
        match self.kind() {
            MoveKind::EnPassant => shakmaty::Move::EnPassant { from, to },
            MoveKind::Castle => shakmaty::Move::Castle { king: from, rook: to },
            MoveKind::Normal => shakmaty::Move::Normal {
                role: self.role(),
                from,
                capture: self.capture(),
                to,
                promotion: self.promotion(),
            },
        }
    }

    #[inline]
    fn bits(self, shift: u32, mask: u32) -> u32 {
        self.0.get() >> shift & mask
    }

    #[inline]
    pub(crate) fn kind(self) -> MoveKind {
        match self.bits(KIND, 3) {
            0 => MoveKind::Normal,
            1 => MoveKind::EnPassant,
            _ => MoveKind::Castle,
        }
    }

    /// The square the piece leaves; of castling the king's.
    #[inline]
    pub fn from(self) -> Square {
        Square::new(self.bits(FROM, 63))
    }

    /// The square the piece goes to; of castling the rook's.
    #[inline]
    pub fn to(self) -> Square {
        Square::new(self.bits(TO, 63))
    }

    /// The moving role; of castling the king.
    #[inline]
    pub fn role(self) -> Role {
        role_of_piece(self.bits(0, 7))
    }

    /// Captured role.
    #[inline]
    pub fn capture(self) -> Option<Role> {
        role(self.bits(CAPTURED, 7))
    }

    /// Role after promotion.
    #[inline]
    pub fn promotion(self) -> Option<Role> {
        role(self.bits(PROMOTION, 7))
    }

    /// Role on the target afterwards.
    #[inline]
    pub fn lands_as(self) -> Role {
        role_of_piece(self.bits(LANDS_AS, 7))
    }

    /// Square of a pawn captured en passant.
    #[inline]
    pub fn passed(self) -> Square {
        Square::from_coords(self.to().file(), self.from().rank())
    }

    /// Whether it captures, also en passant.
    #[inline]
    pub fn is_capture(self) -> bool {
        self.bits(CAPTURED, 7) != 0
    }

    /// Whether a pawn promotes.
    #[inline]
    pub fn is_promotion(self) -> bool {
        self.bits(PROMOTION, 7) != 0
    }

    /// Whether it captures or promotes.
    #[inline]
    pub fn is_noisy(self) -> bool {
        self.bits(CAPTURED, 63) != 0
    }

    /// Whether a pawn captures one that has just passed it.
    #[inline]
    pub fn is_en_passant(self) -> bool {
        self.kind() == MoveKind::EnPassant
    }

    /// Whether the king castles.
    #[inline]
    pub fn is_castle(self) -> bool {
        self.kind() == MoveKind::Castle
    }

    /// The side on which the king castles, if it does.
    #[inline]
    pub fn castling_side(self) -> Option<CastlingSide> {
        self.is_castle().then(|| CastlingSide::from_king_side(self.to() > self.from()))
    }

    /// Whether it resets the counter of the fifty-move rule: a pawn move or a capture.
    #[inline]
    pub fn is_zeroing(self) -> bool {
        self.bits(0, 7) == Role::Pawn as u32 || self.is_capture()
    }

    /// Origin and target, as an index below 2¹².
    #[inline]
    pub fn squares(self) -> usize {
        self.bits(TO, 0xfff) as usize
    }

    /// Role and target, as an index below 2⁹.
    #[inline]
    pub fn piece_to(self) -> usize {
        self.bits(0, 0x1ff) as usize
    }

    /// Role, target and captured role, as an index below 2¹².
    #[inline]
    pub fn piece_to_captured(self) -> usize {
        self.piece_to() | (self.bits(CAPTURED, 7) as usize) << 9
    }
}

/// Roles by number; a table instead of a match, since each node reads it several times.
static ROLES: [Option<Role>; 8] = [
    None,
    Some(Role::Pawn),
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
    Some(Role::King),
    None,
];

#[inline]
fn role(number: u32) -> Option<Role> {
    ROLES[(number & 7) as usize]
}

/// The same without `None`.
static ROLES_OF_PIECES: [Role; 8] = [
    Role::King,
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
    Role::King,
];

#[inline]
fn role_of_piece(number: u32) -> Role {
    ROLES_OF_PIECES[(number & 7) as usize]
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shakmaty().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    #[test]
    fn moves_convert_to_the_board_library() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        ] {
            for m in Position::from_fen(fen).unwrap().legal_moves() {
                let other = m.shakmaty();
                assert_eq!(Move::of_shakmaty(other), Some(m));
                assert_eq!(
                    (Some(m.from()), m.to(), m.role()),
                    (other.from(), other.to(), other.role())
                );
                assert_eq!((m.capture(), m.promotion()), (other.capture(), other.promotion()));
                assert_eq!(
                    (m.is_capture(), m.is_promotion(), m.is_en_passant(), m.castling_side()),
                    (
                        other.is_capture(),
                        other.is_promotion(),
                        other.is_en_passant(),
                        other.castling_side()
                    )
                );
                assert_eq!(m.is_zeroing(), other.is_zeroing());
            }
        }
    }
}
