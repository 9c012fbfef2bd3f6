//! Examinations of nets with known faults.

use super::*;
use chess::PackedPosition;
use features::FeatureSet;
use nnue::testing::{Kind, all_kinds, all_layers, random_positions, random_weights};
use nnue::{IntegerWeights, quantise};

fn examine(net: Net, positions: &[Position]) -> NetCheck {
    let stop = AtomicBool::new(false);
    NetCheck::new(&Arc::new(net), positions, &mut |_| {}, &stop).unwrap()
}

fn positions(count: usize) -> Vec<Position> {
    let packed = random_positions(1, count);
    packed.iter().filter_map(PackedPosition::unpack).collect()
}

fn net(kind: impl Into<Kind>) -> Net {
    let features = FeatureSet::parse("ALL").unwrap();
    let weights = random_weights(&features, kind, 1);
    quantise(&weights, &features, serde_json::Value::Null).unwrap()
}

/// The same net with other weights.
fn changed(net: &Net, change: impl FnOnce(&mut IntegerWeights)) -> Net {
    let (layers, mut weights) = (net.architecture().layers.clone(), net.weights().clone());
    change(&mut weights);
    let (features, scales) = (net.features().clone(), net.scales().clone());
    Net::from_integers(features, layers, scales, weights, serde_json::Value::Null)
}

#[test]
fn sound_nets_are_found_sound() {
    for kind in all_kinds() {
        let layers = kind.layers.clone();
        let check = examine(net(&kind), &positions(300));
        assert_eq!(check.wrong, Vec::<String>::new(), "{layers}");
        assert_eq!(check.evaluations.positions, 300);
        assert_eq!(
            check.walk.games.iter().map(|walked| walked.games).collect::<Vec<_>>(),
            [16, 8, 8]
        );
        assert!(check.walk.games.iter().all(|walked| walked.positions > 100), "{layers}");
        assert!(check.walk.positions > 500, "{layers}");
        assert!(check.peak.sum.abs() <= check.accumulator_limit);
        assert_eq!(check.layers.len(), layers.dense().len());
        for layer in &check.layers {
            assert!(layer.active > 0.0 && layer.full <= layer.active && layer.active <= 1.0);
        }
    }
}

#[test]
fn dead_and_stuck_neurons_and_silent_features_are_counted() {
    let net = net(all_layers().remove(0));
    let one = net.scales().transformer.unwrap().one as i16;
    let net = changed(&net, |weights| {
        let width = weights.ft_bias.len();
        for row in weights.ft_weights.chunks_exact_mut(width) {
            row[3] = 0;
            row[5] = 0;
            row[7] = 0;
        }
        weights.ft_bias[3] = 0;
        weights.ft_bias[5] = -1;
        weights.ft_bias[7] = one;
        weights.ft_weights[..2 * width].fill(0);
    });
    let check = examine(net, &positions(200));
    assert_eq!((check.layers[0].neurons, check.layers[0].stuck), (40, 1));
    assert_eq!(check.layers[0].dead, 2);
    assert_eq!(check.silent_features, 2);
    assert!(check.wrong.is_empty(), "{:?}", check.wrong);
    assert!(check.odd[0].contains("2 of 40 neurons of the feature transformer"), "{:?}", check.odd);
}

#[test]
fn sums_beyond_their_integers_are_wrong() {
    let net = changed(&net(all_layers().remove(0)), |weights| {
        weights.ft_bias[2] = i16::MAX;
        let width = weights.ft_bias.len();
        weights.ft_weights.chunks_exact_mut(width).for_each(|row| row[2] = 100);
    });
    let check = examine(net, &positions(50));
    assert!(check.peak.sum > check.accumulator_limit && check.peak.neuron == 2);
    assert!(check.wrong[0].contains("beyond its limit 32767"), "{:?}", check.wrong);
    assert!(
        check.odd.iter().any(|odd| odd.contains("1 numbers of ft_bias are at the edge of i16"))
    );
}

#[test]
fn constant_nets_are_wrong() {
    let net = changed(&net(all_layers().remove(0)), |weights| weights.dense[1].weights.fill(0));
    let check = examine(net, &positions(50));
    assert!(check.wrong[0].contains("cp of every position"), "{:?}", check.wrong);
}

#[test]
fn no_positions_are_no_fault() {
    let check = examine(net(all_layers().remove(0)), &[]);
    assert_eq!(check.evaluations, Evaluations::default());
    assert!(check.wrong.is_empty(), "{:?}", check.wrong);
    assert_eq!(check.layers[1].neurons, 0, "of buckets that were not looked at");
}

#[test]
fn evaluations_are_summed_up() {
    let all = [30, -10, 10, 50].map(|centipawns| Evaluated { centipawns, fen: String::new() });
    let summed = Evaluations::new(all.into());
    assert_eq!((summed.mean, summed.deviation), (20.0, 500f64.sqrt()));
    assert_eq!(summed.quantiles, [-10, -10, -10, 10, 30, 30, 50]);
    assert_eq!(summed.constant(), None);
    assert_eq!(summed.largest.unwrap().centipawns, 50);
}
