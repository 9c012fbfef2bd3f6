//! Perft through the net: every node of a tree has the evaluation of a fresh calculation.

use std::sync::Arc;

use crate::testing::{layers, random_weights};
use crate::{AccumulatorStack, quantise};
use chess::{Position, Scene};
use features::FeatureSet;
use features::catalogue::CATALOGUE;

/// Positions with castling, en passant, promotions, Chess960, and kings that cross the middle of
/// the board; depth and number of nodes.
const ROOTS: [(&str, u32, u64); 5] = [
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 48 + 2_039),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 2, 24 + 496),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 14 + 191 + 2_812),
    ("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", 2, 29 + 502),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 3, 15 + 66 + 1_197),
];

/// Evaluates the nodes below `position`; returns their number.
fn perft(stack: &mut AccumulatorStack, position: &Position, depth: u32) -> u64 {
    let mut nodes = 0;
    for m in position.legal_moves() {
        let next = position.after(m);
        stack.push(position.change(m), &next);
        // Skips some evaluations: later updates then span several plies.
        if depth == 1 || nodes % 3 > 0 {
            let expected = stack.net().evaluate(&Scene::from(&next), next.turn());
            assert_eq!(stack.evaluate(next.turn()), expected, "{next}");
        }
        nodes += 1;
        if depth > 1 {
            nodes += perft(stack, &next, depth - 1);
        }
        stack.pop();
    }
    nodes
}

#[test]
fn every_node_of_every_named_set() {
    let layers = layers("16 pairwise -> 7 dual + skip -> 8 -> 1, buckets 4, psqt");
    let sets = CATALOGUE.iter().map(|set| FeatureSet::parse(set.name).unwrap());
    for features in sets.filter(|features| !features.is_valued()) {
        let weights = random_weights(&features, &layers, 1);
        let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
        let mut stack = AccumulatorStack::new(Arc::new(net));
        for (fen, depth, nodes) in ROOTS {
            let root = Position::from_fen(fen).unwrap();
            stack.reset(&root);
            assert_eq!(perft(&mut stack, &root, depth), nodes, "{fen}");
        }
        let counts = stack.counts();
        assert!(counts.updates > 1_000 && counts.refreshes > 0, "{}", features.expression());
    }
}

/// Sets whose values are numbers of the position.
#[test]
fn every_node_of_valued_sets() {
    let mirrored = "mirror((ONE + own_king.file) * ALL) + KING * PHASE * ALL";
    for (text, line, is_followed) in [
        ("LEORIK-14", "1", true),
        ("LEORIK-18", "1", true),
        ("(ONE + PHASE) * ALL", "1, buckets 8", true),
        ("count(piece(FILES * {pawn, rook} * COLORS)) + PHASE * PV", "1", true),
        ("king(SQUARES) * count(piece(FILES * ROLES * {own})) + ALL", "1", false),
        ("(ONE + enemy_king.rank * PHASE) * (ALL + H) + PHASE + PV", "1", true),
        (mirrored, "1, buckets phase(BANDS(3))", false),
    ] {
        let features = FeatureSet::parse(text).unwrap();
        let weights = random_weights(&features, layers(line), 1);
        let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
        let mut stack = AccumulatorStack::new(Arc::new(net));
        for (fen, depth, nodes) in ROOTS {
            let root = Position::from_fen(fen).unwrap();
            stack.reset(&root);
            stack.evaluate(root.turn());
            assert_eq!(perft(&mut stack, &root, depth), nodes, "{fen}");
        }
        // King moves need none; these are those of the roots.
        let refreshes = stack.counts().refreshes;
        assert_eq!(refreshes == 2 * ROOTS.len() as u64, is_followed, "{text}: {refreshes}");
    }
}
