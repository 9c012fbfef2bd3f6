//! Pairs as tables, and their changes in a move.

use super::edit::{Edits, Exchange, LineEdit, Walk};
use super::line::{KINDS, Kinds, Pair, PairRow};
use super::line_concept;
use std::collections::BTreeSet;

use crate::predicate::prelude::*;
use crate::predicate::sink::counted;
use chess::{Bitboard, BoardChange, Color, Orientation, PieceKind, Square, View};

/// The lines of an axis on the unturned board, for one orientation.
#[derive(Clone, Debug)]
struct Lines {
    /// By unturned square: the element whose line it is on.
    element: [u8; 64],
    /// By element: the unturned squares of its line.
    squares: [u64; MOST_LINES],
    /// Whether rising squares run from second to first.
    reversed: bool,
}

impl Lines {
    fn new(axis: Axis, orientation: Orientation) -> Self {
        let element = Square::ALL.map(|square| axis.of_square(orientation.square(square)));
        let mut squares = [0; MOST_LINES];
        for (square, &element) in element.iter().enumerate() {
            squares[usize::from(element)] |= 1 << square;
        }
        let (ranks, files) = (orientation.flips_ranks(), orientation.flips_files());
        let reversed = match axis {
            Axis::File => ranks,
            Axis::Rank => files,
            // Rising squares run right to left on DIAGS1; one flip turns the
            // diagonals into each other.
            axis => ((axis == Axis::Diag1) ^ ranks ^ files) ^ files,
        };
        Self { element, squares, reversed }
    }
}

/// Most lines of an axis: diagonals.
const MOST_LINES: usize = 15;

/// Most pairs on a line of eight squares.
const MOST_PAIRS: usize = 7;

#[derive(Clone, Debug)]
pub(crate) struct PairTable {
    /// Index offset of the line, by element of the axis; `NONE` for lines in no tuple.
    line_parts: Vec<u32>,
    /// By [`Orientation::index`].
    lines: [Lines; 4],
    /// Index offsets of the first and the second piece, by kind; `NONE` for kinds in no tuple.
    parts: [[u32; KINDS]; 2],
    /// Whether different pairs of kinds and lines make different tuples true.
    injective: bool,
    valued: bool,
}

impl PairTable {
    pub(super) fn new(concepts: &[Concept], pieces: &[Vec<usize>; 2], valued: bool) -> Self {
        let coding = Coding::new(concepts);
        let axis = concepts[line_concept(concepts)].axis();
        let line_parts = coding.along(axis);
        let parts = pieces.each_ref().map(|piece| {
            let mut parts = [NONE; KINDS];
            parts[..PieceKind::COUNT].copy_from_slice(&coding.only(piece).kinds());
            parts
        });
        let injective = [&line_parts[..], &parts[0], &parts[1]].into_iter().all(all_distinct);
        let lines = Orientation::ALL.map(|orientation| Lines::new(axis, orientation));
        Self { line_parts, lines, parts, injective, valued }
    }

    #[inline]
    fn lines(&self, orientation: Orientation) -> &Lines {
        &self.lines[orientation.index()]
    }

    #[inline(always)]
    fn send<S: Sink>(&self, wanted: bool, line: u32, reversed: bool, pair: Pair, sink: &mut S) {
        let tuple = self.tuple(line, reversed, pair);
        sink.push_if(wanted & (tuple != NONE), tuple);
    }

    /// The tuple that two neighbours make true, or `NONE`.
    #[inline(always)]
    fn tuple(&self, line: u32, reversed: bool, (low, high): Pair) -> u32 {
        let (first, second) = if reversed { (high, low) } else { (low, high) };
        let (a, b) = (self.parts[0][first], self.parts[1][second]);
        if a != NONE && b != NONE { line + a + b } else { NONE }
    }

    /// The pairs of a line, each once: they repeat on their own line only.
    #[inline]
    fn distinct_pairs<S: Sink>(&self, line: u32, row: PairRow<'_>, reversed: bool, sink: &mut S) {
        let mut known = [NONE; MOST_PAIRS];
        let mut count = 0;
        row.pairs(|pair| {
            let tuple = self.tuple(line, reversed, pair);
            if tuple != NONE && !known[..count].contains(&tuple) {
                known[count] = tuple;
                count += 1;
            }
        });
        sink.push_all(known[..count].iter().copied());
    }
}

