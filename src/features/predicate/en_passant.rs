//! `en_passant(FILES * COLORS)`: that side may capture en passant on that
//! file, legally.

use super::coding::{Coding, NONE};
use super::sink::Sink;
use super::{Misuse, check_each};
use crate::concept::{Axis, Concept};
use chess::{PieceKind, Role, Side, View};

/// How `en_passant` is used.
pub const USAGE: &str =
    "en_passant takes FILES and COLORS, each at most once: `en_passant(FILES * COLORS)`";

/// Checks the concepts.
pub fn check(concepts: &[Concept]) -> Result<(), Misuse> {
    let takes = |axis| matches!(axis, Axis::File | Axis::Color);
    check_each("en_passant", concepts, takes, "not a file or colour")
}

/// `own side may capture en passant on file e`.
pub fn describe(concepts: &[Concept], classes: &[usize]) -> String {
    let (mut side, mut place) = ("a side".to_owned(), String::new());
    for (concept, &class) in concepts.iter().zip(classes) {
        match concept.axis() {
            Axis::Color => side = format!("{} side", concept.words(class)),
            _ => place = format!(" on {}", concept.words(class)),
        }
    }
    format!("{side} may capture en passant{place}")
}

/// The predicate as tables.
#[derive(Clone, Debug)]
pub struct EnPassantTable {
    /// By file.
    file: Vec<u32>,
    /// By side.
    side: [u32; 2],
}

impl EnPassantTable {
    /// Tables for checked concepts.
    pub fn new(concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let side = |side| coding.kind(PieceKind { role: Role::Pawn, side }).unwrap_or(NONE);
        Self { file: coding.along(Axis::File), side: Side::ALL.map(side) }
    }

    /// The active tuple, if any.
    #[inline]
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let Some((file, side)) = view.en_passant() else { return };
        let (file, side) = (self.file[file as usize], self.side[side as usize]);
        if file != NONE && side != NONE {
            sink.push(file + side, 1.0);
        }
    }
}
