//! Predicates: what makes a product of concepts a feature set.
//!
//! Each predicate has a file of its own: which concepts it takes, how its
//! tuples are indexed, which of them are active in a view of the board, and
//! which change with a move. A tuple's index is mixed-radix in the order in
//! which its concepts were written.

pub mod king;
pub mod pair;
pub mod piece;

use std::cell::OnceCell;
use std::fmt;

use arrayvec::ArrayVec;

use super::concept::{Axis, Concept};
use super::set::Step;
use crate::chess::{Board, Color, PieceKind, PlacedPiece, Square, View};

use king::KingTable;
use pair::PairTable;
use piece::PieceTable;

/// The predicates of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredicateKind {
    /// Such a piece stands there.
    Piece,
    /// The own king stands there.
    King,
    /// On that line the first piece is followed by the second, nothing between.
    Pair,
}

impl PredicateKind {
    /// All predicates.
    pub const ALL: [PredicateKind; 3] =
        [PredicateKind::Piece, PredicateKind::King, PredicateKind::Pair];

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        match self {
            PredicateKind::Piece => "piece",
            PredicateKind::King => "king",
            PredicateKind::Pair => "pair",
        }
    }

    /// How it is used, for error messages.
    pub fn usage(self) -> &'static str {
        match self {
            PredicateKind::Piece => piece::USAGE,
            PredicateKind::King => king::USAGE,
            PredicateKind::Pair => pair::USAGE,
        }
    }

    /// The predicate of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A predicate over a product of concepts it can take.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    kind: PredicateKind,
    concepts: Vec<Concept>,
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

impl Predicate {
    /// The predicate over these concepts, or why it makes no sense.
    pub fn new(kind: PredicateKind, concepts: Vec<Concept>) -> Result<Self, Misuse> {
        match kind {
            PredicateKind::Piece => piece::check(&concepts)?,
            PredicateKind::King => king::check(&concepts)?,
            PredicateKind::Pair => pair::check(&concepts)?,
        }
        Ok(Self { kind, concepts })
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
        self.concepts.iter().map(|c| c.len() as u64).product()
    }

    /// Most tuples that can be active together in a legal position.
    pub fn max_active(&self) -> u64 {
        let bound = match self.kind {
            PredicateKind::Piece => piece::max_active(&self.concepts),
            PredicateKind::King => 1,
            PredicateKind::Pair => pair::max_active(&self.concepts),
        };
        bound.min(self.size())
    }

    /// The tuple of an index: one element per concept.
    pub fn tuple(&self, index: u64) -> Vec<u8> {
        let mut rest = index;
        let mut tuple: Vec<u8> = self
            .concepts
            .iter()
            .rev()
            .map(|concept| {
                let element = concept.elements()[(rest % concept.len() as u64) as usize];
                rest /= concept.len() as u64;
                element
            })
            .collect();
        tuple.reverse();
        tuple
    }

    /// A tuple in words.
    pub fn describe(&self, index: u64) -> String {
        let tuple = self.tuple(index);
        match self.kind {
            PredicateKind::Piece => piece::describe(&self.concepts, &tuple),
            PredicateKind::King => king::describe(&self.concepts, &tuple),
            PredicateKind::Pair => pair::describe(&self.concepts, &tuple),
        }
    }

    /// The predicate as tables.
    pub fn compile(&self) -> Compiled {
        match self.kind {
            PredicateKind::Piece => Compiled::Piece(Box::new(PieceTable::new(&self.concepts))),
            PredicateKind::King => Compiled::King(Box::new(KingTable::new(&self.concepts))),
            PredicateKind::Pair => Compiled::Pair(Box::new(PairTable::new(&self.concepts))),
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
            write!(f, "{concept}")?;
        }
        f.write_str(")")
    }
}

/// A predicate ready to be asked; indices are within the predicate's own set.
#[derive(Clone, Debug)]
pub enum Compiled {
    /// `piece`
    Piece(Box<PieceTable>),
    /// `king`
    King(Box<KingTable>),
    /// `pair`
    Pair(Box<PairTable>),
}

/// Tuple indices of one predicate.
pub type Indices = ArrayVec<u32, 32>;

