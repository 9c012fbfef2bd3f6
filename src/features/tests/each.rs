//! `each` and `shift` against the same sets written out.

use chess::{Color, Scene, Square, View};

use super::laws::{STARTS, random_game};
use super::oracle;
use crate::feature::Feature;
use crate::{FeatureSet, Names};

const PASSED: &str = "each(x : {a2..h7}, piece(x * {own pawn}) * \
    piece(shift(x, FILES -1..1, RANKS 1..7) * {other pawn} * COUNTS(1){0}))";

/// The same, a term for each square.
fn passed_written_out() -> String {
    let term = |square: Square| {
        let (file, rank) = (i32::from(square.file() as u8), i32::from(square.rank() as u8));
        let mut ahead = Vec::new();
        for to in rank + 1..8 {
            for beside in (file - 1..=file + 1).filter(|beside| (0..8).contains(beside)) {
                ahead.push(Square::new((8 * to + beside) as u32).to_string());
            }
        }
        let mut classes = vec!["-".to_owned(); 64];
        for (number, name) in classes.iter_mut().enumerate() {
            if ahead.contains(&Square::new(number as u32).to_string()) {
                *name = "0".to_owned();
            }
        }
        let (ahead, number) = (classes.join(", "), "COUNTS(1){0}");
        format!(
            "piece({{{square}}} * {{own pawn}}) * piece((SQUARES / [{ahead}]) * {{other pawn}} * {number})"
        )
    };
    let squares = (8..56).map(|square| term(Square::new(square)));
    squares.collect::<Vec<_>>().join(" + ")
}

/// Positions of random games.
fn scenes(count: usize) -> impl Iterator<Item = Scene> {
    let games = (0u64..).flat_map(|seed| random_game(seed as usize % STARTS.len(), seed, 200));
    games.map(|(position, _)| Scene::from(&position)).take(count)
}

fn active(set: &FeatureSet, view: View<'_>) -> Vec<u32> {
    let mut found: Vec<Feature> = Vec::new();
    set.active(view.scene(), view.perspective(), &mut found);
    let mut found: Vec<u32> = found.into_iter().map(|feature| feature.0).collect();
    found.sort_unstable();
    found
}

#[test]
fn passed_pawns_are_those_of_forty_eight_terms() {
    let passed = FeatureSet::parse(PASSED).unwrap();
    let written_out = passed_written_out();
    assert!(PASSED.len() * 20 < written_out.len());
    let terms = FeatureSet::parse(&written_out).unwrap();
    assert_eq!((passed.size(), terms.size()), (48, 48));
    let mut seen = 0;
    for scene in scenes(10_000) {
        for perspective in Color::ALL {
            let view = View::new(&scene, perspective);
            let found = active(&passed, view);
            assert_eq!(found, active(&terms, view));
            seen += found.len();
        }
    }
    assert!(seen > 2_000, "{seen}");
}

#[test]
fn canonical_texts_parse_to_the_same_set() {
    for text in [
        PASSED,
        "each(y : FILES, piece(y * {own pawn}) * piece(shift(y, FILES -1..1) * {other pawn} * COUNTS(2)))",
        "each(x : {d4, e5}, each(y : FILES{a, h}, piece(x * {own}) * piece(y * {other})))",
        "mirror(each(x : SQUARES / BUCKETS-9, king(x) * piece(x * PIECES)))",
        "piece(shift({e4}, RANKS 1) * PIECES)",
        "KING-ZONE",
        "any(x : FILES, piece(x * {own pawn}) * piece(shift(x, FILES 1) * {own pawn}))",
        "mirror(piece(FILES) / [0, 0, 1, -, -, 1, 2, 2])",
        "(H + V) / [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]",
    ] {
        let set = FeatureSet::parse(text).unwrap();
        let again = FeatureSet::parse(set.canonical()).unwrap();
        assert_eq!(again.canonical(), set.canonical(), "{text}");
        assert_eq!(again.expr(), set.expr(), "{text}");
    }
    let canonical = FeatureSet::parse(PASSED).unwrap().canonical().to_owned();
    assert_eq!(
        canonical,
        "each(x : {a2..h7}, piece(x * {own pawn}) * \
         piece(shift(x, FILES -1..1, RANKS 1..7) * {other pawn} * COUNTS(1){0}))"
    );
}

