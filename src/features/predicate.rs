//! Predicates: what makes a product of concepts a feature set.
//!
//! Each predicate has a file of its own: which concepts it takes, which tuples
//! are active in a view of the position, and which change with a move. A
//! tuple's index is mixed-radix in the order in which its concepts were
//! written; predicates of two pieces leave out tuples that cannot happen.

pub mod atom;
pub mod bands;
pub mod both;
pub mod castling;
pub mod coding;
mod compiled;
pub mod en_passant;
mod kind;
pub mod king;
pub mod king_offset;
pub mod pair;
pub mod relation;
pub mod rows;
pub mod scalar;
pub mod sink;
mod step;
pub mod threat;

use std::fmt;
use std::sync::Arc;

use super::concept::{Axis, Concept};
use chess::Side;

use bands::{BandTable, Scale};
use both::{BothTable, Near};
use castling::CastlingTable;
use en_passant::EnPassantTable;
use king::KingTable;
use king_offset::KingOffsetTable;
use pair::PairTable;
use relation::{CountTable, MarkTable, Relation};
use threat::ThreatTable;

use compiled::compare;
pub use compiled::{Compiled, Selector};
pub use kind::PredicateKind;
pub use step::ViewStep;

/// Which tuples a predicate has.
#[derive(Clone, Debug, PartialEq)]
enum Tupling {
    /// Every product of its concepts.
    All,
    /// These products, in this order.
    Some(Arc<[u32]>),
    /// These unordered pairs of products.
    Pairs(Arc<[(u16, u16)]>),
}

/// A predicate over a product of concepts it can take.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    kind: PredicateKind,
    concepts: Vec<Concept>,
    clauses: Clauses,
    tupling: Tupling,
}

/// What commas add to the concepts of a predicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clauses {
    /// How near the pieces of `both` must be.
    pub near: Near,
    /// How many concepts of `threat` stand before the comma: the attacker's.
    pub comma: Option<usize>,
}

/// Why a predicate cannot take a product of concepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// The whole sentence.
    pub message: String,
    /// A few words for the caret.
    pub label: String,
    /// The concept at fault, if it is one.
    pub culprit: Option<usize>,
    /// What to write instead, if that is more than the usage.
    pub help: Option<String>,
}

impl Misuse {
    fn of(culprit: usize, message: String, label: &str) -> Self {
        Self { message, label: label.to_owned(), culprit: Some(culprit), help: None }
    }

    fn missing(message: &str, label: &str) -> Self {
        Self { message: message.to_owned(), label: label.to_owned(), culprit: None, help: None }
    }
}

/// Refuses concepts that a predicate called `name` has no use for, and those
/// that say the same thing twice. `label` says what is wrong with the former.
fn check_each(
    name: &str,
    concepts: &[Concept],
    takes: impl Fn(Axis) -> bool,
    label: &str,
) -> Result<(), Misuse> {
    for (i, concept) in concepts.iter().enumerate() {
        let axis = concept.axis();
        if !takes(axis) {
            return Err(Misuse::of(i, format!("`{name}` cannot take {axis}"), label));
        }
        if concepts[..i].iter().any(|earlier| earlier.axis().says_as(axis)) {
            return Err(Misuse::of(i, format!("`{name}` is given {axis} twice"), "a second time"));
        }
    }
    Ok(())
}

/// Most products of concepts of a predicate whose possible ones are listed.
const MOST_LISTED: u64 = 1 << 20;

