//! How often the neurons of a net fire.

use std::fmt;

use serde::{Deserialize, Serialize};

use chess::{Color, Scene};
use features::FeatureSet;
use nnue::FloatWeights;
use nnue::{Hidden, Layers};

/// A layer below the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HiddenLayer {
    #[serde(rename = "feature transformer")]
    Transformer,
    /// The dense layer that reads it.
    #[serde(rename = "first dense layer")]
    First,
    /// The dense layer above that.
    #[serde(rename = "second dense layer")]
    Second,
}

impl fmt::Display for HiddenLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transformer => "feature transformer",
            Self::First => "first dense layer",
            Self::Second => "second dense layer",
        })
    }
}

/// Activity of a hidden layer on some positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerActivity {
    pub name: HiddenLayer,
    /// Its neurons; those of output buckets without a position are left out.
    pub neurons: usize,
    pub dead: usize,
    /// Neurons that are always at their largest.
    pub stuck: usize,
    /// Mean share of the positions in which a neuron fires.
    pub active: f64,
    /// Mean share of the positions in which a neuron is at its largest.
    pub full: f64,
}

impl LayerActivity {
    /// Neurons whose output never changes, dead or stuck.
    pub fn lost(&self) -> usize {
        self.dead + self.stuck
    }

    /// Lost neurons, one sentence for each kind of them.
    pub fn odd(&self) -> impl Iterator<Item = String> + use<'_> {
        let Self { name, neurons, dead, stuck, .. } = self;
        [(dead, "never fire"), (stuck, "are always full")]
            .into_iter()
            .filter(|(count, _)| **count > 0)
            .map(move |(count, what)| format!("{count} of {neurons} neurons of the {name} {what}"))
    }
}

/// Counts of all layers below the output.
#[derive(Clone, Debug)]
pub(super) struct NetActivity {
    layers: Layers,
    transformer: Counts,
    /// The dense layers, each per output bucket.
    dense: Vec<Vec<Counts>>,
}

impl NetActivity {
    pub(super) fn new(layers: &Layers) -> Self {
        let of_buckets =
            |hidden: &Hidden| vec![Counts::new(hidden.outputs()); layers.buckets().count()];
        Self {
            transformer: Counts::new(layers.outputs_per_side()),
            dense: layers.hidden().iter().map(of_buckets).collect(),
            layers: layers.clone(),
        }
    }

    pub(super) fn add(
        &mut self,
        floats: &FloatWeights,
        set: &FeatureSet,
        scene: &Scene,
        turn: Color,
    ) {
        let outputs = floats.activations(set, scene, turn);
        outputs.transformer.iter().for_each(|outputs| self.transformer.add(outputs));
        let bucket = self.layers.buckets().of(scene, turn);
        for (counts, outputs) in self.dense.iter_mut().zip(&outputs.hidden) {
            counts[bucket].add(outputs);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.transformer.merge(&other.transformer);
        let layers = self.dense.iter_mut().flatten().zip(other.dense.iter().flatten());
        layers.for_each(|(a, b)| a.merge(b));
    }

    pub(super) fn layers(&self) -> Vec<LayerActivity> {
        if self.layers.is_linear() {
            return Vec::new();
        }
        let transformer = std::slice::from_ref(&self.transformer);
        let dense = [HiddenLayer::First, HiddenLayer::Second].into_iter().zip(&self.dense);
        let dense = dense.map(|(name, copies)| summary(name, copies));
        [summary(HiddenLayer::Transformer, transformer)].into_iter().chain(dense).collect()
    }
}

/// Firing of each neuron of a layer.
#[derive(Clone, Debug)]
struct Counts {
    samples: u64,
    active: Vec<u64>,
    full: Vec<u64>,
}

impl Counts {
    fn new(neurons: usize) -> Self {
        Self { samples: 0, active: vec![0; neurons], full: vec![0; neurons] }
    }

    /// Adds the outputs of one position; the largest is 1. A linear model has none.
    fn add(&mut self, outputs: &[f32]) {
        self.samples += 1;
        for ((active, full), &output) in self.active.iter_mut().zip(&mut self.full).zip(outputs) {
            *active += u64::from(output > 0.0);
            *full += u64::from(output >= 1.0);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
        self.active.iter_mut().zip(&other.active).for_each(|(a, b)| *a += b);
        self.full.iter_mut().zip(&other.full).for_each(|(a, b)| *a += b);
    }
}

/// Summary of a layer over its copies.
fn summary(name: HiddenLayer, copies: &[Counts]) -> LayerActivity {
    let used = || copies.iter().filter(|copy| copy.samples > 0);
    let count = |of: fn(&Counts) -> &Vec<u64>, wanted: fn(u64, u64) -> bool| {
        used().flat_map(|copy| of(copy).iter().filter(|&&n| wanted(n, copy.samples))).count()
    };
    let neurons: usize = used().map(|copy| copy.active.len()).sum();
    let share = |of: fn(&Counts) -> &Vec<u64>| {
        let shares =
            used().flat_map(|copy| of(copy).iter().map(|&n| n as f64 / copy.samples as f64));
        shares.sum::<f64>() / neurons.max(1) as f64
    };
    LayerActivity {
        name,
        neurons,
        dead: count(|copy| &copy.active, |n, _| n == 0),
        stuck: count(|copy| &copy.full, |n, samples| n == samples),
        active: share(|copy| &copy.active),
        full: share(|copy| &copy.full),
    }
}
