//! `oplus net`: looking into files, checking and comparing them.

use oplus::features::FeatureSet;
use oplus::nnue::testing::{Kind, layers, random_weights};
use oplus::nnue::{DenseWeights, Net, quantise};
use serde_json::{Value, json};

use crate::support::{Workdir, games};

/// A net that no training made.
pub(crate) fn net(expression: &str, kind: impl Into<Kind>, seed: u64) -> Net {
    let features = FeatureSet::parse(expression).unwrap();
    let weights = random_weights(&features, kind, seed);
    quantise(&weights, &features, json!({ "program": "a test", "seed": seed })).unwrap()
}

fn saved(work: &Workdir, name: &str, seed: u64) {
    net("ALL + V", layers("16 -> 8 -> 1"), seed).save(&work.path().join(name)).unwrap();
}

#[test]
fn a_net_tells_what_it_is_and_where_it_comes_from() {
    let work = Workdir::new();
    let data = games().to_str().unwrap();
    let trained = work.run(&[
        "train",
        "H",
        "--data",
        data,
        "--out",
        "net",
        "--layers",
        "8 -> 8 -> 1",
        "--epochs",
        "1",
        "--positions-per-epoch",
        "512",
        "--batch",
        "256",
        "--licence",
        "CC0",
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
    let reply = work.run(&["net", "info", "net/net.oplus", "--json", "--fen", fen]);
    let reply: Value = serde_json::from_str(&reply.out).unwrap();
    let content = std::fs::read(games()).unwrap();
    assert_eq!(reply["provenance"]["data"]["files"][0]["blake3"], blake3(&content));
    assert_eq!(reply["provenance"]["data"]["licence"], "CC0");
    assert_eq!(reply["provenance"]["training"]["epochs"], 1);
    assert_eq!(reply["provenance"]["expression"], "H");
    assert_eq!(reply["tensors"][0]["bytes"], 2 * 96 * 8);
    assert!(reply["evaluation"]["centipawns"].is_i64(), "{reply}");
}

fn blake3(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_string()
}

#[test]
fn a_sound_net_passes_and_one_that_says_nothing_does_not() {
    let work = Workdir::new();
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
    let mut weights = random_weights(&features, layers("8 -> 8 -> 1"), 1);
    let output = weights.dense.pop().unwrap();
    let zeros = weights.dense.iter_mut().flat_map(|it| it.weights.iter_mut().chain(&mut it.bias));
    zeros.chain(&mut weights.ft_weights).chain(&mut weights.ft_bias).for_each(|w| *w = 0.0);
    weights.dense.push(DenseWeights { bias: vec![25.0], ..output });
    let silent = quantise(&weights, &features, Value::Null).unwrap();
    silent.save(&work.path().join("silent.oplus")).unwrap();
    let args = ["net", "check", "silent.oplus", "--data", data, "--positions", "50", "--json"];
    let wrong = work.run(&args);
    assert_eq!(wrong.code, 1, "{}", wrong.err);
    wrong.assert_shows(&["silent.oplus: it says 25 cp of every position"]);
    let reply: Value = serde_json::from_str(&wrong.out).unwrap();
    assert_eq!((&reply["silent_features"], &reply["layers"][0]["dead"]), (&json!(96), &json!(8)));
    assert_eq!(reply["odd"].as_array().unwrap().len(), 2, "{reply}");
}

/// The bundled archive has two million positions; these are some thousand.
#[test]
fn a_large_archive_is_read_in_part() {
    let work = Workdir::new();
    saved(&work, "net.oplus", 1);
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/bootstrap.oarc");
    let check = |seed: &str| {
        let answer =
            work.run(&["net", "check", "net.oplus", "--data", data, "--seed", seed, "--json"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let reply = answer.err.split(" of ").nth(1).unwrap_or_default().replace(',', "");
        let read: u64 = reply.split_whitespace().next().unwrap_or_default().parse().unwrap();
        assert!((10_000..500_000).contains(&read), "{}", answer.err);
        let reply: Value = serde_json::from_str(&answer.out).unwrap();
        assert_eq!(reply["evaluations"]["positions"], 5_000);
        reply["evaluations"].clone()
    };
    assert_eq!(check("1"), check("1"));
    assert_ne!(check("1"), check("2"));
}

#[test]
fn positions_that_cannot_be_had_are_named() {
    let work = Workdir::new();
    saved(&work, "net.oplus", 1);
    // The bundled data are not in this folder.
    let answer = work.run(&["net", "check", "net.oplus"]);
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_shows(&["datasets/bootstrap.oarc", "--data"]);
    let answer = work.run(&["net", "diff", "net.oplus", "none.oplus"]);
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_shows(&["none.oplus: cannot be read"]);
}

#[test]
fn two_nets_are_put_side_by_side() {
    let work = Workdir::new();
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
    let reply: Value = serde_json::from_str(&other.out).unwrap();
    assert_eq!(reply["same"], false);
    assert_eq!(reply["tensors"].as_array().unwrap().len(), 6);
    assert_eq!(reply["evaluations"]["positions"], 300);
    let most = &reply["evaluations"]["largest"];
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
    assert_eq!(reply["provenance"][0]["key"], "seed");
}

#[test]
fn its_layers_are_drawn() {
    let work = Workdir::new();
    let line = layers("32 pairwise -> 7 dual + skip -> 8 -> 1, buckets 4, psqt");
    net("H", line, 1).save(&work.path().join("net.oplus")).unwrap();
    let answer = work.run(&["net", "info", "net.oplus", "--picture", "net.svg"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let picture = std::fs::read_to_string(work.path().join("net.svg")).unwrap();
    for part in ["32 sums", "7 + skip", "dual: 14", "psqt × 4"] {
        assert!(picture.contains(part), "{part:?} is not in:\n{picture}");
    }
    let neuron = |number: &str| {
        work.run(&["net", "info", "net.oplus", "--neuron", number, "--picture", "neuron.svg"])
    };
    assert_eq!(neuron("31").code, 0, "{}", neuron("31").err);
    let picture = std::fs::read_to_string(work.path().join("neuron.svg")).unwrap();
    assert!(picture.contains("Weights of neuron 31") && picture.contains("queen"), "{picture}");
    assert_eq!(neuron("32").code, 2);
    neuron("32").assert_shows(&["`32 pairwise", "no neuron 32"]);
    let answer = work.run(&["net", "info", "net.oplus", "--picture", "missing/net.svg"]);
    assert_eq!(answer.code, 1, "{}", answer.err);
    assert!(answer.err.contains("missing/net.svg"), "{}", answer.err);
}
