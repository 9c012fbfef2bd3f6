//! Float, quantised and incremental nets agree.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::quantise::quantise_at;
use crate::testing::*;
use chess::{Position, Scene};
use features::FeatureSet;
use net::BYTE_UNIT;

const SETS: [&str; 9] = [
    "ALL",
    "H + V",
    "ALL + PH + PV",
    "KING-ALL",
    "ALL + king({g1, c1}) * piece({pawn} * FILES * COLORS)",
    "HALF-KA-HM",
    "MC + PAWN-PAIRS + CASTLING + EN-PASSANT",
    "phase(BANDS(4)) * ALL + mirror(attacks(FILES * PIECES))",
    "halfmoves(BANDS(50)) * ALL + mirror(QUEENS * H) + HALFMOVES",
];

#[test]
fn integers_stay_close_to_floats() {
    for kind in all_kinds() {
        for text in SETS {
            let (weights, net) = net(text, &kind, 1);
            let error = QuantisationError::measure(&weights, &net, &random_positions(2, 500));
            // Seven bits of an activation are fewer than ten.
            let has_bytes = !kind.layers.hidden().is_empty()
                || kind.layers.activation() == Activation::Pairwise;
            let (mean, largest) = if has_bytes { (4.0, 30.0) } else { (1.5, 10.0) };
            assert!(error.mean < mean && error.largest < largest, "{text}, {kind}: {error:?}");
            assert_eq!(error.histogram.iter().sum::<u32>() as usize, error.positions);
            assert_eq!(error.clipped, 0.0, "{text}, {kind}");
        }
    }
}

/// The lowest dense layer below another has bytes, and 16 bits where bytes would be too coarse.
#[test]
fn dense_layers_are_of_bytes_while_these_are_fine_enough() {
    let features = FeatureSet::parse("ALL").unwrap();
    for kind in all_kinds().into_iter().filter(|kind| !kind.layers.hidden().is_empty()) {
        for (largest, fits) in [(0.5, true), (3.9, true), (4.1, false), (300.0, false)] {
            let mut weights = random_weights(&features, &kind, 24);
            let lowest = &mut weights.dense[0].weights;
            let size = lowest.iter().fold(0.0, |most: f32, w| most.max(w.abs()));
            lowest.iter_mut().for_each(|w| *w *= largest / size);
            let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
            let unit = net.scales().most_read(&kind.layers)[0];
            let is_byte = |&w: &i32| i8::try_from(w).is_ok();
            let are_bytes = unit <= BYTE_UNIT && net.weights.dense[0].weights.iter().all(is_byte);
            let is_pair = kind.layers.activation() == Activation::Pairwise;
            assert_eq!(are_bytes, fits, "{kind}, {largest}: {}", net.scales());
            if fits {
                // No finer scale fits.
                let most = net.weights.dense[0].weights.iter().map(|w| w.abs()).max();
                assert!(most > Some(63), "{kind}, {largest}: {}", net.scales());
                assert!(unit >= 64 - i32::from(is_pair), "{kind}, {largest}: {}", net.scales());
            }
        }
    }
}

/// Rows that are too large for one digit have two, all others one; and no sum of any column can
/// overflow.
#[test]
fn large_rows_have_two_digits() {
    for kind in all_kinds() {
        for text in SETS {
            let (_, net) = net(text, &kind, 20);
            let scales = net.scales();
            let has_two = scales.digits().is_some();
            assert_eq!(has_two, kind.rows == Rows::Large, "{text}, {kind}: {scales}");
            let one = scales.transformer.map_or(64, |transformer| transformer.one);
            assert!(one >= 64, "{text}, {kind}: {scales}");
            assert_eq!(net.overflow(), None, "{text}, {kind}");
        }
    }
}

/// Digits do not change evaluations.
#[test]
fn digits_do_not_change_evaluations() {
    for layers in all_layers() {
        let (weights, one) = net("ALL + PV", &layers, 21);
        let Some(transformer) = one.scales().transformer else { continue };
        for base in [2, 1000, 1 << 14] {
            let base = Base::try_from(base).ok();
            let transformer = Some(TransformerScale { base, ..transformer });
            let scales = Scales { transformer, ..one.scales().clone() };
            let two = quantise_at(scales, &weights, one.features(), serde_json::Value::Null);
            let two = two.unwrap();
            assert_eq!(two.to_floats(), one.to_floats(), "{layers}, base {base:?}");
            for position in random_positions(22, 100) {
                let (scene, turn) = (Scene::from(&position), position.turn());
                assert_eq!(two.evaluate(&scene, turn), one.evaluate(&scene, turn), "{layers}");
            }
        }
    }
}

