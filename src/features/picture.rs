//! The squares and pieces of a feature, to be drawn on a board.

use super::concept::Axis;
use super::expr::{Each, Expr, locate, members};
use super::predicate::Predicate;
use super::tuple_values::{self, TupleValues};
use chess::{Bitboard, PieceKind};

/// One piece or square of a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// In words.
    pub what: String,
    /// The kinds of pieces that it may be; none if it is no piece.
    pub kinds: Vec<PieceKind>,
    /// Its possible squares; empty for all squares, or none.
    pub squares: Bitboard,
}

/// The subjects of a feature from one perspective; in a mirrored set with the own king on the left.
pub fn subjects(expr: &Expr, index: u64) -> Vec<Subject> {
    match expr {
        Expr::Predicate(predicate) | Expr::Count(predicate) => predicate.subjects(index),
        Expr::Scalar(_) => Vec::new(),
        Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => {
            locate(parts, index).map_or(Vec::new(), |(part, rest)| subjects(part, rest))
        }
        Expr::Product(parts) => {
            let (mut rest, mut found) = (index, Vec::new());
            for part in parts.iter().rev() {
                found.push(subjects(part, rest % part.size()));
                rest /= part.size();
            }
            found.into_iter().rev().flatten().collect()
        }
        Expr::Mirror(inner) => subjects(inner, index),
        Expr::Rows(inner, rows) => {
            rows.get(index as usize).map_or(Vec::new(), |&row| subjects(inner, u64::from(row)))
        }
        // An element in the middle stands for all: e4 of SQUARES, d of FILES.
        Expr::Any(any) => {
            let part = any.parts().get(any.parts().len() * 7 / 16);
            part.map_or(Vec::new(), |part| subjects(part, index))
        }
        Expr::Quotient(inner, classes) => {
            members(classes, index).next().map_or(Vec::new(), |member| subjects(inner, member))
        }
    }
}

/// The places of a tuple without a piece of its own.
pub(crate) fn places_of(predicate: &Predicate, index: u64) -> Vec<Subject> {
    let (what, squares) = (predicate.describe(index), place(&predicate.values(index)));
    vec![Subject { what, kinds: Vec::new(), squares }]
}

/// A piece and where it stands.
pub(crate) fn piece(values: &TupleValues<'_>) -> Subject {
    let kinds: Vec<PieceKind> = tuple_values::kinds(values).collect();
    let named = |kind: &PieceKind| Axis::Piece.word(kind.index() as u8);
    const LISTED: usize = 4;
    let what = match kinds.len() {
        1..=LISTED => kinds.iter().map(named).collect::<Vec<_>>().join(" or "),
        _ => "piece".to_owned(),
    };
    Subject { what, kinds, squares: place(values) }
}

/// The squares of the places among the values; empty without a place.
pub(crate) fn place(values: &TupleValues<'_>) -> Bitboard {
    match values.iter().any(|(axis, _)| axis.is_place()) {
        true => tuple_values::squares(values).collect(),
        false => Bitboard::EMPTY,
    }
}
