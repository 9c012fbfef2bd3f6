//! Numbers of marked squares of a place, by any piece of the class. A place without squares, such
//! as `FILES{a}` and `{b1}` together, has none.

use super::Relation;
use super::classes::{KindClass, changes, touched};
use crate::predicate::prelude::*;
use chess::{Bitboard, PieceKind, View};

/// Numbers of marks as tuples: for every place and class of kinds the tuple of its number is
/// active.
#[derive(Clone, Debug)]
pub(crate) struct CountTable {
    relation: Relation,
    /// The squares of each place, as seen, and its index offset.
    places: Vec<(Bitboard, u32)>,
    classes: Vec<KindClass>,
    class_of: [Option<u8>; PieceKind::COUNT],
    /// Index offset of each number; the last stands for all above it.
    numbers: Vec<u32>,
}

impl CountTable {
    /// Table for checked concepts with a number.
    pub(crate) fn new(relation: Relation, coding: &Coding<'_>) -> Self {
        let places = coding.classes_of_squares();
        let (classes, class_of) = KindClass::all(&coding.kinds());
        Self { relation, places, classes, class_of, numbers: coding.numbers() }
    }

    /// Index offset of the number of marked squares.
    #[inline]
    fn number(&self, marked: Bitboard) -> u32 {
        self.numbers[marked.count().min(self.numbers.len() - 1)]
    }
}

impl Table for CountTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        for class in &self.classes {
            let squares = class.squares(self.relation, view.scene(), view.perspective());
            let squares = view.orientation().squares(squares);
            for (place, at) in &self.places {
                let number = self.number(squares & *place);
                if number != NONE {
                    sink.push(class.part() + at + number, 1.0);
                }
            }
        }
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let touched = touched(self.relation, &self.class_of, self.classes.len(), step);
        for (class, old, new) in changes(self.relation, &self.classes, touched, step) {
            let (old, new) = (step.orientation().squares(old), step.orientation().squares(new));
            for (place, at) in &self.places {
                let (before, after) = (self.number(old & *place), self.number(new & *place));
                if before == after {
                    continue;
                }
                let tuple = self.classes[class].part() + at;
                if before != NONE {
                    removed.push(tuple + before, 1.0);
                }
                if after != NONE {
                    added.push(tuple + after, 1.0);
                }
            }
        }
        Update::Rows
    }

    fn minimal_causes(&self) -> Option<Vec<(MinimalCause, u32)>> {
        let mut minimal_causes = Vec::new();
        for class in &self.classes {
            for &(place, at) in &self.places {
                let numbers = (0..).zip(&self.numbers).filter(|(_, count)| **count != NONE);
                minimal_causes.extend(numbers.map(|(number, count)| {
                    let (relation, kinds) = (self.relation, class.bits());
                    (
                        MinimalCause::Number { relation, place, kinds, number },
                        class.part() + at + count,
                    )
                }));
            }
        }
        Some(minimal_causes)
    }
}
