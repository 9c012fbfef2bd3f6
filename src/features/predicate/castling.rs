//! `castling(COLORS * WINGS)`: that side may still castle on that wing.
//! Wings are left and right *as seen*, so `mirror` exchanges them.

use super::prelude::*;
use crate::tuple_values::TupleValues;
use chess::{CastlingSide, File, PieceKind, Rank, Role, Side, Square, View};

pub(crate) struct Castling;

impl Definition for Castling {
    fn entry(&self) -> Entry {
        Entry::new(
            "castling",
            "that side may castle on that wing",
            "castling takes COLORS and WINGS, each at most once: `castling(COLORS * WINGS)`",
            "castling(COLORS * WINGS)",
        )
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let takes = |axis| matches!(axis, Axis::Wing | Axis::Color);
        check_each("castling", concepts, takes, "not a wing or colour")?;
        Ok(Tupling::All)
    }

    fn max_active(&self, _: &[Concept], _: Clauses) -> u64 {
        4
    }

    /// `own side may castle to the right`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        predicate.right_words(index, "may castle", "to the")
    }

    /// King and rook on the back rank, in Chess960 on any files.
    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let mut found = Vec::new();
        for (side, wing) in rights_of(&predicate.values(index)) {
            let rank = if side == Side::Own { Rank::First } else { Rank::Eighth };
            let at = |file, role| (Square::from_coords(file, rank), PieceKind { role, side });
            for king in File::ALL {
                let is_there = |rook: &File| *rook != king && (*rook > king) == wing.is_king_side();
                found.extend(
                    File::ALL.into_iter().filter(is_there).map(|rook| {
                        Arrangement::from([at(king, Role::King), at(rook, Role::Rook)])
                    }),
                );
            }
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
        let rights = rights_of(&predicate.values(index)).into_iter();
        rights.filter(|&(side, wing)| facts.view.may_castle(side, wing)).count()
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        CastlingTable::new(predicate.concepts()).into()
    }
}

fn rights_of(values: &TupleValues<'_>) -> Vec<(Side, CastlingSide)> {
    let holds = |(side, wing): &(Side, u8)| {
        values.iter().all(|(axis, elements)| match axis {
            Axis::Color => elements.contains(&(*side as u8)),
            _ => elements.contains(wing),
        })
    };
    all_rights().filter(holds).map(|(side, element)| (side, wing(element))).collect()
}

/// Sides with the elements of [`Axis::Wing`].
fn all_rights() -> impl Iterator<Item = (Side, u8)> {
    Side::ALL.into_iter().flat_map(|side| [(side, 0), (side, 1)])
}

/// The side of the king of an [`Axis::Wing`] element.
fn wing(element: u8) -> CastlingSide {
    CastlingSide::from_king_side(element == 1)
}

/// The predicate as a table of tuples by side and wing.
#[derive(Clone, Debug)]
pub(crate) struct CastlingTable {
    rights: Vec<(Side, CastlingSide, u32)>,
}

impl CastlingTable {
    fn new(concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let wings = coding.along(Axis::Wing);
        let right = |(side, element): (Side, u8)| {
            let of_wing = wings[usize::from(element)];
            let of_side = coding.kind(PieceKind { role: Role::King, side })?;
            (of_wing != NONE).then(|| (side, wing(element), of_side + of_wing))
        };
        Self { rights: all_rights().filter_map(right).collect() }
    }
}

impl Table for CastlingTable {
    #[inline]
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
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

    // At most four tuples: reading them twice is the quickest way.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        compare(self, step, removed, added)
    }
}
