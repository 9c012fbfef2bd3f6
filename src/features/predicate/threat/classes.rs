//! Kinds of pieces, merged as in a set.

use crate::predicate::prelude::*;
use chess::PieceKind;

/// Classes of the kinds that a set merges.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// The class of each kind; [`Self::NONE`] for kinds that are in none.
    pub(super) of: [usize; PieceKind::COUNT],
    /// Index offset of each class.
    pub(super) parts: Vec<u32>,
}

impl Classes {
    const NONE: usize = PieceKind::COUNT;

    /// Classes of kinds with equal index offsets.
    pub(super) fn new(parts: &[u32; PieceKind::COUNT]) -> Self {
        let mut classes = Self { of: [Self::NONE; PieceKind::COUNT], parts: Vec::new() };
        for (of, &part) in classes.of.iter_mut().zip(parts).filter(|(_, part)| **part != NONE) {
            let known = classes.parts.iter().position(|&known| known == part);
            *of = known.unwrap_or(classes.parts.len());
            if known.is_none() {
                classes.parts.push(part);
            }
        }
        classes
    }
}
