//! Threats that say only which kinds of pieces attack which: what both perspectives, and the
//! moves before and after, have in common is in the scene, and here it only gets its names.

use super::Shape;
use crate::predicate::prelude::*;
use chess::{ByColor, Color, Hits, PieceKind, Role, Scene, View};

#[derive(Clone, Debug)]
pub(crate) struct KindThreats {
    seen: ByColor<Seen>,
    /// Whether only pawns, knights and kings attack, so that sliders need not be asked.
    leapers: bool,
}

/// What a colour calls the bits of hits.
#[derive(Clone, Debug)]
struct Seen {
    /// The tuple of each bit; [`NONE`] of those that are in none.
    tuples: Box<[u32; Hits::BITS]>,
    /// The bits that are in some tuple.
    said: Hits,
    /// For each bit all that are in its tuple, where kinds are not told apart.
    together: Option<Vec<Hits>>,
}

impl Seen {
    fn new(concepts: &[Concept], shape: &Shape, perspective: Color) -> Self {
        let coding = Coding::new(concepts);
        let parts = |part: &[usize]| coding.only(part).kinds();
        let (attackers, targets) = (parts(&shape.attacker), parts(&shape.target));
        let mut tuples = Box::new([NONE; Hits::BITS]);
        for attacker in PieceKind::all() {
            for target in PieceKind::all() {
                let parts = (attackers[attacker.index()], targets[target.index()]);
                if parts.0 != NONE && parts.1 != NONE {
                    tuples[Hits::bit(attacker, target, perspective)] = parts.0 + parts.1;
                }
            }
        }
        let all = || 0..Hits::BITS;
        let alike = |bit: usize| all().filter(|&other| tuples[other] == tuples[bit]).collect();
        let together: Vec<Hits> = all().map(alike).collect();
        let said: Hits = all().filter(|&bit| tuples[bit] != NONE).collect();
        let is_alone = said.bits().all(|bit| together[bit].bits().count() == 1);
        Self { said, together: (!is_alone).then_some(together), tuples }
    }

    /// Sends the tuples that hits make true and others do not.
    #[inline]
    fn send_new<S: Sink>(&self, others: Hits, hits: Hits, sink: &mut S) {
        let mut new = hits & !others & self.said;
        let Some(together) = &self.together else {
            return new.bits().for_each(|bit| sink.push(self.tuples[bit], 1.0));
        };
        while let Some(bit) = new.bits().next() {
            new = new & !together[bit];
            sink.push_if((others & together[bit]).is_empty(), self.tuples[bit]);
        }
    }
}

impl KindThreats {
    /// For threats without a place; `None` for others.
    pub(super) fn new(concepts: &[Concept], shape: &Shape) -> Option<Self> {
        let has_place = concepts.iter().any(|concept| concept.axis().is_place());
        let attackers = Coding::new(concepts).only(&shape.attacker).kinds();
        let slides = |kind: PieceKind| matches!(kind.role, Role::Bishop | Role::Rook | Role::Queen);
        let attacks = |kind: PieceKind| attackers[kind.index()] != NONE;
        let leapers = !PieceKind::all().any(|kind| slides(kind) && attacks(kind));
        let seen = |perspective| Seen::new(concepts, shape, perspective);
        (!has_place).then(|| Self { seen: ByColor::new_with(seen), leapers })
    }

    #[inline]
    fn found_in(&self, scene: &Scene) -> Hits {
        match self.leapers {
            true => *scene.leapers_hits(),
            false => *scene.hits(),
        }
    }
}

impl Table for KindThreats {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        None
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let seen = self.seen.get(view.perspective());
        seen.send_new(Hits::NONE, self.found_in(view.scene()), sink);
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let seen = self.seen.get(step.perspective());
        let [before, after] = [step.before(), step.after()].map(|view| self.found_in(view.scene()));
        seen.send_new(after, before, removed);
        seen.send_new(before, after, added);
        Update::Rows
    }

    fn atoms(&self) -> Option<Vec<(Atom, u32)>> {
        None
    }

    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        None
    }
}