impl Compiled {
    /// Active tuples of a view, no duplicates. No predicate has more than 32.
    #[inline]
    pub fn active(&self, view: &View) -> Indices {
        let mut out = Indices::new();
        match self {
            Compiled::Piece(table) => table.active(view, &mut out),
            Compiled::King(table) => out.extend(table.active(view)),
            Compiled::Pair(table) => table.active(view, &mut out),
        }
        out
    }

    /// Tuples that a move switches off and on.
    #[inline]
    pub fn delta(&self, step: &ViewStep<'_>, removed: &mut Indices, added: &mut Indices) {
        match self {
            Compiled::Piece(table) => table.delta(step, removed, added),
            Compiled::King(table) => table.delta(step, removed, added),
            Compiled::Pair(table) => table.delta(step, removed, added),
        }
    }
}

/// A move as one perspective sees it. The views are made when first asked
/// for, since most predicates need only the pieces that moved.
#[derive(Debug)]
pub struct ViewStep<'a> {
    step: Step<'a>,
    perspective: Color,
    before: OnceCell<View>,
    after: OnceCell<View>,
}

impl<'a> ViewStep<'a> {
    /// `step` as `perspective` sees it.
    #[inline]
    pub fn new(step: Step<'a>, perspective: Color) -> Self {
        Self { step, perspective, before: OnceCell::new(), after: OnceCell::new() }
    }

    /// The board before the move.
    #[inline]
    pub fn before(&self) -> &View {
        self.before.get_or_init(|| View::new(self.step.before, self.perspective))
    }

    /// The board after the move.
    #[inline]
    pub fn after(&self) -> &View {
        self.after.get_or_init(|| View::new(self.step.after, self.perspective))
    }

    /// The own king's square before the move.
    #[inline]
    pub fn own_king_before(&self) -> Option<Square> {
        self.own_king(self.step.before)
    }

    /// The own king's square after the move.
    #[inline]
    pub fn own_king_after(&self) -> Option<Square> {
        self.own_king(self.step.after)
    }

    #[inline]
    fn own_king(&self, board: &Board) -> Option<Square> {
        board.king_of(self.perspective).map(|square| View::orient(square, self.perspective))
    }

    /// Pieces taken off, as seen.
    #[inline]
    pub fn removed(&self) -> impl Iterator<Item = (Square, PieceKind)> + '_ {
        self.step.change.removed.iter().map(|p| self.seen(p))
    }

    /// Pieces put on, as seen.
    #[inline]
    pub fn added(&self) -> impl Iterator<Item = (Square, PieceKind)> + '_ {
        self.step.change.added.iter().map(|p| self.seen(p))
    }

    #[inline]
    fn seen(&self, placed: &PlacedPiece) -> (Square, PieceKind) {
        (
            View::orient(placed.square, self.perspective),
            PieceKind::seen(placed.piece, self.perspective),
        )
    }
}

/// For each concept, what one step in its order adds to a tuple's index.
fn strides(concepts: &[Concept]) -> Vec<u32> {
    let mut strides = vec![1; concepts.len()];
    for i in (0..concepts.len().saturating_sub(1)).rev() {
        strides[i] = strides[i + 1] * concepts[i + 1].len() as u32;
    }
    strides
}

/// What the place concepts (square, file, rank, diagonals) among `concepts`
/// add to the index for a square; `None` if the square is in no tuple.
fn place_part(concepts: &[Concept], strides: &[u32], square: Square) -> Option<u32> {
    concepts.iter().zip(strides).filter(|(concept, _)| concept.axis().is_place()).try_fold(
        0,
        |sum, (concept, stride)| {
            let position = concept.position(concept.axis().of_square(square))?;
            Some(sum + position as u32 * stride)
        },
    )
}

/// A place in words: `d4`, `file d`, `rank 4`.
fn describe_place(axis: Axis, element: u8) -> String {
    let word = axis.word(element);
    match axis {
        Axis::Square => word,
        Axis::File => format!("file {word}"),
        Axis::Rank => format!("rank {word}"),
        Axis::Diag1 => format!("diagonal {word} of DIAGS1"),
        Axis::Diag2 => format!("diagonal {word} of DIAGS2"),
        Axis::Role | Axis::Color => word,
    }
}
