//! `castling(COLORS * WINGS)`: that side may still castle on that wing.
//! Wings are left and right *as seen*, so `mirror` exchanges them.

use super::coding::{Coding, NONE};
use super::sink::{Sink, Tuples, distinct};
use super::{Misuse, check_each};
use crate::concept::{Axis, Concept};
use chess::{CastlingSide, PieceKind, Role, Side, View};

/// How `castling` is used.
pub const USAGE: &str =
    "castling takes COLORS and WINGS, each at most once: `castling(COLORS * WINGS)`";

/// Checks the concepts.
pub fn check(concepts: &[Concept]) -> Result<(), Misuse> {
    let takes = |axis| matches!(axis, Axis::Wing | Axis::Color);
    check_each("castling", concepts, takes, "not a wing or colour")
}

/// `own side may castle to the right`.
pub fn describe(concepts: &[Concept], classes: &[usize]) -> String {
    let (mut side, mut wing) = ("a side".to_owned(), String::new());
    for (concept, &class) in concepts.iter().zip(classes) {
        match concept.axis() {
            Axis::Color => side = format!("{} side", concept.words(class)),
            _ => wing = format!(" to the {}", concept.words(class)),
        }
    }
    format!("{side} may castle{wing}")
}

/// The side of the king of an [`Axis::Wing`] element.
pub fn wing(element: u8) -> CastlingSide {
    CastlingSide::from_king_side(element == 1)
}

/// The predicate as a table of tuples by side and wing.
#[derive(Clone, Debug)]
pub struct CastlingTable {
    rights: Vec<(Side, CastlingSide, u32)>,
}

impl CastlingTable {
    /// Table for checked concepts.
    pub fn new(concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let wings = coding.along(Axis::Wing);
        let rights = Side::ALL.into_iter().flat_map(|side| {
            let side_part = coding.kind(PieceKind { role: Role::King, side });
            (0..)
                .zip(&wings)
                .filter_map(move |(element, &wing_part)| {
                    let part = side_part.filter(|_| wing_part != NONE)? + wing_part;
                    Some((side, wing(element), part))
                })
                .collect::<Vec<_>>()
        });
        Self { rights: rights.collect() }
    }

    /// Active tuples.
    #[inline]
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        if view.scene().castling_rooks().is_empty() {
            return;
        }
        let mut tuples: Tuples = self
            .rights
            .iter()
            .filter(|(side, wing, _)| view.may_castle(*side, *wing))
            .map(|&(_, _, tuple)| (tuple, 1.0))
            .collect();
        distinct(&mut tuples);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }
}
