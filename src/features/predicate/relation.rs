//! Predicates that mark squares: a piece *stands* on a square, *attacks* it or
//! *can move* to it.
//!
//! All three say, for each kind of piece, which squares it marks; one table
//! turns marks into tuples. With a square and one kind a tuple says exactly
//! one thing. With less, several marks make the same tuple true (two rooks on
//! a file), and the tuple is active if *any* does: a set, not a count. What a
//! move changes is then found by comparing masks before and after.

mod bound;
pub(super) mod classes;
mod counts;
mod marks;
mod possible;

pub(crate) use counts::CountTable;
pub(crate) use marks::MarkTable;

use super::prelude::*;
use super::{PredicateKind, says_number};
use crate::picture;
use chess::{Bitboard, Piece, Role, Scene};

/// How a piece marks squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    /// It stands there: `piece`.
    Stands,
    /// It attacks or protects what stands there: `attacks`.
    Attacks,
    /// It can move there: `mobility`.
    Moves,
}

impl Relation {
    /// The relation that a predicate is of, if it is of one.
    pub(super) fn of(kind: PredicateKind) -> Option<Self> {
        let all = [Relation::Stands, Relation::Attacks, Relation::Moves];
        all.into_iter().find(|relation| relation.entry().name == kind.name())
    }

    /// Squares marked by the pieces of one kind, not turned.
    #[inline]
    fn squares(self, scene: &Scene, piece: Piece) -> Bitboard {
        match self {
            Relation::Stands => scene.board().by_piece(piece),
            Relation::Attacks => *scene.attacks().get(piece.color).get(piece.role),
            Relation::Moves => *scene.mobility().get(piece.color).get(piece.role),
        }
    }

    /// Most squares that one piece of a role marks.
    fn most_by_one(self, role: Role) -> u64 {
        match (self, role) {
            (Relation::Stands, _) => 1,
            (Relation::Attacks, Role::Pawn) => 2,
            (Relation::Moves, Role::Pawn) => 3,
            (_, Role::Knight | Role::King) => 8,
            (_, Role::Bishop) => 13,
            (_, Role::Rook) => 14,
            (_, Role::Queen) => 27,
        }
    }

    /// A mark in words, as in `own rook on d4`.
    fn verb(self) -> &'static str {
        match self {
            Relation::Stands => "on",
            Relation::Attacks => "attacks",
            Relation::Moves => "can move to",
        }
    }
}

impl Definition for Relation {
    fn entry(&self) -> Entry {
        let (name, usage, example) = match self {
            Relation::Stands => (
                "piece",
                "piece takes places (SQUARES, FILES, RANKS, DIAGS1, DIAGS2) or COUNTS, ROLES and COLORS, each at most once: `piece(FILES * ROLES * COLORS)`",
                "piece(SQUARES * PIECES)",
            ),
            Relation::Attacks => (
                "attacks",
                "attacks takes places, or COUNTS of squares attacked, ROLES and COLORS, each at most once: `attacks(SQUARES * ROLES * COLORS)`",
                "attacks(SQUARES * PIECES)",
            ),
            Relation::Moves => (
                "mobility",
                "mobility takes places, or COUNTS of squares reached, ROLES and COLORS, each at most once: `mobility(SQUARES * PIECES)`, `mobility({knight} * COUNTS(15) * COLORS)`",
                "mobility(SQUARES * PIECES)",
            ),
        };
        let is_countable = *self == Relation::Stands;
        Entry { name, usage, example, after_comma: AfterComma::Nothing, is_countable }
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let name = self.entry().name;
        let takes =
            |axis: Axis| axis.is_place() || axis.is_kind() || matches!(axis, Axis::Count(_));
        check_each(name, concepts, takes, "neither place nor piece")?;
        if says_number(concepts) || concepts.iter().any(|concept| concept.axis().is_place()) {
            return Ok(Tupling::All);
        }
        Err(Misuse::missing(
            &format!("`{name}` needs to know where: a square, file, rank or diagonal"),
            "no place among these",
        ))
    }

    fn max_active(&self, concepts: &[Concept]) -> u64 {
        bound::max_active(*self, concepts)
    }

    /// `own rook on d4`, `other bishop attacks file c`, `own knight: 3 squares`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let (mut kind, mut places, mut count) = (Vec::new(), Vec::new(), None);
        let mut role = None;
        for (axis, words) in predicate.words(index) {
            match axis {
                Axis::Role | Axis::Piece => role = Some(words),
                Axis::Color => kind.insert(0, words),
                Axis::Count(_) => count = Some(words),
                _ => places.push(words),
            }
        }
        kind.push(role.unwrap_or_else(|| "piece".to_owned()));
        let (kind, place, verb) = (kind.join(" "), places.join(", "), self.verb());
        match (count, self) {
            (None, _) => format!("{kind} {verb} {place}"),
            (Some(count), Relation::Stands) if place.is_empty() => format!("{kind}: {count}"),
            (Some(count), Relation::Stands) => format!("{kind} on {place}: {count}"),
            (Some(count), _) if place.is_empty() => format!("{kind} {verb} {count} squares"),
            (Some(count), _) => format!("{kind} {verb} {count} squares of {place}"),
        }
    }

    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        match self {
            Relation::Stands => {
                let what = predicate.describe(index);
                vec![Subject { what, ..picture::piece(&predicate.said(index)) }]
            }
            // The piece stands elsewhere.
            Relation::Attacks | Relation::Moves => picture::places_of(predicate, index),
        }
    }

    fn witnesses(&self, predicate: &Predicate, index: u64) -> Vec<Witness> {
        possible::witnesses(*self, &predicate.said(index))
    }

    /// With COUNTS, whether the number of different squares is the one said.
    #[cfg(test)]
    fn count(&self, predicate: &Predicate, index: u64, facts: &crate::oracle::Facts<'_>) -> usize {
        let said = predicate.said(index);
        let mut squares = match self {
            Relation::Stands => facts.pieces_that_are(&said).map(|&(_, square)| square).collect(),
            Relation::Attacks => facts.marks(&facts.attacks, &said),
            Relation::Moves => facts.marks(&facts.moves, &said),
        };
        let Some((Axis::Count(most), numbers)) =
            said.iter().find(|(axis, _)| matches!(axis, Axis::Count(_)))
        else {
            return squares.len();
        };
        squares.sort_unstable();
        squares.dedup();
        usize::from(numbers.contains(&(squares.len().min(usize::from(*most)) as u8)))
    }

    fn compile(&self, predicate: &Predicate, valued: bool) -> Compiled {
        match says_number(predicate.concepts()) {
            true => CountTable::new(*self, predicate.concepts()).into(),
            false => MarkTable::new(*self, predicate.concepts(), valued).into(),
        }
    }
}
