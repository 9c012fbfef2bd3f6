//! What a move does to the pairs of a line.

use super::line::{Kind, KindPlanes, Pair, Row};
use crate::predicate::ViewStep;
use chess::{Bitboard, PlacedPiece, Square};

/// A move as bit sets of the unturned board.
pub(super) struct Edits {
    before: KindPlanes,
    after: KindPlanes,
    occupied_before: u64,
    occupied_after: u64,
    /// Squares that lose a piece.
    pub removed: u64,
    /// Squares that get one.
    pub added: u64,
}

impl Edits {
    #[inline]
    pub(super) fn of(step: &ViewStep<'_>) -> Self {
        let (before, after) = (step.before().scene().board(), step.after().scene().board());
        let change = step.change();
        let squares = |placed: &[PlacedPiece]| {
            placed.iter().fold(0, |all, piece| all | 1u64 << piece.square as u32)
        };
        Self {
            before: KindPlanes::new(before, step.perspective()),
            after: KindPlanes::new(after, step.perspective()),
            occupied_before: before.occupied().0,
            occupied_after: after.occupied().0,
            removed: squares(&change.removed),
            added: squares(&change.added),
        }
    }

    #[inline]
    pub(super) fn on(&self, line: u64) -> LineEdit<'_> {
        LineEdit {
            before: Row { kinds: &self.before, occupied: self.occupied_before & line },
            after: Row { kinds: &self.after, occupied: self.occupied_after & line },
            removed: self.removed & line,
            added: self.added & line,
        }
    }
}

pub(super) struct LineEdit<'a> {
    before: Row<'a>,
    after: Row<'a>,
    removed: u64,
    added: u64,
}

/// What a move does to the sequence of pieces on a line.
enum Sequence {
    Unchanged,
    Left {
        square: Square,
        kind: Kind,
    },
    Entered {
        square: Square,
        kind: Kind,
    },
    Exchanged {
        square: Square,
        old: Kind,
        new: Kind,
    },
    /// Anything else, such as castling along the line.
    Other,
}

impl LineEdit<'_> {
    #[inline(always)]
    fn sequence(&self) -> Sequence {
        let (left, entered) = (Bitboard(self.removed), Bitboard(self.added));
        match (left.first(), entered.first()) {
            _ if left.more_than_one() || entered.more_than_one() => self.capture_along_line(),
            (Some(square), None) => {
                Sequence::Left { square, kind: self.before.kinds.kind_at(square) }
            }
            (None, Some(square)) => {
                Sequence::Entered { square, kind: self.after.kinds.kind_at(square) }
            }
            (Some(from), Some(to)) => {
                let (old, new) = (self.before.kinds.kind_at(from), self.after.kinds.kind_at(to));
                // Along a line a piece only moves past empty squares.
                if old == new {
                    Sequence::Unchanged
                } else {
                    Sequence::Exchanged { square: from, old, new }
                }
            }
            (None, None) => Sequence::Unchanged,
        }
    }

    /// A piece that takes its neighbour leaves the sequence without it.
    #[cold]
    fn capture_along_line(&self) -> Sequence {
        let captured = Bitboard(self.removed & self.added);
        let from = Bitboard(self.removed & !self.added);
        let (Some(square), Some(mover)) = (captured.single_square(), from.single_square()) else {
            return Sequence::Other;
        };
        let kept = self.added == captured.0
            && self.after.kinds.kind_at(square) == self.before.kinds.kind_at(mover);
        if !kept {
            return Sequence::Other;
        }
        Sequence::Left { square, kind: self.before.kinds.kind_at(square) }
    }

    /// Sends the pairs that the line loses and those that it gets.
    #[inline(always)]
    pub(super) fn changed_pairs(&self, removed: impl FnMut(Pair), added: impl FnMut(Pair)) {
        match self.sequence() {
            Sequence::Unchanged => {}
            Sequence::Left { square, kind } => {
                let (below, above) = (self.before.below(square), self.before.above(square));
                exchange(&self.before, &self.after, kind, below, above, removed, added);
            }
            Sequence::Entered { square, kind } => {
                let (below, above) = (self.after.below(square), self.after.above(square));
                exchange(&self.after, &self.before, kind, below, above, added, removed);
            }
            Sequence::Exchanged { square, old, new } => {
                let (below, above) = (self.before.below(square), self.before.above(square));
                self.replaced(old, new, below, above, removed, added);
            }
            Sequence::Other => self.compared(removed, added),
        }
    }

    #[inline(always)]
    fn replaced(
        &self,
        old: Kind,
        new: Kind,
        below: Option<Kind>,
        above: Option<Kind>,
        removed: impl FnMut(Pair),
        added: impl FnMut(Pair),
    ) {
        around(old, below, above, |pair| !self.after.has(pair), removed);
        around(new, below, above, |pair| !self.before.has(pair), added);
    }

    /// All pairs of the line before and after; a line has at most seven.
    #[cold]
    fn compared(&self, mut removed: impl FnMut(Pair), mut added: impl FnMut(Pair)) {
        let list = |row: &Row<'_>| {
            let mut pairs = arrayvec::ArrayVec::<Pair, 8>::new();
            row.pairs(|pair| {
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            });
            pairs
        };
        let (before, after) = (list(&self.before), list(&self.after));
        before.iter().filter(|pair| !after.contains(pair)).for_each(|&pair| removed(pair));
        after.iter().filter(|pair| !before.contains(pair)).for_each(|&pair| added(pair));
    }
}

/// The pairs that a piece of `kind` makes with its neighbours, if `counts`.
#[inline(always)]
fn around(
    kind: Kind,
    below: Option<Kind>,
    above: Option<Kind>,
    counts: impl Fn(Pair) -> bool,
    mut send: impl FnMut(Pair),
) {
    if let Some(low) = below
        && counts((low, kind))
    {
        send((low, kind));
    }
    // Between two of its own kind a piece makes the same pair twice.
    if let Some(high) = above
        && !(high == kind && below == Some(kind))
        && counts((kind, high))
    {
        send((kind, high));
    }
}

/// The pairs of a line that has a piece of `kind`, `with`, and of the same
/// line that lacks it, `without`: those with its neighbours go to `only_with`,
/// that between its neighbours to `only_without`, unless both lines have them.
#[inline(always)]
fn exchange(
    with: &Row<'_>,
    without: &Row<'_>,
    kind: Kind,
    below: Option<Kind>,
    above: Option<Kind>,
    only_with: impl FnMut(Pair),
    mut only_without: impl FnMut(Pair),
) {
    // Mostly no other such piece is on the line, and nothing need be looked for.
    let alone = without.kinds.of_kind(kind, without.occupied) == 0;
    around(kind, below, above, |pair| alone || !without.has(pair), only_with);
    if let Some(pair @ (low, high)) = below.zip(above) {
        // The lower neighbour is followed by the piece; another like it is rare.
        let several = with.kinds.of_kind(low, with.occupied).count_ones() > 1;
        if high != kind && !(several && with.has(pair)) {
            only_without(pair);
        }
    }
}
