//! `oplus net`: looking into files, checking and comparing them.

use oplus::features::FeatureSet;
use oplus::nnue::{Architecture, FloatWeights, HiddenActivation, Layers, Net, quantise};
use serde_json::{Value, json};

use crate::support::{Workplace, games};

/// Numbers without a pattern, between −`size` and `size`.
fn numbers(seed: &mut u64, count: usize, size: f32) -> Vec<f32> {
    let mut next = || {
        // Knuth's MMIX generator.
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 40) as f32 / (1 << 24) as f32 * 2.0 - 1.0
    };
    (0..count).map(|_| next() * size).collect()
}

/// A net that no training made.
pub(crate) fn net(expression: &str, layers: Layers, seed: u64) -> Net {
    net_of_rows(expression, layers, seed, 0.3)
}

/// The same, its rows of that size.
pub(crate) fn net_of_rows(expression: &str, layers: Layers, mut seed: u64, size: f32) -> Net {
    let features = FeatureSet::parse(expression).unwrap();
    let (rows, width) = (features.size(), layers.width());
    let outputs = layers.dense_outputs() * layers.buckets().count();
    let is_linear = layers == Layers::Linear;
    let last = |is_last: bool, otherwise: f32| if is_last { 90.0 } else { otherwise };
    let seed = &mut seed;
    let weights = FloatWeights {
        architecture: Architecture { features: rows, layers },
        ft_weights: numbers(seed, rows * width, last(is_linear, size)),
        ft_bias: numbers(seed, width, if is_linear { 0.0 } else { 0.4 }),
        dense_weights: numbers(seed, outputs * 2 * width, last(layers.l2() == 0, 0.4)),
        dense_bias: numbers(seed, outputs, 0.4),
        out_weights: numbers(seed, layers.l2() * layers.buckets().count(), 120.0),
        out_bias: numbers(seed, usize::from(layers.l2() > 0) * layers.buckets().count(), 20.0),
    };
    quantise(&weights, &features, json!({ "program": "a test", "seed": *seed })).unwrap()
}

pub(crate) fn layers(l1: usize, l2: usize, squared: bool, buckets: usize) -> Layers {
    let activation = match squared {
        true => HiddenActivation::SquaredClippedRelu,
        false => HiddenActivation::ClippedRelu,
    };
    Layers::new(l1, l2, activation, buckets).unwrap()
}

fn saved(work: &Workplace, name: &str, seed: u64) {
    net("ALL + V", layers(16, 8, false, 1), seed).save(&work.path().join(name)).unwrap();
}

#[test]
fn a_net_tells_what_it_is_and_where_it_comes_from() {
    let work = Workplace::new();
    let data = games().to_str().unwrap();
    let trained = work.run(&[
        "train",
        "H",
        "--data",
        data,
        "--out",
        "net",
        "--l1",
        "8",
        "--l2",
        "8",
        "--epochs",
        "1",
        "--positions-per-epoch",
        "512",
        "--batch",
        "256",
    ]);
    assert_eq!(trained.code, 0, "{}", trained.err);
    let info = work.run(&["net", "info", "net/net.oplus"]);
    for part in [
        "features      piece(FILES * ROLES * COLORS) (96 features, hash ",
        "ft_weights",
        "96 × 8",
        "2001-09-09T01:46:40Z",
        "data.files.0.file",
        "games.viri.zst",
    ] {
        assert!(info.out.contains(part), "{part:?} is not in:\n{}", info.out);
    }
    let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
    let told = work.run(&["net", "info", "net/net.oplus", "--json", "--fen", fen]);
    let told: Value = serde_json::from_str(&told.out).unwrap();
    let content = std::fs::read(games()).unwrap();
    assert_eq!(told["provenance"]["data"]["files"][0]["blake3"], blake3(&content));
    assert_eq!(told["provenance"]["training"]["epochs"], 1);
    assert_eq!(told["provenance"]["expression"], "H");
    assert_eq!(told["tensors"][0]["bytes"], 2 * 96 * 8);
    assert!(told["evaluation"]["centipawns"].is_i64(), "{told}");
}

