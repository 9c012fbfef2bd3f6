//! A move as features see it, from one side.

use super::sink::Sink;
use crate::feature::Step;
use chess::{BoardChange, Color, Orientation, PieceKind, PlacedPiece, Square, View};

/// A move as one perspective sees it, the same way before and after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewStep<'a> {
    before: View<'a>,
    after: View<'a>,
    change: &'a BoardChange,
}

impl<'a> ViewStep<'a> {
    /// `step` as `perspective` sees it.
    #[inline]
    pub(crate) fn new(step: Step<'a>, perspective: Color) -> Self {
        Self {
            before: View::new(step.before, perspective),
            after: View::new(step.after, perspective),
            change: step.change,
        }
    }

    /// The move with the own king on files a to d; `None` if it crosses over,
    /// which turns everything.
    #[inline]
    pub(crate) fn mirrored(&self) -> Option<Self> {
        let (before, after) = (self.before.mirrored(), self.after.mirrored());
        let same = before.orientation() == after.orientation();
        same.then_some(Self { before, after, change: self.change })
    }

    #[inline]
    pub(crate) fn before(&self) -> View<'a> {
        self.before
    }

    #[inline]
    pub(crate) fn after(&self) -> View<'a> {
        self.after
    }

    /// Pieces that the move takes off and puts on, not turned.
    #[inline]
    pub(crate) fn change(&self) -> &'a BoardChange {
        self.change
    }

    #[inline]
    pub(crate) fn perspective(&self) -> Color {
        self.before.perspective()
    }

    #[inline]
    pub(crate) fn orientation(&self) -> Orientation {
        self.before.orientation()
    }

    /// Pieces taken off, as seen.
    #[inline]
    pub(crate) fn removed(&self) -> impl Iterator<Item = (Square, PieceKind)> + use<'a> {
        self.seen(&self.change.removed)
    }

    /// Pieces put on, as seen.
    #[inline]
    pub(crate) fn added(&self) -> impl Iterator<Item = (Square, PieceKind)> + use<'a> {
        self.seen(&self.change.added)
    }

    /// Sends the tuples of the pieces taken off and of those put on, for predicates in which no two
    /// pieces share a tuple. A tuple that one piece loses and another gains (a capture within a
    /// class of pieces, a king that castles without moving) does not change.
    #[inline(always)]
    pub(super) fn exchanged<S: Sink>(
        &self,
        tuple: impl Fn(Square, PieceKind) -> Option<u32>,
        removed: &mut S,
        added: &mut S,
    ) {
        let of = |placed: &PlacedPiece| {
            let kind = PieceKind::seen(placed.piece, self.perspective());
            tuple(self.orientation().square(placed.square), kind)
        };
        let (off, on) = (self.change.removed.as_slice(), self.change.added.as_slice());
        if let ([from], [to]) = (off, on) {
            of(from).into_iter().for_each(|tuple| removed.push(tuple, 1.0));
            of(to).into_iter().for_each(|tuple| added.push(tuple, 1.0));
            return;
        }
        // No more than two go and two come.
        let tuples = |pieces: &[PlacedPiece]| {
            let mut tuples = [None; 2];
            tuples.iter_mut().zip(pieces).for_each(|(tuple, placed)| *tuple = of(placed));
            tuples
        };
        let (lost, won) = (tuples(off), tuples(on));
        let is_among = |at: Square,
                        tuple: u32,
                        others: &[PlacedPiece],
                        theirs: [Option<u32>; 2]| {
            others.iter().zip(theirs).any(|(other, its)| other.square == at && its == Some(tuple))
        };
        for (placed, tuple) in off.iter().zip(lost) {
            if let Some(tuple) = tuple.filter(|&tuple| !is_among(placed.square, tuple, on, won)) {
                removed.push(tuple, 1.0);
            }
        }
        for (placed, tuple) in on.iter().zip(won) {
            if let Some(tuple) = tuple.filter(|&tuple| !is_among(placed.square, tuple, off, lost)) {
                added.push(tuple, 1.0);
            }
        }
    }

    #[inline]
    fn seen(
        &self,
        pieces: &'a [PlacedPiece],
    ) -> impl Iterator<Item = (Square, PieceKind)> + use<'a> {
        let (orientation, perspective) = (self.orientation(), self.perspective());
        pieces.iter().map(move |placed| {
            (orientation.square(placed.square), PieceKind::seen(placed.piece, perspective))
        })
    }
}