#[test]
fn features_are_described_in_words() {
    let set = FeatureSet::parse(PASSED).unwrap();
    let values = |index: u32| set.describe(Feature(index));
    assert_eq!(values(0), "own pawn on a2 and other pawn on FILES -1..1, RANKS 1..7 from a2: 0");
    // Squares off the board are empty.
    let on_the_rim =
        FeatureSet::parse("each(x : {a8, b7}, piece(shift(x, RANKS 1) * {own}))").unwrap();
    assert_eq!(on_the_rim.describe(Feature(0)), "own piece on RANKS 1 from a8");
    assert_eq!(on_the_rim.describe(Feature(1)), "own piece on b8");
    for scene in scenes(300) {
        let view = View::new(&scene, Color::White);
        let values = oracle::values(on_the_rim.expr(), view);
        assert_eq!(values[0], None);
        assert!(!active(&on_the_rim, view).contains(&0));
    }
}

/// No set of marks has more than 64 places, but numbers may have more elements.
#[test]
fn sums_have_more_elements_than_squares() {
    let set = FeatureSet::parse("each(n : COUNTS(64), piece({own pawn} * n))").unwrap();
    let same = FeatureSet::parse("piece({own pawn} * COUNTS(64))").unwrap();
    assert_eq!(set.size(), 65);
    for scene in scenes(50) {
        let view = View::new(&scene, Color::White);
        assert_eq!(active(&set, view), active(&same, view));
    }
}

/// Elements with fewer squares than the number are no mistake if others have enough.
#[test]
fn a_number_is_warned_of_if_no_element_has_as_many_squares() {
    let lints = |text: &str| crate::lints::of(&FeatureSet::parse(text).unwrap()).len();
    let ahead = |most: u32| {
        format!("each(x : {{a2..h7}}, piece(shift(x, RANKS 1..7) * {{pawn}} * COUNTS({most})))")
    };
    assert_eq!((lints(&ahead(2)), lints(&ahead(6)), lints(&ahead(7))), (0, 0, 1));
}

