//! The parser returns for any text. `fuzz/` does the same with libFuzzer.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::catalogue::{CATALOGUE, SCHEMES};
use crate::predicate::PredicateKind;
use crate::{FeatureSet, TrainedSet};

const WORDS: &[&str] = &[
    "count",
    "mirror",
    "rows",
    "top",
    "train",
    "factors",
    "SQUARES",
    "FILES",
    "RANKS",
    "DIAGS1",
    "DIAGS2",
    "ROLES",
    "COLORS",
    "PIECES",
    "WINGS",
    "FILE_STEPS",
    "RANK_STEPS",
    "COUNTS",
    "BANDS",
    "ONE",
    "PHASE",
    "own_king.file",
    "own",
    "other",
    "pawn",
    "king",
    "d4",
    "a",
    "7",
    "-1",
    "files",
    "ranks",
    "without",
    "+",
    "⊕",
    "*",
    "×",
    "(",
    ")",
    "(",
    ")",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    "/",
    "-",
    "<=",
    "..",
    "\"",
    "\"x\"",
    ".",
    "é",
    "0",
    "4294967295",
    "99999999999999999999",
    "\0",
];

fn random_text(rng: &mut ChaCha8Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.random_range(1..24) {
        let word = match rng.random_range(0..8) {
            0 => CATALOGUE.choose(rng).map_or("", |set| set.name),
            1 => SCHEMES.choose(rng).map_or("", |scheme| scheme.name),
            2 => CATALOGUE.choose(rng).map_or("", |set| set.expression),
            3 => PredicateKind::ALL.choose(rng).map_or("", |kind| kind.name()),
            _ => WORDS.choose(rng).copied().unwrap_or_default(),
        };
        text.push_str(word);
        text.push_str(if rng.random_bool(0.7) { " " } else { "" });
    }
    text
}

/// A correct expression with one character exchanged, left out or doubled.
fn damaged(rng: &mut ChaCha8Rng) -> String {
    let mut chars: Vec<char> =
        CATALOGUE.choose(rng).map_or("", |set| set.expression).chars().collect();
    let at = rng.random_range(0..chars.len());
    match rng.random_range(0..3) {
        0 => drop(chars.remove(at)),
        1 => chars.insert(at, chars[at]),
        _ => chars[at] = *['(', ')', '{', '*', '+', '/', 'x', '7', ','].choose(rng).unwrap(),
    }
    chars.into_iter().collect()
}

fn check(text: &str) {
    let Ok(set) = FeatureSet::parse(text) else { return drop(TrainedSet::parse(text)) };
    let again = FeatureSet::parse(set.canonical()).expect("canonical text is correct");
    assert_eq!(again.canonical(), set.canonical(), "{text}");
    assert_eq!(again.size(), set.size(), "{text}");
}

fn run(texts: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    for _ in 0..texts {
        check(&random_text(&mut rng));
        check(&damaged(&mut rng));
    }
}

#[test]
fn no_text_upsets_the_parser() {
    run(300);
}

#[test]
#[ignore = "minutes long; run by .ci/long"]
fn many_texts_do_not_upset_the_parser() {
    run(500_000);
}
