//! `pair(…)`: on that line the first piece is followed by the second, with
//! nothing between.
//!
//! "First" is the piece further left, on a file the lower one. A line of k
//! pieces has k − 1 pairs, whatever the gaps; the same pair twice on a line
//! (three pawns in a row) is one feature. Only the lines through the squares
//! of a move can change, and a line has at most eight pieces, so both of its
//! pair sets are read off the board and compared as bit sets.

use super::{Indices, Misuse, ViewStep, describe_place};
use crate::chess::{Bitboard, PieceKind, Square, View};
use crate::features::concept::{self, Axis, Concept};

/// How `pair` is used.
pub const USAGE: &str = "pair takes one kind of line (FILES, RANKS, DIAGS1 or DIAGS2) and two pieces, each ROLES and COLORS: `pair(FILES * PIECES * PIECES)`";

/// Checks the concepts.
pub fn check(concepts: &[Concept]) -> Result<(), Misuse> {
    let mut lines = 0;
    let (mut roles, mut colors) = (0, 0);
    for (i, concept) in concepts.iter().enumerate() {
        let (count, most) = match concept.axis() {
            Axis::Role => (&mut roles, 2),
            Axis::Color => (&mut colors, 2),
            axis if axis.is_line() => (&mut lines, 1),
            axis => {
                return Err(Misuse::of(
                    i,
                    format!("`pair` cannot take {}", axis.name()),
                    "not a line",
                ));
            }
        };
        *count += 1;
        if *count > most {
            let name = concept.axis().name();
            return Err(Misuse::of(
                i,
                format!("`pair` is given one concept too many: {name}"),
                "too many",
            ));
        }
    }
    match (lines, roles, colors) {
        (1, 2, 2) => Ok(()),
        (0, ..) => Err(Misuse::missing("`pair` needs a kind of line", "no line among these")),
        _ => Err(Misuse::missing(
            "`pair` needs two pieces, each with role and colour",
            "not two pieces",
        )),
    }
}

/// Which of the concepts says what, in the order written: the first role and
/// colour belong to the first piece.
struct Shape {
    line: usize,
    role: [usize; 2],
    color: [usize; 2],
}

impl Shape {
    fn of(concepts: &[Concept]) -> Self {
        let nth = |axis: Axis, n: usize| {
            (0..concepts.len()).filter(|&i| concepts[i].axis() == axis).nth(n).unwrap_or_default()
        };
        Self {
            line: (0..concepts.len()).find(|&i| concepts[i].axis().is_line()).unwrap_or_default(),
            role: [nth(Axis::Role, 0), nth(Axis::Role, 1)],
            color: [nth(Axis::Color, 0), nth(Axis::Color, 1)],
        }
    }
}

