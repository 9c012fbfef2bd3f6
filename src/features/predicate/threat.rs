//! `threat(…)`: a piece of the first kind attacks (or protects) a piece of the
//! second: `threat(PIECES * PIECES)`, or with squares of both,
//! `threat(SQUARES * PIECES * SQUARES * PIECES)`.
//!
//! A comma divides what is said of the attacker from what is said of its
//! target: `threat(SQUARES * {own knight}, {other pawn})`. Without it the first
//! two kinds are the attacker's, and a single place before them could be
//! anybody's, so it is refused.
//!
//! With both squares given exactly, only tuples that an empty board allows
//! have an index: a knight on a1 threatens b3 and c2 alone. That goes for kinds
//! which a quotient merges too.

use std::sync::Arc;

use super::both;
use super::coding::{Coding, NONE, all_distinct};
use super::pair::{piece_words, two_pieces};
use super::sink::{Sink, Tuples, distinct};
use super::{Misuse, ViewStep, check_each, compare};
use crate::concept::{Axis, Concept};
use crate::feature::Update;
use chess::{Bitboard, Color, Piece, PieceKind, Scene, Square, View, attacks};

/// How `threat` is used.
pub const USAGE: &str = "threat takes an attacker and its target, each ROLES and COLORS, and where they stand if that is to be said: `threat(PIECES * PIECES)`, `threat(SQUARES * PIECES * SQUARES * PIECES)`; a comma says whose a single place is: `threat(SQUARES * PIECES, PIECES)`, `threat(PIECES, SQUARES * PIECES)`";

/// Which concepts speak of the attacker and which of its target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    attacker: Vec<usize>,
    target: Vec<usize>,
}

