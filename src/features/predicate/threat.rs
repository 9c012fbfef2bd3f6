//! `threat(…)`: a piece of the first kind attacks (or protects) a piece of the
//! second: `threat(PIECES * PIECES)`, or with squares of both,
//! `threat(SQUARES * PIECES * SQUARES * PIECES)`.
//!
//! A comma divides the concepts of the attacker from those of its target:
//! `threat(SQUARES * {own knight}, {other pawn})`. Without it the first two kinds are the
//! attacker's; a single place before them is ambiguous, so it is refused.
//!
//! `, once` leaves out one of two tuples that are always active together: of pieces that attack
//! each other whenever one attacks the other (rooks, pawns of different sides), the tuple with the
//! attacker on the earlier square. Sets that merge such pieces with others can neither leave their
//! tuples out nor keep them, and `once` is refused.
//!
//! With both squares exact, only tuples that an empty board allows have an index: a knight on a1
//! threatens b3 and c2 alone. That goes for kinds which a quotient merges too.

mod classes;
mod kinds;
mod table;
mod targets;

pub(crate) use kinds::KindThreats;
pub(crate) use table::ThreatTable;
pub(crate) use targets::TargetThreats;

use std::sync::Arc;

use super::pair::{piece_words, two_pieces};
use super::prelude::*;
use crate::picture;
use crate::possible::stand_together;
use crate::tuple_values::{self, TupleValues, as_white_sees, kinds, squares};
use chess::{Bitboard, PieceKind, Role, Side, Square, attacks};

/// Most products of concepts among which the possible ones are listed.
const MOST_LISTED: u64 = 1 << 20;

pub(crate) struct Threat;

impl Definition for Threat {
    fn entry(&self) -> Entry {
        Entry {
            after_comma: AfterComma::Concepts,
            ..Entry::new(
                "threat",
                "the first piece attacks or protects the second, nothing between",
                "threat takes an attacker and its target, each ROLES and COLORS, and optionally their places: `threat(PIECES * PIECES)`, `threat(SQUARES * PIECES * SQUARES * PIECES)`; a comma says whose a single place is: `threat(SQUARES * PIECES, PIECES)`, `threat(PIECES, SQUARES * PIECES)`; once leaves out one of two pieces that attack each other: `threat(SQUARES * {rook} * COLORS, SQUARES * {rook} * COLORS, once)`",
                "threat(PIECES * PIECES)",
            )
        }
    }

    fn check(&self, concepts: &[Concept], clauses: &mut Clauses) -> Result<Tupling, Misuse> {
        let shape = Shape::of(concepts, clauses.comma)?;
        // Sets have one spelling, so that equal sets have one name.
        if Shape::of(concepts, None).is_ok_and(|plain| plain == shape) {
            clauses.comma = None;
        }
        let products: u64 = concepts.iter().map(|c| c.len() as u64).product();
        let listed = match products <= MOST_LISTED {
            true => possible(concepts, &shape, clauses.once)?,
            false => None,
        };
        if clauses.once && products > MOST_LISTED {
            return Err(Misuse::missing(
                &format!("`once` lists tuples, and these are {products} products of concepts"),
                "too many",
            ));
        }
        if clauses.once && listed.is_none() {
            return Err(Misuse::missing(
                "`once` needs to know on which squares both pieces stand",
                "not both squares",
            ));
        }
        Ok(listed.map_or(Tupling::All, Tupling::Some))
    }

    /// No piece attacks more than eight others, and no pawn more than two.
    fn max_active(&self, concepts: &[Concept], clauses: Clauses) -> u64 {
        let shape = Shape::of(concepts, clauses.comma).unwrap_or_default();
        let kinds_at = |places: &[usize]| Coding::new(concepts).only(places).kinds();
        let attackers = kinds_at(&shape.attacker);
        let of_side = |side: Side| -> u64 {
            let kinds = PieceKind::all()
                .filter(|kind| kind.side == side && attackers[kind.index()] != NONE);
            // With promotions, each of a side's 16 pieces may attack eight.
            kinds.map(most_attacked).sum::<u64>().min(16 * 8)
        };
        Side::ALL.into_iter().map(of_side).sum()
    }

