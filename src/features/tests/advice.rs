//! The parser accepts the advice of its messages.
//!
//! Correct expressions are damaged a word at a time. If the message then contains "did you mean …",
//! the parser must accept that word in the place of the mistake; and everything in backticks in any
//! help must be part of the language.

use crate::catalogue::{CATALOGUE, SCHEMES};
use crate::parser::KEYWORDS;
use crate::predicate::PredicateKind;
use crate::token::{Token, tokenize};
use crate::{ExpressionError, FeatureSet, Names, TrainedSet};

/// Expressions that together use every word of the language.
const CORRECT: [&str; 34] = [
    "ALL + PV",
    "KING * (H + V)",
    "train KING-ALL + factors",
    "train HALF-KA-HM + factors(mirror(ALL))",
    "piece(SQUARES * ROLES * COLORS)",
    "piece({d4, e4} * {pawn, own, rook})",
    "piece({a, h} * RANKS{1, 8} * {own rook, other king})",
    "piece(DIAGS1{6, 7} * DIAGS2 * PIECES)",
    "piece((FILES without {a}) * (PIECES without {own king}))",
    "piece(SQUARES * (PIECES / ONE-KING))",
    "piece((DIAGS1 without {6, 7}) * {queen} * COLORS)",
    "mirror(king(SQUARES / LEFT-HALF) * ALL)",
    "king(FILES / [0, 1, 2, 3, 3, 2, 1, 0]) * H",
    "enemy_king(FILES{a, b}) * PHASE",
    "king_offset(FILE_STEPS{-1, 0, 1} * RANK_STEPS * PIECES)",
    "pair(FILES * PIECES * PIECES)",
    "both(SQUARES * {pawn} * COLORS, files <= 1, ranks <= 2)",
    "threat(PIECES * PIECES)",
    "threat({e4} * {own knight}, {d5} * {other pawn})",
    "attacks(FILES * COLORS * COUNTS(3))",
    "mobility({knight} * COUNTS(15) * COLORS)",
    "material(BANDS(8)) * own_king.file",
    "phase(BANDS(4){0, 3})",
    "halfmoves(BANDS(20) / [0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3])",
    "castling(COLORS * {left}) + en_passant(FILES * COLORS)",
    "count(piece(FILES * PIECES))",
    "rows(H, [3, 7..12])",
    "each(x : {a2..h7}, piece(x * {own pawn}) * piece(shift(x, FILES -1..1) * {pawn} * COUNTS(2)))",
    "any(x : SQUARES, king(x) * attacks(shift(x, RANKS 1) * PIECES))",
    "piece(FILES) / [0, 1, 2, 3, 3, 2, 1, 0]",
    "attacks(FILE_STEPS{-1, 0, 1} * COLORS) + enemy_king_offset(RANK_STEPS * {pawn})",
    "moves({knight} * COUNTS(8) * COLORS) + attackers({e4} * {own} * COUNTS(3))",
    "pinned(SQUARES * COLORS)",
    "threat(COLORS * {rook} * PIECES * SQUARES * {e4}, once)",
];

/// Words for places where others belong.
const OTHERS: [&str; 34] = [
    "KING",
    "king",
    "SQUARES",
    "FILE",
    "Ranks",
    "a",
    "e9",
    "1",
    "9",
    "-3",
    "pawn",
    "pawns",
    "white",
    "own",
    "rook own",
    "a b",
    "PHASE",
    "piece",
    "Pair",
    "count",
    "without",
    "train",
    "factors",
    "BUCKETS-9",
    "COUNT",
    "BANDS",
    "PIECE",
    "(",
    "{",
    "[",
    "/",
    "+",
    "<=",
    "ONE",
];

fn misspelt(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let mut words: Vec<String> = OTHERS.map(str::to_owned).to_vec();
    words.extend([word.to_lowercase(), word.to_uppercase(), format!("{word}s"), String::new()]);
    for at in 0..chars.len().min(6) {
        let mut without = chars.clone();
        without.remove(at);
        let mut turned = chars.clone();
        turned.swap(at, (at + 1).min(chars.len() - 1));
        words.extend([without, turned].map(|chars| chars.into_iter().collect::<String>()));
    }
    words
}

/// Every correct expression with every word damaged in every way.
fn near_misses() -> impl Iterator<Item = String> {
    CORRECT.into_iter().flat_map(|text| {
        let tokens = tokenize("", text).unwrap();
        tokens.into_iter().flat_map(move |(_, span)| {
            let around = (&text[..span.start], &text[span.end..]);
            let put = move |word: String| format!("{}{word}{}", around.0, around.1);
            misspelt(&text[span]).into_iter().map(put).collect::<Vec<_>>()
        })
    })
}

