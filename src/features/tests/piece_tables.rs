//! Tables of pieces against the compiled set.

use std::cell::Cell;
use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::expressions::{expression, piece, place};
use super::laws::{STARTS, random_game};
use crate::catalogue::CATALOGUE;
use crate::{Feature, FeatureSet, PieceFeatureTables};
use chess::{Color, PackedPosition, PieceKind, Role, Scene, Side, Square, View};

fn tables(text: &str) -> Option<PieceFeatureTables> {
    FeatureSet::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).piece_tables()
}

fn sorted(mut features: Vec<Feature>) -> Vec<Feature> {
    features.sort_unstable();
    features
}

/// Whether the set has tables; these must find its features in all positions of a game.
fn check(text: &str, start: usize, seed: u64) -> Result<bool, TestCaseError> {
    let set = FeatureSet::parse(text).unwrap();
    let Some(tables) = set.piece_tables() else { return Ok(false) };
    let max_active = tables.max_active();
    for (position, _) in random_game(start, seed, 60) {
        let scene = Scene::from(&position);
        for perspective in Color::ALL {
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            set.active(&scene, perspective, &mut expected);
            tables.active(&scene, perspective, &mut found);
            prop_assert!(found.len() <= max_active, "{text} {position}");
            prop_assert_eq!(sorted(found), sorted(expected), "{} {}", text, position);
        }
    }
    Ok(true)
}

/// Compares tables with their sets in many games; at least `at_least` sets must have tables.
fn check_all(texts: impl Strategy<Value = String>, at_least: u32) {
    let with_tables = Cell::new(0);
    let config = ProptestConfig { cases: 192, ..ProptestConfig::with_source_file(file!()) };
    let strategy = (texts, 0..STARTS.len(), any::<u64>());
    let held = TestRunner::new(config).run(&strategy, |(text, start, seed)| {
        with_tables.set(with_tables.get() + u32::from(check(&text, start, seed)?));
        Ok(())
    });
    held.unwrap_or_else(|error| panic!("{error}"));
    assert!(with_tables.get() >= at_least, "{} sets with tables", with_tables.get());
}

/// Sums, products, mirrors and selected rows of predicates on pieces and the own king; most are
/// sums over pieces.
fn of_pieces() -> impl Strategy<Value = String> {
    let squares = || {
        prop_oneof![
            Just("SQUARES"),
            Just("FILES * RANKS"),
            Just("{d4, e4, d5, e5}"),
            Just("(SQUARES / LEFT-HALF)")
        ]
    };
    let leaf = prop_oneof![
        4 => (squares(), piece()).prop_map(|(place, piece)| format!("piece({piece} * {place})")),
        1 => (place(), piece()).prop_map(|(place, piece)| format!("piece({place} * {piece})")),
        1 => place().prop_map(|place| format!("king({place})")),
        1 => piece().prop_map(|piece| format!("king_offset(FILE_STEPS * RANK_STEPS * {piece})")),
        1 => Just("ONE".to_owned()),
    ];
    leaf.prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + {b}")),
            2 => (place(), inner.clone()).prop_map(|(place, a)| format!("king({place}) * ({a})")),
            1 => (inner.clone(), place()).prop_map(|(a, place)| format!("({a}) * king({place})")),
            1 => inner.clone().prop_map(|a| format!("mirror({a})")),
            1 => inner.prop_map(|a| format!("rows({a}, [3, 0..1])")),
        ]
    })
    .prop_filter("small enough", |text| {
        FeatureSet::parse(text).is_ok_and(|set| set.size() <= 200_000)
    })
}

#[test]
fn tables_find_the_active_features_of_sums_over_pieces() {
    check_all(of_pieces(), 96);
}

#[test]
fn tables_find_the_active_features_of_any_set_that_has_them() {
    // Few of all expressions have tables.
    check_all(prop_oneof![3 => expression(), 1 => of_pieces()], 8);
}

