//! Random expressions: every predicate, every kind of concept, nested.

use proptest::prelude::*;

use crate::FeatureSet;
use crate::predicate::PredicateKind;

pub(super) fn place() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("SQUARES"),
        Just("FILES"),
        Just("RANKS"),
        Just("DIAGS1"),
        Just("DIAGS2"),
        Just("{d4, e4, d5, e5}"),
        Just("{h, a, d, e}"),
        Just("{7, 2}"),
        Just("FILES * RANKS"),
        Just("DIAGS2{7, 3, 14}"),
        Just("(FILES / [0, 1, 2, 3, 3, 2, 1, 0])"),
        Just("(RANKS / [1, 0, -, 2, 2, 2, 0, 1])"),
        Just("(SQUARES / BUCKETS-9)"),
        Just("(SQUARES / LEFT-HALF)"),
        Just("(FILES without {a, h})"),
        Just("(DIAGS1 without {6, 7})"),
        Just("(DIAGS2 without DIAGS2{0, 14})"),
        // Products without any square among them.
        Just("{a, b} * {a1, b2, h8}"),
    ]
}

pub(super) fn piece() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("PIECES"),
        Just("ROLES * {other, own}"),
        Just("(ROLES without {king}) * COLORS"),
        Just("{pawn, rook} * COLORS"),
        Just("COLORS * {queen, king}"),
        Just("(PIECES / ONE-KING)"),
        Just("(PIECES without {own king})"),
        Just("(PIECES / [0, 1, 2, 3, 2, 3, 4, 5, 4, 5, -, -])"),
        Just("{own pawn, other rook, own king}"),
    ]
}

fn line() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("FILES"),
        Just("RANKS"),
        Just("DIAGS1"),
        Just("DIAGS2"),
        Just("{c, f}"),
        Just("(FILES / [0, 1, 2, 3, 3, 2, 1, 0])"),
    ]
}

fn mark() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("piece"), Just("attacks"), Just("mobility"), Just("pinned")]
}

/// Distance of the own king.
fn steps() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("FILE_STEPS{-1, 0, 1} * RANK_STEPS{-1, 0, 1}"),
        Just("RANK_STEPS"),
        Just("FILE_STEPS{2, -2} * {1, 2, 8}"),
        Just("(FILE_STEPS / [0, 0, 0, 0, 0, 1, 2, 3, 2, 1, 0, 0, 0, 0, 0])"),
    ]
}

fn number() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("COUNTS(3)"),
        Just("COUNTS(8){0, 8, 2}"),
        Just("COUNTS(2){1}"),
        Just("(COUNTS(8) / [0, 0, 1, 2, 2, 2, 1, 1, -])"),
    ]
}

/// A predicate that can be counted.
fn countable() -> impl Strategy<Value = String> {
    prop_oneof![
        (place(), piece()).prop_map(|(place, piece)| format!("piece({place} * {piece})")),
        place().prop_map(|place| format!("piece({place} * COLORS)")),
        place().prop_map(|place| format!("piece({place})")),
        (line(), piece(), piece()).prop_map(|(l, a, b)| format!("pair({l} * {a} * {b})")),
        (piece(), line(), piece()).prop_map(|(a, l, b)| format!("pair({a} * {l} * {b})")),
    ]
}

