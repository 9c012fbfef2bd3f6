//! `pair(…)`: on that line the first piece is followed by the second, with
//! nothing between.
//!
//! "First" is the piece further left, on a file the lower one. A line of k
//! pieces has k − 1 pairs, whatever the gaps; the same pair twice on a line
//! (three pawns in a row) is one feature.
//!
//! Only the *sequence* of pieces on a line matters, so a piece that slides
//! along it changes nothing, and one that enters, leaves or is exchanged
//! changes only the pairs with its neighbours. Those are found in a few bit
//! operations; whether the same pair stands elsewhere on the line decides if
//! the feature changes.

use super::coding::{Coding, NONE, all_distinct};
use super::sink::{Sink, Tuples, counted, distinct};
use super::{Misuse, ViewStep, compare};
use crate::chess::{Bitboard, Board, Color, Orientation, PieceKind, Role, Square, View};
use crate::features::concept::{Axis, Concept};
use crate::features::set::Update;

/// How `pair` is used.
pub const USAGE: &str = "pair takes one kind of line (FILES, RANKS, DIAGS1 or DIAGS2) and two pieces, each ROLES and COLORS: `pair(FILES * PIECES * PIECES)`";

/// Checks the concepts.
pub fn check(concepts: &[Concept]) -> Result<(), Misuse> {
    if let Some(i) = concepts.iter().position(|c| !c.axis().is_line() && !c.axis().is_kind()) {
        let axis = concepts[i].axis();
        return Err(Misuse::of(i, format!("`pair` cannot take {axis}"), "not a line"));
    }
    let lines: Vec<usize> = (0..concepts.len()).filter(|&i| concepts[i].axis().is_line()).collect();
    match lines.as_slice() {
        [] => Err(Misuse::missing("`pair` needs a kind of line", "no line among these")),
        [_] => two_pieces("pair", concepts).map(|_| ()),
        [_, second, ..] => Err(Misuse::of(
            *second,
            format!("`pair` is given one concept too many: {}", concepts[*second].axis()),
            "too many",
        )),
    }
}

/// The concepts of the first and of the second piece: those that say a kind,
/// in the order written.
pub fn two_pieces(name: &str, concepts: &[Concept]) -> Result<[Vec<usize>; 2], Misuse> {
    let mut pieces: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for (i, concept) in concepts.iter().enumerate().filter(|(_, c)| c.axis().is_kind()) {
        let fits = |piece: &Vec<usize>| {
            piece.iter().all(|&j: &usize| {
                let other = concepts[j].axis();
                other != concept.axis() && other != Axis::Piece && concept.axis() != Axis::Piece
            })
        };
        match pieces.iter_mut().find(|piece| fits(piece)) {
            Some(piece) => piece.push(i),
            None => {
                let message = format!("`{name}` is given one concept too many: {}", concept.axis());
                return Err(Misuse::of(i, message, "too many"));
            }
        }
    }
    let whole = |piece: &Vec<usize>| {
        piece.len() == 2 || piece.first().is_some_and(|&i| concepts[i].axis() == Axis::Piece)
    };
    if pieces.iter().all(whole) {
        return Ok(pieces);
    }
    let message = format!("`{name}` needs two pieces, each with role and colour");
    Err(Misuse::missing(&message, "not two pieces"))
}

fn line_concept(concepts: &[Concept]) -> usize {
    concepts.iter().position(|concept| concept.axis().is_line()).unwrap_or_default()
}

/// Most pairs on a board: 32 pieces on as few lines as will hold them.
pub fn max_active(concepts: &[Concept]) -> u64 {
    let line = &concepts[line_concept(concepts)];
    let length = |element: u8| {
        Square::ALL.iter().filter(|&&s| line.axis().of_square(s) == element).count() as u64
    };
    let mut lengths: Vec<u64> = line.elements().map(length).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    let mut pieces = 32;
    let mut pairs = 0;
    for length in lengths {
        let here = length.min(pieces);
        pieces -= here;
        pairs += here.saturating_sub(1);
    }
    pairs
}

/// `own pawn next left of other king on rank 4`.
pub fn describe(concepts: &[Concept], classes: &[usize]) -> String {
    let Ok(pieces) = two_pieces("pair", concepts) else { return String::new() };
    let line = line_concept(concepts);
    let relation = if concepts[line].axis() == Axis::File { "below" } else { "left of" };
    format!(
        "{} next {relation} {} on {}",
        piece_words(concepts, classes, &pieces[0]),
        piece_words(concepts, classes, &pieces[1]),
        concepts[line].words(classes[line])
    )
}

