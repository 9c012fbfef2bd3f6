//! Causes of refreshes.

use std::fmt;
use std::ops::RangeInclusive;

use super::predicate::Scale;
use chess::{Side, Square, View, phase};

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
}

/// Number of [states](RefreshCause::state).
pub(crate) const STATES: usize = 65;

impl RefreshCause {
    /// State of the cause as a number: the square of a king (64 without one), the number of pieces,
    /// phase points gone, the orientation of the mirrored view.
    #[inline(always)]
    pub(crate) fn state(self, view: View<'_>) -> usize {
        let square = |king: Option<Square>| king.map_or(64, |king| king as usize);
        match self {
            RefreshCause::OwnKing => square(view.king(Side::Own)),
            RefreshCause::EnemyKing => square(view.king(Side::Other)),
            RefreshCause::Mirror => view.mirrored().orientation().index(),
            RefreshCause::Material => view.scene().board().occupied().count(),
            RefreshCause::Phase => phase(view.scene().board()) as usize,
        }
    }

    /// The states in positions of a game: both kings are on the board.
    pub(crate) fn states_of_games(self) -> RangeInclusive<usize> {
        match self {
            RefreshCause::OwnKing | RefreshCause::EnemyKing => 0..=63,
            RefreshCause::Mirror => 0..=1,
            RefreshCause::Material => Scale::Material.states(),
            RefreshCause::Phase => Scale::Phase.states(),
        }
    }
}

impl fmt::Display for RefreshCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RefreshCause::OwnKing => "the own king moves to another class",
            RefreshCause::EnemyKing => "the other king moves to another class",
            RefreshCause::Mirror => "the own king crosses between files d and e",
            RefreshCause::Material => "the piece count enters another band",
            RefreshCause::Phase => "the game phase changes",
        })
    }
}
