//! `king(…)` and `enemy_king(…)`: that king stands there. One-hot: a product
//! with it selects one copy of the other factors, and a move of the king to
//! another tuple is a refresh.

use std::collections::BTreeSet;

use super::coding::{Coding, NONE};
use super::{Misuse, check_each};
use crate::concept::{Axis, Concept};
use crate::refresh::RefreshCause;
use chess::{Side, Square, View};

/// How `king` is used.
pub const USAGE: &str = "king takes places only (SQUARES, FILES, RANKS, DIAGS1, DIAGS2), each at most once: `king(SQUARES)`, `king(FILES / [0, 1, 2, 3, 3, 2, 1, 0])`";

/// How `enemy_king` is used.
pub const ENEMY_USAGE: &str = "enemy_king takes places only (SQUARES, FILES, RANKS, DIAGS1, DIAGS2), each at most once: `enemy_king(FILES)`";

/// Checks the concepts of a predicate called `name`.
pub fn check(name: &str, concepts: &[Concept]) -> Result<(), Misuse> {
    check_each(name, concepts, Axis::is_place, "not a place")
}

/// `own king on e1`.
pub fn describe(side: Side, concepts: &[Concept], classes: &[usize]) -> String {
    let places: Vec<String> =
        concepts.iter().zip(classes).map(|(concept, &class)| concept.words(class)).collect();
    let whose = match side {
        Side::Own => "own",
        Side::Other => "other",
    };
    format!("{whose} king on {}", places.join(", "))
}

/// The predicate as a table by square.
#[derive(Clone, Debug)]
pub struct KingTable {
    side: Side,
    tuple: [u32; 64],
}

impl KingTable {
    /// Table for checked concepts.
    pub fn new(side: Side, concepts: &[Concept]) -> Self {
        Self { side, tuple: Coding::new(concepts).places() }
    }

    /// The active tuple, if any.
    #[inline(always)]
    pub fn value(&self, view: View<'_>) -> Option<u32> {
        self.at(view.king(self.side)?)
    }

    /// The tuple of a king on a square, if there is one.
    #[inline(always)]
    pub fn at(&self, king: Square) -> Option<u32> {
        let tuple = self.tuple[king as usize];
        (tuple != NONE).then_some(tuple)
    }

    /// Whose king it is.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The tuples that there are.
    pub fn tuples(&self) -> BTreeSet<u32> {
        self.tuple.iter().copied().filter(|&tuple| tuple != NONE).collect()
    }

    /// What changes it.
    pub fn refresh_cause(&self) -> RefreshCause {
        match self.side {
            Side::Own => RefreshCause::OwnKing,
            Side::Other => RefreshCause::EnemyKing,
        }
    }
}
