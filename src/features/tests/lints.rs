//! Lints on expressions.

use proptest::prelude::*;

use super::expressions::expression;
use super::laws::{STARTS, random_game};
use crate::lints::{self, Lint};
use crate::{Expr, Feature, FeatureSet};
use chess::{Color, Scene};

fn messages(text: &str) -> Vec<String> {
    let set = FeatureSet::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    lints::of(&set).iter().map(ToString::to_string).collect()
}

#[test]
fn gaps_have_an_extent_and_a_remedy() {
    for (text, parts) in [
        (
            "king(SQUARES / BUCKETS-9) * ALL",
            &[
                "with the own king on 32 of 64 squares (files e to h)",
                "Write `mirror(king(SQUARES / BUCKETS-9) * ALL)`",
            ][..],
        ),
        ("king(SQUARES / BUCKETS-9)", &["on 32 of 64", "`mirror(king(SQUARES / BUCKETS-9))`"]),
        ("ALL + KING * (king(FILES{a}) * PV)", &["on 56 of 64 squares (b1, c1, d1, e1, …)"]),
        ("mirror(king({a1, b1}) * H)", &["with the own king on 30 of 32 squares"]),
        ("mirror(enemy_king(SQUARES / LEFT-HALF) * H)", &["with the other king on 32 of 64"]),
        ("material(BANDS(4){2, 3}) * H", &["with the piece count in band 0, 1 of 4"]),
        ("phase(BANDS(3) without {1}) * H", &["with the phase in band 1 of 3"]),
        (
            "halfmoves(BANDS(50) without {0, 49}) * H",
            &["with the half-move clock in band 0, 49 of 50"],
        ),
        ("(king({a, b}) + king({c, d, e, f})) * H", &["on 16 of 64 squares"]),
        ("attacks(SQUARES * PIECES * COUNTS(3))", &["a place has 1 at most", "COUNTS(1)"]),
        ("piece(FILES * PIECES * COUNTS(9))", &["has 8 at most", "up to 9"]),
        ("moves(PIECES * COUNTS(40))", &["one piece can move: 27 at most", "Write COUNTS(27)"]),
        ("moves({knight, king} * COUNTS(9) * SQUARES)", &["8 at most", "up to 9"]),
        ("moves({pawn} * COUNTS(4))", &["3 at most"]),
        ("moves({rook} * {a1} * COUNTS(15) * COLORS)", &["14 at most"]),
        ("attackers(SQUARES * COLORS * COUNTS(40))", &["pieces: there can be 16 at most"]),
        ("attackers({e4} * {own king} * COUNTS(2))", &["there can be 1 at most"]),
        ("pinned({king} * SQUARES * COLORS)", &["speaks of kings alone", "(ROLES without {king})"]),
        ("pinned(SQUARES * PIECES)", &["has features of kings", "never pinned"]),
        ("mirror(pinned(COUNTS(2) * {own king, own rook}))", &["has features of kings"]),
    ] {
        let messages = messages(text);
        assert_eq!(messages.len(), 1, "{text}: {messages:?}");
        parts
            .iter()
            .for_each(|part| assert!(messages[0].contains(part), "{part}: {}", messages[0]));
    }
}

#[test]
fn complete_sets_have_no_lint() {
    for text in [
        "KING-ALL",
        "HALF-KA-HM",
        "BUCKETS-9-ALL + PV",
        "king({e1})",
        "(king({a, b, c, d}) + king({e, f, g, h})) * ALL",
        "king({a, b, c, d}) * ALL + king({e, f, g, h}) * H",
        "mirror(king({a, b, c, d}) * ALL)",
        "material(BANDS(32) without {0}) * H",
        "phase(BANDS(32)) * H",
        "halfmoves(BANDS(50)) * QUEENS * H",
        "(ONE + king({e1})) * ALL",
        "MC",
        "attacks(FILES * PIECES * COUNTS(8))",
        "moves(PIECES * COUNTS(27))",
        "moves({knight} * COUNTS(8) * COLORS)",
        "attackers(SQUARES * COLORS * COUNTS(16))",
        "attackers(FILE_STEPS{0} * RANK_STEPS{1} * COLORS * COUNTS(3))",
        "PINS",
        "pinned(SQUARES * COLORS)",
    ] {
        assert!(messages(text).is_empty(), "{text}: {:?}", messages(text));
    }
}

/// The advice leaves no lint about the king.
#[test]
fn the_remedy_remedies() {
    let set = FeatureSet::parse("king(SQUARES / BUCKETS-9) * (H + V) + PV").unwrap();
    let [Lint::NoCopy { instead: Some(instead), .. }] = &lints::of(&set)[..] else {
        panic!("{:?}", lints::of(&set));
    };
    assert_eq!(messages(instead), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A product of a one-hot set with `ONE` is active in every position unless it has a lint.
    #[test]
    fn empty_views_have_a_lint(text in expression(), start in 0..STARTS.len(), seed: u64) {
        let set = FeatureSet::parse(&text).unwrap();
        let is_one_hot = |expr: &Expr| matches!(expr, Expr::Predicate(it) if it.selector().is_some());
        let text = if is_one_hot(set.expr()) { text } else { "enemy_king({a, b, e, f, g, h})".to_owned() };
        let product = format!("{text} * ONE");
        let set = FeatureSet::parse(&product).unwrap();
        let has_lint = !lints::of(&set).is_empty();
        for (position, _) in random_game(start, seed, 60) {
            let mut active: Vec<Feature> = Vec::new();
            set.active(&Scene::from(&position), Color::White, &mut active);
            prop_assert!(has_lint || active.len() == 1, "{product} {position}");
        }
    }
}
