//! Predicates turn products of concepts into feature sets.
//!
//! A predicate is one file: its `Definition` (the concepts it takes, its tuples in words, their
//! possible causes) and, unless it is one-hot, its `Table` (the active tuples of a view of the
//! position, and their changes in a move). All callers use the list below. A tuple's index is
//! mixed-radix in the order in which its concepts were written; predicates of two pieces leave out
//! tuples that cannot happen.

pub(crate) mod coding;
mod compiled;
mod kind;
pub(crate) mod minimal_cause;
mod prelude;
mod rows;
pub(crate) mod scalar;
mod selector;
pub(crate) mod sink;
mod step;

mod attackers;
pub(crate) mod bands;
mod both;
mod castling;
mod en_passant;
mod join;
mod king;
mod king_offset;
pub(crate) mod moves;
mod pair;
mod quotient;
pub(crate) mod relation;
mod threat;

use std::fmt;
use std::sync::Arc;

use crate::tuple_values::TupleValues;
use chess::{Bitboard, Side, Square, View};
use king::King;
use prelude::*;
use relation::Relation;

pub(crate) use bands::Scale;
pub(crate) use both::Near;
pub(crate) use compiled::Compiled;
pub(crate) use join::JoinTable;
pub use kind::PredicateKind;
pub(crate) use kind::{AfterComma, Entry};
pub(crate) use quotient::{ClassOf, QuotientTable};
pub(crate) use rows::RowsTable;
pub use scalar::Scalar;
pub(crate) use selector::Selector;
pub(crate) use step::ViewStep;

// All predicates, in the order in which help texts list them, with their tables; those
// that are one-hot need none.
compiled::predicates! {
    [Relation::Stands, Relation::Attacks, Relation::Moves, Relation::Pinned]
        => [relation::MarkTable, relation::CountTable, relation::StepsTable];
    [attackers::Attackers] => [attackers::AttackersTable];
    [moves::Moves] => [moves::MovesTable];
    [King(Side::Own), King(Side::Other)] => [];
    [king_offset::KingOffset(Side::Own), king_offset::KingOffset(Side::Other)]
        => [king_offset::KingOffsetTable];
    [pair::Pair] => [pair::PairTable];
    [both::Both] => [both::BothTable];
    [threat::Threat] => [threat::ThreatTable, threat::KindThreats, threat::TargetThreats];
    [castling::Castling] => [castling::CastlingTable];
    [en_passant::EnPassant] => [en_passant::EnPassantTable];
    [Scale::Material, Scale::Phase, Scale::Halfmoves] => [];
    // Tables made of other sets, without a predicate.
    [] => [rows::RowsTable, quotient::QuotientTable, join::JoinTable];
}

/// The tuples of a predicate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tupling {
    /// Every product of its concepts.
    All,
    /// These products, in this order.
    Some(Arc<[u32]>),
    /// These unordered pairs of products.
    Pairs(Arc<[(u16, u16)]>),
}

/// A predicate over a product of concepts.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    kind: PredicateKind,
    concepts: Vec<Concept>,
    clauses: Clauses,
    tupling: Tupling,
}

/// Arguments after commas in a predicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clauses {
    /// The distance of the pieces of `both`.
    pub(crate) near: Near,
    /// Number of concepts of `threat` before the comma: the attacker's.
    pub(crate) comma: Option<usize>,
    /// Whether `once` leaves out one of two threats that are always active together.
    pub(crate) once: bool,
}

/// Reason why a predicate cannot take a product of concepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misuse {
    pub(crate) message: String,
    /// A few words for the caret.
    pub(crate) label: String,
    pub(crate) culprit: Option<usize>,
    /// Replacement to suggest, if it is more than the usage.
    pub(crate) help: Option<String>,
}

impl Misuse {
    fn of(culprit: usize, message: String, label: &str) -> Self {
        Self { message, label: label.to_owned(), culprit: Some(culprit), help: None }
    }

    /// `name` takes no concept of the axis.
    fn stranger(name: &str, culprit: usize, axis: Axis, label: &str) -> Self {
        Self::of(culprit, format!("`{name}` cannot take {axis}"), label)
    }

