//! Threats as tables, and their changes in a move.

use super::Shape;
use crate::predicate::prelude::*;
use chess::{Bitboard, Piece, PieceKind, Scene, Square, View, attacks};

/// Index offsets of one of the two pieces.
#[derive(Clone, Debug)]
struct Part {
    places: [u32; 64],
    kinds: [u32; PieceKind::COUNT],
    /// Whether it may be any kind.
    all_kinds: bool,
}

impl Part {
    fn new(coding: &Coding<'_>) -> Self {
        let kinds = coding.kinds();
        Self { places: coding.places(), kinds, all_kinds: !kinds.contains(&NONE) }
    }

    #[inline]
    fn of(&self, square: Square, kind: PieceKind) -> Option<u32> {
        let (place, kind) = (self.places[square as usize], self.kinds[kind.index()]);
        (place != NONE && kind != NONE).then(|| place + kind)
    }

    /// Squares, not turned, of the pieces that fit it.
    #[inline]
    fn pieces(&self, view: View<'_>) -> Bitboard {
        let board = view.scene().board();
        match self.all_kinds {
            true => board.occupied(),
            false => PieceKind::all().filter(|kind| self.kinds[kind.index()] != NONE).fold(
                Bitboard::EMPTY,
                |all, kind| {
                    let color = kind.side.color(view.perspective());
                    all | board.by_role(kind.role) & board.by_color(color)
                },
            ),
        }
    }

    /// Whether it determines the piece and its square.
    fn is_exact(&self) -> bool {
        all_distinct(&self.places) && all_distinct(&self.kinds)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ThreatTable {
    attacker: Part,
    target: Part,
    exact: bool,
    /// Tuples by products of concepts; `None` if every product is a tuple.
    tuple: Option<Vec<u32>>,
}

impl ThreatTable {
    /// Tables for checked concepts and the tuples that are possible.
    pub(super) fn new(concepts: &[Concept], shape: &Shape, possible: Option<&[u32]>) -> Self {
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
    pub(super) fn product(
        &self,
        from: Square,
        kind: PieceKind,
        to: Square,
        target: PieceKind,
    ) -> Option<u32> {
        Some(self.attacker.of(from, kind)? + self.target.of(to, target)?)
    }

    /// Sends the tuples of all pairs of pieces, with repetitions.
    #[inline]
    fn all<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let scene = view.scene();
        for square in self.attacker.pieces(view) {
            let Some(piece) = scene.board().piece_at(square) else { continue };
            self.send(view, (square, piece), targets(scene, square, piece), sink);
        }
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
}

impl Table for ThreatTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        if self.exact {
            return self.all(view, sink);
        }
        let mut tuples = Tuples::new();
        self.all(view, &mut tuples);
        distinct(&mut tuples);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    /// Attackers that stay send the targets they lose, gain, or find exchanged.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        if !self.exact {
            return compare(self, step, removed, added);
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
        for square in self.attacker.pieces(before) & !changed {
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
