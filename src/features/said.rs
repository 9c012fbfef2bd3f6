//! What an element of a predicate says, concept by concept: the plain reading
//! that the `oracle` and [`possible`](super::possible) share.

use super::concept::{Axis, role, side};
use super::predicate::Predicate;
use chess::{Color, Piece, PieceKind, Square};

/// What an element says: axis and elements of the class, for each concept.
pub type Said<'a> = Vec<(Axis, &'a [u8])>;

/// What the classes of a tuple say.
pub fn said<'a>(predicate: &'a Predicate, classes: &[usize]) -> Said<'a> {
    let concepts = predicate.concepts().iter().zip(classes);
    concepts.map(|(concept, &class)| (concept.axis(), concept.class(class))).collect()
}

/// Whether a piece is of the kind said.
pub fn is_kind(said: &Said<'_>, kind: PieceKind) -> bool {
    said.iter().all(|(axis, elements)| match axis {
        Axis::Role => elements.iter().any(|&element| kind.role == role(element)),
        Axis::Color => elements.iter().any(|&element| kind.side == side(element)),
        Axis::Piece => elements.contains(&(kind.index() as u8)),
        _ => true,
    })
}

/// Whether a square is on all places said.
pub fn is_place(said: &Said<'_>, square: Square) -> bool {
    said.iter()
        .filter(|(axis, _)| axis.is_place())
        .all(|(axis, elements)| elements.contains(&axis.of_square(square)))
}

/// What is said of the first and of the second piece.
pub fn two_pieces<'a>(said: &Said<'a>) -> [Said<'a>; 2] {
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

/// What is said of an attacker and of its target: before and after the comma;
/// without one, a single place is the target's.
pub fn threat_parts<'a>(said: &Said<'a>, comma: Option<usize>) -> [Said<'a>; 2] {
    if let Some(at) = comma {
        return [said[..at].to_vec(), said[at..].to_vec()];
    }
    let [mut first, mut second] = two_pieces(said);
    let places: Vec<_> = said.iter().copied().filter(|(axis, _)| axis.is_place()).collect();
    match places.as_slice() {
        [] => {}
        [target] => second.push(*target),
        [attacker, target, ..] => {
            first.push(*attacker);
            second.push(*target);
        }
    }
    [first, second]
}

/// Own pieces as White's: an own pawn goes up the board.
pub fn as_white_sees(kind: PieceKind) -> Piece {
    Piece { role: kind.role, color: kind.side.color(Color::White) }
}
