//! Meaning of an index, in words and on a board.

use std::fmt::Write;

use serde::Serialize;

use crate::cli::Failure;
use chess::{Bitboard, Color, Piece, PieceKind, Square};
use features::picture::{Subject, subjects};
use features::{Feature, FeatureSet, Possibilities};
use report::board::{draw_signs, figurine};

/// A feature with its pieces and squares.
#[derive(Serialize)]
pub(super) struct Meaning {
    index: u32,
    block: String,
    says: String,
    possible: bool,
    subjects: Vec<SubjectText>,
    #[serde(skip)]
    set: String,
}

/// A piece of a feature, with its squares.
#[derive(Serialize)]
struct SubjectText {
    what: String,
    squares: Vec<String>,
    #[serde(skip)]
    subject: Subject,
}

/// Meanings of some indices.
pub(super) fn of_all(set: &FeatureSet, indices: &[u32]) -> Result<Vec<Meaning>, Failure> {
    let possible = Possibilities::of(set.expr());
    indices.iter().map(|&index| of(set, &possible, index)).collect()
}

fn of(set: &FeatureSet, possible: &Possibilities, index: u32) -> Result<Meaning, Failure> {
    let block = set.summand_of(index.into()).map_err(|error| Failure::usage(error.to_string()))?;
    let text = |subject: Subject| SubjectText {
        what: subject.what.clone(),
        squares: subject.squares.into_iter().map(|square| square.to_string()).collect(),
        subject,
    };
    Ok(Meaning {
        index,
        block: block.text.clone(),
        says: set.describe(Feature(index)),
        possible: possible.is_possible(index),
        subjects: subjects(set.expr(), u64::from(index)).into_iter().map(text).collect(),
        set: set.expression().to_owned(),
    })
}

/// The same for people.
pub(super) fn text(meanings: &[Meaning]) -> String {
    meanings.iter().map(one).collect()
}

fn one(meaning: &Meaning) -> String {
    let Meaning { index, set, says, .. } = meaning;
    let mut out = format!("index {index} of {set} = {says}\n");
    if !meaning.possible {
        out.push_str("impossible in legal positions\n");
    }
    let seen: Vec<(char, &Subject)> = ('①'..)
        .zip(&meaning.subjects)
        .filter(|(_, text)| text.subject.squares.any())
        .map(|(number, text)| (sign(number, &text.subject), &text.subject))
        .collect();
    if seen.is_empty() {
        return out;
    }
    out.push_str(&draw_signs(|square| {
        seen.iter().find(|(_, subject)| subject.squares.contains(square)).map(|(sign, _)| *sign)
    }));
    for (sign, subject) in seen {
        let _ = writeln!(out, "  {sign} {}: {}", subject.what, listed(subject.squares));
    }
    out.push('\n');
    out
}

/// A single piece on a single square is drawn as a figurine; subjects with several squares or
/// kinds by their number.
fn sign(number: char, subject: &Subject) -> char {
    match (subject.kinds.as_slice(), subject.squares.count()) {
        (&[PieceKind { role, side }], 1) => {
            figurine(Piece { role, color: side.color(Color::White) })
        }
        _ => number,
    }
}

fn listed(squares: Bitboard) -> String {
    const LISTED: usize = 16;
    let words: Vec<String> = squares.into_iter().map(|square: Square| square.to_string()).collect();
    match words.len() {
        0..=LISTED => words.join(" "),
        many => format!("{} … ({many} squares)", words[..LISTED].join(" ")),
    }
}