#[test]
fn mistakes_have_a_caret() {
    for (text, message) in [
        ("each(x : FILES)", "expected `,`"),
        ("each(x FILES, ALL)", "expected `:`"),
        ("each(: FILES, ALL)", "expected a variable"),
        ("each(a : FILES, ALL)", "`a` is an element of a concept"),
        ("each(ALL : FILES, ALL)", "`ALL` is a name"),
        ("each(piece : FILES, ALL)", "`piece` is a word of the language"),
        ("each(RANKS : FILES, ALL)", "`RANKS` is a concept"),
        ("each(x : FILES, each(x : RANKS, piece(x)))", "`x` is a variable around this one"),
        ("each(x : FILES * RANKS, piece(x))", "stands for the elements of one concept"),
        ("each(x : {h8..a1}, piece(x))", "`a1` stands before `h8` in SQUARES"),
        ("each(x : {}, piece(x))", "an empty set has no features"),
        ("piece(x * PIECES)", "unknown concept `x`"),
        ("each(x : {a8, h8}, piece(shift(x, RANKS 1)))", "these steps lead off the board"),
        ("piece(shift({h1}, FILES 1))", "these steps lead off the board"),
        ("each(x : FILES, piece(shift(x, RANKS 1)))", "from FILES there are no steps along RANKS"),
        ("each(x : SQUARES, piece(shift(x)))", "`shift` needs to know how far"),
        ("each(x : SQUARES, piece(shift(x, RANKS 1, RANKS 2)))", "given twice"),
        ("each(x : SQUARES, piece(shift(x, RANKS 2..1)))", "steps rise"),
        ("each(x : SQUARES, piece(shift(x, RANKS 8)))", "from -7 to 7"),
        ("piece(shift({h1, g1}, FILES 1))", "these steps lead off the board"),
        ("piece(shift({e1, d1}, FILES 0..1))", "several elements reach the same place"),
        ("each(x : ROLES, piece(shift(x, RANKS 1)))", "starts from one concept of squares"),
        ("each(x : FILES, piece((x without {a})))", "has one value for each element"),
        ("each(x : SQUARES, each(y : SQUARES, piece(x) * piece(y)))", "this is 4096 sets"),
        ("each(once : FILES, piece(once))", "`once` is a word of the language"),
        ("each(x : SQUARES, king(x) * KING-ALL * ALL)", "at most 2147483648"),
        (
            "any(x : SQUARES, king(x) * KING * enemy_king(SQUARES) * material(BANDS(32)) * phase(BANDS(32)) * H)",
            "the sets of all elements together are too large",
        ),
        ("each(x : FILES, PV)", "`x` stands for nothing here"),
        ("any(x : FILES, H)", "`x` stands for nothing here"),
        ("any(x : FILES, PHASE * piece(x))", "features with values cannot be one"),
        ("any(x : {a1, d4}, threat(x * {own}, SQUARES * {other}))", "by the element"),
        ("piece(FILES) / [0, 1]", "this set has 8 features, and this numbers 2"),
        ("piece(FILES) / [0, 0, 0, 2, 2, 2, 2, 2]", "without a gap"),
        ("piece(FILES) / [-, -, -, -, -, -, -, -]", "without a gap"),
        ("count(piece(FILES)) / [0, 0, 0, 0, 1, 1, 1, 1]", "features with values cannot be one"),
        ("piece(FILES) / WINGS", "unknown scheme"),
        ("threat(PIECES * PIECES, once)", "`once` needs to know on which squares"),
        ("threat(SQUARES * COLORS, SQUARES * COLORS, once)", "`once` needs to tell roles apart"),
        ("threat(SQUARES * {pawn}, SQUARES * {pawn}, once)", "and sides of pawns"),
        ("moves(SQUARES * PIECES)", "`moves` needs to know how many"),
        ("attackers(PIECES * COUNTS(2))", "`attackers` needs to know of what"),
        ("attackers(SQUARES * PIECES)", "`attackers` needs to know how many"),
        ("piece(FILE_STEPS * PIECES)", "`piece` cannot take FILE_STEPS"),
        ("pinned(PIECES)", "`pinned` needs to know where"),
    ] {
        let error = FeatureSet::compile(text, &Names::catalogue()).unwrap_err();
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

#[test]
fn names_of_ones_own_leave_those_of_the_catalogue_alone() {
    let mut names = Names::catalogue();
    for name in ["x", "side"] {
        names.define(name, "H");
    }
    for (name, size) in [("PASSED", 48), ("FULL-THREATS", 70_050), ("x", 96)] {
        assert_eq!(FeatureSet::compile(name, &names).unwrap().size(), size, "{name}");
    }
}

/// Steps that lead off the board for one element of a sum need not for another.
#[test]
fn steps_of_an_outer_variable_are_judged_by_all_its_elements() {
    let set = FeatureSet::parse("each(x : FILES, each(s : COLORS, piece(shift(x, FILES 1) * s)))");
    assert_eq!(set.unwrap().size(), 16);
}

/// Each level parses its body once for every element.
#[test]
fn nesting_is_read_in_time() {
    let mut text = "piece(v0 * PIECES)".to_owned();
    for level in (0..40).rev() {
        text = format!("each(v{level} : {{a}}, {text} * piece(v{level}))");
    }
    let text = text.replacen("piece(v0 * PIECES)", "piece(FILES * PIECES)", 1);
    assert!(FeatureSet::compile(&text, &Names::catalogue()).is_ok());
}