fn predicate() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => (0..PredicateKind::ALL.len()).prop_map(|at| PredicateKind::ALL[at].entry().example.to_owned()),
        4 => countable(),
        2 => countable().prop_map(|inner| format!("count({inner})")),
        2 => (mark(), place(), piece()).prop_map(|(m, place, piece)| format!("{m}({place} * {piece})")),
        1 => (mark(), piece()).prop_map(|(m, piece)| format!("{m}(COUNTS(4) * {piece})")),
        1 => (mark(), place()).prop_map(|(m, place)| format!("{m}({place} * ROLES * COUNTS(2))")),
        1 => place().prop_map(|place| format!("king({place})")),
        1 => place().prop_map(|place| format!("enemy_king({place})")),
        1 => piece().prop_map(|piece| format!("king_offset(FILE_STEPS * RANK_STEPS * {piece})")),
        1 => piece().prop_map(|piece| format!("king_offset({piece} * FILE_STEPS{{-1, 0, 1}})")),
        1 => piece().prop_map(|piece| format!("enemy_king_offset(RANK_STEPS * {piece})")),
        1 => (prop_oneof![Just("attacks"), Just("mobility")], steps(), piece())
            .prop_map(|(m, steps, piece)| format!("{m}({steps} * {piece})")),
        1 => (steps(), number()).prop_map(|(s, n)| format!("attacks({s} * COLORS * {n})")),
        1 => (place(), piece(), number()).prop_map(|(p, k, n)| format!("moves({p} * {k} * {n})")),
        1 => (piece(), number()).prop_map(|(k, n)| format!("moves({n} * {k})")),
        1 => (place(), number()).prop_map(|(p, n)| format!("attackers({p} * COLORS * {n})")),
        1 => (place(), number(), piece()).prop_map(|(p, n, k)| format!("attackers({n} * {p} * {k})")),
        1 => (steps(), piece(), number()).prop_map(|(s, k, n)| format!("attackers({s} * {k} * {n})")),
        1 => Just("threat(COLORS * {pawn, rook} * PIECES * SQUARES * {d4, e5, a1, c3}, once)".to_owned()),
        1 => (piece(), piece()).prop_map(|(a, b)| format!("threat({a} * {b})")),
        1 => piece().prop_map(|b| format!("threat({{pawn, knight, king}} * COLORS * {b})")),
        1 => Just("threat({pawn, king} * COLORS * (PIECES / ONE-KING))".to_owned()),
        1 => (piece(), place(), piece()).prop_map(|(a, p, b)| format!("threat({a}, {p} * {b})")),
        1 => (piece(), place(), piece()).prop_map(|(a, p, b)| format!("threat({a} * {p}, {b})")),
        1 => (place(), place()).prop_map(|(a, b)| format!("threat({a} * COLORS, {b})")),
        1 => piece().prop_map(|a| format!("threat(RANKS * {a}, ROLES without {{king}})")),
        1 => Just("threat(FILES * RANKS * (PIECES / ONE-KING), {d4, e5, a8} * ROLES)".to_owned()),
        1 => Just("threat({d4, e5, b1} * (PIECES / ONE-KING) * SQUARES * PIECES)".to_owned()),
        1 => Just("threat(SQUARES * {knight, pawn} * COLORS * COLORS * ROLES * {e5, d4, e4, c3})".to_owned()),
        1 => prop_oneof![
            Just("both(SQUARES * {pawn} * COLORS, files <= 1)"),
            Just("both({rook, queen} * {d1, e1, d8, e8, f3, a1, h8} * COLORS)"),
            Just("both({own king, other pawn} * SQUARES, ranks <= 2, files <= 1)"),
            Just("castling(COLORS * WINGS)"),
            Just("castling(WINGS)"),
            Just("en_passant(FILES * COLORS)"),
            Just("en_passant({own})"),
            Just("material(BANDS(8))"),
            Just("phase(BANDS(5){4, 0, 2})"),
            Just("halfmoves(BANDS(50) without {3})"),
            Just("halfmoves(BANDS(20){0, 1, 2})"),
            Just("piece({own queen} * COUNTS(1))"),
            Just("piece((ROLES / [-, -, -, 0, 0, -]) * {other} * (COUNTS(4) / [0, 1, 1, 2, 2]))"),
            Just("piece({queen} * COUNTS(2))"),
            Just("QUEENS"),
            Just("ONE"),
            Just("PHASE"),
            Just("own_king.file"),
            Just("own_king.rank"),
            Just("enemy_king.file"),
        ].prop_map(str::to_owned),
    ]
}

/// Concepts of a variable.
fn elements() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("SQUARES"),
        Just("{a2..h7}"),
        Just("{d4, e4, a1, h8}"),
        Just("(SQUARES / BUCKETS-9)"),
    ]
}