/// Most pairs on a board: 32 pieces on as few lines as will hold them.
pub fn max_active(concepts: &[Concept]) -> u64 {
    let line = &concepts[Shape::of(concepts).line];
    let mut lengths: Vec<u64> =
        line.elements().iter().map(|&e| squares_of(line.axis(), e).count() as u64).collect();
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

/// `own pawn left of other king on rank 4`.
pub fn describe(concepts: &[Concept], tuple: &[u8]) -> String {
    let shape = Shape::of(concepts);
    let word = |i: usize| concepts[i].axis().word(tuple[i]);
    let piece = |n: usize| format!("{} {}", word(shape.color[n]), word(shape.role[n]));
    let axis = concepts[shape.line].axis();
    let relation = if axis == Axis::File { "below" } else { "left of" };
    let line = describe_place(axis, tuple[shape.line]);
    format!("{} next {relation} {} on {line}", piece(0), piece(1))
}

/// All squares of a line.
fn squares_of(axis: Axis, element: u8) -> Bitboard {
    Square::ALL.iter().copied().filter(|&square| axis.of_square(square) == element).collect()
}

/// A set of (first kind, second kind) pairs, 144 of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PairSet([u64; 3]);

impl PairSet {
    /// Adds a pair of kind indices.
    #[inline]
    fn insert(&mut self, first: usize, second: usize) {
        let pair = first * PieceKind::COUNT + second;
        self.0[pair / 64] |= 1 << (pair % 64);
    }

    /// Members that `other` lacks.
    #[inline]
    fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Members as (first kind index, second kind index).
    #[inline]
    fn iter(self) -> impl Iterator<Item = (usize, usize)> {
        self.0.into_iter().enumerate().flat_map(|(word, bits)| {
            Bitboard(bits).into_iter().map(move |bit| {
                let pair = word * 64 + usize::from(bit);
                (pair / PieceKind::COUNT, pair % PieceKind::COUNT)
            })
        })
    }
}

/// A line of the board in this feature set.
#[derive(Clone, Debug)]
struct Line {
    squares: Bitboard,
    /// What the line adds to the index.
    part: u32,
}

/// The predicate as tables.
#[derive(Clone, Debug)]
pub struct PairTable {
    axis: Axis,
    /// By element of the axis; `None` for lines that are in no tuple.
    lines: Vec<Option<Line>>,
    /// What the first and the second piece add to the index, by kind.
    parts: [[Option<u32>; PieceKind::COUNT]; 2],
}

impl PairTable {
    /// Tables for checked concepts.
    pub fn new(concepts: &[Concept]) -> Self {
        let shape = Shape::of(concepts);
        let strides = super::strides(concepts);
        let line = &concepts[shape.line];
        let axis = line.axis();
        let lines = (0..axis.size())
            .map(|element| {
                line.position(element).map(|position| Line {
                    squares: squares_of(axis, element),
                    part: position as u32 * strides[shape.line],
                })
            })
            .collect();
        let part = |n: usize, kind: PieceKind| {
            let (role, color) = (&concepts[shape.role[n]], &concepts[shape.color[n]]);
            let role_at = role.elements().iter().position(|&e| concept::role(e) == kind.role)?;
            let color_at = color.elements().iter().position(|&e| concept::side(e) == kind.side)?;
            Some(
                role_at as u32 * strides[shape.role[n]] + color_at as u32 * strides[shape.color[n]],
            )
        };
        let parts = [0, 1].map(|n| {
            let mut by_kind = [None; PieceKind::COUNT];
            for kind in PieceKind::all() {
                by_kind[kind.index()] = part(n, kind);
            }
            by_kind
        });
        Self { axis, lines, parts }
    }

    /// Active tuples.
    #[inline]
    pub fn active(&self, view: &View, out: &mut Indices) {
        for line in self.lines.iter().flatten() {
            self.tuples(line, self.pairs_on(line, view), out);
        }
    }

    /// Tuples a move switches off and on.
    #[inline]
    pub fn delta(&self, step: &ViewStep<'_>, removed: &mut Indices, added: &mut Indices) {
        let mut touched = 0u16;
        for (square, _) in step.removed().chain(step.added()) {
            touched |= 1 << self.axis.of_square(square);
        }
        while touched != 0 {
            let element = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            let Some(line) = &self.lines[element] else { continue };
            let before = self.pairs_on(line, step.before());
            let after = self.pairs_on(line, step.after());
            self.tuples(line, before.without(after), removed);
            self.tuples(line, after.without(before), added);
        }
    }

    /// Neighbours on a line, first to second.
    #[inline]
    fn pairs_on(&self, line: &Line, view: &View) -> PairSet {
        let mut pairs = PairSet::default();
        let kinds = view.kinds();
        let mut squares = line.squares & view.occupied();
        let Some(first) = squares.pop_front() else { return pairs };
        let mut previous = kinds.index_at(first);
        for square in squares {
            let kind = kinds.index_at(square);
            // Squares come in rising order, which runs right to left on DIAGS1.
            let (a, b) = if self.axis == Axis::Diag1 { (kind, previous) } else { (previous, kind) };
            pairs.insert(a, b);
            previous = kind;
        }
        pairs
    }

    #[inline]
    fn tuples(&self, line: &Line, pairs: PairSet, out: &mut Indices) {
        for (first, second) in pairs.iter() {
            if let (Some(a), Some(b)) = (self.parts[0][first], self.parts[1][second]) {
                out.push(line.part + a + b);
            }
        }
    }
}
