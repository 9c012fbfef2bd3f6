//! Examination of a net: its numbers, its neurons on real positions, and its incremental
//! accumulators against refreshed ones.
//!
//! A *wrong* net has evaluations that are not those of its weights: sums that overflow,
//! accumulators that differ from refreshed ones. An *odd* net (dead neurons, numbers at the edge of
//! their type) plays as trained, but deserves a look.

mod activity;
mod evaluations;
mod health;
mod walk;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use serde::Serialize;

use activity::NetActivity;
pub use activity::{HiddenLayer, LayerActivity};
use base::batches::in_batches;
use chess::{Color, Position, Scene};
pub use evaluations::{Evaluated, Evaluations};
use features::Feature;
pub use health::Health;
use nnue::tensors::{TensorName, Values};
use nnue::{FloatWeights, Net};
pub use walk::{Mismatch, Walk, WalkBegin, Walked};

/// Share of a tensor's numbers at its extremes that cannot be chance.
const CLIPPED: f64 = 0.005;

/// Up to this number of extremes nothing is reported, for tensors of any size.
const FEW: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TensorRange {
    pub name: &'static str,
    /// Its dimensions, the slowest first.
    pub shape: Vec<usize>,
    pub dtype: &'static str,
    pub bytes: usize,
    pub smallest: i64,
    pub largest: i64,
    /// Numbers that are the smallest or the largest. Weights without clipping have two or a few. 0
    /// for digits, which are never clipped.
    pub(crate) extremes: usize,
    /// Numbers at the limits of their type.
    at_limit: usize,
}

impl TensorRange {
    /// Numbers that pile up at the edge of a range.
    fn odd(&self) -> Option<String> {
        let Self { name, dtype, smallest, largest, extremes, at_limit, .. } = self;
        let numbers: usize = self.shape.iter().product();
        if *at_limit > 0 {
            return Some(format!("{at_limit} numbers of {name} are at the edge of {dtype}"));
        }
        let piled = *extremes as f64 > CLIPPED * numbers as f64 && *extremes > FEW;
        (piled && smallest < largest).then(|| {
            format!(
                "{extremes} of {numbers} numbers of {name} are {smallest} or {largest}: clipped"
            )
        })
    }
}

/// The largest sum of any accumulator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Peak {
    /// The sum without a limit.
    pub sum: i64,
    pub neuron: usize,
    /// Its position; empty without positions.
    pub fen: String,
}

/// Result of an examination.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetCheck {
    pub tensors: Vec<TensorRange>,
    /// Features whose rows are zero.
    pub silent_features: usize,
    /// Hidden layers, the one nearest to the features first.
    pub layers: Vec<LayerActivity>,
    /// Largest accumulator seen.
    pub peak: Peak,
    /// Largest that an accumulator can hold.
    pub accumulator_limit: i64,
    pub evaluations: Evaluations,
    /// Incremental against refreshed accumulators.
    pub walk: Walk,
    /// Faults; empty for a usable net.
    pub wrong: Vec<String>,
    pub odd: Vec<String>,
}

impl NetCheck {
    /// Examines a net on some positions. `None` if stopped. `on_progress` receives the number of
    /// positions done.
    pub fn new(
        net: &Arc<Net>,
        positions: &[Position],
        on_progress: &mut dyn FnMut(u64),
        stop: &AtomicBool,
    ) -> Option<Self> {
        let floats = net.to_floats();
        let nothing = || Seen::new(&floats);
        let look = |seen: Seen, position: &Position| seen.and(net, &floats, position);
        let mut seen = nothing();
        in_batches(positions, on_progress, stop, |batch| {
            let of_threads = batch.par_iter().fold(nothing, look).collect::<Vec<_>>();
            of_threads.iter().for_each(|more| seen.merge(more));
        })?;
        let mut check = Self {
            tensors: tensor_ranges(net),
            silent_features: silent_features(net),
            layers: seen.activity.layers(),
            peak: seen.peak,
            accumulator_limit: i64::from(i16::MAX),
            evaluations: Evaluations::new(seen.evaluated),
            walk: Walk::random(net),
            wrong: Vec::new(),
            odd: Vec::new(),
        };
        check.judge();
        Some(check)
    }

