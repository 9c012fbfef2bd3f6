//! Predicates that mark squares: a piece *stands* on a square, *attacks* it, *can
//! move* to it, or stands there and is *pinned*.
//!
//! A relation is the set of squares that each kind of piece marks; one table turns marks into
//! tuples. With a square and one kind a tuple has exactly one mark. Otherwise several marks make
//! the same tuple true (two rooks on a file), and the tuple is active if *any* does: a set, not a
//! count. Masks before and after a move give the change.

mod bound;
pub(super) mod classes;
mod counts;
mod marks;
mod possible;
mod steps;

pub(crate) use counts::CountTable;
pub(crate) use marks::MarkTable;
pub(crate) use steps::StepsTable;

use super::prelude::*;
use super::{AnyTable, PredicateKind, has_number};
use crate::picture;
use crate::refresh::KindSet;
use chess::{Bitboard, Piece, Role, Scene};
use classes::KindClass;

/// How a piece marks squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    /// It stands there: `piece`.
    Stands,
    /// It attacks or protects the piece there: `attacks`.
    Attacks,
    /// It can move there: `mobility`.
    Moves,
    /// It stands there, alone between its king and a slider: `pinned`.
    Pinned,
}

impl Relation {
    const ALL: [Relation; 4] =
        [Relation::Stands, Relation::Attacks, Relation::Moves, Relation::Pinned];

    /// The relation of a predicate, if it has one.
    pub(crate) fn of(kind: PredicateKind) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.entry().name == kind.name())
    }

    /// Squares marked by the pieces of one kind, not turned.
    #[inline]
    fn squares(self, scene: &Scene, piece: Piece) -> Bitboard {
        match self {
            Relation::Stands => scene.board().by_piece(piece),
            Relation::Attacks => *scene.attacks().get(piece.color).get(piece.role),
            Relation::Moves => *scene.mobility().get(piece.color).get(piece.role),
            Relation::Pinned => pinned(scene, piece),
        }
    }

    /// Whether the square that is marked is the piece's own.
    pub(super) fn marks_its_own_square(self) -> bool {
        matches!(self, Relation::Stands | Relation::Pinned)
    }

    /// Most squares that one piece of a role marks.
    fn most_by_one(self, role: Role) -> u64 {
        match (self, role) {
            (Relation::Stands | Relation::Pinned, _) => 1,
            (Relation::Attacks, Role::Pawn) => 2,
            (Relation::Moves, Role::Pawn) => 3,
            (_, Role::Knight | Role::King) => 8,
            (_, Role::Bishop) => 13,
            (_, Role::Rook) => 14,
            (_, Role::Queen) => 27,
        }
    }

    /// The number of pieces of one class on the whole board, where every number has a tuple. One of
    /// them is always active, so it is one-hot: `piece({own queen} * COUNTS(1))`.
    fn number_of_pieces(self, concepts: &[Concept]) -> Option<Compiled> {
        let is_whole_board = |c: &Concept| c.axis().is_kind() || c.axis().is_number();
        if self != Relation::Stands || !concepts.iter().all(is_whole_board) {
            return None;
        }
        let coding = Coding::new(concepts);
        let numbers = coding.numbers();
        let (classes, _) = KindClass::all(&coding.kinds());
        let [class] = classes.as_slice() else { return None };
        let last = numbers.len().checked_sub(1).filter(|_| !numbers.contains(&NONE))?;
        let cause = RefreshCause::Count(KindSet::of_bits(class.bits()));
        Some(Selector::compiled(cause, |state| class.part() + numbers[state.min(last)]))
    }

    /// A mark in words, as in `own rook on d4`.
    fn verb(self) -> &'static str {
        match self {
            Relation::Stands => "on",
            Relation::Attacks => "attacks",
            Relation::Moves => "can move to",
            Relation::Pinned => "pinned on",
        }
    }
}

// A function of its own: the other relations are fast look-ups.
#[inline(never)]
fn pinned(scene: &Scene, piece: Piece) -> Bitboard {
    scene.board().by_piece(piece) & scene.restraints().get(piece.color).pinned()
}

