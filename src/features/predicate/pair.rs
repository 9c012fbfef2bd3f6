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

mod edit;
mod line;

use edit::Edits;
use line::{KindPlanes, Pair, Row};

use super::atom::Atom;
use super::coding::{Coding, NONE, all_distinct};
use super::sink::{Sink, Tuples, counted, distinct};
use super::{Misuse, ViewStep, compare};
use crate::concept::{Axis, Concept};
use crate::feature::Update;
use chess::{Bitboard, Color, Orientation, PieceKind, Square, View};

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

    /// The tuple of every pair on every line; `None` of a table that counts pairs.
    pub fn atoms(&self) -> Option<Vec<(Atom, u32)>> {
        if self.valued {
            return None;
        }
        let lines = self.lines(Orientation::of(Color::White));
        let mut atoms = Vec::new();
        for (&part, &squares) in self.line_parts.iter().zip(&lines.squares) {
            for low in PieceKind::all().filter(|_| part != NONE) {
                for high in PieceKind::all() {
                    let tuple = self.tuple(part, lines.reversed, (low.index(), high.index()));
                    let atom = Atom::Pair { line: Bitboard(squares), kinds: [low, high] };
                    atoms.extend((tuple != NONE).then_some((atom, tuple)));
                }
            }
        }
        Some(atoms)
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
