//! Predicates that mark squares: a piece *stands* on a square, *attacks* it or
//! *can move* to it.
//!
//! All three say, for each kind of piece, which squares it marks; one table
//! turns marks into tuples. With a square and one kind a tuple says exactly
//! one thing. With less, several marks make the same tuple true (two rooks on
//! a file), and the tuple is active if *any* does: a set, not a count. What a
//! move changes is then found by comparing masks before and after.

mod classes;
mod counts;
mod marks;

pub use counts::CountTable;
pub use marks::MarkTable;

use super::coding::Coding;
use super::{Misuse, check_each};
use crate::concept::{Axis, Concept};
use chess::{Bitboard, Piece, PieceKind, Role, Scene, Side};

/// How a piece marks squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It stands there: `piece`.
    Stands,
    /// It attacks or protects what stands there: `attacks`.
    Attacks,
    /// It can move there: `mobility`.
    Moves,
}

impl Relation {
    /// Squares marked by the pieces of one kind, not turned.
    #[inline]
    fn squares(self, scene: &Scene, piece: Piece) -> Bitboard {
        match self {
            Relation::Stands => scene.board().by_piece(piece),
            Relation::Attacks => *scene.attacks().get(piece.color).get(piece.role),
            Relation::Moves => *scene.mobility().get(piece.color).get(piece.role),
        }
    }

    /// Most squares that one piece of a role marks.
    fn most_by_one(self, role: Role) -> u64 {
        match (self, role) {
            (Relation::Stands, _) => 1,
            (Relation::Attacks, Role::Pawn) => 2,
            (Relation::Moves, Role::Pawn) => 3,
            (_, Role::Knight | Role::King) => 8,
            (_, Role::Bishop) => 13,
            (_, Role::Rook) => 14,
            (_, Role::Queen) => 27,
        }
    }

    /// A mark in words, as in `own rook on d4`.
    fn verb(self) -> &'static str {
        match self {
            Relation::Stands => "on",
            Relation::Attacks => "attacks",
            Relation::Moves => "can move to",
        }
    }
}

/// Checks the concepts of a predicate called `name`.
pub fn check(name: &str, concepts: &[Concept]) -> Result<(), Misuse> {
    let takes = |axis: Axis| axis.is_place() || axis.is_kind() || matches!(axis, Axis::Count(_));
    check_each(name, concepts, takes, "neither place nor piece")?;
    let says = |wanted: fn(Axis) -> bool| concepts.iter().any(|concept| wanted(concept.axis()));
    if says(Axis::is_place) || says(|axis| matches!(axis, Axis::Count(_))) {
        return Ok(());
    }
    Err(Misuse::missing(
        &format!("`{name}` needs to know where: a square, file, rank or diagonal"),
        "no place among these",
    ))
}

/// Most tuples active together in a position that a game can reach.
pub fn max_active(relation: Relation, concepts: &[Concept]) -> u64 {
    let of = |wanted: fn(Axis) -> bool| {
        concepts.iter().filter(move |c| wanted(c.axis())).map(|c| c.len() as u64).product::<u64>()
    };
    if concepts.iter().any(|concept| matches!(concept.axis(), Axis::Count(_))) {
        // Every place and kind has exactly one number.
        return of(Axis::is_place) * of(Axis::is_kind);
    }
    let coding = Coding::new(concepts);
    let places = of(Axis::is_place);
    let of_side = |side: Side| {
        let roles: Vec<Role> = Role::ALL
            .into_iter()
            .filter(|&role| coding.kind(PieceKind { role, side }).is_some())
            .collect();
        most_marks_of_side(relation, &roles, places)
    };
    Side::ALL.into_iter().map(of_side).sum()
}

/// Most marks that one side's pieces of these roles make together: its first
/// pieces, and its pawns promoted to whatever marks most.
fn most_marks_of_side(relation: Relation, roles: &[Role], places: u64) -> u64 {
    const FIRST: [u64; 6] = [8, 2, 2, 2, 1, 1];
    let first = |role: Role| FIRST[role as usize - 1];
    let marks = |role: Role, count: u64| {
        (count * relation.most_by_one(role)).min(match relation {
            Relation::Stands => u64::MAX,
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

/// `own rook on d4`, `other bishop attacks file c`, `own knight: 3 squares`.
pub fn describe(relation: Relation, concepts: &[Concept], classes: &[usize]) -> String {
    let (mut kind, mut places, mut count) = (Vec::new(), Vec::new(), None);
    let mut role = None;
    for (concept, &class) in concepts.iter().zip(classes) {
        let words = concept.words(class);
        match concept.axis() {
            Axis::Role => role = Some(words),
            Axis::Color => kind.insert(0, words),
            Axis::Piece => role = Some(words),
            Axis::Count(_) => count = Some(words),
            _ => places.push(words),
        }
    }
    kind.push(role.unwrap_or_else(|| "piece".to_owned()));
    let kind = kind.join(" ");
    let place = places.join(", ");
    match count {
        None => format!("{kind} {} {place}", relation.verb()),
        Some(count) if relation == Relation::Stands && place.is_empty() => {
            format!("{kind}: {count}")
        }
        Some(count) if relation == Relation::Stands => format!("{kind} on {place}: {count}"),
        Some(count) if place.is_empty() => format!("{kind} {} {count} squares", relation.verb()),
        Some(count) => format!("{kind} {} {count} squares of {place}", relation.verb()),
    }
}