impl Table for PairTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let board = view.scene().board();
        let kinds = Kinds::new(board, view.perspective());
        let Lines { squares, reversed, .. } = *self.lines(view.orientation());
        let on = |(&part, squares): (&u32, u64)| (part, kinds.on(squares));
        let rows = self.line_parts.iter().zip(squares).map(on).filter(|&(part, _)| part != NONE);
        if self.injective && !self.valued {
            return rows.for_each(|(line, row)| self.distinct_pairs(line, row, reversed, sink));
        }
        let mut tuples = Tuples::new();
        for (line, row) in rows {
            row.pairs(|pair| self.send(true, line, reversed, pair, &mut tuples));
        }
        if self.valued {
            counted(&mut tuples);
        } else {
            distinct(&mut tuples);
        }
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    #[inline(never)]
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        if !self.injective || self.valued {
            return compare(self, step, removed, added);
        }
        let lines = self.lines(step.orientation());
        let edited = Edited { table: self, lines, boards: Edits::of(step) };
        match Walk::of(step.change(), step.perspective()) {
            Some(walk) => edited.by_walk(&walk, removed, added),
            None => edited.by_others(step.change(), removed, added),
        }
        Update::Rows
    }

    fn minimal_causes(&self) -> Option<Vec<(MinimalCause, u32)>> {
        if self.valued {
            return None;
        }
        let lines = self.lines(Orientation::of(Color::White));
        let mut minimal_causes = Vec::new();
        for (&part, &squares) in self.line_parts.iter().zip(&lines.squares) {
            for low in PieceKind::all().filter(|_| part != NONE) {
                for high in PieceKind::all() {
                    let tuple = self.tuple(part, lines.reversed, (low.index(), high.index()));
                    let cause = MinimalCause::Pair { line: Bitboard(squares), kinds: [low, high] };
                    minimal_causes.extend((tuple != NONE).then_some((cause, tuple)));
                }
            }
        }
        Some(minimal_causes)
    }
}

/// A move on the lines of a table.
struct Edited<'a> {
    table: &'a PairTable,
    lines: &'a Lines,
    boards: Edits,
}

impl Edited<'_> {
    #[inline(always)]
    fn by_walk<S: Sink>(&self, walk: &Walk, removed: &mut S, added: &mut S) {
        let [from, to] = [walk.from, walk.to].map(|square| self.lines.element[square as usize]);
        if from == to {
            self.by_walk_along(from, walk, removed, added);
            return;
        }
        if let Some(line) = self.line(from) {
            line.exchange(line.edit.left(walk), removed, added);
        }
        if let Some(line) = self.line(to) {
            line.exchange(line.edit.entered(walk), removed, added);
        }
    }

    #[inline(always)]
    fn by_walk_along<S: Sink>(&self, element: u8, walk: &Walk, removed: &mut S, added: &mut S) {
        let Some(line) = self.line(element).filter(|_| walk.changes_pieces()) else { return };
        match line.edit.along(walk) {
            Some(exchange) => line.exchange(exchange, removed, added),
            None => line.compare(removed, added),
        }
    }

    /// Castling and en passant, by comparison of their lines.
    #[cold]
    fn by_others<S: Sink>(&self, change: &BoardChange, removed: &mut S, added: &mut S) {
        let placed = change.removed.iter().chain(&change.added);
        let touched: BTreeSet<u8> =
            placed.map(|placed| self.lines.element[placed.square as usize]).collect();
        let lines = touched.into_iter().filter_map(|element| self.line(element));
        lines.for_each(|line| line.compare(removed, added));
    }

    /// `None` if the line is in no tuple.
    #[inline(always)]
    fn line(&self, element: u8) -> Option<EditedLine<'_>> {
        let part = self.table.line_parts[usize::from(element)];
        let edit = self.boards.on(self.lines.squares[usize::from(element)]);
        let reversed = self.lines.reversed;
        (part != NONE).then_some(EditedLine { table: self.table, part, reversed, edit })
    }
}

struct EditedLine<'a> {
    table: &'a PairTable,
    part: u32,
    reversed: bool,
    edit: LineEdit<'a>,
}

impl EditedLine<'_> {
    #[inline(always)]
    fn exchange<S: Sink>(&self, exchange: Exchange, removed: &mut S, added: &mut S) {
        self.edit.lost(&exchange, |is_lost, pair| self.send(is_lost, pair, removed));
        self.edit.won(&exchange, |is_won, pair| self.send(is_won, pair, added));
    }

    #[cold]
    fn compare<S: Sink>(&self, removed: &mut S, added: &mut S) {
        let [lost, won] = self.edit.compared();
        lost.into_iter().for_each(|pair| self.send(true, pair, removed));
        won.into_iter().for_each(|pair| self.send(true, pair, added));
    }

    #[inline(always)]
    fn send<S: Sink>(&self, wanted: bool, pair: Pair, sink: &mut S) {
        self.table.send(wanted, self.part, self.reversed, pair, sink);
    }
}
