//! Minimal causes: the smallest conditions that make a tuple of a predicate true by themselves.
//!
//! The active tuples of such a predicate are exactly those with a cause in the position. White's
//! view of a position is Black's view of the one with colours exchanged, and there every cause has
//! a counterpart; so causes map the features of one perspective to those of the other.

use super::relation::Relation;
use chess::{Bitboard, PieceKind, Square};

/// A condition that makes a tuple true, seen by White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MinimalCause {
    /// Pieces of a kind mark a square.
    Mark(Relation, Square, PieceKind),
    /// Pieces of some kinds mark a number of squares of a place.
    Number {
        relation: Relation,
        /// The squares of the place.
        place: Bitboard,
        /// [`PieceKind::index`]es, as bits.
        kinds: u16,
        number: u8,
    },
    /// On a line a piece is followed by another.
    Pair {
        /// The squares of the line.
        line: Bitboard,
        /// Kinds of both, the one on the lower square first.
        kinds: [PieceKind; 2],
    },
}

impl MinimalCause {
    /// The same in the position with colours exchanged and ranks turned round: Black's view.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::Mark(relation, square, kind) => {
                Self::Mark(relation, square.flip_vertical(), other(kind))
            }
            Self::Number { relation, place, kinds, number } => Self::Number {
                relation,
                place: place.flip_vertical(),
                kinds: (kinds & OWN) << 1 | kinds >> 1 & OWN,
                number,
            },
            Self::Pair { line, kinds: [low, high] } => {
                // Along a rank the order of squares is the same, elsewhere it reverses.
                let along_rank = line.first().zip(line.last());
                let along_rank = along_rank.is_some_and(|(a, b)| a.rank() == b.rank());
                let kinds = if along_rank { [low, high] } else { [high, low] };
                Self::Pair { line: line.flip_vertical(), kinds: kinds.map(other) }
            }
        }
    }
}

/// The own kinds among bits of [`PieceKind::index`].
const OWN: u16 = 0b0101_0101_0101;

/// The same role of the other side.
fn other(kind: PieceKind) -> PieceKind {
    PieceKind { side: kind.side.opposite(), ..kind }
}
