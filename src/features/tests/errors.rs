//! Errors as the user sees them.

use base::Place;

use crate::{ExpressionError, FeatureSet, Names, TrainedSet};

fn shown(text: &str, names: &Names) -> String {
    rendered(&FeatureSet::compile(text, names).expect_err("this expression is wrong"))
}

fn rendered(error: &ExpressionError) -> String {
    let Place { title, text, span, label } = error.place();
    let columns = |bytes: &str| bytes.chars().count();
    let indent = " ".repeat(columns(&text[..span.start]));
    let caret = "^".repeat(columns(&text[span.clone()]));
    let help = error.help().map_or(String::new(), |help| format!("help: {help}\n"));
    format!("{error}\n{title}: {text}\n{title}: {indent}{caret} {label}\n{help}")
}

#[test]
fn mistakes_point_at_their_place() {
    let mistakes = [
        "",
        "ALL +",
        "ALL + (PH",
        "ALL + PH)",
        "ALL PH",
        "ALL - PH",
        "AL + PH",
        "ALL + QUIET",
        "SQUARES",
        "piece(FILES * FILES)",
        "piece(PIECES)",
        "piece(FILE * PIECES)",
        "piece({pawn, d4})",
        "piece({pawn, pawn} * FILES)",
        "piece({prawn} * FILES)",
        "piece({} * FILES)",
        "piece(FILES * (ROLES without {pawn, knight, bishop, rook, queen, king}))",
        "piece(FILES * (ROLES without {own}))",
        "king(PIECES)",
        "pair(SQUARES * PIECES * PIECES)",
        "pair(FILES * PIECES)",
        "ALL * ALL * ALL",
        "ALL * ALL * PH",
        "KING-ALL * KING-ALL",
        "THREATS * THREATS",
        "mirror ALL",
        "count(MB)",
        "count(ALL + H)",
        "BUCKETS-9",
        "king(SQUARES / BUCKETS-8)",
        "king(SQUARES / [0, 1, 2])",
        "king(FILES / [0, 2, 2, 2, 2, 2, 2, 2])",
        "king({a, b} / [0, 1])",
        "king(FILES / [-, -, -, -, -, -, -, -])",
        "piece(COUNTS * PIECES)",
        "piece(COUNTS(500) * PIECES)",
        "piece(SQUARES * (PIECES without {d4}))",
        "piece(SQUARES * (PIECES / ONE-KING) * COLORS)",
        "piece(SQUARES * {own pwan})",
        "material(FILES)",
        "phase(BANDS(4) * BANDS(4))",
        "enemy_king(PIECES)",
        "king_offset(SQUARES * PIECES)",
        "king_offset(PIECES)",
        "both(FILES * PIECES)",
        "both(SQUARES * {pawn} * COLORS, diagonals <= 1)",
        "both(SQUARES * {pawn} * COLORS, files <= 9)",
        "both(SQUARES * {king} * {own})",
        "pair(FILES * PIECES * PIECES, files <= 1)",
        "threat(PIECES)",
        "threat(SQUARES * {own knight} * {other pawn})",
        "threat(SQUARES * PIECES, COUNTS(2))",
        "both(SQUARES * {pawn} * COLORS, files <= 1, files <= 2)",
        "piece(RANKS{a} * PIECES)",
        "piece({e9} * PIECES)",
        "KING(SQUARES)",
        "threat(PIECES * PIECES * FILES * FILES * FILES)",
        "castling(FILES)",
        "en_passant(RANKS)",
        "own_king.fil * ALL",
        "top(PV, \"no such file\")",
        "top(PV, 3)",
        "top(PV, \"no end)",
        "rows(PV, [9999])",
        "rows(PV, [4, 1..5])",
        "rows(PV, [])",
        "train ALL",
        "ALL + factors",
    ];
    let all: Vec<String> = mistakes
        .iter()
        .map(|text| format!("### {text}\n{}", shown(text, &Names::catalogue())))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn mistakes_in_training_point_at_their_place() {
    let mistakes = [
        "train",
        "train factors + KING-ALL",
        "train ALL + factors",
        "train ALL + PH + PV + factors",
        "train ALL + PV + factors(ALL)",
        "train PV + factors",
        "train KING-ALL + factors(H)",
        "train HALF-KA-HM + factors(ALL)",
        "train HALF-KP + factors(ALL)",
        "train (KING-ALL + factors)",
        "KING-ALL + factors",
    ];
    let shown = |text: &str| {
        let error = TrainedSet::parse(text).expect_err("this expression is wrong");
        rendered(&error)
    };
    let all: Vec<String> =
        mistakes.iter().map(|text| format!("### {text}\n{}", shown(text))).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn names_that_double_each_other_are_cut_off() {
    let mut names = Names::catalogue();
    names.define("A0", "ALL");
    for i in 1..60 {
        names.define(format!("A{i}"), format!("A{} + A{}", i - 1, i - 1));
    }
    let text = shown("A59", &names);
    assert!(text.contains("more than 256 predicates"), "{text}");
    let product = ["(ONE + king({e1}))"; 20].join(" * ");
    let text = shown(&product, &names);
    assert!(text.contains("more than 1024 products"), "{text}");
}

#[test]
fn a_definition_may_not_use_itself() {
    let mut names = Names::catalogue();
    names.define("A", "B + ALL");
    names.define("B", "A * KING");
    let text = shown("H + A", &names);
    assert!(text.contains("`A` is defined by itself"), "{text}");
    assert!(text.contains("A → B → A"), "{text}");
}

#[test]
fn a_mistake_in_a_definition_is_shown_there() {
    let mut names = Names::catalogue();
    names.define("CENTRE", "piece({d4, e9} * PIECES)");
    let text = shown("ALL + CENTRE", &names);
    assert!(text.contains("definition of CENTRE") && text.contains("`e9`"), "{text}");
}
