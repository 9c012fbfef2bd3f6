//! Threats that do not say where the attacker stands: maps of attacks, met with the boards of
//! what is attacked, for all pieces of a kind at once.

use super::Shape;
use crate::predicate::prelude::*;
use chess::{Bitboard, PieceKind, View};

/// Kinds of pieces, those that a set does not tell apart together.
#[derive(Clone, Debug)]
struct Classes {
    /// The class of each kind; one that is not there for kinds that are in none.
    of: [usize; PieceKind::COUNT],
    /// What each class adds to a tuple.
    parts: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct KindThreats {
    attackers: Classes,
    targets: Classes,
    /// What each square of the target adds, if that is told.
    places: Option<[u32; 64]>,
}

/// A bitboard for each class, and one for kinds that are in none.
type Boards = [Bitboard; PieceKind::COUNT + 1];

impl Classes {
    fn new(parts: &[u32; PieceKind::COUNT]) -> Self {
        let mut classes = Self { of: [PieceKind::COUNT; PieceKind::COUNT], parts: Vec::new() };
        for (of, &part) in classes.of.iter_mut().zip(parts).filter(|(_, part)| **part != NONE) {
            let known = classes.parts.iter().position(|&known| known == part);
            *of = known.unwrap_or(classes.parts.len());
            if known.is_none() {
                classes.parts.push(part);
            }
        }
        classes
    }

    #[inline]
    fn boards(&self, of_kind: impl Fn(PieceKind) -> Bitboard) -> Boards {
        let mut boards = Boards::default();
        for (kind, &class) in PieceKind::all().zip(&self.of) {
            boards[class] |= of_kind(kind);
        }
        boards
    }
}

impl KindThreats {
    /// For threats without a place of the attacker, and without one of the target or with its
    /// square; `None` for others.
    pub(super) fn new(concepts: &[Concept], shape: &Shape) -> Option<Self> {
        let coding = Coding::new(concepts);
        let has_place =
            |part: &[usize]| part.iter().any(|&concept| concepts[concept].axis().is_place());
        let places = has_place(&shape.target).then(|| coding.only(&shape.target).places());
        let is_exact = places.is_none_or(|places| all_distinct(&places));
        let classes = |part: &[usize]| Classes::new(&coding.only(part).kinds());
        (!has_place(&shape.attacker) && is_exact).then(|| Self {
            attackers: classes(&shape.attacker),
            targets: classes(&shape.target),
            places,
        })
    }

    /// What the attackers of each class attack.
    #[inline]
    fn attacked(&self, view: View<'_>) -> Boards {
        let (maps, perspective) = (view.scene().attacks(), view.perspective());
        self.attackers.boards(|kind| *maps.get(kind.side.color(perspective)).get(kind.role))
    }

    /// Where the targets of each class stand.
    #[inline]
    fn standing(&self, view: View<'_>) -> Boards {
        let (board, perspective) = (view.scene().board(), view.perspective());
        self.targets
            .boards(|kind| board.by_role(kind.role) & board.by_color(kind.side.color(perspective)))
    }

    /// The classes of targets that are hit, a bit for each.
    #[inline]
    fn hit(&self, attacked: Bitboard, standing: &Boards) -> u32 {
        let hits = standing[..PieceKind::COUNT].iter().enumerate();
        hits.fold(0, |all, (j, standing)| all | u32::from((attacked & *standing).any()) << j)
    }

    /// Sends the tuples of an attacker and some classes of targets.
    #[inline]
    fn send_kinds<S: Sink>(&self, attacker: u32, mut targets: u32, sink: &mut S) {
        while targets != 0 {
            let target = targets.trailing_zeros() as usize;
            sink.push(attacker + self.targets.parts[target], 1.0);
            targets &= targets - 1;
        }
    }

    /// Sends the tuples of an attacker and a target for each of some squares.
    #[inline]
    fn send_squares<S: Sink>(
        places: &[u32; 64],
        view: View<'_>,
        tuple: u32,
        squares: Bitboard,
        sink: &mut S,
    ) {
        let orientation = view.orientation();
        for square in squares {
            let place = places[orientation.square(square) as usize];
            sink.push_if(place != NONE, tuple.wrapping_add(place));
        }
    }
}

impl Table for KindThreats {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        None
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let (attacked, standing) = (self.attacked(view), self.standing(view));
        for (&attacker, attacked) in self.attackers.parts.iter().zip(attacked) {
            let Some(places) = &self.places else {
                self.send_kinds(attacker, self.hit(attacked, &standing), sink);
                continue;
            };
            for (target, standing) in self.targets.parts.iter().zip(standing) {
                Self::send_squares(places, view, attacker + target, attacked & standing, sink);
            }
        }
    }

    /// Most attackers attack what they did, and most targets stand where they stood: of two such
    /// nothing changes.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let views = [step.before(), step.after()];
        let [attacked_before, attacked_after] = views.map(|view| self.attacked(view));
        let [standing_before, standing_after] = views.map(|view| self.standing(view));
        for (i, &attacker) in self.attackers.parts.iter().enumerate() {
            let (before, after) = (attacked_before[i], attacked_after[i]);
            let Some(places) = &self.places else {
                let old = self.hit(before, &standing_before);
                let new = self.hit(after, &standing_after);
                self.send_kinds(attacker, old & !new, removed);
                self.send_kinds(attacker, new & !old, added);
                continue;
            };
            for (j, &target) in self.targets.parts.iter().enumerate() {
                if before == after && standing_before[j] == standing_after[j] {
                    continue;
                }
                let (old, new) = (before & standing_before[j], after & standing_after[j]);
                Self::send_squares(places, views[0], attacker + target, old & !new, removed);
                Self::send_squares(places, views[1], attacker + target, new & !old, added);
            }
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