    fn missing(message: &str, label: &str) -> Self {
        Self { message: message.to_owned(), label: label.to_owned(), culprit: None, help: None }
    }
}

/// Refuses concepts that the predicate `name` does not take, with `label` as the reason, and
/// repetitions.
fn check_each(
    name: &str,
    concepts: &[Concept],
    takes: impl Fn(Axis) -> bool,
    label: &str,
) -> Result<(), Misuse> {
    for (i, concept) in concepts.iter().enumerate() {
        let axis = concept.axis();
        if !takes(axis) {
            return Err(Misuse::stranger(name, i, axis, label));
        }
        if concepts[..i].iter().any(|earlier| earlier.axis().overlaps(axis)) {
            return Err(Misuse::of(i, format!("`{name}` is given {axis} twice"), "a second time"));
        }
    }
    Ok(())
}

/// Whether `COUNTS` is among them.
fn has_number(concepts: &[Concept]) -> bool {
    concepts.iter().any(|concept| concept.axis().is_number())
}

impl Predicate {
    /// The predicate over these concepts, or the reason why it takes none such.
    pub(crate) fn new(
        kind: PredicateKind,
        concepts: Vec<Concept>,
        mut clauses: Clauses,
    ) -> Result<Self, Misuse> {
        let tupling = kind.0.check(&concepts, &mut clauses)?;
        Ok(Self { kind, concepts, clauses, tupling })
    }

    /// Which predicate.
    pub fn kind(&self) -> PredicateKind {
        self.kind
    }

    /// Its concepts in index order.
    pub fn concepts(&self) -> &[Concept] {
        &self.concepts
    }

    /// Number of tuples.
    pub fn size(&self) -> u64 {
        match &self.tupling {
            Tupling::All => self.concepts.iter().map(|c| c.len() as u64).product(),
            Tupling::Some(products) => products.len() as u64,
            Tupling::Pairs(pairs) => pairs.len() as u64,
        }
    }

    /// Most tuples that can be active together in a position of a game.
    pub(crate) fn max_active(&self) -> u64 {
        self.kind.0.max_active(&self.concepts, self.clauses).min(self.size())
    }

    /// The two products of an unordered tuple, smaller first.
    pub fn unordered(&self, index: u64) -> Option<(u16, u16)> {
        match &self.tupling {
            Tupling::Pairs(pairs) => pairs.get(index as usize).copied(),
            Tupling::All | Tupling::Some(_) => None,
        }
    }

    /// One class per concept of a tuple; of an unordered one those of both products.
    fn classes(&self, index: u64) -> Vec<usize> {
        match &self.tupling {
            Tupling::All => self.classes_of_product(index),
            Tupling::Some(products) => {
                let product = products.get(index as usize).copied().unwrap_or_default();
                self.classes_of_product(product.into())
            }
            Tupling::Pairs(pairs) => {
                let (a, b) = pairs.get(index as usize).copied().unwrap_or_default();
                [a, b].map(|product| self.classes_of_product(product.into())).concat()
            }
        }
    }

    fn classes_of_product(&self, product: u64) -> Vec<usize> {
        let mut stride: u64 = self.concepts.iter().map(|c| c.len() as u64).product();
        let class = |concept: &Concept| {
            stride /= concept.len() as u64;
            (product / stride % concept.len() as u64) as usize
        };
        self.concepts.iter().map(class).collect()
    }

