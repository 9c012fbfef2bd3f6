//! Nets and positions without a pattern, for the tests of this room and of those above.

use std::fmt;
use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use chess::{PackedPosition, Position};
use features::FeatureSet;

use crate::*;

/// A net's layers, and how large its rows are.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The layers.
    pub layers: Layers,
    /// How large the rows are.
    pub rows: Rows,
}

/// How large the rows of a feature transformer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// As training makes them.
    Usual,
    /// So large that sums need two digits.
    Large,
}

impl From<Layers> for Kind {
    fn from(layers: Layers) -> Self {
        Self { layers, rows: Rows::Usual }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows {
            Rows::Usual => write!(f, "{}", self.layers),
            Rows::Large => write!(f, "{}, large rows", self.layers),
        }
    }
}

/// Weights without a pattern.
pub fn random_weights(features: &FeatureSet, kind: impl Into<Kind>, seed: u64) -> FloatWeights {
    let Kind { layers, rows } = kind.into();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = |count: usize, size: f32| -> Vec<f32> {
        (0..count).map(|_| rng.random_range(-size..size)).collect()
    };
    let (width, buckets) = (layers.width(), layers.buckets().count());
    let outputs = layers.dense_outputs() * buckets;
    // The last layer is in centipawns.
    let hidden = match rows {
        Rows::Usual => 0.4,
        Rows::Large => 60.0,
    };
    let (ft, dense) = match layers {
        Layers::Linear => (150.0, 1.0),
        Layers::One { .. } => (hidden, 60.0),
        Layers::Two { .. } => (hidden, 0.5),
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

/// Layers of every kind.
pub fn all_layers() -> Vec<Layers> {
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

/// Nets of every kind of layers, and some of them with large rows.
pub fn all_kinds() -> Vec<Kind> {
    let has_digits = |layers: &Layers| *layers != Layers::Linear;
    let large = |layers| Kind { layers, rows: Rows::Large };
    let large = all_layers().into_iter().filter(has_digits).map(large);
    all_layers().into_iter().map(Kind::from).chain(large).collect()
}

/// A net of random weights, as floats and quantised.
pub fn net(text: &str, kind: impl Into<Kind>, seed: u64) -> (FloatWeights, Arc<Net>) {
    let features = FeatureSet::parse(text).unwrap();
    let weights = random_weights(&features, kind, seed);
    let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
    (weights, Arc::new(net))
}

/// Two hidden layers with clipped ReLU.
pub fn two(l1: usize, l2: usize) -> Layers {
    Layers::new(l1, l2, HiddenActivation::ClippedRelu, 1).unwrap()
}

/// Positions of random games.
pub fn random_positions(seed: u64, count: usize) -> Vec<PackedPosition> {
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
