//! Arrangements that mark squares, and possible numbers of marked squares.
//!
//! COUNTS counts the squares of a place on which such pieces stand, or which they attack or can
//! move to; so a place of one square has one at most, with any number of attackers. Bounds of a
//! number are the size of the place, the number of pieces of a side, and the marks of each on the
//! place.

use super::Relation;
use crate::concept::Axis;
use crate::possible::{Arrangement, MOST_OF_ROLE, can_stand, no_piece_needed, one};
use crate::tuple_values::{TupleValues, as_white_sees, kinds, squares};
use chess::{Bitboard, PieceKind, Role, Side, Square, attacks};

/// Most pieces that a side can have.
const MOST_OF_SIDE: usize = 16;

/// A piece that marks such a square; with COUNTS, pieces that mark that number.
pub(super) fn arrangements(relation: Relation, values: &TupleValues<'_>) -> Vec<Arrangement> {
    let place: Bitboard = squares(values).collect();
    let kinds: Vec<PieceKind> = kinds(values).collect();
    let marked = |kind, from| (marks(relation, kind, from) & place).count();
    let where_marked = |kind: PieceKind, holds: &dyn Fn(usize) -> bool| -> Vec<Arrangement> {
        let from = Square::ALL.into_iter().filter(|&from| holds(marked(kind, from)));
        from.map(|from| one((from, kind))).collect()
    };
    let one_mark = || kinds.iter().flat_map(|&kind| where_marked(kind, &|n| n > 0)).collect();
    let Some((Axis::Count(most), numbers)) =
        values.iter().find(|(axis, _)| matches!(axis, Axis::Count(_)))
    else {
        return one_mark();
    };
    if values.iter().any(|(axis, _)| axis.is_step()) {
        // The own king's square decides the marked squares.
        return no_piece_needed();
    }
    let holds = |number: usize| numbers.contains(&(number.min(usize::from(*most)) as u8));
    let always = |kind: &&PieceKind| {
        kind.role == Role::King && matches!(relation, Relation::Stands | Relation::Attacks)
    };
    if let [king] = kinds.as_slice()
        && always(&king)
    {
        // There is one king, so its square decides the number.
        return where_marked(*king, &holds);
    }
    let of_king = |king: &PieceKind| Square::ALL.into_iter().map(|at| marked(*king, at)).min();
    let least = kinds.iter().filter(always).filter_map(of_king).max().unwrap_or(0);
    if !(least..=largest(relation, &kinds, place)).any(holds) {
        return Vec::new();
    }
    match least == 0 && holds(0) {
        true => no_piece_needed(),
        false => one_mark(),
    }
}

/// Upper bound of the squares of the place that such pieces can mark.
fn largest(relation: Relation, kinds: &[PieceKind], place: Bitboard) -> usize {
    let of_kind = |kind: PieceKind| {
        let each = Square::ALL.into_iter().map(|from| marks(relation, kind, from) & place);
        let (all, most) = each.fold((Bitboard::EMPTY, 0), |(all, most), marked| {
            (all | marked, most.max(marked.count()))
        });
        (all, all.count().min(most * MOST_OF_ROLE[kind.role as usize - 1]))
    };
    let of_side = |side: Side| {
        let kinds = kinds.iter().filter(|kind| kind.side == side);
        let found: Vec<(Bitboard, usize)> = kinds.map(|&kind| of_kind(kind)).collect();
        let all = found.iter().fold(Bitboard::EMPTY, |all, (marked, _)| all | *marked);
        let number: usize = found.iter().map(|(_, number)| number).sum();
        match relation {
            Relation::Stands | Relation::Pinned => (all, number.min(MOST_OF_SIDE)),
            _ => (all, number),
        }
    };
    let [own, other] = Side::ALL.map(of_side);
    (own.0 | other.0).count().min(own.1 + other.1)
}

/// Squares that a piece marks from a square, at best.
fn marks(relation: Relation, kind: PieceKind, from: Square) -> Bitboard {
    if !can_stand((from, kind)) {
        return Bitboard::EMPTY;
    }
    let attacked = || attacks::attacks(from, as_white_sees(kind), Bitboard::EMPTY);
    let ahead = if kind.side == Side::Own { 8 } else { -8 };
    match relation {
        Relation::Stands => from.into(),
        Relation::Pinned if kind.role == Role::King => Bitboard::EMPTY,
        Relation::Pinned => from.into(),
        Relation::Moves if kind.role == Role::Pawn => {
            attacked() | Bitboard::from(from).shift(ahead)
        }
        Relation::Attacks | Relation::Moves => attacked(),
    }
}