/// Rows for which even two digits leave no scale.
#[test]
fn rows_beyond_two_digits_are_refused() {
    let features = FeatureSet::parse("ALL").unwrap();
    let mut weights = random_weights(&features, layers("8 -> 8 -> 1"), 23);
    weights.ft_weights.iter_mut().for_each(|w| *w *= 1e6);
    let error = quantise(&weights, &features, serde_json::Value::Null).unwrap_err();
    assert!(error.to_string().contains("too much for 32-bit integers"), "{error}");
}

/// Walks a tree of moves, null moves and take-backs.
fn walk(stack: &mut AccumulatorStack, position: &Position, rng: &mut ChaCha8Rng, depth: u32) {
    if rng.random_bool(0.6) {
        let expected = stack.net().evaluate(&Scene::from(position), position.turn());
        assert_eq!(stack.evaluate(position.turn()), expected, "{position}");
    }
    if depth == 0 {
        return;
    }
    if let Some(passed) = position.after_null().filter(|_| rng.random_bool(0.1)) {
        stack.push_null(&passed);
        walk(stack, &passed, rng, depth - 1);
        stack.pop();
    }
    let moves = position.legal_moves();
    for _ in 0..moves.len().min(3) {
        let m = moves[rng.random_range(0..moves.len())];
        let next = position.after(m);
        stack.push(position.change(m), &next);
        walk(stack, &next, rng, depth - 1);
        stack.pop();
    }
}

#[test]
fn incremental_equals_refreshed() {
    let starts = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    ];
    // Every set with some kinds, and every kind with some set.
    for (text, kind) in SETS.into_iter().cycle().zip(all_kinds()) {
        let (_, net) = net(text, &kind, 3);
        let mut stack = AccumulatorStack::new(net);
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for start in starts {
            let position = Position::from_fen(start).unwrap();
            stack.reset(&position);
            walk(&mut stack, &position, &mut rng, 6);
        }
        assert!(stack.counts().updates > 0);
    }
}

#[test]
fn weights_of_another_set_are_refused() {
    let features = FeatureSet::parse("H").unwrap();
    let other = FeatureSet::parse("D1").unwrap();
    let weights = random_weights(&features, layers("8 -> 8 -> 1"), 9);
    let error = quantise(&weights, &other, serde_json::Value::Null).unwrap_err();
    assert!(error.to_string().contains("`D1` has 180"), "{error}");
}

/// The same position from the other side has the opposite value.
#[test]
fn a_linear_model_is_antisymmetric() {
    let (weights, net) = net("ALL + PH", Layers::linear(), 12);
    for position in random_positions(13, 200) {
        let (scene, turn) = (Scene::from(&position), position.turn());
        let float = weights.evaluate(net.features(), &scene, turn);
        assert_eq!(weights.evaluate(net.features(), &scene, !turn), -float);
        let (mine, theirs) = (net.evaluate(&scene, turn), net.evaluate(&scene, !turn));
        // Halves are rounded upwards, so that the two may miss each other by one.
        assert!((0..=1).contains(&(mine + theirs)), "{mine} and {theirs}");
        assert!((float - mine as f32).abs() < 1.0, "{float} and {mine}");
    }
}

/// A linear model by hand: material.
#[test]
fn a_linear_model_counts_material() {
    let features =
        FeatureSet::parse("piece(SQUARES * {pawn, knight, bishop, rook, queen} * {own})").unwrap();
    let values = [100.0, 320.5, 330.25, 500.0, 900.125];
    let mut weights = random_weights(&features, Layers::linear(), 1);
    weights.psqt = values.repeat(64);
    let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
    for (fen, expected) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 900),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBN1 b Qkq - 0 1", 1400),
        ("4k3/8/8/8/8/8/8/NB2K3 b - - 0 1", -651),
    ] {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(net.evaluate(&Scene::from(&position), position.turn()), expected, "{fen}");
    }
}