/// Places that depend on a variable that is a square.
fn place_of_variable() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        2 => Just("x"),
        1 => Just("shift(x, RANKS 1..7)"),
        1 => Just("shift(x, FILES -1..1, RANKS 1..7)"),
        1 => Just("shift(x, FILES -1..-1)"),
        1 => Just("shift(shift(x, FILES 1), RANKS -1..1)"),
    ]
}

/// A set for each x.
fn of_variable() -> impl Strategy<Value = String> {
    let number = prop_oneof![Just(""), Just(" * COUNTS(1)"), Just(" * COUNTS(2){0, 2}")];
    let piece = prop_oneof![Just("{pawn} * COLORS"), Just("{other pawn, own rook}"), Just("{own}")];
    prop_oneof![
        4 => (mark(), place_of_variable(), piece.clone(), number)
            .prop_map(|(mark, place, piece, number)| format!("{mark}({place} * {piece}{number})")),
        1 => piece.prop_map(|piece| format!("threat({piece}, x * {{other}})")),
        1 => Just("king(x)".to_owned()),
        1 => Just("attacks(x * FILE_STEPS{0, 1} * {own})".to_owned()),
    ]
}

/// Sums over the elements of a concept.
fn each() -> impl Strategy<Value = String> {
    prop_oneof![
        (elements(), of_variable()).prop_map(|(over, a)| format!("each(x : {over}, {a})")),
        (elements(), of_variable(), of_variable())
            .prop_map(|(over, a, b)| format!("each(x : {over}, {a} * {b})")),
        (elements(), of_variable(), of_variable())
            .prop_map(|(over, a, b)| format!("each(x : {over}, {a} + mirror({b}))")),
        (elements(), of_variable()).prop_map(|(over, a)| format!("any(x : {over}, {a})")),
        (elements(), of_variable(), of_variable())
            .prop_map(|(over, a, b)| format!("any(x : {over}, {a} * {b})")),
        (elements(), of_variable(), of_variable())
            .prop_map(|(over, a, b)| format!("any(x : {over}, {a} + mirror({b}))")),
        of_variable().prop_map(|a| format!(
            "each(y : {{b, e}}, piece(y * PIECES) * each(x : {{c3, d4}}, {a} * piece(shift(y, FILES -1..1))))"
        )),
    ]
}

/// Random expressions small enough for the oracle to write out.
pub(super) fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![4 => predicate(), 1 => each()];
    let tree = leaf.prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + {b}")),
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) * ({b})")),
            1 => inner.clone().prop_map(|a| format!("mirror({a})")),
            1 => (inner.clone(), any::<u32>()).prop_map(|(a, seed)| some_rows(&a, seed)),
            1 => (inner, 1..5u32).prop_map(|(a, classes)| some_classes(&a, classes)),
        ]
    });
    tree.prop_filter("small enough", |text| {
        FeatureSet::parse(text).is_ok_and(|set| set.size() <= 60_000)
    })
}

/// Every third row of a set, from the end.
fn some_rows(text: &str, seed: u32) -> String {
    let Ok(set) = FeatureSet::parse(text) else { return text.to_owned() };
    let first = seed as usize % set.size().min(3);
    let rows: Vec<String> =
        (first..set.size().min(3_000)).step_by(3).rev().map(|row| row.to_string()).collect();
    format!("rows({text}, [{}])", rows.join(", "))
}

/// Assigns the features of a set to `classes` classes in turn, every seventh to none.
fn some_classes(text: &str, classes: u32) -> String {
    let size = FeatureSet::parse(text).map_or(0, |set| set.size());
    let class = |index: usize| match index % 7 {
        6 if size > 7 => "-".to_owned(),
        _ => (index % classes as usize).to_string(),
    };
    let numbers: Vec<String> = (0..size.min(3_000)).map(class).collect();
    format!("({text}) / [{}]", numbers.join(", "))
}
