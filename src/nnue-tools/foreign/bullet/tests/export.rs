//! Nets of ours as files of bullet: the same bytes again, other scales, refusals.

use std::path::Path;

use serde_json::json;

use super::{LAYOUTS, random};
use crate::diff::EvaluationDiff;
use crate::foreign::bullet::{BulletLayout, BulletNet, BulletScales};
use chess::Position;
use features::FeatureSet;
use nnue::testing::{Kind, Rows, layers, random_positions, random_weights};
use nnue::{FloatWeights, Net, quantise};

/// The net of a file, through a net file of ours.
fn imported(foreign: &BulletNet) -> Net {
    let provenance = json!({ "imported": { "layout": foreign.layout().to_string() } });
    let file = foreign.to_net(provenance).unwrap().to_bytes();
    Net::from_bytes(&file, Path::new("net.oplus")).unwrap()
}

#[test]
fn imported_nets_are_written_as_the_same_bytes() {
    for (layout, seed) in LAYOUTS.into_iter().zip(0..) {
        let foreign = random(layout, seed);
        let again = BulletNet::of_net(&imported(&foreign), None).unwrap();
        // Buckets that no number of pieces selects are left out on import.
        if foreign.layout.buckets == again.layout.buckets {
            assert_eq!(again.layout.to_string(), foreign.layout.to_string());
            assert!(again.to_bytes() == foreign.to_bytes(), "{layout}");
            let read = BulletNet::from_bytes(&again.to_bytes(), again.layout()).unwrap();
            assert_eq!(read.out_bias, foreign.out_bias, "{layout}");
        } else {
            assert_eq!((foreign.layout.buckets, again.layout.buckets), (12, 11));
            assert_eq!(imported(&again).fingerprint(), imported(&foreign).fingerprint());
        }
    }
}

fn trained(kind: impl Into<Kind>, change: impl FnOnce(&mut FloatWeights)) -> Net {
    let features = FeatureSet::parse("ALL").unwrap();
    let mut weights = random_weights(&features, kind, 5);
    change(&mut weights);
    quantise(&weights, &features, json!({ "program": "a test" })).unwrap()
}

#[test]
fn nets_at_other_scales_are_quantised_at_those_of_the_examples_or_given_ones() {
    let positions = random_positions(4, 500);
    let positions: Vec<Position> = positions.iter().filter_map(|it| it.unpack()).collect();
    let change = |net: &Net, scales: Option<&str>| {
        let scales = scales.map(|text| text.parse::<BulletScales>().unwrap());
        let file = BulletNet::of_net(net, scales).unwrap();
        assert_eq!(file.layout.scales, scales.unwrap_or_default());
        let layout: BulletLayout = file.layout().to_string().parse().unwrap();
        let read = BulletNet::from_bytes(&file.to_bytes(), &layout).unwrap();
        let change = EvaluationDiff::on(net, &read.to_net(json!({})).unwrap(), &positions);
        assert!(change.correlation > Some(0.995), "{change:?}");
        change.mean
    };
    for line in ["16 screlu -> 1", "16 -> 1", "24 screlu -> 1, buckets 1"] {
        let net = trained(layers(line), |_| ());
        let (usual, fine) = (change(&net, None), change(&net, Some("qb 512")));
        assert!(usual < 10.0 && fine < 1.0, "{line}: {usual}, {fine}");
    }
}

fn refused(net: &Net) -> String {
    BulletNet::of_net(net, None).unwrap_err().to_string()
}

#[test]
fn layers_without_a_layout_are_refused_with_what_to_train() {
    for line in ["1", "16 -> 8 -> 1", "16 pairwise -> 1", "16 -> 1, psqt"] {
        let message = format!("its layers are `{line}`, a file of bullet has `N crelu -> 1` or");
        let error = refused(&trained(layers(line), |_| ()));
        assert!(error.starts_with(&message), "{error}");
    }
    let error = refused(&trained(layers("16 screlu -> 1, buckets 4"), |_| ()));
    let expected =
        "bullet counts pieces in other steps; train a net with `buckets material(BANDS(32) / [";
    assert!(error.contains(expected), "{error}");
    // A net of those buckets is held.
    let buckets = error.split('`').nth(3).unwrap();
    let net = trained(layers(&format!("16 screlu -> 1, {buckets}")), |_| ());
    assert_eq!(BulletNet::of_net(&net, None).unwrap().layout.buckets, 4);
}

#[test]
fn numbers_beyond_16_bits_are_refused_with_their_place() {
    let net = trained(layers("16 screlu -> 1"), |weights| weights.dense[0].bias[0] = 900.0);
    let error = refused(&net);
    for part in ["dense_bias (bucket 0, output 0) is 900", "in the file; the file holds -32768 to"]
    {
        assert!(error.contains(part), "{error}");
    }
    let large = Kind { layers: layers("16 -> 1"), rows: Rows::Large };
    let net = trained(large, |weights| weights.ft_weights[16 + 2] = 200.0);
    assert!(net.scales().transformer.unwrap().base.is_some());
    let error = refused(&net);
    assert!(error.starts_with("ft_weights (feature 1, l1 2) is "), "{error}");
}
