//! What a mistake looks like to the person who made it.

use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::features::{FeatureSet, Names};

fn shown(text: &str, names: &Names) -> String {
    let error = FeatureSet::compile(text, names).expect_err("this expression is wrong");
    let mut out = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::none())
        .with_width(100)
        .render_report(&mut out, error.as_ref())
        .unwrap();
    out
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
    ];
    let all: Vec<String> = mistakes
        .iter()
        .map(|text| format!("### {text}\n{}", shown(text, &Names::catalogue())))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
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