/// `own pawn`, whatever the order of role and colour.
pub fn piece_words(concepts: &[Concept], classes: &[usize], piece: &[usize]) -> String {
    let mut words: Vec<(bool, String)> = piece
        .iter()
        .map(|&i| (concepts[i].axis() == Axis::Role, concepts[i].words(classes[i])))
        .collect();
    words.sort();
    words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" ")
}

/// The kinds of all pieces of a board as four bit planes, so that the kind on
/// a square is read without a branch.
#[derive(Clone, Copy)]
struct KindPlanes {
    planes: [u64; 4],
}

impl KindPlanes {
    #[inline]
    fn new(board: &Board, perspective: Color) -> Self {
        let role = |role: Role| board.by_role(role).0;
        Self {
            planes: [
                board.by_color(!perspective).0,
                role(Role::Knight) | role(Role::Rook) | role(Role::King),
                role(Role::Bishop) | role(Role::Rook),
                role(Role::Queen) | role(Role::King),
            ],
        }
    }

    /// [`PieceKind::index`] of the piece on an occupied square.
    #[inline]
    fn kind_at(&self, square: Square) -> usize {
        let bit = |plane: u64| ((plane >> (square as u32)) & 1) as usize;
        let [side, low, middle, high] = self.planes.map(bit);
        side | low << 1 | middle << 2 | high << 3
    }

    /// Those of `occupied` that hold a piece of this kind.
    #[inline]
    fn of_kind(&self, kind: usize, occupied: u64) -> u64 {
        self.planes.iter().enumerate().fold(occupied, |squares, (bit, plane)| {
            squares & if kind >> bit & 1 == 1 { *plane } else { !*plane }
        })
    }
}

/// The pieces of one line of a board, in rising order of squares.
#[derive(Clone, Copy)]
struct Row<'a> {
    kinds: &'a KindPlanes,
    occupied: u64,
}

impl Row<'_> {
    /// Nearest piece on a lower square.
    #[inline]
    fn below(&self, square: Square) -> Option<usize> {
        Bitboard(self.occupied & ((1u64 << square as u32) - 1))
            .last()
            .map(|s| self.kinds.kind_at(s))
    }

    /// Nearest piece on a higher square.
    #[inline]
    fn above(&self, square: Square) -> Option<usize> {
        let higher = !((2u64 << square as u32).wrapping_sub(1));
        Bitboard(self.occupied & higher).first().map(|s| self.kinds.kind_at(s))
    }

    /// Whether a piece of kind `low` is followed by one of kind `high`.
    #[inline]
    fn has(&self, (low, high): (usize, usize)) -> bool {
        if self.kinds.of_kind(high, self.occupied) == 0 {
            return false;
        }
        let lows = Bitboard(self.kinds.of_kind(low, self.occupied));
        lows.into_iter().any(|square| self.above(square) == Some(high))
    }

    /// All pairs, the lower piece first.
    #[inline]
    fn pairs(&self, mut each: impl FnMut((usize, usize))) {
        let mut squares = Bitboard(self.occupied);
        let Some(first) = squares.pop_front() else { return };
        let mut low = self.kinds.kind_at(first);
        for square in squares {
            let high = self.kinds.kind_at(square);
            each((low, high));
            low = high;
        }
    }
}

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

/// The predicate as tables.
#[derive(Clone, Debug)]
pub struct PairTable {
    /// By element of the axis: what the line adds to the index; `NONE` for
    /// lines that are in no tuple.
    line_parts: Vec<u32>,
    /// By [`Orientation::index`].
    lines: [Lines; 4],
    /// What the first and the second piece add to the index, by kind.
    parts: [[u32; PieceKind::COUNT]; 2],
    /// Whether no two pairs of kinds and no two lines make the same tuple true.
    injective: bool,
    valued: bool,
}

impl PairTable {
    /// Tables for checked concepts.
    pub fn new(concepts: &[Concept], pieces: &[Vec<usize>; 2], valued: bool) -> Self {
        let coding = Coding::new(concepts);
        let axis = concepts[line_concept(concepts)].axis();
        let line_parts = coding.along(axis);
        let parts = [coding.only(&pieces[0]).kinds(), coding.only(&pieces[1]).kinds()];
        let injective = [&line_parts[..], &parts[0], &parts[1]].into_iter().all(all_distinct);
        let lines = Orientation::ALL.map(|orientation| Lines::new(axis, orientation));
        Self { line_parts, lines, parts, injective, valued }
    }

    #[inline]
    fn lines(&self, orientation: Orientation) -> &Lines {
        &self.lines[orientation.index()]
    }

