//! Values of a tuple of a predicate, concept by concept: the plain reading that
//! its definition and its arrangements share.

use super::concept::{Axis, role, side};
use chess::{Color, Piece, PieceKind, Square};

/// Axis and elements of the class, for each concept of a tuple.
pub(crate) type TupleValues<'a> = Vec<(Axis, &'a [u8])>;

/// Whether a kind of piece fits the values.
pub(crate) fn is_kind(values: &TupleValues<'_>, kind: PieceKind) -> bool {
    values.iter().all(|(axis, elements)| match axis {
        Axis::Role => elements.iter().any(|&element| kind.role == role(element)),
        Axis::Color => elements.iter().any(|&element| kind.side == side(element)),
        Axis::Piece => elements.contains(&(kind.index() as u8)),
        _ => true,
    })
}

pub(crate) fn is_place(values: &TupleValues<'_>, square: Square) -> bool {
    values
        .iter()
        .filter(|(axis, _)| axis.is_place())
        .all(|(axis, elements)| elements.contains(&axis.of_square(square)))
}

/// Whether a king stands at the steps' distance from a square.
pub(crate) fn is_so_far(values: &TupleValues<'_>, square: Square, king: Square) -> bool {
    values
        .iter()
        .filter(|(axis, _)| axis.is_step())
        .all(|(axis, elements)| elements.contains(&axis.of_step(king, square)))
}

/// The kinds of pieces that fit the values.
pub(crate) fn kinds<'a>(values: &'a TupleValues<'_>) -> impl Iterator<Item = PieceKind> + use<'a> {
    PieceKind::all().filter(|&kind| is_kind(values, kind))
}

/// The squares that fit all places among the values.
pub(crate) fn squares<'a>(values: &'a TupleValues<'_>) -> impl Iterator<Item = Square> + use<'a> {
    Square::ALL.into_iter().filter(|&square| is_place(values, square))
}

/// The least number among the values; 0 without one.
pub(crate) fn least_number(values: &TupleValues<'_>) -> u8 {
    let numbers = values.iter().filter(|(axis, _)| axis.is_number());
    numbers.flat_map(|(_, numbers)| numbers.iter().copied()).min().unwrap_or(0)
}

/// Values of the first and of the second piece.
pub(crate) fn two_pieces<'a>(values: &TupleValues<'a>) -> [TupleValues<'a>; 2] {
    let mut pieces: [TupleValues<'a>; 2] = [Vec::new(), Vec::new()];
    for &(axis, elements) in values.iter().filter(|(axis, _)| axis.is_kind()) {
        let taken = |piece: &TupleValues<'a>| {
            piece
                .iter()
                .any(|(other, _)| *other == axis || *other == Axis::Piece || axis == Axis::Piece)
        };
        let at = usize::from(taken(&pieces[0]));
        pieces[at].push((axis, elements));
    }
    pieces
}

/// Own pieces as White's: an own pawn goes up the board.
pub(crate) fn as_white_sees(kind: PieceKind) -> Piece {
    Piece { role: kind.role, color: kind.side.color(Color::White) }
}
