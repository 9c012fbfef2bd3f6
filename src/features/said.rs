//! What a tuple of a predicate says, concept by concept: the plain reading that
//! its definition and its witnesses share.

use super::concept::{Axis, role, side};
use chess::{Color, Piece, PieceKind, Square};

/// What a tuple says: axis and elements of the class, for each concept.
pub(crate) type Said<'a> = Vec<(Axis, &'a [u8])>;

/// Whether a piece is of the kind said.
pub(crate) fn is_kind(said: &Said<'_>, kind: PieceKind) -> bool {
    said.iter().all(|(axis, elements)| match axis {
        Axis::Role => elements.iter().any(|&element| kind.role == role(element)),
        Axis::Color => elements.iter().any(|&element| kind.side == side(element)),
        Axis::Piece => elements.contains(&(kind.index() as u8)),
        _ => true,
    })
}

pub(crate) fn is_place(said: &Said<'_>, square: Square) -> bool {
    said.iter()
        .filter(|(axis, _)| axis.is_place())
        .all(|(axis, elements)| elements.contains(&axis.of_square(square)))
}

/// Whether a king stands as far from a square as the steps say.
pub(crate) fn is_so_far(said: &Said<'_>, square: Square, king: Square) -> bool {
    said.iter()
        .filter(|(axis, _)| axis.is_step())
        .all(|(axis, elements)| elements.contains(&axis.of_step(king, square)))
}

/// The kinds of pieces that are of the kind said.
pub(crate) fn kinds<'a>(said: &'a Said<'_>) -> impl Iterator<Item = PieceKind> + use<'a> {
    PieceKind::all().filter(|&kind| is_kind(said, kind))
}

/// The squares on all places said.
pub(crate) fn squares<'a>(said: &'a Said<'_>) -> impl Iterator<Item = Square> + use<'a> {
    Square::ALL.into_iter().filter(|&square| is_place(said, square))
}

/// What is said of the first and of the second piece.
pub(crate) fn two_pieces<'a>(said: &Said<'a>) -> [Said<'a>; 2] {
    let mut pieces: [Said<'a>; 2] = [Vec::new(), Vec::new()];
    for &(axis, elements) in said.iter().filter(|(axis, _)| axis.is_kind()) {
        let taken = |piece: &Said<'a>| {
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