fn mistake(text: &str) -> Option<Box<ExpressionError>> {
    TrainedSet::compile(text, &Names::catalogue()).err()
}

fn help(error: &ExpressionError) -> String {
    error.help().unwrap_or_default().to_owned()
}

/// The suggested word of a help text.
fn meant(help: &str) -> Option<&str> {
    help.strip_prefix("did you mean `")?.strip_suffix("`?")
}

/// Messages of words that do not fit their place.
const NOT_TAKEN: [&str; 7] = [
    "unknown ",
    "expected ",
    " is no element",
    " is one of ",
    "should end",
    "takes nothing",
    "is a ",
];

#[test]
fn suggestions_parse_in_their_place() {
    let (mut advised, mut refused) = (0, Vec::new());
    for text in near_misses() {
        let Some(error) = mistake(&text) else { continue };
        let help = help(&error);
        let Some(word) = meant(&help) else { continue };
        advised += 1;
        let span = error.span();
        let mended = format!("{}{word}{}", &text[..span.start], &text[span.end..]);
        let Some(again) = mistake(&mended) else { continue };
        // Later text may be wrong too; the suggested word and the sign behind it must be accepted.
        let end = span.start + word.len();
        let next = end + mended[end..].len() - mended[end..].trim_start().len();
        let is_refused = (span.start..=next).contains(&again.span().start)
            && NOT_TAKEN.iter().any(|part| again.to_string().contains(part));
        let has_more = mended[next..]
            .chars()
            .next()
            .is_none_or(|sign| !may_follow(&error.to_string()).contains(sign));
        if is_refused && !has_more {
            refused.push(format!("{text}: {error}, {help}: but `{mended}`: {again}"));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(advised > 500, "{advised} pieces of advice");
}

/// Signs that can stand behind the missing word; before any other there is a second mistake.
fn may_follow(message: &str) -> &'static str {
    if message.contains("unknown concept") || message.contains("not a concept") {
        "*)/{("
    } else if message.contains("element") || message.contains("is one of") {
        ",}"
    } else {
        "+*),("
    }
}

/// Whether a snippet in backticks can stand somewhere in an expression.
fn is_of_the_language(snippet: &str) -> bool {
    const PLACES: [&str; 20] = [
        "_",
        "piece(_ * PIECES)",
        "piece(SQUARES * _)",
        "piece(SQUARES * _ * COLORS)",
        "piece({_} * PIECES)",
        "piece(SQUARES * {_})",
        "piece(DIAGS1{_} * PIECES)",
        "king(_)",
        "phase(_)",
        "phase(BANDS(32){_})",
        "piece(PIECES * COUNTS(64){_})",
        "mobility({knight} * _ * COLORS)",
        "king_offset(FILE_STEPS{_} * PIECES)",
        "castling({_})",
        "castling(_)",
        "both(SQUARES * PIECES, _)",
        "rows(ALL, [_])",
        "each(x : SQUARES, _)",
        "each(x : SQUARES, piece(_))",
        "each(x : SQUARES, piece(shift(x, FILES _)))",
    ];
    let is_known = |token: &Token| match token {
        Token::Word(word) => {
            ["train", "factors", "files", "ranks", "once", "shift"].contains(&word.as_str())
                || KEYWORDS.contains(&word.as_str())
                || PredicateKind::parse(word).is_some()
                || SCHEMES.iter().any(|scheme| scheme.name == word)
                || super::super::parser::concept_names().any(|name| name == word)
        }
        _ => true,
    };
    let is_token =
        || tokenize("", snippet).is_ok_and(|tokens| tokens.len() == 1 && is_known(&tokens[0].0));
    PLACES.iter().any(|place| mistake(&place.replace('_', snippet)).is_none())
        || is_token()
        || snippet.starts_with("oplus ")
}

#[test]
fn snippets_in_help_texts_parse() {
    let mut known: Vec<String> = Vec::new();
    let entries = PredicateKind::ALL.iter().map(|kind| kind.entry());
    let usages = entries.flat_map(|it| [it.usage.to_owned(), format!("`{}`", it.example)]);
    let helps = near_misses().filter_map(|text| Some(help(&*mistake(&text)?)));
    for help in usages.chain(helps) {
        for snippet in help.split('`').skip(1).step_by(2) {
            if known.iter().any(|other| other == snippet) {
                continue;
            }
            assert!(is_of_the_language(snippet), "`{snippet}` in: {help}");
            known.push(snippet.to_owned());
        }
    }
    assert!(known.len() > 60, "{known:?}");
}

/// Wrong advice of earlier versions.
#[test]
fn advice_fits_its_place() {
    for (text, expected) in [
        ("piece(RANKS{a} * PIECES)", "RANKS has `1` to `8`"),
        ("piece(FILES{1} * PIECES)", "FILES has `a` to `h`"),
        ("piece({e9} * PIECES)", "SQUARES has `a1` to `h8`"),
        ("piece({9} * PIECES)", "`DIAGS1{6, 7, 8}`"),
        ("piece({a b} * PIECES)", "did you mean `a, b`?"),
        ("piece(SQUARES * {rook own})", "did you mean `own rook`?"),
        ("piece(pawn * FILES * COLORS)", "did you mean `{pawn}`?"),
        ("KING(SQUARES)", "did you mean `king`?"),
        ("PHASE(BANDS(4))", "did you mean `phase`?"),
        ("HALFMOVES(BANDS(4))", "did you mean `halfmoves`?"),
        ("halfmove(BANDS(4)) * ALL", "did you mean `halfmoves`?"),
        ("material(BANDS(40)) * ALL", "`material(BANDS(32))`"),
        ("ALL(H)", "`ALL * (H + V)`"),
        ("pice * ALL", "did you mean `piece(SQUARES * PIECES)`?"),
        ("rows(PV, [])", "`rows(PV, [0..99, 127])`"),
        ("rows(PV, [9..3])", "write `3..9`"),
        ("both(SQUARES * {pawn} * COLORS, files <= 1, files <= 2)", "keep the one"),
        ("ALL - H", "`piece(SQUARES * (ROLES without {king}) * COLORS)`"),
        ("ALL / BUCKETS-9", "`mirror(king(SQUARES / BUCKETS-9) * ALL)`"),
        ("LEFT-HALF", "`mirror(king(SQUARES / LEFT-HALF) * ALL)`"),
        (
            "threat(SQUARES * {own knight} * {other pawn})",
            "`threat(SQUARES * {own knight}, {other pawn})`",
        ),
        (
            "threat(SQUARES * {own knight} * {other pawn})",
            "`threat({own knight}, SQUARES * {other pawn})`",
        ),
    ] {
        let error = mistake(text).unwrap_or_else(|| panic!("{text} is taken"));
        assert!(help(&error).contains(expected), "{text}: {error}: {}", help(&error));
    }
    let two = mistake("both(SQUARES * {pawn} * COLORS, files <= 1, files <= 2)").unwrap();
    assert_eq!(two.span(), 44..54);
    let beyond = mistake("piece(FILES * COUNTS(2){3})").unwrap();
    assert_eq!(beyond.to_string(), "`3` is no element of COUNTS(2)");
    assert_eq!(help(&beyond), "COUNTS(2) has `0` to `2`");
    assert_eq!(mistake("rows(PV, [])").unwrap().to_string(), "no row is listed");
}

#[test]
fn refusals_of_huge_sets_have_their_size() {
    let text = ["KING-ALL"; 5].join(" * ");
    let message = mistake(&text).unwrap().to_string();
    // 49,152⁵ = 2.87 × 10²³.
    assert!(message.contains("about 2.9 × 10^23 features; at most 2147483648 (2^31)"), "{message}");
    let message = mistake(&format!("{text} + {text}")).unwrap().to_string();
    assert!(message.contains("about 5.7 × 10^23"), "{message}");
    let message = mistake(&["ALL"; 30].join(" * ")).unwrap().to_string();
    assert!(message.contains("about 3.6 × 10^86 features"), "{message}");
}

#[test]
fn nothing_is_nested_without_end() {
    for word in ["count(", "mirror(", "(", "rows("] {
        let message = mistake(&word.repeat(100_000)).unwrap().to_string();
        assert!(message.contains("nested deeper than 64"), "{word}: {message}");
    }
    let message = mistake(&format!("piece{}", "(".repeat(100_000))).unwrap().to_string();
    assert!(message.contains("nested deeper than 64"), "{message}");
    let mut names = Names::catalogue();
    names.define("A0", "H");
    (1..50_000).for_each(|i| names.define(format!("A{i}"), format!("A{}", i - 1)));
    let message = FeatureSet::compile("A49999", &names).unwrap_err().to_string();
    assert!(message.contains("names nested deeper than 64"), "{message}");
    assert!(CATALOGUE.iter().all(|set| FeatureSet::parse(set.name).is_ok()));
}
