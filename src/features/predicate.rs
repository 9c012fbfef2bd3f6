//! Predicates: what makes a product of concepts a feature set.
//!
//! Each predicate has a file of its own: which concepts it takes, which tuples
//! are active in a view of the position, and which change with a move. A
//! tuple's index is mixed-radix in the order in which its concepts were
//! written; predicates of two pieces leave out tuples that cannot happen.

pub mod bands;
pub mod both;
pub mod castling;
pub mod coding;
pub mod en_passant;
pub mod king;
pub mod king_offset;
pub mod pair;
pub mod relation;
pub mod rows;
pub mod scalar;
pub mod sink;
pub mod threat;

use std::fmt;
use std::sync::Arc;

use super::concept::{Axis, Concept};
use super::refresh::RefreshCause;
use super::set::{Step, Update};
use crate::chess::{BoardChange, Color, Orientation, PieceKind, PlacedPiece, Side, Square, View};

use bands::{BandTable, Scale};
use both::{BothTable, Near};
use castling::CastlingTable;
use en_passant::EnPassantTable;
use king::KingTable;
use king_offset::KingOffsetTable;
use pair::PairTable;
use relation::{CountTable, MarkTable, Relation};
use rows::RowsTable;
use scalar::Scalar;
use sink::{Sink, Tuples, difference};
use threat::ThreatTable;

/// The predicates of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredicateKind {
    /// Such a piece stands there.
    Piece,
    /// Such a piece attacks or protects what stands there.
    Attacks,
    /// Such a piece can move there.
    Mobility,
    /// The own king stands there.
    King,
    /// The other side's king stands there.
    EnemyKing,
    /// The own king is that far from such a piece.
    KingOffset,
    /// On that line the first piece is followed by the second, nothing between.
    Pair,
    /// Two such pieces stand there, in no order.
    Both,
    /// The first piece attacks or protects the second.
    Threat,
    /// That side may castle on that wing.
    Castling,
    /// That side may capture en passant on that file.
    EnPassant,
    /// The number of pieces is in that band.
    Material,
    /// The game phase is in that band.
    Phase,
}

impl PredicateKind {
    /// All predicates.
    pub const ALL: [PredicateKind; 13] = [
        PredicateKind::Piece,
        PredicateKind::Attacks,
        PredicateKind::Mobility,
        PredicateKind::King,
        PredicateKind::EnemyKing,
        PredicateKind::KingOffset,
        PredicateKind::Pair,
        PredicateKind::Both,
        PredicateKind::Threat,
        PredicateKind::Castling,
        PredicateKind::EnPassant,
        PredicateKind::Material,
        PredicateKind::Phase,
    ];

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        match self {
            PredicateKind::Piece => "piece",
            PredicateKind::Attacks => "attacks",
            PredicateKind::Mobility => "mobility",
            PredicateKind::King => "king",
            PredicateKind::EnemyKing => "enemy_king",
            PredicateKind::KingOffset => "king_offset",
            PredicateKind::Pair => "pair",
            PredicateKind::Both => "both",
            PredicateKind::Threat => "threat",
            PredicateKind::Castling => "castling",
            PredicateKind::EnPassant => "en_passant",
            PredicateKind::Material => "material",
            PredicateKind::Phase => "phase",
        }
    }

    /// How it is used, for error messages.
    pub fn usage(self) -> &'static str {
        match self {
            PredicateKind::Piece => {
                "piece takes places (SQUARES, FILES, RANKS, DIAGS1, DIAGS2), ROLES and COLORS, each at most once: `piece(FILES * ROLES * COLORS)`"
            }
            PredicateKind::Attacks => {
                "attacks takes places, ROLES and COLORS, each at most once: `attacks(SQUARES * ROLES * COLORS)`"
            }
            PredicateKind::Mobility => {
                "mobility takes places, or COUNTS, with ROLES and COLORS, each at most once: `mobility(SQUARES * PIECES)`, `mobility({knight} * COUNTS(15) * COLORS)`"
            }
            PredicateKind::King => king::USAGE,
            PredicateKind::EnemyKing => king::ENEMY_USAGE,
            PredicateKind::KingOffset => king_offset::USAGE,
            PredicateKind::Pair => pair::USAGE,
            PredicateKind::Both => both::USAGE,
            PredicateKind::Threat => threat::USAGE,
            PredicateKind::Castling => castling::USAGE,
            PredicateKind::EnPassant => en_passant::USAGE,
            PredicateKind::Material => bands::MATERIAL_USAGE,
            PredicateKind::Phase => bands::PHASE_USAGE,
        }
    }

    /// The predicate of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// How pieces mark squares, for the predicates that are about that.
    pub fn relation(self) -> Option<Relation> {
        match self {
            PredicateKind::Piece => Some(Relation::Stands),
            PredicateKind::Attacks => Some(Relation::Attacks),
            PredicateKind::Mobility => Some(Relation::Moves),
            _ => None,
        }
    }
}

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
    near: Near,
    tupling: Tupling,
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
}