#[test]
fn tables_find_the_active_features_of_named_sets() {
    let of_game =
        |named: &str| (0..STARTS.len()).map(|start| check(named, start, 7).unwrap()).max();
    let names = CATALOGUE.iter().map(|named| named.name);
    let with_tables: Vec<&str> = names.filter(|named| of_game(named) == Some(true)).collect();
    assert_eq!(
        with_tables,
        [
            "ALL",
            "KING",
            "KING-ALL",
            "KING-OFFSET",
            "HALF-KP",
            "HALF-KA",
            "HALF-KA-V2",
            "HALF-KA-HM",
            "BUCKETS-9-ALL",
        ]
    );
}

#[test]
fn sums_over_pieces_have_tables() {
    for (text, planes, max_active) in [
        ("ALL", 1, 32),
        ("KING-ALL", 1, 32),
        ("HALF-KP", 1, 30),
        ("HALF-KA-HM", 1, 32),
        ("mirror(ALL)", 1, 32),
        ("ALL + KING-ALL", 2, 64),
        ("HALF-KA-HM + mirror(ALL) + KING-OFFSET", 3, 96),
        // Kings and other pieces never meet in a plane.
        ("KING + HALF-KP", 1, 31),
        (
            "piece(SQUARES * {pawn} * COLORS) + piece(SQUARES * (ROLES without {pawn}) * COLORS)",
            1,
            32,
        ),
        ("king({b, c}) * ALL + king({e, h}) * ALL", 1, 32),
        ("piece(SQUARES)", 1, 32),
        ("piece(FILES * RANKS * COLORS)", 1, 32),
        ("piece({d4, e4} * PIECES)", 1, 2),
        ("ONE + ALL", 2, 33),
        ("rows(KING-ALL, [700, 3, 40000])", 1, 1),
        ("king(FILES) * rows(ALL + mirror(ALL), [1535, 0..800])", 2, 36),
    ] {
        let tables = tables(text).unwrap_or_else(|| panic!("{text} has no tables"));
        assert_eq!((tables.planes(), tables.max_active()), (planes, max_active), "{text}");
        assert_eq!(tables.entries().len(), planes * 64 * 12 * 64);
        for start in 0..STARTS.len() {
            assert!(check(text, start, 5).unwrap());
        }
    }
}

/// Features that are active with the own king on one square are those of its group, each in a
/// place of its own.
#[test]
fn groups_of_king_squares_share_no_feature() {
    for (text, count, largest) in [
        ("ALL", 1, 768),
        ("KING-ALL", 64, 705),
        ("HALF-KA-HM", 32, 704),
        ("BUCKETS-9-ALL", 9, 720),
        ("ALL + KING-ALL", 1, 768 + 64 * 705),
        ("king({b, c}) * ALL + king({e, h}) * ALL", 36, 712),
        ("KING + ALL", 1, 832),
        ("king(FILES) * ALL + KING", 8, 720),
    ] {
        let (tables, set) = (tables(text).unwrap(), FeatureSet::parse(text).unwrap());
        let groups = tables.king_groups();
        assert_eq!((groups.count(), tables.largest_group(&groups)), (count, largest), "{text}");
        let slots = tables.slots(&groups, set.size());
        let places: HashSet<(usize, usize)> =
            slots.iter().flatten().map(|slot| (slot.group, slot.place)).collect();
        assert_eq!(places.len(), slots.iter().flatten().count(), "{text}");
        for (position, _) in random_game(0, 11, 60) {
            let scene = Scene::from(&position);
            for perspective in Color::ALL {
                let group = groups.of(View::new(&scene, perspective).own_king().unwrap());
                let packed = PackedPosition::pack(&position).unwrap();
                assert_eq!(groups.of_perspective(&packed, perspective), group, "{position}");
                let mut active: Vec<Feature> = Vec::new();
                set.active(&scene, perspective, &mut active);
                for feature in active {
                    let slot = slots[feature.0 as usize].unwrap();
                    assert_eq!(slot.group, usize::from(group), "{text} {position}");
                }
            }
        }
    }
}