/// Integers have the evaluations of the floats of training, for all values of features.
#[test]
fn a_linear_model_multiplies_values() {
    for (text, line) in [
        ("LEORIK-18", "1"),
        ("(ONE + PHASE) * ALL", "1, buckets 8"),
        ("(ONE + PHASE) * king(FILES) * count(piece(RANKS * ROLES * COLORS))", "1"),
        ("mirror(PHASE * count(H)) + PHASE * count(piece({a, b} * {pawn, rook} * {own}))", "1"),
        ("PHASE + own_king.file * enemy_king.rank * PHASE * H", "1"),
        ("mirror((ONE + own_king.file) * ALL) + KING * PHASE", "1, buckets king(FILES)"),
    ] {
        let (weights, net) = net(text, layers(line), 12);
        for position in random_positions(13, 200) {
            let (scene, turn) = (Scene::from(&position), position.turn());
            let float = weights.evaluate(net.features(), &scene, turn);
            let whole = net.evaluate(&scene, turn);
            assert!((float - whole as f32).abs() < 1.0, "{text}: {float} and {whole}");
            let again = net.to_floats().evaluate(net.features(), &scene, turn);
            assert!((again - whole as f32).abs() < 1.0, "{text}: {again} and {whole}");
        }
    }
}

/// Tapered tables by hand.
#[test]
fn phase_tapers() {
    let features =
        FeatureSet::parse("(ONE + PHASE) * piece(SQUARES * {pawn, queen} * {own})").unwrap();
    let mut weights = random_weights(&features, Layers::linear(), 1);
    // A pawn is worth 80 at the start and 120 in the end, a queen 1,000 and 900.
    weights.psqt = [[80.0, 1_000.0].repeat(64), [40.0, -100.0].repeat(64)].concat();
    let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
    for (fen, expected) in [
        // One queen less: 4 of 24 points of the phase are gone.
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 983),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", 120),
        ("4k3/8/8/8/8/8/P7/4K3 b - - 0 1", -120),
    ] {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(net.evaluate(&Scene::from(&position), position.turn()), expected, "{fen}");
    }
}

#[test]
fn values_are_for_linear_models() {
    let refused = |text: &str, line: &str| {
        let features = FeatureSet::parse(text).unwrap();
        let weights = random_weights(&features, layers(line), 1);
        quantise(&weights, &features, serde_json::Value::Null).unwrap_err().to_string()
    };
    let hidden = refused("(ONE + PHASE) * ALL", "16 -> 1");
    assert!(hidden.contains("not for hidden layers"), "{hidden}");
    let counted = refused("count(PV)", "1");
    assert!(counted.contains("count"), "{counted}");
    // Three counts are a handful of features, and hundreds of millions of pieces on squares.
    let counts = "count(piece(RANKS * ROLES * {own}))";
    let many = refused(&[counts; 3].join(" * "), "1");
    assert!(many.contains("four million"), "{many}");
}

/// Only the layers of the position's bucket decide.
#[test]
fn other_buckets_do_not_matter() {
    let features = FeatureSet::parse("ALL").unwrap();
    for line in ["16 -> 1", "16 -> 8 -> 1", "16 -> 8 -> 15 + skip -> 1"] {
        let weights = random_weights(&features, layers(&format!("{line}, buckets 8")), 14);
        let part = |values: &[f32], bucket: usize| {
            let size = values.len() / 8;
            values[bucket * size..(bucket + 1) * size].to_vec()
        };
        for position in random_positions(15, 300) {
            let bucket = (position.piece_count() as usize - 1) / 4;
            let of_bucket = |dense: &DenseWeights| DenseWeights {
                weights: part(&dense.weights, bucket),
                bias: part(&dense.bias, bucket),
            };
            let alone = FloatWeights {
                architecture: Architecture { features: features.size(), layers: layers(line) },
                dense: weights.dense.iter().map(of_bucket).collect(),
                ..weights.clone()
            };
            let (scene, turn) = (Scene::from(&position), position.turn());
            let expected = alone.evaluate(&features, &scene, turn);
            assert_eq!(weights.evaluate(&features, &scene, turn), expected);
        }
    }
}