impl Shape {
    /// Sorts the concepts, of which those before the `comma` are the
    /// attacker's, or says why they are no threat.
    pub fn of(concepts: &[Concept], comma: Option<usize>) -> Result<Self, Misuse> {
        match comma {
            Some(at) => Self::divided(concepts, at),
            None => Self::in_order(concepts),
        }
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
            let axis = concepts[i].axis();
            return Err(Misuse::of(i, format!("`threat` cannot take {axis}"), STRANGER));
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

/// A single place in front reads as the attacker's to one and as that of the
/// whole threat to another.
fn whose_place(concepts: &[Concept], place: usize, attacker: &[usize], target: &[usize]) -> Misuse {
    let words = |part: &[usize]| {
        let words: Vec<String> = part.iter().map(|&i| concepts[i].factor()).collect();
        words.join(" * ")
    };
    let with_place = |part: &[usize]| words(&[&[place], part].concat());
    let axis = concepts[place].axis();
    let message = format!("`threat` is given one place, {axis}, and not told whose it is");
    let help = format!(
        "a comma says it: `threat({}, {})` has the attacker there, `threat({}, {})` its target",
        with_place(attacker),
        words(target),
        words(attacker),
        with_place(target),
    );
    Misuse { help: Some(help), ..Misuse::of(place, message, "the attacker's, or its target's?") }
}

/// The possible tuples as products of concepts, in order; `None` if every
/// product of concepts is a tuple.
pub fn possible(concepts: &[Concept], shape: &Shape) -> Option<Arc<[u32]>> {
    if ![&shape.attacker, &shape.target].into_iter().all(|part| tells_square(concepts, part)) {
        return None;
    }
    let table = ThreatTable::new(concepts, shape, None);
    let mut tuples = Vec::new();
    for from in Square::ALL {
        for kind in PieceKind::all() {
            // Own pawns go up the board as seen, as White's do.
            let piece = Piece { role: kind.role, color: kind.side.color(Color::White) };
            for to in attacks::attacks(from, piece, Bitboard::EMPTY) {
                let targets =
                    PieceKind::all().filter(|&target| both::possible((from, kind), (to, target)));
                tuples.extend(targets.filter_map(|target| table.product(from, kind, to, target)));
            }
        }
    }
    tuples.sort_unstable();
    // Kinds that are not told apart make the same tuples true.
    tuples.dedup();
    Some(tuples.into())
}

/// Whether a part says exactly on which square its piece stands.
fn tells_square(concepts: &[Concept], part: &[usize]) -> bool {
    let says = |axis: Axis| part.iter().any(|&i| concepts[i].axis() == axis);
    (says(Axis::Square) || (says(Axis::File) && says(Axis::Rank)))
        && all_distinct(&Coding::new(concepts).only(part).places())
}

/// Most threats together: no piece attacks more than eight others.
pub fn max_active() -> u64 {
    // 32 pieces; a pawn attacks two, and at most 16 are pawns without promotion,
    // with promotion each becomes a piece that attacks eight at most.
    32 * 8
}

/// `own knight attacks other queen on e5`.
pub fn describe(concepts: &[Concept], shape: &Shape, classes: &[usize]) -> String {
    let words = |part: &[usize]| {
        let (places, kind): (Vec<usize>, Vec<usize>) =
            part.iter().partition(|&&i| concepts[i].axis().is_place());
        let place: Vec<String> =
            places.iter().map(|&i| format!(" on {}", concepts[i].words(classes[i]))).collect();
        let is_named = kind.iter().any(|&i| concepts[i].axis() != Axis::Color);
        let mut words = piece_words(concepts, classes, &kind);
        if !is_named {
            words = format!("{words} piece").trim_start().to_owned();
        }
        format!("{words}{}", place.concat())
    };
    format!("{} attacks {}", words(&shape.attacker), words(&shape.target))
}

/// What one piece adds to a tuple.
#[derive(Clone, Debug)]
struct Part {
    places: [u32; 64],
    kinds: [u32; PieceKind::COUNT],
}

impl Part {
    fn new(coding: &Coding<'_>) -> Self {
        Self { places: coding.places(), kinds: coding.kinds() }
    }

    #[inline]
    fn of(&self, square: Square, kind: PieceKind) -> Option<u32> {
        let (place, kind) = (self.places[square as usize], self.kinds[kind.index()]);
        (place != NONE && kind != NONE).then(|| place + kind)
    }

    /// Whether it says exactly which piece stands where.
    fn is_exact(&self) -> bool {
        all_distinct(&self.places) && all_distinct(&self.kinds)
    }
}

/// The predicate as tables.
#[derive(Clone, Debug)]
pub struct ThreatTable {
    attacker: Part,
    target: Part,
    exact: bool,
    /// From products of concepts to tuples, if not every product is one.
    tuple: Option<Vec<u32>>,
}

impl ThreatTable {
    /// Tables for checked concepts and the [`possible`] tuples.
    pub fn new(concepts: &[Concept], shape: &Shape, possible: Option<&[u32]>) -> Self {
        let coding = Coding::new(concepts);
        let part = |places: &[usize]| Part::new(&coding.only(places));
        let (attacker, target) = (part(&shape.attacker), part(&shape.target));
        let size: usize = concepts.iter().map(Concept::len).product();
        let tuple = possible.map(|possible| {
            let mut tuple = vec![NONE; size];
            (0..).zip(possible).for_each(|(index, &product)| tuple[product as usize] = index);
            tuple
        });
        let exact = attacker.is_exact() && target.is_exact();
        Self { attacker, target, exact, tuple }
    }

    #[inline]
    fn product(&self, from: Square, kind: PieceKind, to: Square, target: PieceKind) -> Option<u32> {
        Some(self.attacker.of(from, kind)? + self.target.of(to, target)?)
    }

    #[inline]
    fn send<S: Sink>(
        &self,
        view: View<'_>,
        (from, piece): (Square, Piece),
        targets: Bitboard,
        sink: &mut S,
    ) {
        let orientation = view.orientation();
        let seen = |piece: Piece| PieceKind::seen(piece, view.perspective());
        let Some(attacker) = self.attacker.of(orientation.square(from), seen(piece)) else {
            return;
        };
        for to in targets {
            let Some(target) = view.scene().board().piece_at(to) else { continue };
            let Some(part) = self.target.of(orientation.square(to), seen(target)) else { continue };
            let product = attacker + part;
            let tuple = self.tuple.as_ref().map_or(product, |tuple| tuple[product as usize]);
            if tuple != NONE {
                sink.push(tuple, 1.0);
            }
        }
    }

    /// Active tuples.
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let scene = view.scene();
        if self.exact {
            for (square, piece) in scene.board().iter() {
                self.send(view, (square, piece), targets(scene, square, piece), sink);
            }
            return;
        }
        let mut tuples = Tuples::new();
        for (square, piece) in scene.board().iter() {
            self.send(view, (square, piece), targets(scene, square, piece), &mut tuples);
        }
        distinct(&mut tuples);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    /// Tuples a move switches off and on. An attacker that stays is looked at
    /// for what it attacks no more, attacks anew, or attacks another piece on.
    pub fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        if !self.exact {
            return compare(step, removed, added, |view, list| self.active(view, list));
        }
        let (before, after) = (step.before(), step.after());
        let changed = step
            .change()
            .removed
            .iter()
            .chain(&step.change().added)
            .fold(Bitboard::EMPTY, |all, placed| all.with(placed.square));
        for placed in &step.change().removed {
            let from = (placed.square, placed.piece);
            self.send(before, from, targets(before.scene(), from.0, from.1), removed);
        }
        for placed in &step.change().added {
            let from = (placed.square, placed.piece);
            self.send(after, from, targets(after.scene(), from.0, from.1), added);
        }
        for square in before.scene().board().occupied() & !changed {
            let Some(piece) = before.scene().board().piece_at(square) else { continue };
            let old = targets(before.scene(), square, piece);
            let new = targets(after.scene(), square, piece);
            self.send(before, (square, piece), old & (!new | changed), removed);
            self.send(after, (square, piece), new & (!old | changed), added);
        }
        Update::Rows
    }
}

/// Pieces that a piece attacks or protects.
#[inline]
fn targets(scene: &Scene, square: Square, piece: Piece) -> Bitboard {
    let occupied = scene.board().occupied();
    attacks::attacks(square, piece, occupied) & occupied
}