    /// Axis and elements of each concept of a tuple.
    pub(crate) fn values(&self, index: u64) -> TupleValues<'_> {
        let classes = self.classes(index).into_iter();
        let concepts = self.concepts.iter().cycle();
        concepts.zip(classes).map(|(c, class)| (c.axis(), c.class(class))).collect()
    }

    fn words(&self, index: u64) -> impl Iterator<Item = (Axis, String)> {
        let classes = self.classes(index).into_iter();
        self.concepts.iter().cycle().zip(classes).map(|(c, class)| (c.axis(), c.words(class)))
    }

    /// The words of the concepts whose axis is `wanted`.
    fn words_of(&self, index: u64, wanted: impl Fn(Axis) -> bool) -> Vec<String> {
        self.words(index).filter(|(axis, _)| wanted(*axis)).map(|(_, words)| words).collect()
    }

    /// The piece of a tuple in words: `own rook`, `other piece`.
    fn piece_words(&self, index: u64) -> String {
        let mut words = self.words_of(index, |axis| axis == Axis::Color);
        let kind = self.words_of(index, |axis| matches!(axis, Axis::Role | Axis::Piece));
        words.extend(if kind.is_empty() { vec!["piece".to_owned()] } else { kind });
        words.join(" ")
    }

    /// The places of a tuple in words: `file a, rank 1`; empty without any.
    fn place_words(&self, index: u64) -> String {
        self.words_of(index, Axis::is_place).join(", ")
    }

    /// The steps of a tuple in words: `2 files and -1 ranks`; empty without any.
    fn step_words(&self, index: u64) -> String {
        let values = |axis: Axis, unit: &str| -> Vec<String> {
            let words = self.words_of(index, |it| it == axis);
            words.into_iter().map(|words| format!("{words} {unit}")).collect()
        };
        [values(Axis::FileStep, "files"), values(Axis::RankStep, "ranks")].concat().join(" and ")
    }

    /// A right of a side in words: `own side may castle to the right`.
    fn right_words(&self, index: u64, right: &str, before_place: &str) -> String {
        let (mut side, mut place) = ("a side".to_owned(), String::new());
        for (axis, words) in self.words(index) {
            match axis {
                Axis::Color => side = format!("{words} side"),
                _ => place = format!(" {before_place} {words}"),
            }
        }
        format!("{side} {right}{place}")
    }

    /// The number of a tuple with COUNTS in words: `2`, `3 or more`.
    fn number_words(&self, index: u64) -> Option<String> {
        self.words_of(index, Axis::is_number).pop()
    }

    /// A tuple in words.
    pub fn describe(&self, index: u64) -> String {
        self.kind.0.describe(self, index)
    }

    pub(crate) fn subjects(&self, index: u64) -> Vec<Subject> {
        self.kind.0.subjects(self, index)
    }

    pub(crate) fn arrangements(&self, index: u64) -> Vec<Arrangement> {
        self.kind.0.arrangements(self, index)
    }

    #[cfg(test)]
    pub(crate) fn count(&self, index: u64, facts: &crate::tests::oracle::Facts<'_>) -> usize {
        self.kind.0.count(self, index, facts)
    }

    /// The selector of a one-hot predicate.
    pub(crate) fn selector(&self) -> Option<Arc<Selector>> {
        match self.compile(false) {
            Compiled::OneHot(selector) => Some(selector),
            Compiled::Table(_) => None,
        }
    }

    /// The squares of `king(…)` or `enemy_king(…)`.
    pub(crate) fn squares_of_king(&self, side: Side) -> Option<Bitboard> {
        King::of(self.kind).filter(|king| king.0 == side)?;
        let coding = Coding::new(&self.concepts);
        Some(Square::ALL.into_iter().filter(|&square| coding.place(square).is_some()).collect())
    }

    pub(crate) fn is_countable(&self) -> bool {
        self.kind.entry().is_countable && !has_number(&self.concepts)
    }

    pub(crate) fn compile(&self, valued: bool) -> Compiled {
        self.kind.0.compile(self, valued)
    }
}

impl Predicate {
    /// As it was written, with its variables.
    pub(crate) fn as_written(&self) -> String {
        self.text(|concept| match concept.is_spelled() {
            true => concept.as_written(),
            false => concept.factor(),
        })
    }

    fn text(&self, of_concept: impl Fn(&Concept) -> String) -> String {
        let mut text = format!("{}(", self.kind.name());
        for (i, concept) in self.concepts.iter().enumerate() {
            if i > 0 {
                text.push_str(if self.clauses.comma == Some(i) { ", " } else { " * " });
            }
            text.push_str(&of_concept(concept));
        }
        let (near, any) = (self.clauses.near, Near::default());
        if near.files < any.files {
            text.push_str(&format!(", files <= {}", near.files));
        }
        if near.ranks < any.ranks {
            text.push_str(&format!(", ranks <= {}", near.ranks));
        }
        if self.clauses.once {
            text.push_str(", once");
        }
        text.push(')');
        text
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Concept::factor))
    }
}