impl Predicate {
    /// The predicate over these concepts, or why it makes no sense.
    pub fn new(
        kind: PredicateKind,
        concepts: Vec<Concept>,
        mut clauses: Clauses,
    ) -> Result<Self, Misuse> {
        let name = kind.name();
        match kind {
            PredicateKind::Piece | PredicateKind::Attacks | PredicateKind::Mobility => {
                relation::check(name, &concepts)?;
            }
            PredicateKind::King | PredicateKind::EnemyKing => king::check(name, &concepts)?,
            PredicateKind::KingOffset => king_offset::check(&concepts)?,
            PredicateKind::Pair => pair::check(&concepts)?,
            PredicateKind::Both => both::check(&concepts)?,
            PredicateKind::Threat => {
                let shape = threat::Shape::of(&concepts, clauses.comma)?;
                // One way to write a set, so that it has one name.
                if threat::Shape::of(&concepts, None).is_ok_and(|plain| plain == shape) {
                    clauses.comma = None;
                }
            }
            PredicateKind::Castling => castling::check(&concepts)?,
            PredicateKind::EnPassant => en_passant::check(&concepts)?,
            PredicateKind::Material | PredicateKind::Phase => bands::check(name, &concepts)?,
        }
        let products: u64 = concepts.iter().map(|c| c.len() as u64).product();
        let tupling = match kind {
            PredicateKind::Both => Tupling::Pairs(both::tuples(&concepts, clauses.near)),
            PredicateKind::Threat if products <= MOST_LISTED => {
                let shape = threat::Shape::of(&concepts, clauses.comma)?;
                let possible = threat::possible(&concepts, &shape);
                possible.map_or(Tupling::All, Tupling::Some)
            }
            _ => Tupling::All,
        };
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

    /// How many of its concepts a comma sets apart, where that says something.
    pub fn comma(&self) -> Option<usize> {
        self.clauses.comma
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
    pub fn max_active(&self) -> u64 {
        let bound = match self.kind {
            PredicateKind::King
            | PredicateKind::EnemyKing
            | PredicateKind::Material
            | PredicateKind::Phase
            | PredicateKind::EnPassant => 1,
            PredicateKind::Castling => 4,
            PredicateKind::KingOffset => 32,
            PredicateKind::Pair => pair::max_active(&self.concepts),
            PredicateKind::Both => {
                both::max_active(relation::max_active(Relation::Stands, &self.concepts))
            }
            PredicateKind::Threat => threat::max_active(),
            PredicateKind::Piece => relation::max_active(Relation::Stands, &self.concepts),
            PredicateKind::Attacks => relation::max_active(Relation::Attacks, &self.concepts),
            PredicateKind::Mobility => relation::max_active(Relation::Moves, &self.concepts),
        };
        bound.min(self.size())
    }

    /// The two products of an unordered tuple, smaller first.
    pub fn unordered(&self, index: u64) -> Option<(u16, u16)> {
        match &self.tupling {
            Tupling::Pairs(pairs) => pairs.get(index as usize).copied(),
            _ => None,
        }
    }

    /// The tuple of an index: one class per concept.
    pub fn tuple(&self, index: u64) -> Vec<usize> {
        let product = match &self.tupling {
            Tupling::Some(products) => {
                products.get(index as usize).map_or(0, |&product| u64::from(product))
            }
            _ => index,
        };
        self.classes(product)
    }

    /// One class per concept of a product.
    pub fn classes(&self, product: u64) -> Vec<usize> {
        let mut rest = product;
        let mut classes: Vec<usize> = self
            .concepts
            .iter()
            .rev()
            .map(|concept| {
                let class = (rest % concept.len() as u64) as usize;
                rest /= concept.len() as u64;
                class
            })
            .collect();
        classes.reverse();
        classes
    }

    /// A tuple in words.
    pub fn describe(&self, index: u64) -> String {
        let concepts = &self.concepts;
        if let Some(pair) = self.unordered(index) {
            return both::describe(concepts, pair);
        }
        let classes = self.tuple(index);
        match self.kind {
            PredicateKind::Piece => relation::describe(Relation::Stands, concepts, &classes),
            PredicateKind::Attacks => relation::describe(Relation::Attacks, concepts, &classes),
            PredicateKind::Mobility => relation::describe(Relation::Moves, concepts, &classes),
            PredicateKind::King => king::describe(Side::Own, concepts, &classes),
            PredicateKind::EnemyKing => king::describe(Side::Other, concepts, &classes),
            PredicateKind::KingOffset => king_offset::describe(concepts, &classes),
            PredicateKind::Pair => pair::describe(concepts, &classes),
            PredicateKind::Both => String::new(),
            PredicateKind::Threat => threat::Shape::of(concepts, self.comma()).map_or_else(
                |_| String::new(),
                |shape| threat::describe(concepts, &shape, &classes),
            ),
            PredicateKind::Castling => castling::describe(concepts, &classes),
            PredicateKind::EnPassant => en_passant::describe(concepts, &classes),
            PredicateKind::Material => bands::describe(Scale::Material, concepts, &classes),
            PredicateKind::Phase => bands::describe(Scale::Phase, concepts, &classes),
        }
    }

    /// Whether exactly one of its tuples is active, if any, and selects a copy in
    /// a product.
    pub fn is_one_hot(&self) -> bool {
        matches!(
            self.kind,
            PredicateKind::King
                | PredicateKind::EnemyKing
                | PredicateKind::Material
                | PredicateKind::Phase
        )
    }

    /// Whether `count(…)` of it makes sense.
    pub fn is_countable(&self) -> bool {
        let numbered = self.concepts.iter().any(|c| matches!(c.axis(), Axis::Count(_)));
        matches!(self.kind, PredicateKind::Piece | PredicateKind::Pair) && !numbered
    }

    /// The predicate as tables; with `valued`, numbers instead of whether.
    pub fn compile(&self, valued: bool) -> Compiled {
        let concepts = &self.concepts;
        let marks = |relation| {
            if concepts.iter().any(|concept| matches!(concept.axis(), Axis::Count(_))) {
                Compiled::Counts(CountTable::new(relation, concepts).into())
            } else {
                Compiled::Marks(MarkTable::new(relation, concepts, valued).into())
            }
        };
        let king = |side| Compiled::Select(Selector::King(KingTable::new(side, concepts)).into());
        let band = |scale| Compiled::Select(Selector::Band(BandTable::new(scale, concepts)).into());
        match self.kind {
            PredicateKind::Piece => marks(Relation::Stands),
            PredicateKind::Attacks => marks(Relation::Attacks),
            PredicateKind::Mobility => marks(Relation::Moves),
            PredicateKind::King => king(Side::Own),
            PredicateKind::EnemyKing => king(Side::Other),
            PredicateKind::Material => band(Scale::Material),
            PredicateKind::Phase => band(Scale::Phase),
            PredicateKind::KingOffset => {
                Compiled::KingOffset(KingOffsetTable::new(concepts).into())
            }
            PredicateKind::Pair => {
                let pieces = pair::two_pieces("pair", concepts).unwrap_or_default();
                Compiled::Pair(PairTable::new(concepts, &pieces, valued).into())
            }
            PredicateKind::Both => {
                let pairs = match &self.tupling {
                    Tupling::Pairs(pairs) => pairs.clone(),
                    _ => both::tuples(concepts, self.clauses.near),
                };
                Compiled::Both(BothTable::new(concepts, &pairs).into())
            }
            PredicateKind::Threat => {
                let possible = match &self.tupling {
                    Tupling::Some(products) => Some(&products[..]),
                    _ => None,
                };
                let shape = threat::Shape::of(concepts, self.comma()).unwrap_or_default();
                Compiled::Threat(ThreatTable::new(concepts, &shape, possible).into())
            }
            PredicateKind::Castling => Compiled::Castling(CastlingTable::new(concepts).into()),
            PredicateKind::EnPassant => Compiled::EnPassant(EnPassantTable::new(concepts).into()),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.kind.name())?;
        for (i, concept) in self.concepts.iter().enumerate() {
            if i > 0 {
                f.write_str(if self.comma() == Some(i) { ", " } else { " * " })?;
            }
            f.write_str(&concept.factor())?;
        }
        let (near, any) = (self.clauses.near, Near::default());
        if near.files < any.files {
            write!(f, ", files <= {}", near.files)?;
        }
        if near.ranks < any.ranks {
            write!(f, ", ranks <= {}", near.ranks)?;
        }
        f.write_str(")")
    }
}
