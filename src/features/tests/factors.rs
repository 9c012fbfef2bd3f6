//! Linear images, and invariance of evaluations under folding.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::laws::random_game;
use crate::image::{Image, NoImage};
use crate::{Feature, FeatureSet, TrainedSet};
use chess::{Color, Scene};

fn prove(set: &str, image: &str) -> Result<Image, NoImage> {
    Image::prove(&FeatureSet::parse(set).unwrap(), &FeatureSet::parse(image).unwrap())
}

#[test]
fn linear_images_are_found() {
    for (set, image) in [
        ("KING-ALL", "ALL"),
        ("KING-ALL", "KING-OFFSET"),
        ("KING-ALL", "KING"),
        ("KING-ALL", "count(H)"),
        ("KING-ALL", "mirror(ALL)"),
        ("HALF-KP", "piece(SQUARES * (ROLES without {king}) * COLORS)"),
        ("HALF-KA-HM", "mirror(ALL)"),
        ("HALF-KA-HM", "mirror(KING-OFFSET)"),
        ("BUCKETS-9-ALL", "mirror(ALL)"),
        ("PV + KING-ALL + MB", "ALL + KING"),
        ("enemy_king(FILES) * ALL", "ALL"),
        ("ALL * king(FILES)", "ALL"),
        ("ALL + KING-ALL", "ALL"),
        // One of the copies is active, for any other factor.
        ("KING * PV", "PV"),
        ("PV * KING", "PV"),
        ("material(BANDS(8)) * ALL", "ALL"),
        ("material(BANDS(8)) * MB", "material(BANDS(4)) * MB"),
        ("phase(BANDS(4)) * king(FILES) * H", "phase(BANDS(4)) * H"),
        ("HALFMOVES * MB", "halfmoves(BANDS(5)) * MB"),
        ("QUEENS * KING-ALL", "KING-ALL"),
        ("QUEENS * PV", "piece({own queen} * COUNTS(1)) * PV"),
        ("mirror(king(SQUARES / LEFT-HALF) * PV)", "mirror(PV)"),
        ("KING * PV", "king(FILES) * PV"),
        ("KING * enemy_king(FILES) * H", "enemy_king(FILES) * H"),
        ("KING * PHASE * ALL", "PHASE * ALL"),
        ("enemy_king(SQUARES) * ALL", "enemy_king_offset(FILE_STEPS * RANK_STEPS * PIECES)"),
        ("KING-ALL", "each(x : {e1, d4}, king(x) * piece(shift(x, RANKS 1) * PIECES))"),
        ("KING * PASSED", "PASSED"),
        ("KING * PINS", "PINS"),
        ("KING * MOBILITY-COUNTS", "MOBILITY-COUNTS"),
        ("KING * (H / HALVES)", "H / HALVES"),
    ] {
        let halves: Vec<&str> = (0..96).map(|at| if at < 48 { "0" } else { "1" }).collect();
        let halves = format!("[{}]", halves.join(", "));
        let [set, image] = [set, image].map(|text| text.replace("HALVES", &halves));
        let (set, image) = (set.as_str(), image.as_str());
        prove(set, image).unwrap_or_else(|why| panic!("{image} under {set}: {why}"));
    }
}

#[test]
fn sets_that_are_no_linear_image_are_refused() {
    for set in ["KING-ALL", "HALF-KA-HM"] {
        for image in ["H", "V", "D1", "D2", "PH", "PV", "MB", "ATTACKS", "PAWN-PAIRS", "CASTLING"] {
            assert!(prove(set, image).is_err(), "{image} under {set}");
        }
        for image in [
            "PASSED",
            "ISOLATED",
            "KING-ZONE",
            "HANGING",
            "PINS",
            "MOBILITY-COUNTS",
            "attackers(SQUARES * COLORS * COUNTS(3))",
            "attacks(FILE_STEPS * RANK_STEPS * PIECES)",
            "enemy_king_offset(FILE_STEPS * RANK_STEPS * PIECES)",
            "piece(FILES) / [0, 0, 0, 0, 1, 1, 1, 1]",
        ] {
            assert!(prove(set, image).is_err(), "{image} under {set}");
        }
    }
    for (set, image) in [
        // One row stands for a piece on the left and for one on the right.
        ("HALF-KA-HM", "ALL"),
        // The kings have no rows.
        ("HALF-KP", "ALL"),
        // Kings on other squares switch everything off.
        ("king({e1, g1}) * ALL", "ALL"),
        ("ALL", "KING-ALL"),
        ("PV", "ALL"),
        ("PHASE * ALL", "ALL"),
        // Values are lost.
        ("KING-ALL", "own_king.file * ALL"),
        ("own_king.file * KING-ALL", "ALL"),
        // Some kings have no copy, or share one.
        ("king({e1, g1}) * PV", "PV"),
        ("king(FILES) * PV", "KING * PV"),
        ("king(SQUARES / LEFT-HALF) * PV", "PV"),
        ("material(BANDS(4)) * PV", "material(BANDS(8)) * PV"),
        ("phase(BANDS(4) without {2}) * PV", "PV"),
        ("halfmoves(BANDS(5)) * PV", "HALFMOVES * PV"),
        ("piece({queen} * COUNTS(1)) * PV", "QUEENS * PV"),
        // A mirror makes it another set.
        ("mirror(KING * PV)", "PV"),
        ("KING * PV", "PH"),
    ] {
        assert!(prove(set, image).is_err(), "{image} under {set}");
    }
}

