//! One-element valued sets: a number of the position.
//!
//! A product multiplies values, so `PHASE * piece(…)` gives every active
//! piece feature the phase as its value. Coordinates of kings are scaled as in
//! Leorik's tuner (Thomas Jahn, 2023): `file / 3.5 − 1`, from −1 to 1.

use crate::refresh::RefreshCause;
use chess::{FULL_PHASE, Side, View, phase};

/// A number of the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// 1 in every position.
    One,
    /// 0 with all pieces on the board, 1 with kings and pawns only.
    Phase,
    /// File of a king, a = −1 to h = 1.
    KingFile(Side),
    /// Rank of a king as seen, first = −1 to eighth = 1.
    KingRank(Side),
}

impl Scalar {
    pub(crate) const ALL: [Scalar; 6] = [
        Scalar::One,
        Scalar::Phase,
        Scalar::KingFile(Side::Own),
        Scalar::KingRank(Side::Own),
        Scalar::KingFile(Side::Other),
        Scalar::KingRank(Side::Other),
    ];

    /// Name in expressions.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::One => "ONE",
            Scalar::Phase => "PHASE",
            Scalar::KingFile(Side::Own) => "own_king.file",
            Scalar::KingRank(Side::Own) => "own_king.rank",
            Scalar::KingFile(Side::Other) => "enemy_king.file",
            Scalar::KingRank(Side::Other) => "enemy_king.rank",
        }
    }

    /// Definition in words, for other programs.
    pub fn definition(self) -> &'static str {
        match self {
            Scalar::One => "1",
            Scalar::Phase => {
                "max(0, 24 - knights - bishops - 2 * rooks - 4 * queens) / 24, pieces of both sides"
            }
            Scalar::KingFile(Side::Own) => "(2 * file - 7) / 7 of the own king, file a is 0",
            Scalar::KingFile(Side::Other) => "(2 * file - 7) / 7 of the enemy king, file a is 0",
            Scalar::KingRank(Side::Own) => {
                "(2 * rank - 7) / 7 of the own king, the first rank as seen is 0"
            }
            Scalar::KingRank(Side::Other) => {
                "(2 * rank - 7) / 7 of the enemy king, the first rank as seen is 0"
            }
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    /// Its value; 0 without the king.
    #[inline]
    pub(crate) fn value(self, view: View<'_>) -> f32 {
        self.numerator(view) as f32 / self.denominator() as f32
    }

    /// Value times [`denominator`](Self::denominator), an integer.
    #[inline]
    pub(crate) fn numerator(self, view: View<'_>) -> i64 {
        let scaled = |at: u32| 2 * i64::from(at) - 7;
        match self {
            Scalar::One => 1,
            Scalar::Phase => i64::from(phase(view.scene().board())),
            Scalar::KingFile(side) => view.king(side).map_or(0, |king| scaled(king.file() as u32)),
            Scalar::KingRank(side) => view.king(side).map_or(0, |king| scaled(king.rank() as u32)),
        }
    }

    /// Denominator of its values.
    pub(crate) fn denominator(self) -> i64 {
        match self {
            Scalar::One => 1,
            Scalar::Phase => i64::from(FULL_PHASE),
            Scalar::KingFile(_) | Scalar::KingRank(_) => 7,
        }
    }

    /// Refresh cause of its value; `None` if it is constant.
    pub(crate) fn refresh_cause(self) -> Option<RefreshCause> {
        match self {
            Scalar::One => None,
            Scalar::Phase => Some(RefreshCause::Phase),
            Scalar::KingFile(Side::Own) | Scalar::KingRank(Side::Own) => {
                Some(RefreshCause::OwnKing)
            }
            Scalar::KingFile(_) | Scalar::KingRank(_) => Some(RefreshCause::EnemyKing),
        }
    }
}
