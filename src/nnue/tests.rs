//! Float, quantised, incremental and stored nets agree.

use std::path::Path;
use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::chess::{PackedPosition, Position, Scene};
use crate::features::FeatureSet;

fn random_weights(features: &FeatureSet, l1: usize, l2: usize, seed: u64) -> FloatWeights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = |count: usize, size: f32| -> Vec<f32> {
        (0..count).map(|_| rng.random_range(-size..size)).collect()
    };
    FloatWeights {
        architecture: Architecture { features: features.size(), l1, l2 },
        ft_weights: values(features.size() * l1, 0.4),
        ft_bias: values(l1, 0.5),
        l2_weights: values(l2 * 2 * l1, 0.5),
        l2_bias: values(l2, 0.5),
        out_weights: values(l2, 150.0),
        out_bias: 10.0,
    }
}

fn net(text: &str, seed: u64) -> (FloatWeights, Arc<Net>) {
    let features = FeatureSet::parse(text).unwrap();
    let weights = random_weights(&features, 40, 8, seed);
    let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
    (weights, Arc::new(net))
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

fn random_positions(seed: u64, count: usize) -> Vec<PackedPosition> {
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
    for text in SETS {
        let (weights, net) = net(text, 1);
        let error = QuantisationError::measure(&weights, &net, &random_positions(2, 500));
        assert!(error.mean < 1.5 && error.largest < 10.0, "{text}: {error:?}");
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
    for text in SETS {
        let (_, net) = net(text, 3);
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
fn a_file_reads_back_as_the_same_net() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("net.oplus");
    let (_, net) = net("ALL + PV", 5);
    net.save(&path).unwrap();
    let again = Net::load(&path).unwrap();
    assert_eq!(again.to_bytes(), net.to_bytes());
    for position in random_positions(6, 50) {
        let (scene, turn) = (Scene::from(&position), position.turn());
        assert_eq!(again.evaluate(&scene, turn), net.evaluate(&scene, turn));
    }
}

#[test]
fn damaged_files_are_refused() {
    let (_, net) = net("H", 7);
    let bytes = net.to_bytes();
    let path = Path::new("net.oplus");
    for end in (0..bytes.len()).step_by(7) {
        assert!(Net::from_bytes(&bytes[..end], path).is_err(), "cut at {end}");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for _ in 0..500 {
        let mut damaged = bytes.clone();
        let bit = rng.random_range(0..bytes.len() * 8);
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Net::from_bytes(&damaged, path).is_err(), "bit {bit} flipped");
    }
    assert!(matches!(Net::from_bytes(b"PNG nothing", path), Err(NetError::Magic { .. })));
    assert!(matches!(Net::from_bytes(&bytes[..200], path), Err(NetError::Length { .. })));
}

#[test]
fn weights_of_another_set_are_refused() {
    let features = FeatureSet::parse("H").unwrap();
    let other = FeatureSet::parse("D1").unwrap();
    let weights = random_weights(&features, 8, 8, 9);
    let error = quantise(&weights, &other, serde_json::Value::Null).unwrap_err();
    assert!(error.to_string().contains("`D1` has 180"), "{error}");
}