fn blake3(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_string()
}

#[test]
fn a_sound_net_passes_and_one_that_says_nothing_does_not() {
    let work = Workplace::new();
    saved(&work, "net.oplus", 1);
    let data = games().to_str().unwrap();
    let sound = work.run(&["net", "check", "net.oplus", "--data", data, "--positions", "500"]);
    assert_eq!(sound.code, 0, "{}", sound.err);
    for part in
        ["checksum, sizes", "incremental = from scratch", "500 positions", "nothing is wrong"]
    {
        assert!(sound.out.contains(part), "{part:?} is not in:\n{}", sound.out);
    }

    let features = FeatureSet::parse("H").unwrap();
    let shape = layers(8, 8, false, 1);
    let weights = FloatWeights {
        architecture: Architecture { features: 96, layers: shape },
        ft_weights: vec![0.0; 96 * 8],
        ft_bias: vec![0.0; 8],
        dense_weights: vec![0.0; 16 * 8],
        dense_bias: vec![0.0; 8],
        out_weights: vec![1.0; 8],
        out_bias: vec![25.0],
    };
    let silent = quantise(&weights, &features, Value::Null).unwrap();
    silent.save(&work.path().join("silent.oplus")).unwrap();
    let args = ["net", "check", "silent.oplus", "--data", data, "--positions", "50", "--json"];
    let wrong = work.run(&args);
    assert_eq!(wrong.code, 1, "{}", wrong.err);
    wrong.assert_tells(&["silent.oplus: it says 25 cp of every position"]);
    let told: Value = serde_json::from_str(&wrong.out).unwrap();
    assert_eq!((&told["silent_features"], &told["layers"][0]["dead"]), (&json!(96), &json!(8)));
    assert_eq!(told["odd"].as_array().unwrap().len(), 2, "{told}");
}

#[test]
fn positions_that_cannot_be_had_are_named() {
    let work = Workplace::new();
    saved(&work, "net.oplus", 1);
    // The bundled data are not in this folder.
    let answer = work.run(&["net", "check", "net.oplus"]);
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_tells(&["datasets/bootstrap.oarc", "--data"]);
    let answer = work.run(&["net", "diff", "net.oplus", "none.oplus"]);
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_tells(&["none.oplus: cannot be read"]);
}

#[test]
fn two_nets_are_put_side_by_side() {
    let work = Workplace::new();
    saved(&work, "first.oplus", 1);
    saved(&work, "second.oplus", 2);
    let data = ["--data", games().to_str().unwrap(), "--positions", "300"];
    let same = work.run(&[&["net", "diff", "first.oplus", "first.oplus"][..], &data].concat());
    assert_eq!(same.code, 0, "{}", same.err);
    for part in ["the same features, layers, scales and numbers", "differ by 0.00 cp", "1.00000"] {
        assert!(same.out.contains(part), "{part:?} is not in:\n{}", same.out);
    }
    let args = [&["net", "diff", "first.oplus", "second.oplus", "--json"][..], &data].concat();
    let other = work.run(&args);
    let told: Value = serde_json::from_str(&other.out).unwrap();
    assert_eq!(told["same"], false);
    assert_eq!(told["tensors"].as_array().unwrap().len(), 6);
    assert_eq!(told["evaluations"]["positions"], 300);
    let most = &told["evaluations"]["largest"];
    let [first, second] = ["first", "second"].map(|side| {
        let info = work.run(&[
            "net",
            "info",
            &format!("{side}.oplus"),
            "--json",
            "--fen",
            most["fen"].as_str().unwrap(),
        ]);
        serde_json::from_str::<Value>(&info.out).unwrap()["evaluation"]["centipawns"].clone()
    });
    assert_eq!((&first, &second), (&most["first"], &most["second"]));
    assert_eq!(told["provenance"][0]["key"], "seed");
}
