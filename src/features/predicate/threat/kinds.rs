//! Threats that say only which kinds of pieces attack which: what both perspectives, and the
//! moves before and after, have in common is in the scene, and here it is only put in classes.

use super::Shape;
use super::classes::{ByClass, Classes};
use crate::predicate::prelude::*;
use chess::{PieceKind, View};

#[derive(Clone, Debug)]
pub(crate) struct KindThreats {
    attackers: Merge,
    targets: Classes,
}

/// From kinds, a bit for each, to their classes: three roles at a time.
#[derive(Clone, Debug)]
struct Merge {
    classes: Classes,
    lower: [u16; 1 << HALF],
    upper: [u16; 1 << HALF],
}

/// Half of the kinds.
const HALF: usize = PieceKind::COUNT / 2;

impl Merge {
    fn new(classes: Classes) -> Self {
        let merged = |kinds: usize, first: usize| -> u16 {
            let is_there = |at: &usize| kinds >> at & 1 != 0;
            let class_of = |at: usize| classes.of[first + at];
            let known = |class: &usize| *class < classes.parts.len();
            (0..HALF).filter(is_there).map(class_of).filter(known).fold(0, |all, at| all | 1 << at)
        };
        let lower = std::array::from_fn(|kinds| merged(kinds, 0));
        let upper = std::array::from_fn(|kinds| merged(kinds, HALF));
        Self { classes, lower, upper }
    }

    #[inline]
    fn merge(&self, kinds: u16) -> u16 {
        let half = (1 << HALF) - 1;
        self.lower[usize::from(kinds & half)] | self.upper[usize::from(kinds >> HALF & half)]
    }
}

impl KindThreats {
    /// For threats without a place; `None` for others.
    pub(super) fn new(concepts: &[Concept], shape: &Shape) -> Option<Self> {
        let coding = Coding::new(concepts);
        let classes = |part: &[usize]| Classes::new(&coding.only(part).kinds());
        let has_place = concepts.iter().any(|concept| concept.axis().is_place());
        (!has_place).then(|| Self {
            attackers: Merge::new(classes(&shape.attacker)),
            targets: classes(&shape.target),
        })
    }

    /// For each class of targets, the classes that hit it.
    #[inline]
    fn hits(&self, view: View<'_>) -> ByClass<u16> {
        let mut by_class = ByClass::default();
        let by_kind = view.scene().hits().seen_by(view.perspective());
        for (kinds, &target) in by_kind.into_iter().zip(&self.targets.of) {
            by_class[target] |= self.attackers.merge(kinds);
        }
        by_class
    }

    /// Sends the tuples of some classes of attackers and a target.
    #[inline]
    fn send<S: Sink>(&self, mut attackers: u16, target: u32, sink: &mut S) {
        while attackers != 0 {
            let attacker = attackers.trailing_zeros() as usize;
            sink.push(self.attackers.classes.parts[attacker] + target, 1.0);
            attackers &= attackers - 1;
        }
    }
}

impl Table for KindThreats {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        None
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        for (hits, &target) in self.hits(view).into_iter().zip(&self.targets.parts) {
            self.send(hits, target, sink);
        }
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let [before, after] = [step.before(), step.after()].map(|view| self.hits(view));
        for ((before, after), &target) in before.into_iter().zip(after).zip(&self.targets.parts) {
            self.send(before & !after, target, removed);
            self.send(after & !before, target, added);
        }
        Update::Rows
    }

    fn atoms(&self) -> Option<Vec<(Atom, u32)>> {
        None
    }

    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        None
    }
}
