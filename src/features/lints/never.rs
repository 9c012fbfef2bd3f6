//! Conditions of single predicates that never hold: numbers above any of the game, pinned kings.

use std::collections::BTreeMap;

use super::{Counted, Lint};
use crate::concept::{Axis, Concept};
use crate::expr::{Any, Each, Expr};
use crate::possible::MOST_OF_ROLE;
use crate::predicate::Predicate;
use crate::predicate::coding::{Coding, NONE};
use crate::predicate::moves;
use crate::predicate::relation::Relation;
use chess::{PieceKind, Role, Side, Square};

/// Lints of single predicates that never hold.
pub(super) fn of_predicates(expr: &Expr, lints: &mut Vec<Lint>) {
    match expr {
        Expr::Predicate(predicate) => {
            lints.extend(never_so_many(predicate));
            lints.extend(never_pinned(predicate));
        }
        Expr::Count(_) | Expr::Scalar(_) => {}
        Expr::Sum(parts) | Expr::Product(parts) => {
            parts.iter().for_each(|part| of_predicates(part, lints));
        }
        // Elements near the rim may have fewer squares than others.
        Expr::Each(Each { parts, .. }) | Expr::Any(Any { each: Each { parts, .. }, .. }) => {
            let of_part = |part: &Expr| {
                let mut own = Vec::new();
                of_predicates(part, &mut own);
                own
            };
            lints.extend(parts.iter().map(of_part).min_by_key(Vec::len).unwrap_or_default());
        }
        Expr::Mirror(inner) | Expr::Rows(inner, _) | Expr::Quotient(inner, _) => {
            of_predicates(inner, lints);
        }
    }
}

/// Numbers above any of the game.
fn never_so_many(predicate: &Predicate) -> Option<Lint> {
    let is_count = |concept: &&Concept| matches!(concept.axis(), Axis::Count(_));
    let most = predicate.concepts().iter().find(is_count)?.elements().max()?;
    let kinds = kinds_of(predicate);
    let (counted, largest) = match predicate.kind().name() {
        "moves" => (Counted::Moves, most_moves(&kinds)),
        "attackers" => (Counted::Attackers, most_pieces(&kinds)),
        _ => (Counted::Squares, most_squares(predicate)?),
    };
    let text = predicate.to_string();
    (most > largest).then_some(Lint::NeverSoMany { text, counted, largest, most })
}

/// Kinds of pieces of a predicate; kinds that it merges stand together.
fn kinds_of(predicate: &Predicate) -> Vec<Vec<PieceKind>> {
    let parts = Coding::new(predicate.concepts()).kinds();
    let mut classes: BTreeMap<u32, Vec<PieceKind>> = BTreeMap::new();
    for kind in PieceKind::all().filter(|kind| parts[kind.index()] != NONE) {
        classes.entry(parts[kind.index()]).or_default().push(kind);
    }
    classes.into_values().collect()
}

/// Most moves of one of these pieces.
fn most_moves(kinds: &[Vec<PieceKind>]) -> u8 {
    let all = kinds.iter().flatten();
    let most =
        all.flat_map(|&kind| Square::ALL.into_iter().map(move |at| moves::most_moves(at, kind)));
    most.max().unwrap_or(0) as u8
}

/// Most pieces of the kinds that a predicate merges.
fn most_pieces(kinds: &[Vec<PieceKind>]) -> u8 {
    const OF_SIDE: usize = 16;
    let of_side = |class: &Vec<PieceKind>, side: Side| {
        let of_side = class.iter().filter(|kind| kind.side == side);
        of_side.map(|kind| MOST_OF_ROLE[kind.role as usize - 1]).sum::<usize>().min(OF_SIDE)
    };
    let of_class = |class| Side::ALL.into_iter().map(|side| of_side(class, side)).sum::<usize>();
    kinds.iter().map(of_class).max().unwrap_or(0) as u8
}

/// Squares in a place of a relation.
fn most_squares(predicate: &Predicate) -> Option<u8> {
    Relation::of(predicate.kind())?;
    let places_of = |king| Coding::new(predicate.concepts()).seen_from(king).classes_of_squares();
    // Steps depend on the king's square.
    let has_steps = predicate.concepts().iter().any(|concept| concept.axis().is_step());
    let kings = if has_steps { &Square::ALL[..] } else { &Square::ALL[..1] };
    let places = kings.iter().flat_map(|&king| places_of(king));
    places.map(|(squares, _)| squares.count() as u8).max()
}

/// Features of kings alone, of a predicate about pinned pieces.
fn never_pinned(predicate: &Predicate) -> Option<Lint> {
    if Relation::of(predicate.kind()) != Some(Relation::Pinned) {
        return None;
    }
    let kinds = kinds_of(predicate);
    let of_kings = |class: &&Vec<PieceKind>| class.iter().all(|kind| kind.role == Role::King);
    let kings = kinds.iter().filter(of_kings).count();
    let (text, alone) = (predicate.to_string(), kings == kinds.len());
    (kings > 0).then_some(Lint::NeverPinned { text, alone })
}
