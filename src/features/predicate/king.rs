//! `king(…)`: the own king stands there. One-hot: a product with it selects
//! one copy of the other factor, and a move of the king is a refresh.

use super::{Indices, Misuse, ViewStep, describe_place, place_part, strides};
use crate::chess::{Square, View};
use crate::features::concept::Concept;

/// How `king` is used.
pub const USAGE: &str = "king takes places only (SQUARES, FILES, RANKS, DIAGS1, DIAGS2), each at most once: `king(SQUARES)`";

/// Checks the concepts.
pub fn check(concepts: &[Concept]) -> Result<(), Misuse> {
    for (i, concept) in concepts.iter().enumerate() {
        let name = concept.axis().name();
        if !concept.axis().is_place() {
            return Err(Misuse::of(i, format!("`king` cannot take {name}"), "not a place"));
        }
        if concepts[..i].iter().any(|earlier| earlier.axis() == concept.axis()) {
            return Err(Misuse::of(i, format!("`king` is given {name} twice"), "a second time"));
        }
    }
    Ok(())
}

/// `own king on e1`.
pub fn describe(concepts: &[Concept], tuple: &[u8]) -> String {
    let places: Vec<String> = concepts
        .iter()
        .zip(tuple)
        .map(|(concept, &element)| describe_place(concept.axis(), element))
        .collect();
    format!("own king on {}", places.join(", "))
}

/// The predicate as a table by square.
#[derive(Clone, Debug)]
pub struct KingTable {
    tuple: [Option<u32>; 64],
}

impl KingTable {
    /// Table for checked concepts.
    pub fn new(concepts: &[Concept]) -> Self {
        let strides = strides(concepts);
        Self { tuple: Square::ALL.map(|square| place_part(concepts, &strides, square)) }
    }

    /// The active tuple, if any.
    #[inline]
    pub fn active(&self, view: &View) -> Option<u32> {
        view.own_king().and_then(|square| self.tuple[square as usize])
    }

    /// The tuple active before a move.
    #[inline]
    pub fn before(&self, step: &ViewStep<'_>) -> Option<u32> {
        step.own_king_before().and_then(|square| self.tuple[square as usize])
    }

    /// The tuple active after a move.
    #[inline]
    pub fn after(&self, step: &ViewStep<'_>) -> Option<u32> {
        step.own_king_after().and_then(|square| self.tuple[square as usize])
    }

    /// The tuple a king move switches off and the one it switches on.
    #[inline]
    pub fn delta(&self, step: &ViewStep<'_>, removed: &mut Indices, added: &mut Indices) {
        let (before, after) = (self.before(step), self.after(step));
        if before != after {
            removed.extend(before);
            added.extend(after);
        }
    }
}