    /// `own knight attacks other queen on e5`, `own knight protects own pawn on e5`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let values: Vec<(Axis, String)> = predicate.words(index).collect();
        let words = |part: &[usize]| {
            let (places, kind): (Vec<usize>, Vec<usize>) =
                part.iter().partition(|&&i| values[i].0.is_place());
            let place: String = places.iter().map(|&i| format!(" on {}", values[i].1)).collect();
            let mut words = piece_words(&values, &kind);
            if kind.iter().all(|&i| values[i].0 == Axis::Color) {
                words = format!("{words} piece").trim_start().to_owned();
            }
            format!("{words}{place}")
        };
        let shape = Shape::of_predicate(predicate);
        let [attacker, target] = parts(predicate, index).map(|part| only_side(&part));
        let verb = match attacker.is_some() && attacker == target {
            true => "protects",
            false => "attacks",
        };
        format!("{} {verb} {}", words(&shape.attacker), words(&shape.target))
    }

    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        parts(predicate, index).map(|part| picture::piece(&part)).into()
    }

    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let [attacker, target] = parts(predicate, index);
        let targets: Bitboard = squares(&target).collect();
        let mut found = Vec::new();
        for kind in kinds(&attacker) {
            for from in squares(&attacker) {
                let reached = attacks::attacks(from, as_white_sees(kind), Bitboard::EMPTY);
                for to in reached & targets {
                    found.extend(
                        kinds(&target)
                            .map(|victim| Arrangement::from([(from, kind), (to, victim)])),
                    );
                }
            }
        }
        found
    }

    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize {
        let [attacker, target] = parts(predicate, index);
        let holds = |part: &TupleValues<'_>, kind, square| {
            tuple_values::is_kind(part, kind) && tuple_values::is_place(part, square)
        };
        let attacked = facts.attacks.iter().filter(|&&((kind, from), to)| {
            let victim = facts.view.piece_at(to);
            holds(&attacker, kind, from) && victim.is_some_and(|it| holds(&target, it, to))
        });
        attacked.count()
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        let possible = match &predicate.tupling {
            Tupling::Some(products) => Some(&products[..]),
            Tupling::All | Tupling::Pairs(_) => None,
        };
        let (concepts, shape) = (predicate.concepts(), Shape::of_predicate(predicate));
        let of_kinds = KindThreats::new(concepts, &shape).map(Into::into);
        let of_targets = || TargetThreats::new(concepts, &shape).map(Into::into);
        of_kinds
            .or_else(of_targets)
            .unwrap_or_else(|| ThreatTable::new(concepts, &shape, possible).into())
    }
}

/// Concepts of the attacker and of its target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    attacker: Vec<usize>,
    target: Vec<usize>,
}

impl Shape {
    /// Splits the concepts at the `comma`, or returns why they are no threat.
    fn of(concepts: &[Concept], comma: Option<usize>) -> Result<Self, Misuse> {
        match comma {
            Some(at) => Self::divided(concepts, at),
            None => Self::in_order(concepts),
        }
    }

    fn of_predicate(predicate: &Predicate) -> Self {
        Self::of(predicate.concepts(), predicate.clauses.comma).unwrap_or_default()
    }

    fn divided(concepts: &[Concept], at: usize) -> Result<Self, Misuse> {
        let takes = |axis: Axis| axis.is_place() || axis.is_kind();
        let (attacker, target) = concepts.split_at(at);
        let later = |misuse: Misuse| Misuse { culprit: misuse.culprit.map(|i| i + at), ..misuse };
        check_each("threat", attacker, takes, STRANGER)?;
        check_each("threat", target, takes, STRANGER).map_err(later)?;
        Ok(Self { attacker: (0..at).collect(), target: (at..concepts.len()).collect() })
    }

    fn in_order(concepts: &[Concept]) -> Result<Self, Misuse> {
        let stranger = |c: &Concept| !c.axis().is_place() && !c.axis().is_kind();
        if let Some(i) = concepts.iter().position(stranger) {
            return Err(Misuse::stranger("threat", i, concepts[i].axis(), STRANGER));
        }
        let [mut attacker, mut target] = two_pieces("threat", concepts)?;
        let places: Vec<usize> =
            (0..concepts.len()).filter(|&i| concepts[i].axis().is_place()).collect();
        match places.as_slice() {
            [] => {}
            [one] if attacker.iter().any(|kind| kind > one) => {
                return Err(whose_place(concepts, *one, &attacker, &target));
            }
            [one] => target.push(*one),
            [first, second] => {
                attacker.push(*first);
                target.push(*second);
            }
            [_, _, third, ..] => {
                return Err(Misuse::of(
                    *third,
                    "`threat` takes two places at most".into(),
                    "one too many",
                ));
            }
        }
        attacker.sort_unstable();
        target.sort_unstable();
        Ok(Self { attacker, target })
    }
}

