//! Attacks between kinds of pieces.

use std::ops::{BitAnd, Not};

use shakmaty::{Board, Color, Role};

use crate::maps::{PieceMaps, leapers_attack};
use crate::{PieceKind, Side};

/// For each pair of kinds whether a piece of the first attacks or protects one of the second: a set
/// of bits; a few shifts turn it to the other perspective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hits([u64; WORDS]);

/// Bits for each target; the first twelve are its attackers.
const ROW: usize = 16;
const WORDS: usize = PieceKind::COUNT * ROW / 64;

/// The first of every two rows, and of every two bits: own kinds.
const FIRST_ROWS: u64 = 0x0000_ffff_0000_ffff;
const FIRST_BITS: u64 = 0x5555_5555_5555_5555;

/// Pieces that nothing can block.
const LEAPERS: [Role; 3] = [Role::Pawn, Role::Knight, Role::King];

impl Hits {
    /// Number of bits, unused ones included.
    pub const BITS: usize = WORDS * 64;

    /// No attacks.
    pub const NONE: Self = Self([0; WORDS]);

    /// Hits of a board and its [`attacks`](crate::maps::attacks), as White sees them.
    #[inline]
    pub fn of(board: &Board, attacks: &PieceMaps) -> Self {
        Self::by(Role::ALL, board, attacks)
    }

    /// Hits of pawns, knights and kings alone, as White sees them, in a fraction of the time.
    #[inline]
    pub fn of_leapers(board: &Board) -> Self {
        Self::by(LEAPERS, board, &leapers_attack(board))
    }

    #[inline]
    fn by<const N: usize>(roles: [Role; N], board: &Board, attacks: &PieceMaps) -> Self {
        let standing: [u64; PieceKind::COUNT] = std::array::from_fn(|target| {
            let PieceKind { role, side } = PieceKind::from_index(target);
            (board.by_role(role) & board.by_color(side.color(Color::White))).0
        });
        // A word for each target, so that the compiler vectorises the tests.
        let mut rows = [0; PieceKind::COUNT];
        for role in roles {
            for side in Side::ALL {
                let attacked = attacks.get(side.color(Color::White)).get(role).0;
                let attacker = 1 << PieceKind { role, side }.index();
                for (row, standing) in rows.iter_mut().zip(standing) {
                    *row |= if attacked & standing == 0 { 0 } else { attacker };
                }
            }
        }
        let mut hits = Self::NONE;
        for (target, row) in rows.into_iter().enumerate() {
            hits.0[target * ROW / 64] |= row << (target * ROW % 64);
        }
        hits
    }

    /// The bit of a kind that attacks another.
    pub fn bit(attacker: PieceKind, target: PieceKind) -> usize {
        ROW * target.index() + attacker.index()
    }

    /// White's hits as a colour sees them: to Black own kinds are the other side's, one bit or row
    /// apart.
    #[inline]
    pub fn seen_by(self, perspective: Color) -> Self {
        let exchanged = |word: u64| {
            let rows = (word & FIRST_ROWS) << ROW | word >> ROW & FIRST_ROWS;
            (rows & FIRST_BITS) << 1 | rows >> 1 & FIRST_BITS
        };
        match perspective {
            Color::White => self,
            Color::Black => Self(self.0.map(exchanged)),
        }
    }

    /// The bits that are set, in order.
    #[inline]
    pub fn bits(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let first = (bits != 0).then(|| 64 * word + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                first
            })
        })
    }

    /// Whether none is set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

impl FromIterator<usize> for Hits {
    fn from_iter<I: IntoIterator<Item = usize>>(bits: I) -> Self {
        bits.into_iter().fold(Self::NONE, |mut all, bit| {
            all.0[bit / 64] |= 1 << (bit % 64);
            all
        })
    }
}

impl BitAnd for Hits {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl Not for Hits {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Position;
    use crate::maps::attacks;
    use crate::maps::tests::FENS;

    #[test]
    fn a_kind_hits_what_one_of_its_pieces_attacks() {
        for fen in FENS {
            let board = Position::from_fen(fen).unwrap().board().clone();
            for perspective in Color::ALL {
                let (mut all, mut by_leapers) = (BTreeSet::new(), BTreeSet::new());
                for (from, attacker) in board.clone() {
                    let attacked = shakmaty::attacks::attacks(from, attacker, board.occupied());
                    for target in attacked.into_iter().filter_map(|to| board.piece_at(to)) {
                        let seen = |piece| PieceKind::seen(piece, perspective);
                        let bit = Hits::bit(seen(attacker), seen(target));
                        all.insert(bit);
                        if LEAPERS.contains(&attacker.role) {
                            by_leapers.insert(bit);
                        }
                    }
                }
                let seen = |hits: Hits| hits.seen_by(perspective).bits();
                assert!(seen(Hits::of(&board, &attacks(&board))).eq(all), "{fen} {perspective}");
                assert!(seen(Hits::of_leapers(&board)).eq(by_leapers), "{fen} {perspective}");
            }
        }
    }
}
