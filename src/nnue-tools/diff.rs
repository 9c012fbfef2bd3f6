//! Comparison of two nets: shapes, weights, evaluations.

use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use serde::Serialize;

use super::provenance::flattened;
use base::batches::in_batches;
use chess::{Position, Scene};
use nnue::Net;

/// A property in which two nets differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShapeDifference {
    pub key: String,
    /// Of the first net, if it has it.
    pub first: Option<String>,
    /// Of the second net, if it has it.
    pub second: Option<String>,
}

/// A tensor of both nets, in units of activation or, in the last layer,
/// centipawns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TensorDiff {
    pub name: &'static str,
    pub numbers: usize,
    /// Share of them that differ.
    pub differing: f64,
    /// Mean size in the first net.
    pub mean_size: f64,
    pub mean: f64,
    pub largest: f64,
}

/// The evaluations of both nets compared, in centipawns for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluationDiff {
    pub positions: usize,
    pub mean: f64,
    /// 99 % of the positions differ by no more than this.
    pub percentile_99: u32,
    /// Pearson's correlation; `None` if a net evaluates all positions alike.
    pub correlation: Option<f64>,
    /// Position with the largest difference; `None` without positions.
    pub largest: Option<Disagreement>,
}

/// A position on which nets disagree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    pub fen: String,
    /// Evaluation of the first net, in centipawns.
    pub first: i32,
    /// Evaluation of the second net, in centipawns.
    pub second: i32,
}

/// All differences of two nets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetDiff {
    /// Whether their evaluations are the same in all positions.
    pub same: bool,
    /// Features, architecture and scales, where they differ.
    pub shape: Vec<ShapeDifference>,
    /// The tensors; `None` where features or architecture differ.
    pub tensors: Option<Vec<TensorDiff>>,
    pub evaluations: EvaluationDiff,
    pub provenance: Vec<ShapeDifference>,
}

impl NetDiff {
    /// Compares two nets, their evaluations on `positions`. `None` if stopped. `on_progress`
    /// receives the number of positions done.
    pub fn new(
        first: &Net,
        second: &Net,
        positions: &[Position],
        on_progress: &mut dyn FnMut(u64),
        stop: &AtomicBool,
    ) -> Option<Self> {
        let alike = first.architecture() == second.architecture()
            && first.features().canonical() == second.features().canonical();
        Some(Self {
            same: first.fingerprint() == second.fingerprint(),
            shape: differences(shape(first), shape(second)),
            tensors: alike.then(|| tensors(first, second)),
            evaluations: EvaluationDiff::new(first, second, positions, on_progress, stop)?,
            provenance: differences(flattened(first.provenance()), flattened(second.provenance())),
        })
    }
}

