//! Changes of the pairs of a line in a move.

use super::line::{Kind, Kinds, Pair, PairRow};
use crate::predicate::ViewStep;
use arrayvec::ArrayVec;
use chess::{BoardChange, Color, PieceKind, PlacedPiece, Square};

/// The boards before and after a move, as one side sees their pieces; squares are not turned.
pub(super) struct Edits {
    before: Kinds,
    after: Kinds,
}

impl Edits {
    #[inline(always)]
    pub(super) fn of(step: &ViewStep<'_>) -> Self {
        let kinds = |view: chess::View<'_>| Kinds::new(view.scene().board(), step.perspective());
        Self { before: kinds(step.before()), after: kinds(step.after()) }
    }

    #[inline(always)]
    pub(super) fn on(&self, line: u64) -> LineEdit<'_> {
        LineEdit { before: self.before.on(line), after: self.after.on(line) }
    }
}

/// A piece that goes from one square to another: all of most moves.
pub(super) struct Walk {
    pub(super) from: Square,
    pub(super) to: Square,
    walker: Kind,
    captured: Option<Kind>,
    /// The piece on the target: another one, if a pawn promotes.
    lands_as: Kind,
}

impl Walk {
    /// `None` if two pieces move, or one captures elsewhere than on its target.
    #[inline(always)]
    pub(super) fn of(change: &BoardChange, perspective: Color) -> Option<Self> {
        let kind = |placed: &PlacedPiece| PieceKind::seen(placed.piece, perspective).index();
        let [landed] = change.added.as_slice() else { return None };
        let (walker, captured) = match change.removed.as_slice() {
            [walker] => (walker, None),
            [walker, captured] if captured.square == landed.square => {
                (walker, Some(kind(captured)))
            }
            _ => return None,
        };
        Some(Self {
            from: walker.square,
            to: landed.square,
            walker: kind(walker),
            captured,
            lands_as: kind(landed),
        })
    }

    /// Whether a line along which it goes has other pieces after it.
    #[inline(always)]
    pub(super) fn changes_pieces(&self) -> bool {
        self.captured.is_some() || self.walker != self.lands_as
    }
}

/// A line before and after a move.
pub(super) struct LineEdit<'a> {
    before: PairRow<'a>,
    after: PairRow<'a>,
}

/// Change of the sequence of pieces on a line in most moves: between two neighbours, or one, or
/// none, the new piece replaces the old.
pub(super) struct Exchange {
    below: Kind,
    old: Option<Kind>,
    new: Option<Kind>,
    above: Kind,
}

impl LineEdit<'_> {
    /// A walk that ends on another line.
    #[inline(always)]
    pub(super) fn left(&self, walk: &Walk) -> Exchange {
        self.exchange(walk.from, Some(walk.walker), None)
    }

    /// A walk that begins on another line.
    #[inline(always)]
    pub(super) fn entered(&self, walk: &Walk) -> Exchange {
        self.exchange(walk.to, walk.captured, Some(walk.lands_as))
    }

    /// A walk along the line; `None` if it changes two places of the sequence.
    #[inline(always)]
    pub(super) fn along(&self, walk: &Walk) -> Option<Exchange> {
        let is_same = walk.walker == walk.lands_as;
        match walk.captured {
            // Its path is empty.
            None => Some(self.exchange(walk.from, Some(walk.walker), Some(walk.lands_as))),
            // A piece that captures its neighbour takes its place in the sequence.
            captured => is_same.then(|| self.exchange(walk.to, captured, None)),
        }
    }

    /// Exchange on a square with the same neighbours before and after.
    #[inline(always)]
    fn exchange(&self, square: Square, old: Option<Kind>, new: Option<Kind>) -> Exchange {
        let (below, above) = (self.before.below(square), self.before.above(square));
        Exchange { below, old, new, above }
    }

    /// The pairs that an exchange may take from the line, each with whether it does. Branchless: no
    /// branch would be predictable.
    #[inline(always)]
    pub(super) fn lost(&self, exchange: &Exchange, send: impl FnMut(bool, Pair)) {
        around(exchange.below, exchange.old, exchange.above, &self.after, send);
    }

    /// The pairs that an exchange adds to the line.
    #[inline(always)]
    pub(super) fn won(&self, exchange: &Exchange, send: impl FnMut(bool, Pair)) {
        around(exchange.below, exchange.new, exchange.above, &self.before, send);
    }

    /// The pairs of the line before without those after, and the other way round.
    #[cold]
    pub(super) fn compared(&self) -> [Pairs; 2] {
        let list = |row: &PairRow<'_>| {
            let mut pairs = Pairs::new();
            row.pairs(|pair| {
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            });
            pairs
        };
        let without = |pairs: &Pairs, others: &Pairs| -> Pairs {
            pairs.iter().copied().filter(|pair| !others.contains(pair)).collect()
        };
        let (before, after) = (list(&self.before), list(&self.after));
        [without(&before, &after), without(&after, &before)]
    }
}

/// Pairs of a line: at most seven on eight squares.
pub(super) type Pairs = ArrayVec<Pair, 7>;

/// The pairs of two neighbours with the piece between them, or with each other without one. Pairs
/// that `other` has too do not change.
#[inline(always)]
fn around(
    below: Kind,
    kind: Option<Kind>,
    above: Kind,
    other: &PairRow<'_>,
    mut send: impl FnMut(bool, Pair),
) {
    let lower = (below, kind.unwrap_or(above));
    send(!other.has(lower), lower);
    if let Some(kind) = kind {
        let upper = (kind, above);
        // Between two of its own kind a piece makes the same pair twice.
        send((lower != upper) & !other.has(upper), upper);
    }
}
