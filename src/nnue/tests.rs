//! Float, quantised and incremental nets agree.

use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::chess::{PackedPosition, Position, Scene};
use crate::features::FeatureSet;

/// Weights without a pattern, of the size that training gives them.
pub(crate) fn random_weights(features: &FeatureSet, layers: Layers, seed: u64) -> FloatWeights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = |count: usize, size: f32| -> Vec<f32> {
        (0..count).map(|_| rng.random_range(-size..size)).collect()
    };
    let (width, buckets) = (layers.width(), layers.buckets().count());
    let outputs = layers.dense_outputs() * buckets;
    // The last layer is in centipawns.
    let (ft, dense) = match layers {
        Layers::Linear => (150.0, 1.0),
        Layers::One { .. } => (0.4, 60.0),
        Layers::Two { .. } => (0.4, 0.5),
    };
    let ft_bias = if layers == Layers::Linear { vec![0.0] } else { values(width, 0.5) };
    let out_bias = if layers.l2() > 0 { values(buckets, 10.0) } else { Vec::new() };
    FloatWeights {
        architecture: Architecture { features: features.size(), layers },
        ft_weights: values(features.size() * width, ft),
        ft_bias,
        dense_weights: values(outputs * 2 * width, dense),
        dense_bias: values(outputs, dense),
        out_weights: values(layers.l2() * buckets, 150.0),
        out_bias,
    }
}

/// Nets of every kind.
pub(crate) fn all_layers() -> Vec<Layers> {
    let (clipped, squared) = (HiddenActivation::ClippedRelu, HiddenActivation::SquaredClippedRelu);
    let sizes = [
        (40, 8, clipped, 1),
        (40, 8, squared, 1),
        (16, 8, clipped, 8),
        (40, 16, squared, 3),
        (40, 0, clipped, 1),
        (64, 0, squared, 1),
        (16, 0, squared, 32),
        (0, 0, clipped, 1),
    ];
    sizes
        .into_iter()
        .map(|(l1, l2, activation, buckets)| Layers::new(l1, l2, activation, buckets).unwrap())
        .collect()
}

pub(crate) fn net(text: &str, layers: Layers, seed: u64) -> (FloatWeights, Arc<Net>) {
    let features = FeatureSet::parse(text).unwrap();
    let weights = random_weights(&features, layers, seed);
    let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
    (weights, Arc::new(net))
}

/// Two hidden layers with clipped ReLU.
pub(crate) fn two(l1: usize, l2: usize) -> Layers {
    Layers::new(l1, l2, HiddenActivation::ClippedRelu, 1).unwrap()
}

const SETS: [&str; 8] = [
    "ALL",
    "H + V",
    "ALL + PH + PV",
    "KING-ALL",
    "ALL + king({g1, c1}) * piece({pawn} * FILES * COLORS)",
    "HALF-KA-HM",
    "MC + PAWN-PAIRS + CASTLING + EN-PASSANT",
    "phase(BANDS(4)) * ALL + mirror(attacks(FILES * PIECES))",
];

pub(crate) fn random_positions(seed: u64, count: usize) -> Vec<PackedPosition> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::default();
    let mut out = Vec::new();
    while out.len() < count {
        let moves = position.legal_moves();
        if moves.is_empty() {
            position = Position::default();
            continue;
        }
        position.play(moves[rng.random_range(0..moves.len())]);
        out.extend(PackedPosition::pack(&position));
    }
    out
}

