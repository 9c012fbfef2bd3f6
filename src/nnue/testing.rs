//! Nets and positions without a pattern, for the tests of this room and of those above.

use std::fmt;
use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use chess::{PackedPosition, Position};
use features::FeatureSet;

use crate::*;

/// A net's layers and the size of its rows.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The layers.
    pub layers: Layers,
    /// Size of the rows.
    pub rows: Rows,
}

/// Size of the rows of a feature transformer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// As after training.
    Usual,
    /// So large that sums need two digits.
    Large,
}

impl From<Layers> for Kind {
    fn from(layers: Layers) -> Self {
        Self { layers, rows: Rows::Usual }
    }
}

impl From<&Layers> for Kind {
    fn from(layers: &Layers) -> Self {
        layers.clone().into()
    }
}

impl From<&Kind> for Kind {
    fn from(kind: &Kind) -> Self {
        kind.clone()
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

/// The layers of a line.
pub fn layers(line: &str) -> Layers {
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Weights without a pattern.
pub fn random_weights(features: &FeatureSet, kind: impl Into<Kind>, seed: u64) -> FloatWeights {
    let Kind { layers, rows } = kind.into();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = |count: usize, size: f32| -> Vec<f32> {
        (0..count).map(|_| rng.random_range(-size..size)).collect()
    };
    let (width, buckets) = (layers.width(), layers.buckets().count());
    let hidden = match rows {
        Rows::Usual => 0.4,
        Rows::Large => 60.0,
    };
    let ft_bias = values(width, 0.5);
    let ft_weights = values(features.size() * width, hidden);
    let shapes = layers.dense();
    let output = shapes.len().saturating_sub(1);
    let mut dense = |(place, shape): (usize, &DenseShape)| {
        // The output is in centipawns.
        let (size, bias) = match place {
            0 if place == output => (60.0, 60.0),
            _ if place == output => (150.0, 10.0),
            0 => (0.5, 0.5),
            _ => (0.8, 0.5),
        };
        DenseWeights {
            weights: values(shape.inputs * shape.sums * buckets, size),
            bias: values(shape.sums * buckets, bias),
        }
    };
    FloatWeights {
        architecture: Architecture { features: features.size(), layers: layers.clone() },
        ft_weights,
        ft_bias,
        dense: shapes.iter().enumerate().map(&mut dense).collect(),
        psqt: values(features.size() * layers.psqt_columns(), 150.0),
        skip: if layers.addition().is_some() { 250.0 } else { 0.0 },
    }
}

/// Layers of every kind.
pub fn all_layers() -> Vec<Layers> {
    [
        "40 -> 8 -> 1",
        "40 screlu -> 8 screlu -> 1",
        "16 -> 8 -> 1, buckets 8",
        "40 screlu -> 16 screlu -> 1, buckets 3",
        "40 -> 1",
        "64 screlu -> 1",
        "16 screlu -> 1, buckets 32",
        "1",
        "32 pairwise -> 1",
        "48 pairwise -> 8 -> 1, buckets 2",
        "24 -> 16 dual -> 1",
        "40 -> 8 -> 16 -> 1",
        "32 screlu -> 16 dual -> 8 screlu -> 1, buckets king(RANKS)",
        "32 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt",
        "16 -> 8 -> 7 dual + skip -> 1, psqt",
        "16 -> 1, buckets phase(BANDS(3)), psqt",
        "1, buckets 8",
    ]
    .map(layers)
    .into()
}

/// Lines without a pattern.
pub fn random_layers(seed: u64) -> Layers {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pick = |words: &[&str]| words[rng.random_range(0..words.len())].to_owned();
    let width = pick(&["16", "32", "48", "64", "80", "96"]);
    let mut line = width + &pick(&["", " screlu", " pairwise"]) + " -> ";
    let mut skip = pick(&["none", "0", "1"]);
    for place in 0..pick(&["0", "1", "2"]).parse().unwrap_or(0) {
        let has_skip = std::mem::take(&mut skip) == place.to_string();
        let sums = pick(&["8", "16", "24", "32", "40"]).parse::<usize>().unwrap_or(8);
        let activation = pick(&["", " screlu", " dual"]);
        let added = if has_skip { " + skip" } else { "" };
        line += &format!("{}{activation}{added} -> ", sums - usize::from(has_skip));
        skip = if has_skip { "none".to_owned() } else { pick(&["none", "1"]) };
    }
    line += "1";
    line += &pick(&["", ", buckets 3", ", buckets 8", ", buckets king(FILES)"]);
    layers(&(line + &pick(&["", ", psqt"])))
}

/// Nets of every kind of layers, and some of them with large rows.
pub fn all_kinds() -> Vec<Kind> {
    let has_digits = |layers: &Layers| !layers.is_linear();
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
