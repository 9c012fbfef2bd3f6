//! Threats that say only which kinds of pieces attack which: what both perspectives, and the
//! moves before and after, have in common is in the scene, and here it is only put in classes.

use super::Shape;
use super::classes::Classes;
use crate::predicate::prelude::*;
use chess::maps::Hits;
use chess::{PieceKind, Role, Scene, View};

#[derive(Clone, Debug)]
pub(crate) struct KindThreats {
    attackers: Merge,
    targets: Classes,
    /// The kinds of each class of targets, a bit for each.
    members: Vec<u16>,
    /// The kinds that are in some class of attackers.
    attacking: u16,
}

/// From kinds, a bit for each, to their classes: three roles at a time.
#[derive(Clone, Debug)]
struct Merge {
    classes: Classes,
    lower: [u16; 1 << HALF],
    upper: [u16; 1 << HALF],
}

/// Bishops, rooks and queens of both sides, a bit for each.
const SLIDERS: u16 = 0b11_11_11 << (2 * (Role::Bishop as u16 - 1));

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
        let targets = classes(&shape.target);
        let members = (0..targets.parts.len()).map(|class| {
            let of_class = (0..PieceKind::COUNT).filter(|&kind| targets.of[kind] == class);
            of_class.fold(0, |all, kind| all | 1 << kind)
        });
        let members = members.collect();
        let attackers = Merge::new(classes(&shape.attacker));
        let is_attacker = |kind: &usize| attackers.merge(1 << kind) != 0;
        let attacking =
            (0..PieceKind::COUNT).filter(is_attacker).fold(0, |all, kind| all | 1 << kind);
        (!has_place).then_some(Self { attackers, targets, members, attacking })
    }

    /// Where no slider attacks, sliders need not be asked.
    #[inline]
    fn found_in<'v>(&self, scene: &'v Scene) -> &'v Hits {
        match self.attacking & SLIDERS {
            0 => scene.leapers_hits(),
            _ => scene.hits(),
        }
    }

    /// The classes that hit a class of targets.
    #[inline]
    fn hits(&self, view: View<'_>, target: usize) -> u16 {
        let hits = self.found_in(view.scene());
        let of_kind = |kind| hits.on(PieceKind::from_index(kind), view.perspective());
        self.attackers.merge(bits(self.members[target]).fold(0, |all, kind| all | of_kind(kind)))
    }

    /// Sends the tuples of some classes of attackers and one of targets.
    #[inline]
    fn send<S: Sink>(&self, attackers: u16, target: usize, sink: &mut S) {
        for attacker in bits(attackers) {
            let tuple = self.attackers.classes.parts[attacker] + self.targets.parts[target];
            sink.push(tuple, 1.0);
        }
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut all: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (all != 0).then(|| all.trailing_zeros() as usize);
        all &= all.wrapping_sub(1);
        first
    })
}

impl Table for KindThreats {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        None
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        for target in 0..self.members.len() {
            self.send(self.hits(view, target), target, sink);
        }
    }

    /// Most kinds are attacked by those by which they were.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let (before, after) = (step.before(), step.after());
        let [old, new] = [before, after].map(|view| self.found_in(view.scene()));
        let mut changed = old.changed(new, self.attacking, step.perspective());
        while changed != 0 {
            let kind = changed.trailing_zeros() as usize;
            let target = self.targets.of[kind];
            let Some(members) = self.members.get(target) else {
                changed &= changed - 1;
                continue;
            };
            changed &= !members;
            let (before, after) = (self.hits(before, target), self.hits(after, target));
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