fn shape(net: &Net) -> Vec<(String, String)> {
    [
        ("features", net.features().canonical().to_owned()),
        ("architecture", net.architecture().to_string()),
        ("scales", net.scales().to_string()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}

/// Entries that are not in both lists with the same value, in the order of the
/// first list, then of the second.
fn differences(
    first: Vec<(String, String)>,
    second: Vec<(String, String)>,
) -> Vec<ShapeDifference> {
    let in_first = |key: &str| first.iter().any(|(other, _)| other == key);
    let new: Vec<_> = second.iter().filter(|(key, _)| !in_first(key)).cloned().collect();
    let find = |key: &str| second.iter().find(|(other, _)| other == key).map(|(_, v)| v.clone());
    let of_first = first.iter().map(|(key, value)| ShapeDifference {
        key: key.clone(),
        first: Some(value.clone()),
        second: find(key),
    });
    let of_second = new.into_iter().map(|(key, value)| ShapeDifference {
        key,
        first: None,
        second: Some(value),
    });
    of_first.chain(of_second).filter(|entry| entry.first != entry.second).collect()
}

fn tensors(first: &Net, second: &Net) -> Vec<TensorDiff> {
    let (first, second) = (first.to_floats(), second.to_floats());
    let pairs = first.tensors().into_iter().zip(second.tensors());
    pairs
        .filter(|((_, values), _)| !values.is_empty())
        .map(|((name, a), (_, b))| tensor(name, a, b))
        .collect()
}

fn tensor(name: &'static str, first: &[f32], second: &[f32]) -> TensorDiff {
    let differences = || first.iter().zip(second).map(|(a, b)| f64::from((a - b).abs()));
    let numbers = first.len();
    let per_number = |sum: f64| sum / numbers.max(1) as f64;
    TensorDiff {
        name,
        numbers,
        differing: per_number(differences().filter(|&d| d > 0.0).count() as f64),
        mean_size: per_number(first.iter().map(|w| f64::from(w.abs())).sum()),
        mean: per_number(differences().sum()),
        largest: differences().fold(0.0, f64::max),
    }
}

impl EvaluationDiff {
    /// Compares two nets on few positions.
    pub fn on(first: &Net, second: &Net, positions: &[Position]) -> Self {
        let evaluations: Vec<_> =
            positions.par_iter().map(|position| evaluated([first, second], position)).collect();
        Self::of(&evaluations, positions)
    }

    fn new(
        first: &Net,
        second: &Net,
        positions: &[Position],
        on_progress: &mut dyn FnMut(u64),
        stop: &AtomicBool,
    ) -> Option<Self> {
        let mut evaluations: Vec<(i32, i32)> = Vec::with_capacity(positions.len());
        let both = |position: &Position| evaluated([first, second], position);
        in_batches(positions, on_progress, stop, |batch| {
            evaluations.par_extend(batch.par_iter().map(both));
        })?;
        Some(Self::of(&evaluations, positions))
    }

    fn of(evaluations: &[(i32, i32)], positions: &[Position]) -> Self {
        let differences: Vec<u32> = evaluations.iter().map(|(a, b)| a.abs_diff(*b)).collect();
        let mut sorted = differences.clone();
        sorted.sort_unstable();
        let sum: u64 = sorted.iter().map(|&d| u64::from(d)).sum();
        let at_99 = sorted.len().saturating_sub(1) * 99 / 100;
        let most = (0..evaluations.len()).max_by_key(|&i| differences[i]);
        Self {
            positions: evaluations.len(),
            mean: sum as f64 / evaluations.len().max(1) as f64,
            percentile_99: sorted.get(at_99).copied().unwrap_or(0),
            correlation: correlation(evaluations),
            largest: most.map(|i| Disagreement {
                fen: positions[i].fen(),
                first: evaluations[i].0,
                second: evaluations[i].1,
            }),
        }
    }
}

/// Centipawns of both nets for the side to move.
fn evaluated(nets: [&Net; 2], position: &Position) -> (i32, i32) {
    let (scene, turn) = (Scene::from(position), position.turn());
    let [first, second] = nets.map(|net| net.evaluate(&scene, turn));
    (first, second)
}

/// Pearson's; `None` where a side does not vary.
fn correlation(pairs: &[(i32, i32)]) -> Option<f64> {
    let count = pairs.len().max(1) as f64;
    let mean =
        |of: fn(&(i32, i32)) -> i32| pairs.iter().map(|p| f64::from(of(p))).sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(|p| p.0), mean(|p| p.1));
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for &(a, b) in pairs {
        let (a, b) = (f64::from(a) - mean_a, f64::from(b) - mean_b);
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    let spread = (aa * bb).sqrt();
    (spread > 0.0).then(|| ab / spread)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use features::FeatureSet;
    use nnue::testing::{Kind, all_kinds, all_layers, random_weights};
    use nnue::{FloatWeights, quantise};

    fn weights(text: &str, kind: impl Into<Kind>, seed: u64) -> (Arc<FeatureSet>, FloatWeights) {
        let features = FeatureSet::parse(text).unwrap();
        let weights = random_weights(&features, kind, seed);
        (features, weights)
    }

    fn compare(first: &Net, second: &Net, positions: &[Position]) -> NetDiff {
        NetDiff::new(first, second, positions, &mut |_| {}, &AtomicBool::new(false)).unwrap()
    }

    fn positions() -> Vec<Position> {
        let mut position = Position::default();
        let mut positions = vec![position.clone()];
        for uci in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6", "f3e5"] {
            position.play(position.parse_uci(uci).unwrap());
            positions.push(position.clone());
        }
        positions
    }

    #[test]
    fn a_net_does_not_differ_from_itself() {
        for kind in all_kinds() {
            let (features, weights) = weights("ALL", kind, 1);
            let net = quantise(&weights, &features, json!({ "seed": 1 })).unwrap();
            let diff = compare(&net, &net, &positions());
            assert!(diff.same && diff.shape.is_empty() && diff.provenance.is_empty());
            let tensors = diff.tensors.unwrap();
            assert!(tensors.iter().all(|t| t.differing == 0.0 && t.numbers > 0), "{tensors:?}");
            assert_eq!((diff.evaluations.mean, diff.evaluations.percentile_99), (0.0, 0));
            assert!((diff.evaluations.correlation.unwrap() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn one_changed_number_is_found() {
        let layers = all_layers().remove(0);
        let (features, mut weights) = weights("ALL", &layers, 2);
        // Both must be quantised at the same scales.
        let first = quantise(&weights, &features, json!({ "seed": 1, "data": "a" })).unwrap();
        weights.dense[1].bias[0] += 50.0;
        let second = quantise(&weights, &features, json!({ "seed": 2, "data": "a" })).unwrap();
        let diff = compare(&first, &second, &positions());
        assert!(!diff.same && diff.shape.is_empty());
        let changed: Vec<_> =
            diff.tensors.unwrap().into_iter().filter(|t| t.differing > 0.0).collect();
        assert_eq!(changed.len(), 1);
        assert_eq!((changed[0].name, changed[0].numbers), ("output bias", 1));
        assert!((changed[0].largest - 50.0).abs() < 0.01, "{changed:?}");
        let evaluations = diff.evaluations;
        assert_eq!((evaluations.positions, evaluations.mean.round() as i32), (10, 50));
        let most = evaluations.largest.unwrap();
        assert!((49..=51).contains(&(most.second - most.first)), "{most:?}");
        let seed = ShapeDifference {
            key: "seed".to_owned(),
            first: Some("1".to_owned()),
            second: Some("2".to_owned()),
        };
        assert_eq!(diff.provenance, [seed]);
    }

    #[test]
    fn nets_of_other_features_differ_in_shape_and_are_still_compared() {
        let layers = all_layers().remove(0);
        let [first, second] = ["ALL", "H"].map(|text| {
            let (features, weights) = weights(text, &layers, 3);
            quantise(&weights, &features, serde_json::Value::Null).unwrap()
        });
        let diff = compare(&first, &second, &positions());
        assert_eq!(diff.tensors, None);
        assert_eq!(diff.shape[0].key, "features");
        assert!(diff.evaluations.mean > 0.0 && diff.evaluations.largest.is_some());
        let nothing = compare(&first, &second, &[]).evaluations;
        assert_eq!((nothing.mean, nothing.correlation, nothing.largest), (0.0, None, None));
    }

    #[test]
    fn correlation_is_that_of_the_textbook() {
        assert_eq!(correlation(&[(1, 2), (2, 4), (3, 6)]), Some(1.0));
        assert_eq!(correlation(&[(1, 6), (2, 4), (3, 2)]), Some(-1.0));
        // Sums of squares 2 and 2, of products 1.
        assert_eq!(correlation(&[(1, 1), (2, 3), (3, 2)]), Some(0.5));
        assert_eq!(correlation(&[(1, 1), (1, 3)]), None);
    }
}
