//! Causes of refreshes.

use std::fmt;
use std::ops::RangeInclusive;

use super::concept::Axis;
use super::possible::MOST_OF_ROLE;
use super::predicate::Scale;
use super::predicate::bands::{MOST_HALFMOVES, MOST_PIECES};
use chess::{Piece, PieceKind, Role, Side, Square, View, phase};

/// A change of the position that turns or exchanges every row of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefreshCause {
    /// The own king goes to another tuple of a factor, such as its bucket.
    OwnKing,
    /// The other side's king does.
    EnemyKing,
    /// The own king crosses between files d and e, and the view turns.
    Mirror,
    /// The number of pieces enters another band.
    Material,
    /// The game phase changes, or enters another band.
    Phase,
    /// The half-move clock enters another band.
    Halfmoves,
    /// The number of pieces of some kinds changes.
    Count(KindSet),
}

/// Number of [states](RefreshCause::state).
pub(crate) const STATES: usize = 100;

/// Kinds of pieces as seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindSet(u16);

impl KindSet {
    /// From [`PieceKind::index`]es as bits.
    pub(crate) fn of_bits(bits: u16) -> Self {
        Self(bits)
    }

    fn kinds(self) -> impl Iterator<Item = PieceKind> {
        PieceKind::all().filter(move |kind| self.0 >> kind.index() & 1 != 0)
    }

    /// Number of its pieces on the board.
    #[inline]
    fn count(self, view: View<'_>) -> usize {
        let (board, perspective) = (view.scene().board(), view.perspective());
        let piece =
            |kind: PieceKind| Piece { role: kind.role, color: kind.side.color(perspective) };
        self.kinds().map(|kind| board.by_piece(piece(kind)).count()).sum()
    }

    /// Numbers in positions of a game.
    fn counts_of_games(self) -> RangeInclusive<usize> {
        let kings = self.kinds().filter(|kind| kind.role == Role::King).count();
        let most: usize = self.kinds().map(|kind| MOST_OF_ROLE[kind.role as usize - 1]).sum();
        kings..=most.min(MOST_PIECES)
    }
}

/// `own queen or other queen`.
impl fmt::Display for KindSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> =
            self.kinds().map(|kind| Axis::Piece.word(kind.index() as u8)).collect();
        f.write_str(&words.join(" or "))
    }
}

impl RefreshCause {
    /// State of the cause as a number below [`STATES`]: the square of a king (64 without one), the
    /// number of pieces, phase points gone, plies on the half-move clock, the orientation of the
    /// mirrored view.
    #[inline(always)]
    pub(crate) fn state(self, view: View<'_>) -> usize {
        let square = |king: Option<Square>| king.map_or(64, |king| king as usize);
        match self {
            RefreshCause::OwnKing => square(view.king(Side::Own)),
            RefreshCause::EnemyKing => square(view.king(Side::Other)),
            RefreshCause::Mirror => view.mirrored().orientation().index(),
            RefreshCause::Material => view.scene().board().occupied().count(),
            RefreshCause::Phase => phase(view.scene().board()) as usize,
            RefreshCause::Halfmoves => (view.scene().halfmoves() as usize).min(MOST_HALFMOVES),
            RefreshCause::Count(kinds) => kinds.count(view),
        }
    }

    /// The states in positions of a game: both kings are on the board.
    pub(crate) fn states_of_games(self) -> RangeInclusive<usize> {
        match self {
            RefreshCause::OwnKing | RefreshCause::EnemyKing => 0..=63,
            RefreshCause::Mirror => 0..=1,
            RefreshCause::Material => Scale::Material.states(),
            RefreshCause::Phase => Scale::Phase.states(),
            RefreshCause::Halfmoves => Scale::Halfmoves.states(),
            RefreshCause::Count(kinds) => kinds.counts_of_games(),
        }
    }
}

impl fmt::Display for RefreshCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RefreshCause::Count(kinds) => {
                return write!(f, "the number of pieces changes: {kinds}");
            }
            RefreshCause::OwnKing => "the own king moves to another class",
            RefreshCause::EnemyKing => "the other king moves to another class",
            RefreshCause::Mirror => "the own king crosses between files d and e",
            RefreshCause::Material => "the piece count enters another band",
            RefreshCause::Phase => "the game phase changes",
            RefreshCause::Halfmoves => "the half-move clock enters another band",
        })
    }
}
