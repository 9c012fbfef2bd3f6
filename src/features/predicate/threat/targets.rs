//! Threats with the square of the target but without that of the attacker: maps of attacks,
//! intersected with the boards of the targets, for all pieces of a kind at once.

use super::Shape;
use super::classes::Classes;
use crate::predicate::prelude::*;
use chess::{Bitboard, PieceKind, View};

/// A value for each class, and a last one for kinds that are in none.
type ByClass<T> = [T; PieceKind::COUNT + 1];

#[derive(Clone, Debug)]
pub(crate) struct TargetThreats {
    attackers: Classes,
    targets: Classes,
    /// Index offset of each square of the target.
    places: [u32; 64],
}

impl TargetThreats {
    /// For threats without a place of the attacker and with the target's square; `None` for others.
    pub(super) fn new(concepts: &[Concept], shape: &Shape) -> Option<Self> {
        let coding = Coding::new(concepts);
        let has_place =
            |part: &[usize]| part.iter().any(|&concept| concepts[concept].axis().is_place());
        let classes = |part: &[usize]| Classes::new(&coding.only(part).kinds());
        let places = coding.only(&shape.target).places();
        let is_theirs = has_place(&shape.target) && !has_place(&shape.attacker);
        (is_theirs && all_distinct(&places)).then(|| Self {
            attackers: classes(&shape.attacker),
            targets: classes(&shape.target),
            places,
        })
    }

    /// Squares attacked by each class.
    #[inline]
    fn attacked(&self, view: View<'_>) -> ByClass<Bitboard> {
        let (maps, perspective) = (view.scene().attacks(), view.perspective());
        boards(&self.attackers, |kind| *maps.get(kind.side.color(perspective)).get(kind.role))
    }

    /// Squares of the targets of each class.
    #[inline]
    fn standing(&self, view: View<'_>) -> ByClass<Bitboard> {
        let (board, perspective) = (view.scene().board(), view.perspective());
        boards(&self.targets, |kind| {
            board.by_role(kind.role) & board.by_color(kind.side.color(perspective))
        })
    }

    /// Sends the tuples of an attacker and a target for each of some squares.
    #[inline]
    fn send<S: Sink>(&self, view: View<'_>, tuple: u32, squares: Bitboard, sink: &mut S) {
        let orientation = view.orientation();
        for square in squares {
            let place = self.places[orientation.square(square) as usize];
            sink.push_if(place != NONE, tuple.wrapping_add(place));
        }
    }
}

#[inline]
fn boards(classes: &Classes, of_kind: impl Fn(PieceKind) -> Bitboard) -> ByClass<Bitboard> {
    let mut boards = ByClass::default();
    for (kind, &class) in PieceKind::all().zip(&classes.of) {
        boards[class] |= of_kind(kind);
    }
    boards
}

impl Table for TargetThreats {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let (attacked, standing) = (self.attacked(view), self.standing(view));
        for (&attacker, attacked) in self.attackers.parts.iter().zip(attacked) {
            for (target, standing) in self.targets.parts.iter().zip(standing) {
                self.send(view, attacker + target, attacked & standing, sink);
            }
        }
    }

    /// Pairs of an attacker and a target class with unchanged boards are skipped; these are most.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let views = [step.before(), step.after()];
        let [attacked_before, attacked_after] = views.map(|view| self.attacked(view));
        let [standing_before, standing_after] = views.map(|view| self.standing(view));
        for (i, &attacker) in self.attackers.parts.iter().enumerate() {
            let (before, after) = (attacked_before[i], attacked_after[i]);
            for (j, &target) in self.targets.parts.iter().enumerate() {
                if before == after && standing_before[j] == standing_after[j] {
                    continue;
                }
                let (old, new) = (before & standing_before[j], after & standing_after[j]);
                self.send(views[0], attacker + target, old & !new, removed);
                self.send(views[1], attacker + target, new & !old, added);
            }
        }
        Update::Rows
    }
}