impl Misuse {
    fn of(culprit: usize, message: String, label: &str) -> Self {
        Self { message, label: label.to_owned(), culprit: Some(culprit) }
    }

    fn missing(message: &str, label: &str) -> Self {
        Self { message: message.to_owned(), label: label.to_owned(), culprit: None }
    }
}

/// Most products of concepts of a predicate whose possible ones are listed.
const MOST_LISTED: u64 = 1 << 20;

impl Predicate {
    /// The predicate over these concepts, or why it makes no sense.
    pub fn new(kind: PredicateKind, concepts: Vec<Concept>, near: Near) -> Result<Self, Misuse> {
        let name = kind.name();
        match kind {
            PredicateKind::Piece | PredicateKind::Attacks | PredicateKind::Mobility => {
                relation::check(name, &concepts)?;
            }
            PredicateKind::King | PredicateKind::EnemyKing => king::check(name, &concepts)?,
            PredicateKind::KingOffset => king_offset::check(&concepts)?,
            PredicateKind::Pair => pair::check(&concepts)?,
            PredicateKind::Both => both::check(&concepts)?,
            PredicateKind::Threat => drop(threat::Shape::of(&concepts)?),
            PredicateKind::Castling => castling::check(&concepts)?,
            PredicateKind::EnPassant => en_passant::check(&concepts)?,
            PredicateKind::Material | PredicateKind::Phase => bands::check(name, &concepts)?,
        }
        let products: u64 = concepts.iter().map(|c| c.len() as u64).product();
        let tupling = match kind {
            PredicateKind::Both => Tupling::Pairs(both::tuples(&concepts, near)),
            PredicateKind::Threat if products <= MOST_LISTED => {
                let possible = threat::possible(&concepts, &threat::Shape::of(&concepts)?);
                possible.map_or(Tupling::All, Tupling::Some)
            }
            _ => Tupling::All,
        };
        Ok(Self { kind, concepts, near, tupling })
    }

    /// Which predicate.
    pub fn kind(&self) -> PredicateKind {
        self.kind
    }

    /// Its concepts in index order.
    pub fn concepts(&self) -> &[Concept] {
        &self.concepts
    }

    /// How near the pieces of [`PredicateKind::Both`] must be.
    pub fn near(&self) -> Near {
        self.near
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
            PredicateKind::Threat => threat::Shape::of(concepts).map_or_else(
                |_| String::new(),
                |shape| threat::describe(concepts, &shape, &classes),
            ),
            PredicateKind::Castling => castling::describe(concepts, &classes),
            PredicateKind::EnPassant => en_passant::describe(concepts, &classes),
            PredicateKind::Material => bands::describe(Scale::Material, concepts, &classes),
            PredicateKind::Phase => bands::describe(Scale::Phase, concepts, &classes),
        }
    }

    /// Whether it is one-hot: a product with it selects a copy of the other
    /// factors.
    pub fn is_selector(&self) -> bool {
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
                    _ => both::tuples(concepts, self.near),
                };
                Compiled::Both(BothTable::new(concepts, &pairs).into())
            }
            PredicateKind::Threat => {
                let possible = match &self.tupling {
                    Tupling::Some(products) => Some(&products[..]),
                    _ => None,
                };
                let shape = threat::Shape::of(concepts).unwrap_or_default();
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
                f.write_str(" * ")?;
            }
            match concept.merges() {
                true => write!(f, "({concept})")?,
                false => write!(f, "{concept}")?,
            }
        }
        let any = Near::default();
        if self.near.files < any.files {
            write!(f, ", files <= {}", self.near.files)?;
        }
        if self.near.ranks < any.ranks {
            write!(f, ", ranks <= {}", self.near.ranks)?;
        }
        f.write_str(")")
    }
}

