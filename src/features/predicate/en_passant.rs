//! `en_passant(FILES * COLORS)`: that side may capture en passant on that
//! file, legally.

use super::prelude::*;
use crate::tuple_values::TupleValues;
use chess::{File, PieceKind, Rank, Role, Side, Square, View};

pub(crate) struct EnPassant;

impl Definition for EnPassant {
    fn entry(&self) -> Entry {
        Entry::new(
            "en_passant",
            "a pawn of that side may capture en passant on that file",
            "en_passant takes FILES and COLORS, each at most once: `en_passant(FILES * COLORS)`",
            "en_passant(FILES * COLORS)",
        )
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let takes = |axis| matches!(axis, Axis::File | Axis::Color);
        check_each("en_passant", concepts, takes, "not a file or colour")?;
        Ok(Tupling::All)
    }

    fn max_active(&self, _: &[Concept], _: Clauses) -> u64 {
        1
    }

    /// `own side may capture en passant on file e`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        predicate.right_words(index, "may capture en passant", "on")
    }

    /// Target square of the capture.
    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        let values = predicate.values(index);
        let captures = captures().filter(|&capture| holds(&values, capture));
        let squares = captures.map(|(file, by)| {
            Square::from_coords(file, if by == Side::Own { Rank::Sixth } else { Rank::Third })
        });
        let (what, squares) = (predicate.describe(index), squares.collect());
        vec![Subject { what, kinds: Vec::new(), squares }]
    }

    /// The pawn to be captured, and beside it one that may capture.
    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let (values, mut found) = (predicate.values(index), Vec::new());
        for (file, by) in captures().filter(|&capture| holds(&values, capture)) {
            let rank = if by == Side::Own { Rank::Fifth } else { Rank::Fourth };
            let pawn = |file, side| {
                (Square::from_coords(file, rank), PieceKind { role: Role::Pawn, side })
            };
            let beside = [-1, 1].into_iter().filter_map(|step| file.offset(step));
            found.extend(
                beside.map(|from| Arrangement::from([pawn(file, by.opposite()), pawn(from, by)])),
            );
        }
        found
    }

    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize {
        let values = predicate.values(index);
        facts.view.en_passant().into_iter().filter(|&capture| holds(&values, capture)).count()
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        EnPassantTable::new(predicate.concepts()).into()
    }
}

fn captures() -> impl Iterator<Item = (File, Side)> {
    Side::ALL.into_iter().flat_map(|by| File::ALL.map(|file| (file, by)))
}

fn holds(values: &TupleValues<'_>, (file, by): (File, Side)) -> bool {
    values.iter().all(|(axis, elements)| match axis {
        Axis::Color => elements.contains(&(by as u8)),
        _ => elements.contains(&(file as u8)),
    })
}

#[derive(Clone, Debug)]
pub(crate) struct EnPassantTable {
    file: Vec<u32>,
    side: [u32; 2],
}

impl EnPassantTable {
    fn new(concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let side = |side| coding.kind(PieceKind { role: Role::Pawn, side }).unwrap_or(NONE);
        Self { file: coding.along(Axis::File), side: Side::ALL.map(side) }
    }
}

impl Table for EnPassantTable {
    #[inline]
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let Some((file, side)) = view.en_passant() else { return };
        let (file, side) = (self.file[file as usize], self.side[side as usize]);
        if file != NONE && side != NONE {
            sink.push(file + side, 1.0);
        }
    }

    // At most one tuple: reading it twice is the quickest way.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        compare(self, step, removed, added)
    }
}
