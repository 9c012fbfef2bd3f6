//! When an accumulator must start again from the active features.

use std::fmt;

use chess::{BoardChange, Color, Role};

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

impl RefreshCause {
    /// Whether a move can be this cause for a perspective; that it is not
    /// always one (the king stays in its bucket) does not show here.
    pub fn may_be(self, change: &BoardChange, perspective: Color) -> bool {
        let captures = change.removed.len() > change.added.len();
        let promotes = change.added.iter().any(|p| p.piece.role != Role::Pawn)
            && change.removed.iter().any(|p| p.piece.role == Role::Pawn);
        match self {
            RefreshCause::OwnKing | RefreshCause::Mirror => change.moves_king_of(perspective),
            RefreshCause::EnemyKing => change.moves_king_of(!perspective),
            RefreshCause::Material => captures,
            RefreshCause::Phase => captures || promotes,
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