#[test]
fn other_sets_have_no_tables() {
    for text in [
        "H",
        "V",
        "D1",
        "PH",
        "PV",
        "MB",
        "MC",
        "ATTACKS",
        "THREATS",
        "FULL-THREATS",
        "PINS",
        "CASTLING",
        "EN-PASSANT",
        "PASSED",
        "LEORIK-14",
        "LEORIK-18",
        "PHASE * ALL",
        "own_king.file * ALL",
        "count(ALL)",
        "count(H)",
        "rows(count(ALL), [3, 0..1])",
        "rows(H, [3, 0..1])",
        "piece(SQUARES * PIECES * COUNTS(1))",
        "enemy_king(SQUARES)",
        "enemy_king(SQUARES) * ALL",
        "enemy_king_offset(FILE_STEPS * RANK_STEPS * PIECES)",
        "material(BANDS(8)) * ALL",
        "phase(BANDS(4)) * KING-ALL",
        "HALFMOVES * ALL",
        "QUEENS * KING-ALL",
        "king_offset(FILE_STEPS * PIECES)",
        "OWN-PAWN-PLACES",
        "ALL * ALL",
        "ALL / [0, 0, 1]",
        "ALL + PV",
        "KING * (ALL + H)",
        "HALF-KA-HM + FULL-THREATS",
    ] {
        let text = match text {
            "ALL / [0, 0, 1]" => &format!("ALL / [{}]", ["0, 1, 1, 2"; 192].join(", ")),
            text => text,
        };
        assert!(tables(text).is_none(), "{text}");
    }
}

#[test]
fn an_entry_lies_where_the_layout_says() {
    let tables = tables("ALL + KING-ALL").unwrap();
    let rook = PieceKind { role: Role::Rook, side: Side::Other };
    let (king, piece, square) = (Square::G1 as usize, 3 + 6, Square::D4 as usize);
    let at = |plane: usize| ((plane * 64 + king) * 12 + piece) * 64 + square;
    for (plane, feature) in [(0, 27 * 12 + 7), (1, 768 + 6 * 768 + 27 * 12 + 7)] {
        assert_eq!(tables.entries()[at(plane)], feature);
        assert_eq!(tables.feature(plane, Square::G1, rook, Square::D4), Some(Feature(feature)));
    }
    let without_kings = self::tables("HALF-KP").unwrap();
    assert_eq!(without_kings.entries()[(king * 12 + 5) * 64 + king], PieceFeatureTables::NONE);
}

/// Features of a packed position, computed as on a card.
fn of_packed(tables: &PieceFeatureTables, packed: &PackedPosition, black: bool) -> Vec<Feature> {
    let bytes: &[u8] = bytemuck::bytes_of(packed);
    let occupied = u64::from_le_bytes(bytes[..8].try_into().unwrap());
    let squares = (0..64).filter(|square| occupied >> square & 1 == 1);
    let flip = if black { 56 } else { 0 };
    let pieces: Vec<(usize, usize)> = squares
        .enumerate()
        .map(|(i, square)| {
            let nibble = usize::from(bytes[8 + i / 2] >> (4 * (i % 2)) & 15);
            let role = if nibble & 7 == 6 { 3 } else { nibble & 7 };
            let side = usize::from((nibble >> 3 == 1) != black);
            (role + 6 * side, square ^ flip)
        })
        .collect();
    let (_, king) = *pieces.iter().find(|(piece, _)| *piece == 5).unwrap();
    let entry = |plane: usize, (piece, square): (usize, usize)| {
        tables.entries()[((plane * 64 + king) * 12 + piece) * 64 + square]
    };
    let of_plane = |plane| pieces.iter().map(move |&at| entry(plane, at));
    let entries = (0..tables.planes()).flat_map(of_plane);
    entries.filter(|&entry| entry != PieceFeatureTables::NONE).map(Feature).collect()
}

#[test]
fn packed_positions_and_entries_are_enough() {
    let tables = tables("HALF-KA-HM + ALL").unwrap();
    for start in 0..STARTS.len() {
        for (position, _) in random_game(start, 3, 60) {
            let packed = PackedPosition::pack(&position).unwrap();
            for perspective in Color::ALL {
                let mut expected = Vec::new();
                tables.active(&Scene::from(&packed), perspective, &mut expected);
                let found = of_packed(&tables, &packed, perspective == Color::Black);
                assert_eq!(found, expected, "{position}");
            }
        }
    }
}
