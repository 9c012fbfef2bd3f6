//! Threats between kinds of pieces, without places: the scene has the hits, which both perspectives
//! and consecutive moves share; this table maps them to tuples.

use super::Shape;
use crate::predicate::prelude::*;
use chess::{Hits, PieceKind, Role, View};

#[derive(Clone, Debug)]
pub(crate) struct KindThreats {
    /// The tuple of each bit of hits; [`NONE`] of those that are in none.
    tuples: Box<[u32; Hits::BITS]>,
    /// The bits that are in some tuple.
    wanted: Hits,
    /// For each bit all bits of its tuple, where the concepts merge kinds.
    together: Option<Vec<Hits>>,
    /// Whether only pawns, knights and kings attack, so that sliders are skipped.
    leapers: bool,
}

impl KindThreats {
    /// For threats without a place; `None` for others.
    pub(super) fn new(concepts: &[Concept], shape: &Shape) -> Option<Self> {
        if concepts.iter().any(|concept| concept.axis().is_place()) {
            return None;
        }
        let coding = Coding::new(concepts);
        let parts = |part: &[usize]| coding.only(part).kinds();
        let (attackers, targets) = (parts(&shape.attacker), parts(&shape.target));
        let mut tuples = Box::new([NONE; Hits::BITS]);
        for attacker in PieceKind::all() {
            for target in PieceKind::all() {
                let parts = (attackers[attacker.index()], targets[target.index()]);
                if parts.0 != NONE && parts.1 != NONE {
                    tuples[Hits::bit(attacker, target)] = parts.0 + parts.1;
                }
            }
        }
        let all = || 0..Hits::BITS;
        let wanted: Hits = all().filter(|&bit| tuples[bit] != NONE).collect();
        let alike = |bit: usize| all().filter(|&other| tuples[other] == tuples[bit]).collect();
        let together: Vec<Hits> = all().map(alike).collect();
        let is_alone = wanted.bits().all(|bit| together[bit].bits().count() == 1);
        let slides = |kind: PieceKind| matches!(kind.role, Role::Bishop | Role::Rook | Role::Queen);
        let attacks = |kind: PieceKind| attackers[kind.index()] != NONE;
        Some(Self {
            wanted,
            together: (!is_alone).then_some(together),
            tuples,
            leapers: !PieceKind::all().any(|kind| slides(kind) && attacks(kind)),
        })
    }

    #[inline]
    fn found_in(&self, view: View<'_>) -> Hits {
        let hits = match self.leapers {
            true => view.scene().leapers_hits(),
            false => view.scene().hits(),
        };
        hits.seen_by(view.perspective()) & self.wanted
    }

    /// Sends the tuples that hits make true and others do not.
    #[inline]
    fn send_new<S: Sink>(&self, others: Hits, hits: Hits, sink: &mut S) {
        let mut new = hits & !others;
        let Some(together) = &self.together else {
            return new.bits().for_each(|bit| sink.push(self.tuples[bit], 1.0));
        };
        while let Some(bit) = new.bits().next() {
            new = new & !together[bit];
            sink.push_if((others & together[bit]).is_empty(), self.tuples[bit]);
        }
    }
}

impl Table for KindThreats {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        self.send_new(Hits::NONE, self.found_in(view), sink);
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let [before, after] = [step.before(), step.after()].map(|view| self.found_in(view));
        self.send_new(after, before, removed);
        self.send_new(before, after, added);
        Update::Rows
    }
}