/// A one-hot predicate ready to be asked.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "made once per factor and kept behind an Arc")]
pub enum Selector {
    /// `king`, `enemy_king`
    King(KingTable),
    /// `material`, `phase`
    Band(BandTable),
}

impl Selector {
    /// The active tuple, if any.
    #[inline(always)]
    pub fn value(&self, view: View<'_>) -> Option<u32> {
        match self {
            Selector::King(table) => table.value(view),
            Selector::Band(table) => table.value(view),
        }
    }

    /// What changes it.
    pub fn refresh_cause(&self) -> RefreshCause {
        match self {
            Selector::King(table) => table.refresh_cause(),
            Selector::Band(table) => table.refresh_cause(),
        }
    }
}

/// A predicate ready to be asked; indices are within the predicate's own set.
#[derive(Clone, Debug)]
pub enum Compiled {
    /// `piece`, `attacks`, `mobility`
    Marks(Arc<MarkTable>),
    /// The same with COUNTS
    Counts(Arc<CountTable>),
    /// `king`, `enemy_king`, `material`, `phase`
    Select(Arc<Selector>),
    /// `ONE`, `PHASE`, `own_king.file`, …
    Scalar(Scalar),
    /// `king_offset`
    KingOffset(Arc<KingOffsetTable>),
    /// `pair`
    Pair(Arc<PairTable>),
    /// `both`
    Both(Arc<BothTable>),
    /// `threat`
    Threat(Arc<ThreatTable>),
    /// `castling`
    Castling(Arc<CastlingTable>),
    /// `en_passant`
    EnPassant(Arc<EnPassantTable>),
    /// `rows`
    Rows(Arc<RowsTable>),
}

impl Compiled {
    /// Sends the active tuples of a view, no duplicates.
    #[inline(always)]
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        match self {
            Compiled::Marks(table) => table.active(view, sink),
            other => other.active_of_others(view, sink),
        }
    }

    // Apart, so that the commonest predicate is not burdened with the others.
    fn active_of_others<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        match self {
            Compiled::Marks(table) => table.active(view, sink),
            Compiled::Counts(table) => table.active(view, sink),
            Compiled::Select(selector) => {
                selector.value(view).into_iter().for_each(|tuple| sink.push(tuple, 1.0));
            }
            Compiled::Scalar(scalar) => sink.push(0, scalar.value(view)),
            Compiled::KingOffset(table) => table.active(view, sink),
            Compiled::Pair(table) => table.active(view, sink),
            Compiled::Both(table) => table.active(view, sink),
            Compiled::Threat(table) => table.active(view, sink),
            Compiled::Castling(table) => table.active(view, sink),
            Compiled::EnPassant(table) => table.active(view, sink),
            Compiled::Rows(table) => table.active(view, sink),
        }
    }

    /// Sends the tuples that a move switches off and on.
    #[inline(always)]
    pub fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        match self {
            Compiled::Marks(table) => table.delta(step, removed, added),
            other => other.delta_of_others(step, removed, added),
        }
    }

    fn delta_of_others<S: Sink>(
        &self,
        step: &ViewStep<'_>,
        removed: &mut S,
        added: &mut S,
    ) -> Update {
        match self {
            Compiled::Marks(table) => table.delta(step, removed, added),
            Compiled::Counts(table) => table.delta(step, removed, added),
            Compiled::KingOffset(table) => table.delta(step, removed, added),
            Compiled::Pair(table) => table.delta(step, removed, added),
            Compiled::Both(table) => table.delta(step, removed, added),
            Compiled::Threat(table) => table.delta(step, removed, added),
            Compiled::Rows(table) => table.delta(step, removed, added),
            // At most four tuples: reading them twice is the quickest way.
            Compiled::Select(_)
            | Compiled::Scalar(_)
            | Compiled::Castling(_)
            | Compiled::EnPassant(_) => {
                compare(step, removed, added, |view, list| self.active(view, list))
            }
        }
    }
}