impl Definition for Relation {
    fn entry(&self) -> Entry {
        match self {
            Relation::Stands => Entry {
                is_countable: true,
                ..Entry::new(
                    "piece",
                    "such a piece stands on the place",
                    "piece takes places (SQUARES, FILES, RANKS, DIAGS1, DIAGS2) or COUNTS, ROLES and COLORS, each at most once: `piece(FILES * ROLES * COLORS)`",
                    "piece(SQUARES * PIECES)",
                )
            },
            Relation::Attacks => Entry::new(
                "attacks",
                "such a piece attacks or protects the place, empty or occupied",
                "attacks takes places, steps to the own king, or COUNTS of squares attacked, ROLES and COLORS, each at most once: `attacks(SQUARES * ROLES * COLORS)`, `attacks(FILE_STEPS{-1, 0, 1} * RANK_STEPS{-1, 0, 1} * PIECES)`",
                "attacks(SQUARES * PIECES)",
            ),
            Relation::Moves => Entry::new(
                "mobility",
                "such a piece can move there legally, without castling, double pawn pushes and en passant",
                "mobility takes places, steps to the own king, or COUNTS of squares reached, ROLES and COLORS, each at most once: `mobility(SQUARES * PIECES)`, `mobility({knight} * COUNTS(15) * COLORS)`",
                "mobility(SQUARES * PIECES)",
            ),
            Relation::Pinned => Entry::new(
                "pinned",
                "such a piece stands there, alone between its king and an opposing bishop, rook or queen",
                "pinned takes places (SQUARES, FILES, RANKS, DIAGS1, DIAGS2) or COUNTS, ROLES and COLORS, each at most once: `pinned(SQUARES * (ROLES without {king}) * COLORS)`",
                "pinned(SQUARES * (ROLES without {king}) * COLORS)",
            ),
        }
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let name = self.entry().name;
        let takes_steps = !self.marks_its_own_square();
        let takes = |axis: Axis| {
            axis.is_place() || axis.is_kind() || axis.is_number() || (axis.is_step() && takes_steps)
        };
        check_each(name, concepts, takes, "neither place nor piece")?;
        let says_where = |axis: Axis| axis.is_place() || axis.is_step() || axis.is_number();
        if concepts.iter().any(|concept| says_where(concept.axis())) {
            return Ok(Tupling::All);
        }
        Err(Misuse::missing(
            &format!("`{name}` needs to know where: a square, file, rank or diagonal"),
            "no place among these",
        ))
    }

    fn max_active(&self, concepts: &[Concept], _: Clauses) -> u64 {
        bound::max_active(*self, concepts)
    }

    /// `own rook on d4`, `other bishop attacks file c`, `own knight: 3 squares`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let (kind, place) = (predicate.piece_words(index), predicate.place_words(index));
        let (count, verb) = (predicate.number_words(index), self.verb());
        let steps = predicate.step_words(index);
        let stands = self.marks_its_own_square();
        let words = match count {
            None if place.is_empty() => format!("{kind} {verb} a square"),
            None => format!("{kind} {verb} {place}"),
            Some(count) if place.is_empty() && stands => match self {
                Relation::Pinned => format!("pinned {kind}: {count}"),
                _ => format!("{kind}: {count}"),
            },
            Some(count) if stands => format!("{kind} {verb} {place}: {count}"),
            Some(count) if place.is_empty() => format!("{kind} {verb} {count} squares"),
            Some(count) => format!("{kind} {verb} {count} squares of {place}"),
        };
        if steps.is_empty() { words } else { format!("{words}, own king {steps} from there") }
    }

    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        match self {
            Relation::Stands | Relation::Pinned => {
                let what = predicate.describe(index);
                vec![Subject { what, ..picture::piece(&predicate.values(index)) }]
            }
            // The piece stands elsewhere.
            Relation::Attacks | Relation::Moves => picture::places_of(predicate, index),
        }
    }

    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        possible::arrangements(*self, &predicate.values(index))
    }

    /// With COUNTS, whether the number of different squares is that of the tuple.
    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize {
        let values = predicate.values(index);
        let mut squares = match self {
            Relation::Stands => facts.pieces_that_are(&values).map(|&(_, square)| square).collect(),
            Relation::Attacks => facts.marks(&facts.attacks, &values),
            Relation::Moves => facts.marks(&facts.moves, &values),
            Relation::Pinned => {
                let pinned = facts.pieces_that_are(&values).filter(|mark| facts.is_pinned(mark));
                pinned.map(|&(_, square)| square).collect()
            }
        };
        let Some((Axis::Count(most), numbers)) =
            values.iter().find(|(axis, _)| matches!(axis, Axis::Count(_)))
        else {
            return squares.len();
        };
        squares.sort_unstable();
        squares.dedup();
        usize::from(numbers.contains(&(squares.len().min(usize::from(*most)) as u8)))
    }

    fn compile(&self, predicate: &Predicate, valued: bool) -> Compiled {
        let concepts = predicate.concepts();
        if let Some(number) = self.number_of_pieces(concepts) {
            return number;
        }
        let table = |coding: Coding<'_>| match has_number(concepts) {
            true => AnyTable::from(CountTable::new(*self, &coding)),
            false => MarkTable::new(*self, &coding, valued).into(),
        };
        match concepts.iter().any(|concept| concept.axis().is_step()) {
            true => StepsTable::new(concepts, table).into(),
            false => Compiled::Table(table(Coding::new(concepts))),
        }
    }
}