/// Both first layers, on positions of random games.
#[test]
fn folding_changes_no_sum() {
    for text in [
        "train KING-ALL + factors",
        "train HALF-KA-HM + PV + factors",
        "train KING-ALL + factors(KING-OFFSET) + factors(count(H) + KING)",
        "train KING * PV + factors(PV)",
        "train KING * PV + factors",
        "train mirror(king(SQUARES / BUCKETS-9) * (H + PV)) + factors(mirror(PV)) + factors(mirror(H))",
        "train material(BANDS(4)) * (ALL + PH) + factors(ALL)",
        "train material(BANDS(8)) * H + factors(material(BANDS(2)) * H)",
        "train HALFMOVES * ALL + factors(ALL)",
        "train QUEENS * KING * PV + factors",
        "train HALF-KP + factors",
        "train ALL + KING-ALL + factors",
    ] {
        let trained = TrainedSet::parse(text).unwrap();
        let (input, set) = (trained.input(), trained.set());
        assert!(input.size() > set.size(), "{text}");
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let rows: Vec<f32> = (0..input.size()).map(|_| rng.random_range(-1.0..1.0)).collect();
        let folded = trained.fold(rows.clone(), 1);
        assert_eq!(folded.len(), set.size());
        for (position, _) in random_game(1, 11, 80) {
            let scene = Scene::from(&position);
            for perspective in Color::ALL {
                let sum = |set: &FeatureSet, rows: &[f32]| -> f32 {
                    let mut active: Vec<crate::Weighted> = Vec::new();
                    set.active(&scene, perspective, &mut active);
                    active.iter().map(|entry| entry.value * rows[entry.feature.0 as usize]).sum()
                };
                let (before, after) = (sum(input, &rows), sum(set, &folded));
                assert!((before - after).abs() < 1e-4, "{text} {position}: {before} {after}");
            }
        }
    }
}

#[test]
fn a_factor_that_shares_nothing_is_refused() {
    for text in ["train ALL + PH + PV + factors", "train ALL + PV + factors(ALL)"] {
        let error = TrainedSet::parse(text).expect_err(text);
        let shown = format!("{error} {}", error.place().label);
        assert!(shown.contains("nothing to share"), "{shown}");
    }
    let trained = TrainedSet::parse("train KING * PV + factors").unwrap();
    assert_eq!(trained.input().size(), 64 * 1152 + 1152);
}

#[test]
fn an_image_maps_its_rows() {
    let image = prove("KING-ALL", "ALL").unwrap();
    let (king, feature) = (12, 345);
    let shared: Vec<Feature> = image.of(Feature(king * 768 + feature)).collect();
    assert_eq!(shared, [Feature(feature)]);
}

#[test]
fn a_set_without_factors_trains_as_it_is() {
    let trained = TrainedSet::parse("ALL + PV").unwrap();
    assert_eq!(trained.canonical(), FeatureSet::parse("ALL + PV").unwrap().canonical());
    assert_eq!(trained.fold(vec![1.0; 1920], 1), vec![1.0; 1920]);
}

/// The features of Stockfish in the order of its files.
const STOCKFISH: &str = "mirror(king({8, 7, 6, 5, 4, 3, 2, 1} * {a, b, c, d}) \
     * piece((PIECES / ONE-KING) * RANKS * {h, g, f, e, d, c, b, a}))";

#[test]
fn an_order_leads_to_the_features_that_are_active_together() {
    for (set, other) in
        [(STOCKFISH, "HALF-KA-HM"), ("HALF-KA-HM", STOCKFISH), ("piece(PIECES * SQUARES)", "ALL")]
    {
        let [set, other] = [set, other].map(|text| FeatureSet::parse(text).unwrap());
        let order = set.reordered(&other).unwrap();
        assert_eq!(order.len(), set.size());
        for (position, _) in (0..4).flat_map(|start| random_game(start, 1, 80)) {
            for side in Color::ALL {
                let [ours, mut theirs] = [&set, &other].map(|set| {
                    let mut active: Vec<Feature> = Vec::new();
                    set.active(&Scene::from(&position), side, &mut active);
                    active
                });
                let led = ours.iter().map(|feature| order[feature.0 as usize].unwrap());
                let mut led: Vec<Feature> = led.collect();
                led.sort_unstable();
                theirs.sort_unstable();
                assert_eq!(led, theirs, "{}", position.fen());
            }
        }
    }
}

#[test]
fn an_order_of_the_same_set_is_the_identity() {
    let set = FeatureSet::parse("PV + KING").unwrap();
    let order = set.reordered(&set).unwrap();
    assert!(order.into_iter().eq((0..set.size() as u32).map(|feature| Some(Feature(feature)))));
}

#[test]
fn sets_of_other_features_have_no_order() {
    for (set, other) in [
        ("ALL", "H"),
        ("ALL", "KING-ALL"),
        ("KING-ALL", "ALL"),
        (STOCKFISH, "HALF-KA-V2"),
        ("PV", "PH"),
        ("piece(SQUARES * {pawn} * {own})", "piece(SQUARES * {knight} * {own})"),
    ] {
        let [set, other] = [set, other].map(|text| FeatureSet::parse(text).unwrap());
        assert!(set.reordered(&other).is_none(), "{} {}", set.expression(), other.expression());
    }
}