/// The change between two lists of active tuples, for predicates without a
/// quicker way.
fn compare<S: Sink>(
    step: &ViewStep<'_>,
    removed: &mut S,
    added: &mut S,
    active: impl Fn(View<'_>, &mut Tuples),
) -> Update {
    let list = |view: View<'_>| {
        let mut tuples = Tuples::new();
        active(view, &mut tuples);
        tuples.sort_unstable_by_key(|&(tuple, _)| tuple);
        tuples
    };
    difference(&list(step.before()), &list(step.after()), removed, added);
    Update::Rows
}

/// A move as one perspective sees it, the same way before and after.
#[derive(Clone, Copy, Debug)]
pub struct ViewStep<'a> {
    before: View<'a>,
    after: View<'a>,
    change: &'a BoardChange,
}

impl<'a> ViewStep<'a> {
    /// `step` as `perspective` sees it.
    #[inline]
    pub fn new(step: Step<'a>, perspective: Color) -> Self {
        Self {
            before: View::new(step.before, perspective),
            after: View::new(step.after, perspective),
            change: step.change,
        }
    }

    /// The move with the own king on files a to d; `None` if it crosses over,
    /// which turns everything.
    #[inline]
    pub fn mirrored(&self) -> Option<Self> {
        let (before, after) = (self.before.mirrored(), self.after.mirrored());
        let same = before.orientation() == after.orientation();
        same.then_some(Self { before, after, change: self.change })
    }

    /// The position before the move.
    #[inline]
    pub fn before(&self) -> View<'a> {
        self.before
    }

    /// The position after the move.
    #[inline]
    pub fn after(&self) -> View<'a> {
        self.after
    }

    /// What the move takes off and puts on, not turned.
    #[inline]
    pub fn change(&self) -> &'a BoardChange {
        self.change
    }

    /// Who looks.
    #[inline]
    pub fn perspective(&self) -> Color {
        self.before.perspective()
    }

    /// How squares are turned.
    #[inline]
    pub fn orientation(&self) -> Orientation {
        self.before.orientation()
    }

    /// Pieces taken off, as seen.
    #[inline]
    pub fn removed(&self) -> impl Iterator<Item = (Square, PieceKind)> + use<'a> {
        self.seen(&self.change.removed)
    }

    /// Pieces put on, as seen.
    #[inline]
    pub fn added(&self) -> impl Iterator<Item = (Square, PieceKind)> + use<'a> {
        self.seen(&self.change.added)
    }

    /// Sends the tuples of the pieces taken off and of those put on, for
    /// predicates in which no two pieces share a tuple. A tuple that a piece
    /// hands on to another (a capture within a class of pieces, a king that
    /// castles without moving) does not change.
    #[inline(always)]
    fn exchanged<S: Sink>(
        &self,
        tuple: impl Fn(Square, PieceKind) -> Option<u32>,
        removed: &mut S,
        added: &mut S,
    ) {
        let of = |placed: &PlacedPiece| {
            let kind = PieceKind::seen(placed.piece, self.perspective());
            tuple(self.orientation().square(placed.square), kind)
        };
        let (off, on) = (self.change.removed.as_slice(), self.change.added.as_slice());
        if let ([from], [to]) = (off, on) {
            of(from).into_iter().for_each(|tuple| removed.push(tuple, 1.0));
            of(to).into_iter().for_each(|tuple| added.push(tuple, 1.0));
            return;
        }
        let kept = |placed: &PlacedPiece, tuple: u32, others: &[PlacedPiece]| {
            others.iter().any(|other| other.square == placed.square && of(other) == Some(tuple))
        };
        for placed in off {
            if let Some(tuple) = of(placed).filter(|&tuple| !kept(placed, tuple, on)) {
                removed.push(tuple, 1.0);
            }
        }
        for placed in on {
            if let Some(tuple) = of(placed).filter(|&tuple| !kept(placed, tuple, off)) {
                added.push(tuple, 1.0);
            }
        }
    }

    #[inline]
    fn seen(
        &self,
        pieces: &'a [PlacedPiece],
    ) -> impl Iterator<Item = (Square, PieceKind)> + use<'a> {
        let (orientation, perspective) = (self.orientation(), self.perspective());
        pieces.iter().map(move |placed| {
            (orientation.square(placed.square), PieceKind::seen(placed.piece, perspective))
        })
    }
}
