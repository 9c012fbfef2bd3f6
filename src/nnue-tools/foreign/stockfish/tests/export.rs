//! Nets of ours as files of Stockfish: the same bytes again, other scales, refusals.

use std::path::Path;

use serde_json::json;

use super::{MEDIUM, SMALL, padded_with, random, small};
use crate::diff::EvaluationDiff;
use crate::foreign::stockfish::{FEATURES, SOURCE, StockfishExportError, StockfishNet};
use chess::Position;
use features::FeatureSet;
use nnue::testing::{layers, random_positions, random_weights};
use nnue::{FloatWeights, Net, quantise};

const LINE: &str = "32 pairwise -> 7 dual + skip -> 8 -> 1, buckets 8, psqt";

#[test]
fn a_file_that_was_read_is_written_as_the_same_bytes() {
    let bytes = padded_with(0).bytes;
    assert!(small(&bytes).unwrap().to_bytes() == bytes);
}

#[test]
fn imported_nets_are_written_as_the_same_bytes() {
    let foreign = StockfishNet { description: "a test".to_owned(), ..random(3) };
    let provenance = json!({ "imported": { "source": SOURCE, "description": "a test" } });
    let file = foreign.to_net(provenance).unwrap().to_bytes();
    let net = Net::from_bytes(&file, Path::new("net.oplus")).unwrap();
    let again = StockfishNet::of_net_and_sizes(&net, MEDIUM).unwrap();
    assert!(again.to_bytes() == foreign.to_bytes());
    // Sizes apart, the bytes are those of the reader.
    let read = StockfishNet::of_sizes(&again.to_bytes(), MEDIUM).unwrap();
    assert_eq!(read.description(), "a test");
}

/// A net at the scales of this program.
fn trained(expression: &str, line: &str, change: impl FnOnce(&mut FloatWeights)) -> Net {
    let features = FeatureSet::parse(expression).unwrap();
    let mut weights = random_weights(&features, layers(line), 5);
    change(&mut weights);
    quantise(&weights, &features, json!({ "program": "a test" })).unwrap()
}

#[test]
fn nets_at_other_scales_are_quantised_again() {
    let positions = random_positions(4, 500);
    let positions: Vec<Position> = positions.iter().filter_map(|it| it.unpack()).collect();
    for set in [FEATURES, "HALF-KA-HM"] {
        let net = trained(set, LINE, |_| ());
        let file = StockfishNet::of_net_and_sizes(&net, MEDIUM).unwrap();
        let read = StockfishNet::of_sizes(&file.to_bytes(), MEDIUM).unwrap();
        assert!(read.description().contains(&net.fingerprint().to_string()));
        let again = read.to_net(json!({})).unwrap();
        let change = EvaluationDiff::on(&net, &again, &positions);
        assert!(change.mean < 20.0 && change.correlation > Some(0.995), "{set}: {change:?}");
    }
}

fn refused(net: &Net) -> StockfishExportError {
    StockfishNet::of_net_and_sizes(net, MEDIUM).unwrap_err()
}

#[test]
fn other_features_and_layers_are_refused_with_those_of_the_file() {
    let error = refused(&trained("ALL", LINE, |_| ())).to_string();
    for part in ["its features are `piece(", "those of Stockfish 15.1 are HALF-KA-HM; train"] {
        assert!(error.contains(part), "{error}");
    }
    for line in ["32 pairwise -> 16 dual -> 8 -> 1, buckets 8, psqt", "32 -> 1", "1"] {
        let error = refused(&trained(FEATURES, line, |_| ())).to_string();
        let message = format!("its layers are `{line}`, those of Stockfish 15.1 `{LINE}`; train");
        assert!(error.starts_with(&message), "{error}");
    }
    let released = StockfishNet::of_net(&trained(FEATURES, LINE, |_| ())).unwrap_err().to_string();
    let line = "`1024 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt`";
    assert!(released.contains(line), "{released}");
    assert_ne!(SMALL, MEDIUM);
}

#[test]
fn weights_beyond_a_byte_are_refused_with_their_place() {
    let too_large = |change: fn(&mut FloatWeights)| refused(&trained(FEATURES, LINE, change));
    // Bucket 1, output 2, input 3 of 8 buckets, 8 sums, 32 inputs.
    let error = too_large(|weights| weights.dense[0].weights[8 * 32 + 2 * 32 + 3] = -2.5);
    for part in
        ["dense_weights (bucket 1, output 2, input 3) is -2.", "-128 to 127", "clip_weights"]
    {
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = too_large(|weights| weights.dense[2].weights[0] = 300.0).to_string();
    assert!(error.starts_with("out_weights (bucket 0, l2 0) is 300, 136 in the file"), "{error}");
}
