//! The definitions, taken literally: what the tests hold everything against.
//!
//! Nothing here is fast and nothing is shared with the compiled tables: every
//! element of a set is written out and its predicate asked of the board,
//! square by square.

use super::concept::{Axis, role, side};
use super::expr::Expr;
use super::predicate::{Predicate, PredicateKind};
use crate::chess::{Role, Side, Square, View};

/// For every element of the set, in order: does its predicate hold?
pub fn holds(expr: &Expr, view: &View) -> Vec<bool> {
    match expr {
        Expr::Predicate(predicate) => (0..predicate.size())
            .map(|index| element_holds(predicate, &predicate.tuple(index), view))
            .collect(),
        Expr::Sum(parts) => parts.iter().flat_map(|part| holds(part, view)).collect(),
        Expr::Product(parts) => parts.iter().fold(vec![true], |left, part| {
            let right = holds(part, view);
            left.iter().flat_map(|&a| right.iter().map(move |&b| a && b)).collect()
        }),
    }
}

/// One element of a predicate: `(axis, element)` for each concept.
fn element_holds(predicate: &Predicate, tuple: &[u8], view: &View) -> bool {
    let said: Vec<(Axis, u8)> =
        predicate.concepts().iter().map(|c| c.axis()).zip(tuple.iter().copied()).collect();
    match predicate.kind() {
        PredicateKind::Piece => {
            Square::ALL.iter().any(|&square| is_such_piece(&said, square, view))
        }
        PredicateKind::King => Square::ALL.iter().any(|&square| {
            is_such_piece(&said, square, view)
                && view
                    .piece_at(square)
                    .is_some_and(|k| k.role == Role::King && k.side == Side::Own)
        }),
        PredicateKind::Pair => is_such_pair(&said, view),
    }
}

/// Whether a piece on `square` is all that is said.
fn is_such_piece(said: &[(Axis, u8)], square: Square, view: &View) -> bool {
    let Some(kind) = view.piece_at(square) else { return false };
    said.iter().all(|&(axis, element)| match axis {
        Axis::Role => kind.role == role(element),
        Axis::Color => kind.side == side(element),
        place => place.of_square(square) == element,
    })
}

/// Whether two pieces of the line are such neighbours.
fn is_such_pair(said: &[(Axis, u8)], view: &View) -> bool {
    let pieces: Vec<(Axis, u8)> =
        said.iter().copied().filter(|(axis, _)| !axis.is_place()).collect();
    let nth = |axis: Axis, n: usize| pieces.iter().filter(|(a, _)| *a == axis).nth(n).copied();
    let first: Vec<_> = [nth(Axis::Role, 0), nth(Axis::Color, 0)].into_iter().flatten().collect();
    let second: Vec<_> = [nth(Axis::Role, 1), nth(Axis::Color, 1)].into_iter().flatten().collect();
    let lines: Vec<_> = said.iter().copied().filter(|(axis, _)| axis.is_line()).collect();

    let mut on_line: Vec<Square> = Square::ALL
        .iter()
        .copied()
        .filter(|&s| view.piece_at(s).is_some())
        .filter(|&s| lines.iter().all(|&(axis, element)| axis.of_square(s) == element))
        .collect();
    // Left before right, and on a file low before high.
    on_line.sort_by_key(|square| (square.file(), square.rank()));
    on_line
        .windows(2)
        .any(|next| is_such_piece(&first, next[0], view) && is_such_piece(&second, next[1], view))
}
