//! Bounds on simultaneous marks.

use super::Relation;
use crate::concept::{Axis, Concept};
use crate::predicate::coding::Coding;
use crate::predicate::has_number;
use chess::{PieceKind, Role, Side};

/// Most tuples active together in a position that a game can reach.
pub(super) fn max_active(relation: Relation, concepts: &[Concept]) -> u64 {
    let is_where: fn(Axis) -> bool = |axis| axis.is_place() || axis.is_step();
    let of = |wanted: fn(Axis) -> bool| {
        concepts.iter().filter(move |c| wanted(c.axis())).map(|c| c.len() as u64).product::<u64>()
    };
    if has_number(concepts) {
        // Every place and kind has exactly one number.
        return of(is_where) * of(Axis::is_kind);
    }
    let coding = Coding::new(concepts);
    let places = of(is_where);
    let of_side = |side: Side| {
        let roles: Vec<Role> = Role::ALL
            .into_iter()
            .filter(|&role| coding.kind(PieceKind { role, side }).is_some())
            .collect();
        most_marks_of_side(relation, &roles, places)
    };
    Side::ALL.into_iter().map(of_side).sum()
}

/// Most marks that one side's pieces of these roles make together, with the pawns promoted to the
/// role with the most marks.
fn most_marks_of_side(relation: Relation, roles: &[Role], places: u64) -> u64 {
    const FIRST: [u64; 6] = [8, 2, 2, 2, 1, 1];
    let first = |role: Role| FIRST[role as usize - 1];
    let marks = |role: Role, count: u64| {
        (count * relation.most_by_one(role)).min(match relation {
            Relation::Stands | Relation::Pinned => u64::MAX,
            _ => places,
        })
    };
    let counted = |role: Role| roles.contains(&role);
    let mut total: u64 = roles.iter().map(|&role| marks(role, first(role))).sum();
    let mut counts: Vec<(Role, u64)> = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .filter(|&role| counted(role))
        .map(|role| (role, first(role)))
        .collect();
    let lost = if counted(Role::Pawn) { relation.most_by_one(Role::Pawn) } else { 0 };
    for _ in 0..FIRST[0] {
        let gain = |&(role, count): &(Role, u64)| marks(role, count + 1) - marks(role, count);
        let Some(best) = counts.iter_mut().max_by_key(|entry| gain(entry)) else { break };
        let gained = gain(best);
        if gained <= lost {
            break;
        }
        total += gained - lost;
        best.1 += 1;
    }
    total
}