#[test]
fn integers_stay_close_to_floats() {
    for layers in all_layers() {
        for text in SETS {
            let (weights, net) = net(text, layers, 1);
            let error = QuantisationError::measure(&weights, &net, &random_positions(2, 500));
            assert!(error.mean < 1.5 && error.largest < 10.0, "{text}, {layers}: {error:?}");
            assert_eq!(error.histogram.iter().sum::<u32>() as usize, error.positions);
            assert_eq!(error.clipped, 0.0, "{text}, {layers}");
        }
    }
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
    // Every set with some layers, and all layers with some set.
    for (text, layers) in SETS.into_iter().zip(all_layers()) {
        let (_, net) = net(text, layers, 3);
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
    let weights = random_weights(&features, two(8, 8), 9);
    let error = quantise(&weights, &other, serde_json::Value::Null).unwrap_err();
    assert!(error.to_string().contains("`D1` has 180"), "{error}");
}

/// The same position seen by the other side is worth the opposite.
#[test]
fn a_linear_model_is_antisymmetric() {
    let (weights, net) = net("ALL + PH", Layers::Linear, 12);
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
    let mut weights = random_weights(&features, Layers::Linear, 1);
    weights.ft_weights = values.repeat(64);
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

/// Only the layers of the position's bucket decide.
#[test]
fn other_buckets_are_not_asked() {
    let features = FeatureSet::parse("ALL").unwrap();
    for l2 in [0, 8] {
        let layers = Layers::new(16, l2, HiddenActivation::ClippedRelu, 8).unwrap();
        let weights = random_weights(&features, layers, 14);
        let single = Layers::new(16, l2, HiddenActivation::ClippedRelu, 1).unwrap();
        let part = |values: &[f32], bucket: usize| {
            let size = values.len() / 8;
            values[bucket * size..(bucket + 1) * size].to_vec()
        };
        for position in random_positions(15, 300) {
            let bucket = (position.piece_count() as usize - 1) / 4;
            let alone = FloatWeights {
                architecture: Architecture { layers: single, ..weights.architecture },
                ft_weights: weights.ft_weights.clone(),
                ft_bias: weights.ft_bias.clone(),
                dense_weights: part(&weights.dense_weights, bucket),
                dense_bias: part(&weights.dense_bias, bucket),
                out_weights: part(&weights.out_weights, bucket),
                out_bias: part(&weights.out_bias, bucket),
            };
            let (scene, turn) = (Scene::from(&position), position.turn());
            let expected = alone.evaluate(&features, &scene, turn);
            assert_eq!(weights.evaluate(&features, &scene, turn), expected);
        }
    }
}

#[test]
fn weights_beyond_16_bits_are_refused_not_clipped() {
    let features = FeatureSet::parse("H").unwrap();
    for l2 in [0, 8] {
        let layers = Layers::new(8, l2, HiddenActivation::ClippedRelu, 1).unwrap();
        let mut weights = random_weights(&features, layers, 17);
        weights.dense_weights[3] = 40_000.0;
        let error = quantise(&weights, &features, serde_json::Value::Null).unwrap_err();
        assert!(error.to_string().contains("dense layer"), "{error}");
    }
}

#[test]
fn squares_are_refused_at_scales_that_no_shift_reaches() {
    let features = FeatureSet::parse("H").unwrap();
    let layers = Layers::new(8, 8, HiddenActivation::SquaredClippedRelu, 1).unwrap();
    let weights = random_weights(&features, layers, 18);
    let at = |qa, qb| {
        let scales = Scales { qa, qb, qc: 16 };
        quantise_at(scales, &weights, &features, serde_json::Value::Null)
    };
    assert!(at(128, 64).is_ok());
    assert!(matches!(at(127, 64), Err(QuantiseError::DoesNotFit { .. })));
    assert!(matches!(at(128, 60), Err(QuantiseError::DoesNotFit { .. })));
}

/// Weights for which a smaller bound would overflow.
#[test]
fn large_weights_get_scales_that_hold_them() {
    let features = FeatureSet::parse("ALL").unwrap();
    for layers in all_layers() {
        let mut weights = random_weights(&features, layers, 16);
        weights.dense_weights.iter_mut().for_each(|w| *w = w.abs() * 100.0);
        weights.dense_bias.iter_mut().for_each(|b| *b = b.abs() * 100.0);
        let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
        let unit = net.scales().activation_unit(layers.activation());
        let largest = weights.dense_weights.iter().fold(0.0, |most: f32, &w| most.max(w));
        assert!(largest * net.scales().qb as f32 <= f32::from(i16::MAX), "{layers}");
        let inputs = 2 * layers.width();
        for (row, &bias) in net.dense_weights.chunks(inputs).zip(&net.dense_bias) {
            let full: i64 = row.iter().map(|&w| i64::from(w).abs() * i64::from(unit)).sum();
            assert!(full + i64::from(bias).abs() <= i64::from(i32::MAX), "{layers}");
        }
    }
}
