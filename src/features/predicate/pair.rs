//! `pair(…)`: on that line the first piece is followed by the second, with nothing between.
//!
//! "First" is the piece further left, on a file the lower one. A line of k pieces has k − 1 pairs
//! across any gaps; the same pair twice on a line (three pawns in a row) is one feature.
//!
//! Only the *sequence* of pieces on a line matters. A piece that slides along it changes nothing;
//! one that enters, leaves or is exchanged changes only the pairs with its neighbours. A few bit
//! operations find these; the feature changes unless the same pair stands elsewhere on the line,
//! which one addition tests for all squares at once.

mod edit;
mod line;
mod table;

pub(crate) use table::PairTable;

use super::prelude::*;
use crate::tuple_values;
use chess::Square;

pub(crate) struct Pair;

impl Definition for Pair {
    fn entry(&self) -> Entry {
        Entry {
            is_countable: true,
            ..Entry::new(
                "pair",
                "on that line the second piece follows the first, nothing between",
                "pair takes one kind of line (FILES, RANKS, DIAGS1 or DIAGS2) and two pieces, each ROLES and COLORS: `pair(FILES * PIECES * PIECES)`",
                "pair(FILES * PIECES * PIECES)",
            )
        }
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        if let Some(i) = concepts.iter().position(|c| !c.axis().is_line() && !c.axis().is_kind()) {
            return Err(Misuse::stranger("pair", i, concepts[i].axis(), "not a line"));
        }
        let lines: Vec<usize> =
            (0..concepts.len()).filter(|&i| concepts[i].axis().is_line()).collect();
        match lines.as_slice() {
            [] => Err(Misuse::missing("`pair` needs a kind of line", "no line among these")),
            [_] => two_pieces("pair", concepts).map(|_| Tupling::All),
            [_, second, ..] => Err(Misuse::of(
                *second,
                format!("`pair` is given one concept too many: {}", concepts[*second].axis()),
                "too many",
            )),
        }
    }

    /// 32 pieces on as few lines as can hold them.
    fn max_active(&self, concepts: &[Concept], _: Clauses) -> u64 {
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
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let Ok(pieces) = two_pieces("pair", predicate.concepts()) else { return String::new() };
        let words: Vec<(Axis, String)> = predicate.words(index).collect();
        let (axis, line) = &words[line_concept(predicate.concepts())];
        let relation = if *axis == Axis::File { "below" } else { "left of" };
        let [first, second] = pieces.map(|piece| piece_words(&words, &piece));
        format!("{first} next {relation} {second} on {line}")
    }

    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let values = predicate.values(index);
        let [first, second] = tuple_values::two_pieces(&values);
        let mut found = Vec::new();
        for on_line in lines(&values) {
            for (i, &a) in on_line.iter().enumerate() {
                for &b in &on_line[i + 1..] {
                    found.extend(tuple_values::kinds(&first).flat_map(|low| {
                        tuple_values::kinds(&second)
                            .map(move |high| Arrangement::from([(a, low), (b, high)]))
                    }));
                }
            }
        }
        found
    }

    /// Neighbours on the lines that fit the first and the second piece.
    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize {
        let values = predicate.values(index);
        let [first, second] = tuple_values::two_pieces(&values);
        let pairs_on = |line: Vec<Square>| {
            let on_line = line.into_iter().filter_map(|square| facts.view.piece_at(square));
            let on_line: Vec<_> = on_line.collect();
            let next = on_line.windows(2);
            next.filter(|w| {
                tuple_values::is_kind(&first, w[0]) && tuple_values::is_kind(&second, w[1])
            })
            .count()
        };
        lines(&values).map(pairs_on).sum()
    }

    fn compile(&self, predicate: &Predicate, valued: bool) -> Compiled {
        let pieces = two_pieces("pair", predicate.concepts()).unwrap_or_default();
        PairTable::new(predicate.concepts(), &pieces, valued).into()
    }
}

/// The squares of each line of the tuple: left before right, and on a file low before high.
fn lines(values: &tuple_values::TupleValues<'_>) -> impl Iterator<Item = Vec<Square>> {
    let lines = values.iter().filter(|(axis, _)| axis.is_line());
    let lines = lines.flat_map(|&(axis, lines)| lines.iter().map(move |&line| (axis, line)));
    lines.map(|(axis, line)| {
        let is_on = |square: &Square| axis.of_square(*square) == line;
        let mut squares: Vec<Square> = Square::ALL.into_iter().filter(is_on).collect();
        squares.sort_by_key(|square| (square.file(), square.rank()));
        squares
    })
}

/// The concepts of the first and of the second piece: those of kinds, in the order written.
pub(super) fn two_pieces(name: &str, concepts: &[Concept]) -> Result<[Vec<usize>; 2], Misuse> {
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

/// `own pawn`, for either order of role and colour.
pub(super) fn piece_words(words: &[(Axis, String)], piece: &[usize]) -> String {
    let mut words: Vec<(bool, &str)> =
        piece.iter().map(|&i| (words[i].0 == Axis::Role, words[i].1.as_str())).collect();
    words.sort();
    words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" ")
}