/// A head of one bucket is a linear model of its own beside the rest.
#[test]
fn psqt_weights_are_added() {
    let features = FeatureSet::parse("ALL + PV").unwrap();
    let with = random_weights(&features, layers("16 -> 8 -> 1, psqt"), 14);
    let mut rest = with.clone();
    rest.architecture.layers = layers("16 -> 8 -> 1");
    rest.psqt.clear();
    let mut head = random_weights(&features, Layers::linear(), 1);
    head.psqt.clone_from(&with.psqt);
    for position in random_positions(15, 300) {
        let (scene, turn) = (Scene::from(&position), position.turn());
        let of = |weights: &FloatWeights| weights.evaluate(&features, &scene, turn);
        assert!((of(&with) - of(&rest) - of(&head)).abs() < 0.01, "{position:?}");
    }
}

/// The laws of a net over random lines and small sets: integers stay close to floats, every
/// instruction set and every way of moving gives the same bits (debug builds check each node),
/// nothing overflows, and the file reads back.
#[test]
fn laws_hold_for_random_lines() {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    for seed in 0..60 {
        let kind = random_layers(seed);
        let text = SETS[rng.random_range(0..SETS.len())];
        let (weights, net) = net(text, &kind, seed);
        let error = QuantisationError::measure(&weights, &net, &random_positions(seed, 100));
        assert!(error.mean < 10.0 && error.clipped == 0.0, "{text}, {kind}: {error:?}");
        assert_eq!(net.overflow(), None, "{text}, {kind}");
        let again = Net::from_bytes(&net.to_bytes(), std::path::Path::new("net")).unwrap();
        assert_eq!(again.fingerprint(), net.fingerprint(), "{text}, {kind}");
        for isa in Isa::ALL.into_iter().filter_map(Dispatch::new) {
            let mut stack = AccumulatorStack::with(net.clone(), isa);
            let position = Position::default();
            stack.reset(&position);
            walk(&mut stack, &position, &mut rng, 4);
        }
    }
}

#[test]
fn weights_beyond_16_bits_are_refused_not_clipped() {
    let features = FeatureSet::parse("H").unwrap();
    for line in ["8 -> 1", "8 -> 8 -> 1", "16 pairwise -> 8 dual -> 8 -> 1"] {
        let mut weights = random_weights(&features, layers(line), 17);
        weights.dense[0].weights[3] = 40_000.0;
        let error = quantise(&weights, &features, serde_json::Value::Null).unwrap_err();
        assert!(error.to_string().contains("dense layer"), "{error}");
    }
}

#[test]
fn squares_are_refused_at_scales_that_no_shift_reaches() {
    let features = FeatureSet::parse("H").unwrap();
    let layers = layers("8 screlu -> 8 screlu -> 1");
    let weights = random_weights(&features, &layers, 18);
    let usual = quantise(&weights, &features, serde_json::Value::Null).unwrap().scales().clone();
    let at = |one| {
        let transformer = usual.transformer.map(|it| TransformerScale { one, top: one, ..it });
        let scales = Scales { transformer, ..usual.clone() };
        quantise_at(scales, &weights, &features, serde_json::Value::Null)
    };
    assert!(at(128).is_ok());
    assert!(matches!(at(127), Err(QuantiseError::DoesNotFit { .. })));
}

/// Weights that would overflow under a smaller bound.
#[test]
fn large_weights_get_scales_that_hold_them() {
    let features = FeatureSet::parse("ALL").unwrap();
    for kind in all_kinds() {
        let layers = kind.layers.clone();
        let mut weights = random_weights(&features, &kind, 16);
        for value in
            weights.dense.iter_mut().flat_map(|it| it.weights.iter_mut().chain(&mut it.bias))
        {
            *value = value.abs() * 100.0;
        }
        let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
        let reads = net.scales().most_read(&layers);
        let narrow = net.weights.dense.len() - usize::from(!layers.hidden().is_empty());
        let shapes = layers.dense();
        for ((dense, shape), most) in net.weights.dense.iter().zip(shapes).zip(reads).take(narrow) {
            assert!(dense.weights.iter().all(|&w| i16::try_from(w).is_ok()), "{layers}");
            for (row, bias) in dense.weights.chunks(shape.inputs).zip(&dense.bias) {
                let full: i64 = row.iter().map(|&w| i64::from(w).abs() * i64::from(most)).sum();
                assert!(full + bias.abs() <= i64::from(i32::MAX), "{layers}");
            }
        }
    }
}
