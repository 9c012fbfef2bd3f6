//! Marked squares, or their numbers.

use super::Relation;
use super::classes::{KindClass, changes, touched};
use crate::predicate::prelude::*;
use chess::{Bitboard, Color, Piece, PieceKind, PlacedPiece, Role, Side, Square, View};

/// Marks as tuples: active if any square of the place is marked by any kind
/// of the class. Valued, the value is the number of marks.
#[derive(Clone, Debug)]
pub(crate) struct MarkTable {
    relation: Relation,
    valued: bool,
    /// `[kind][square]`: the tuple that such a mark makes true, or `NONE`.
    tuple: [[u32; 64]; PieceKind::COUNT],
    /// Whether no two marks can make the same tuple true.
    injective: bool,
    /// Squares of the same place, the square itself included.
    same_place: [Bitboard; 64],
    classes: Vec<KindClass>,
    class_of: [Option<u8>; PieceKind::COUNT],
}

impl MarkTable {
    /// Table for checked concepts without a number.
    pub(crate) fn new(relation: Relation, coding: &Coding<'_>, valued: bool) -> Self {
        let (places, kinds) = (coding.places(), coding.kinds());
        let mut tuple = [[NONE; 64]; PieceKind::COUNT];
        for (row, &kind) in tuple.iter_mut().zip(&kinds) {
            for (entry, &place) in row.iter_mut().zip(&places) {
                if place != NONE && kind != NONE {
                    *entry = place + kind;
                }
            }
        }
        let same_place = std::array::from_fn(|a| {
            let equal = |b: &Square| {
                usize::from(*b) == a || (places[a] != NONE && places[usize::from(*b)] == places[a])
            };
            Square::ALL.iter().copied().filter(equal).collect()
        });
        let (classes, class_of) = KindClass::all(&kinds);
        // A square holds one piece, so kinds with shared tuples never collide there.
        let injective =
            all_distinct(&places) && (relation.marks_its_own_square() || all_distinct(&kinds));
        Self { relation, valued, tuple, injective, same_place, classes, class_of }
    }

    /// The tuple that a mark makes true.
    #[inline]
    fn tuple(&self, square: Square, kind: PieceKind) -> Option<u32> {
        let tuple = self.tuple[kind.index()][square as usize];
        (tuple != NONE).then_some(tuple)
    }