    #[inline]
    fn send<S: Sink>(&self, line: u32, reversed: bool, (low, high): (usize, usize), sink: &mut S) {
        let tuple = self.tuple(line, reversed, (low, high));
        if tuple != NONE {
            sink.push(tuple, 1.0);
        }
    }

    /// The tuple that two neighbours make true, or `NONE`.
    #[inline]
    fn tuple(&self, line: u32, reversed: bool, (low, high): Pair) -> u32 {
        let (first, second) = if reversed { (high, low) } else { (low, high) };
        let (a, b) = (self.parts[0][first], self.parts[1][second]);
        if a != NONE && b != NONE { line + a + b } else { NONE }
    }

    /// Active tuples.
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let board = view.scene().board();
        let kinds = KindPlanes::new(board, view.perspective());
        let Lines { squares, reversed, .. } = *self.lines(view.orientation());
        let on = |(&part, squares): (&u32, u64)| {
            (part, Row { kinds: &kinds, occupied: board.occupied().0 & squares })
        };
        let rows = self.line_parts.iter().zip(squares).map(on).filter(|&(part, _)| part != NONE);
        if self.injective && !self.valued {
            return rows.for_each(|(line, row)| self.distinct_pairs(line, row, reversed, sink));
        }
        let mut tuples = Tuples::new();
        for (line, row) in rows {
            row.pairs(|pair| self.send(line, reversed, pair, &mut tuples));
        }
        if self.valued {
            counted(&mut tuples);
        } else {
            distinct(&mut tuples);
        }
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    /// The pairs of a line, each once: they repeat on their own line only.
    #[inline]
    fn distinct_pairs<S: Sink>(&self, line: u32, row: Row<'_>, reversed: bool, sink: &mut S) {
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

    /// Tuples a move switches off and on.
    #[inline(never)]
    pub fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        if !self.injective || self.valued {
            return compare(step, removed, added, |view, list| self.active(view, list));
        }
        let edits = Edits::of(step);
        let lines = self.lines(step.orientation());
        let mut touched = Bitboard(edits.removed | edits.added)
            .into_iter()
            .fold(0u16, |all, square| all | 1 << lines.element[square as usize]);
        while touched != 0 {
            let element = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            let part = self.line_parts[element];
            if part == NONE {
                continue;
            }
            edits.on(lines.squares[element]).changed_pairs(
                |pair| self.send(part, lines.reversed, pair, removed),
                |pair| self.send(part, lines.reversed, pair, added),
            );
        }
        Update::Rows
    }
}

/// A move as bit sets of the unturned board.
struct Edits {
    before: KindPlanes,
    after: KindPlanes,
    occupied_before: u64,
    occupied_after: u64,
    removed: u64,
    added: u64,
}

impl Edits {
    #[inline]
    fn of(step: &ViewStep<'_>) -> Self {
        let (before, after) = (step.before().scene().board(), step.after().scene().board());
        let change = step.change();
        let squares = |placed: &[crate::chess::PlacedPiece]| {
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

    /// The move on one line.
    #[inline]
    fn on(&self, line: u64) -> LineEdit<'_> {
        LineEdit {
            before: Row { kinds: &self.before, occupied: self.occupied_before & line },
            after: Row { kinds: &self.after, occupied: self.occupied_after & line },
            removed: self.removed & line,
            added: self.added & line,
        }
    }
}

/// What a move does to one line.
struct LineEdit<'a> {
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
        kind: usize,
    },
    Entered {
        square: Square,
        kind: usize,
    },
    Exchanged {
        square: Square,
        old: usize,
        new: usize,
    },
    /// Anything else, such as castling along the line.
    Other,
}

type Pair = (usize, usize);

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

    #[inline(always)]
    fn changed_pairs(&self, removed: impl FnMut(Pair), added: impl FnMut(Pair)) {
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
        old: usize,
        new: usize,
        below: Option<usize>,
        above: Option<usize>,
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
    kind: usize,
    below: Option<usize>,
    above: Option<usize>,
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
    kind: usize,
    below: Option<usize>,
    above: Option<usize>,
    only_with: impl FnMut(Pair),
    mut only_without: impl FnMut(Pair),
) {
    // Mostly no other such piece is on the line, and nothing need be looked for.
    let alone = without.kinds.of_kind(kind, without.occupied) == 0;
    around(kind, below, above, |pair| alone || !without.has(pair), only_with);
    if let Some(pair) = below.zip(above)
        && !with.has(pair)
    {
        only_without(pair);
    }
}