const STRANGER: &str = "neither place nor piece";

/// A single place in front is ambiguous: the attacker's, or that of the whole threat.
fn whose_place(concepts: &[Concept], place: usize, attacker: &[usize], target: &[usize]) -> Misuse {
    let words = |part: &[usize]| {
        let words: Vec<String> = part.iter().map(|&i| concepts[i].factor()).collect();
        words.join(" * ")
    };
    let with_place = |part: &[usize]| words(&[&[place], part].concat());
    let axis = concepts[place].axis();
    let message = format!("`threat` is given one place, {axis}, but not whose it is");
    let help = format!(
        "a comma says it: `threat({}, {})` has the attacker there, `threat({}, {})` its target",
        with_place(attacker),
        words(target),
        words(attacker),
        with_place(target),
    );
    Misuse { help: Some(help), ..Misuse::of(place, message, "the attacker's, or its target's?") }
}

/// The side of all kinds of a piece; `None` where both sides have some.
fn only_side(piece: &TupleValues<'_>) -> Option<Side> {
    let mut sides = kinds(piece).map(|kind| kind.side);
    let first = sides.next()?;
    sides.all(|side| side == first).then_some(first)
}

/// Values of the attacker and of its target: before and after the comma;
/// without one, a single place is the target's.
fn parts(predicate: &Predicate, index: u64) -> [TupleValues<'_>; 2] {
    let mut values = predicate.values(index);
    if let Some(at) = predicate.clauses.comma {
        let target = values.split_off(at);
        return [values, target];
    }
    let [mut first, mut second] = tuple_values::two_pieces(&values);
    let places: Vec<_> = values.into_iter().filter(|(axis, _)| axis.is_place()).collect();
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

/// The possible tuples as products of concepts, in order; `None` if every
/// product of concepts is a tuple.
fn possible(concepts: &[Concept], shape: &Shape, once: bool) -> Result<Option<Arc<[u32]>>, Misuse> {
    if ![&shape.attacker, &shape.target].into_iter().all(|part| determines_square(concepts, part)) {
        return Ok(None);
    }
    let table = ThreatTable::new(concepts, shape, None);
    let (mut tuples, mut left_out) = (Vec::new(), Vec::new());
    for from in Square::ALL {
        for kind in PieceKind::all() {
            for to in attacks::attacks(from, as_white_sees(kind), Bitboard::EMPTY) {
                let stands = |target: &PieceKind| stand_together((from, kind), (to, *target));
                for target in PieceKind::all().filter(stands) {
                    let is_reverse = once && from < to && attack_each_other(kind, target);
                    let found = if is_reverse { &mut left_out } else { &mut tuples };
                    found.extend(table.product(from, kind, to, target));
                }
            }
        }
    }
    tuples.sort_unstable();
    // Merged kinds make the same tuples true.
    tuples.dedup();
    match left_out.iter().any(|tuple| tuples.binary_search(tuple).is_ok()) {
        true => Err(merged()),
        false => Ok(Some(tuples.into())),
    }
}

/// The concepts merge pieces that attack each other with others.
fn merged() -> Misuse {
    let message = "`once` needs to tell roles apart, and sides of pawns: here one feature is of \
                   pieces that attack each other and of others";
    let help = "name both: `threat(SQUARES * ROLES * COLORS, SQUARES * ROLES * COLORS, once)`, or \
                leave `once` out";
    Misuse { help: Some(help.to_owned()), ..Misuse::missing(message, "not distinguished") }
}

/// Most pieces that all of a kind can attack, pawns promoted.
fn most_attacked(kind: PieceKind) -> u64 {
    match kind.role {
        Role::Pawn => 8 * 2,
        Role::King => 8,
        Role::Queen => 9 * 8,
        Role::Knight => 10 * 8,
        // Lines end at the first piece.
        Role::Bishop | Role::Rook => 10 * 4,
    }
}

/// Whether such pieces attack each other whenever one attacks the other.
fn attack_each_other(a: PieceKind, b: PieceKind) -> bool {
    a.role == b.role && (a.role != Role::Pawn || a.side != b.side)
}

/// Whether a part determines the square of its piece.
fn determines_square(concepts: &[Concept], part: &[usize]) -> bool {
    let says = |axis: Axis| part.iter().any(|&i| concepts[i].axis() == axis);
    (says(Axis::Square) || (says(Axis::File) && says(Axis::Rank)))
        && all_distinct(&Coding::new(concepts).only(part).places())
}