    #[inline]
    fn pieces<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let (board, orientation) = (view.scene().board(), view.orientation());
        // One for each square, and a last one that is overwritten.
        let mut tuples = [NONE; 65];
        let mut count = 0;
        for color in Color::ALL {
            let side = Side::seen(color, view.perspective());
            for role in Role::ALL {
                let of_square = &self.tuple[PieceKind { role, side }.index()];
                for square in board.by_role(role) & board.by_color(color) {
                    let tuple = of_square[orientation.square(square) as usize];
                    // Always written, and counted if it is a tuple: no branch.
                    tuples[count] = tuple;
                    count = (count + usize::from(tuple != NONE)).min(64);
                }
            }
        }
        sink.push_all(tuples[..count].iter().copied());
    }

    #[inline]
    fn send<S: Sink>(&self, square: Square, kind: PieceKind, marks: usize, sink: &mut S) {
        let tuple = self.tuple[kind.index()][square as usize];
        if tuple != NONE {
            sink.push(tuple, if self.valued { marks as f32 } else { 1.0 });
        }
    }

    /// Delta of a table in which every mark is a tuple of its own.
    #[inline(never)]
    fn delta_of_marks<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) {
        let (before, after) = (step.before().scene(), step.after().scene());
        let orientation = step.orientation();
        for color in Color::ALL {
            let side = Side::seen(color, step.perspective());
            for role in Role::ALL {
                let piece = Piece { role, color };
                let old = self.relation.squares(before, piece);
                let new = self.relation.squares(after, piece);
                let kind = PieceKind { role, side };
                for square in old & !new {
                    self.send(orientation.square(square), kind, 1, removed);
                }
                for square in new & !old {
                    self.send(orientation.square(square), kind, 1, added);
                }
            }
        }
    }

    /// Delta of a table with shared tuples: one is lost when its last piece leaves and won when its
    /// first arrives.
    #[inline]
    fn delta_of_places<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) {
        let change = step.change();
        self.send_unwitnessed(step.after(), &change.removed, removed);
        self.send_unwitnessed(step.before(), &change.added, added);
    }

    /// Sends the tuples of some pieces that nothing in `view` makes true.
    #[inline(always)]
    fn send_unwitnessed<S: Sink>(&self, view: View<'_>, pieces: &[PlacedPiece], sink: &mut S) {
        let mut known = NONE;
        for placed in pieces {
            let square = view.orientation().square(placed.square);
            let kind = PieceKind::seen(placed.piece, view.perspective());
            let tuple = self.tuple[kind.index()][square as usize];
            let is_new = tuple != NONE && tuple != known;
            // Whether another piece stands there is hard to predict: no branch.
            sink.push_if(is_new && !self.is_active(view, square, kind), tuple);
            known = tuple;
        }
    }

    /// Whether any piece makes the tuple of this mark true.
    #[inline(always)]
    fn is_active(&self, view: View<'_>, square: Square, kind: PieceKind) -> bool {
        let Some(class) = self.class_of[kind.index()] else { return false };
        let class = &self.classes[usize::from(class)];
        let squares = class.squares(Relation::Stands, view.scene(), view.perspective());
        (view.orientation().squares(squares) & self.same_place[square as usize]).any()
    }

    #[inline(never)]
    fn delta_of_sets<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) {
        let touched = touched(self.relation, &self.class_of, self.classes.len(), step);
        for (at, old, new) in changes(self.relation, &self.classes, touched, step) {
            let kind = self.classes[at].first();
            let (old, new) = (step.orientation().squares(old), step.orientation().squares(new));
            let mut rest = old ^ new;
            while let Some(square) = rest.first() {
                let same = self.same_place[square as usize];
                rest &= !same;
                let (before, after) = ((old & same).count(), (new & same).count());
                let differ =
                    if self.valued { before != after } else { (before == 0) != (after == 0) };
                if differ && before > 0 {
                    self.send(square, kind, before, removed);
                }
                if differ && after > 0 {
                    self.send(square, kind, after, added);
                }
            }
        }
    }
}

impl Table for MarkTable {
    #[inline]
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        if self.injective && self.relation == Relation::Stands {
            return self.pieces(view, sink);
        }
        for class in &self.classes {
            let squares = class.squares(self.relation, view.scene(), view.perspective());
            let mut rest = view.orientation().squares(squares);
            while let Some(square) = rest.first() {
                let same = rest & self.same_place[square as usize];
                rest &= !same;
                self.send(square, class.first(), same.count(), sink);
            }
        }
    }

    #[inline(always)]
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        if self.injective && self.relation == Relation::Stands {
            step.exchanged(|square, kind| self.tuple(square, kind), removed, added);
        } else if self.injective {
            self.delta_of_marks(step, removed, added);
        } else if self.relation == Relation::Stands && !self.valued {
            self.delta_of_places(step, removed, added);
        } else {
            self.delta_of_sets(step, removed, added);
        }
        Update::Rows
    }

    fn minimal_causes(&self) -> Option<Vec<(MinimalCause, u32)>> {
        let marks = |kind: PieceKind| {
            Square::ALL.into_iter().filter_map(move |square| {
                Some((MinimalCause::Mark(self.relation, square, kind), self.tuple(square, kind)?))
            })
        };
        (!self.valued).then(|| PieceKind::all().flat_map(marks).collect())
    }

    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        let is_sum = self.relation == Relation::Stands && (self.injective || self.valued);
        is_sum.then_some(self)
    }
}

impl MarkTable {
    /// The tuple in which each piece counts, for a table of piece counts.
    pub(crate) fn counts(&self) -> Option<impl Fn(Square, PieceKind) -> Option<u32> + '_> {
        let is_count = self.relation == Relation::Stands && self.valued;
        is_count.then_some(move |square, kind| self.tuple(square, kind))
    }
}

impl SumOverPieces for MarkTable {
    fn tuple(&self, _: View<'_>, square: Square, kind: PieceKind) -> Option<u32> {
        self.tuple(square, kind)
    }
}