    fn judge(&mut self) {
        let Peak { sum, neuron, fen } = &self.peak;
        if sum.abs() > self.accumulator_limit {
            let limit = self.accumulator_limit;
            self.wrong.push(format!(
                "accumulator {neuron} comes to {sum}, beyond its limit {limit}, in {fen}"
            ));
        }
        if let Some(Mismatch { fen, incremental, refreshed }) = &self.walk.mismatch {
            self.wrong.push(format!(
                "after moves to {fen} the accumulators say {incremental} cp, from scratch {refreshed} cp"
            ));
        }
        if let Some(only) = self.evaluations.constant() {
            self.wrong.push(format!("it says {only} cp of every position"));
        }
        self.odd.extend(self.layers.iter().flat_map(LayerActivity::odd));
        for tensor in &self.tensors {
            self.odd.extend(tensor.odd());
        }
    }
}

/// The range of each tensor, in the order of the file.
pub fn tensor_ranges(net: &Net) -> Vec<TensorRange> {
    let (architecture, scales) = (net.architecture(), net.scales());
    let range = |(name, values): (TensorName, Values<'_>)| {
        let (least, most) = name.dtype().range();
        let smallest = values.iter().min().unwrap_or(0);
        let largest = values.iter().max().unwrap_or(0);
        let axes = name.axes(architecture, scales);
        let is_split = axes.iter().any(|axis| axis.name == "digit");
        let count = |wanted: [i64; 2]| values.iter().filter(|value| wanted.contains(value)).count();
        TensorRange {
            name: name.as_str(),
            shape: axes.iter().map(|axis| axis.size).collect(),
            dtype: name.dtype().as_str(),
            bytes: name.bytes(architecture, scales).unwrap_or(usize::MAX),
            smallest,
            largest,
            extremes: if is_split { 0 } else { count([smallest, largest]) },
            at_limit: count([least, most]),
        }
    };
    net.tensors().map(range).collect()
}

fn silent_features(net: &Net) -> usize {
    let features = 0..net.features().size() as u32;
    features.filter(|&feature| net.is_silent(Feature(feature))).count()
}

/// Statistics over some positions.
struct Seen {
    activity: NetActivity,
    peak: Peak,
    evaluated: Vec<Evaluated>,
}

impl Seen {
    fn new(floats: &FloatWeights) -> Self {
        let activity = NetActivity::new(&floats.architecture.layers);
        Self { activity, peak: Peak::default(), evaluated: Vec::new() }
    }

    /// Adds one position.
    fn and(mut self, net: &Net, floats: &FloatWeights, position: &Position) -> Self {
        let (scene, turn) = (Scene::from(position), position.turn());
        self.activity.add(floats, net.features(), &scene, turn);
        for perspective in Color::ALL {
            let sums = sums(net, &scene, perspective);
            let largest = sums.iter().enumerate().max_by_key(|(_, sum)| sum.abs());
            if let Some((neuron, &sum)) = largest
                && sum.abs() > self.peak.sum.abs()
            {
                self.peak = Peak { sum, neuron, fen: position.fen() };
            }
        }
        let centipawns = net.evaluate(&scene, turn);
        self.evaluated.push(Evaluated { centipawns, fen: position.fen() });
        self
    }

    fn merge(&mut self, other: &Self) {
        self.activity.merge(&other.activity);
        if other.peak.sum.abs() > self.peak.sum.abs() {
            self.peak = other.peak.clone();
        }
        self.evaluated.extend_from_slice(&other.evaluated);
    }
}

/// The accumulator of a perspective, wide enough for any sum.
fn sums(net: &Net, scene: &Scene, perspective: Color) -> Vec<i64> {
    let mut active: Vec<Feature> = Vec::new();
    net.features().active(scene, perspective, &mut active);
    let mut sums: Vec<i64> = net.weights().ft_bias.iter().map(|&bias| i64::from(bias)).collect();
    for feature in active {
        for (sum, &weight) in sums.iter_mut().zip(net.row(feature)) {
            *sum += i64::from(weight);
        }
    }
    sums
}

#[cfg(test)]
mod tests;
