//! How often the neurons of a net fire.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::architecture::Layers;
use crate::weights::FloatWeights;
use chess::{Color, Scene};
use features::FeatureSet;

/// Which of the hidden layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HiddenLayer {
    /// The feature transformer.
    #[serde(rename = "feature transformer")]
    Transformer,
    /// The second hidden layer.
    #[serde(rename = "second hidden layer")]
    Second,
}

impl fmt::Display for HiddenLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transformer => "feature transformer",
            Self::Second => "second hidden layer",
        })
    }
}

/// A hidden layer on the positions that were looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerActivity {
    /// Which.
    pub name: HiddenLayer,
    /// Its neurons; those of output buckets without a position are left out.
    pub neurons: usize,
    /// Neurons that never fire.
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

    /// What is odd about it: neurons that are lost, one sentence for each kind of them.
    pub fn odd(&self) -> impl Iterator<Item = String> + use<'_> {
        let Self { name, neurons, dead, stuck, .. } = self;
        [(dead, "never fire"), (stuck, "are always full")]
            .into_iter()
            .filter(|(count, _)| **count > 0)
            .map(move |(count, what)| format!("{count} of {neurons} neurons of the {name} {what}"))
    }
}

/// Counts of all hidden layers.
#[derive(Clone, Debug)]
pub(super) struct NetActivity {
    layers: Layers,
    transformer: Counts,
    /// The second hidden layer, per output bucket.
    hidden: Vec<Counts>,
}

impl NetActivity {
    pub(super) fn new(layers: Layers) -> Self {
        let hidden = vec![Counts::new(layers.l2()); layers.buckets().count()];
        Self { layers, transformer: Counts::new(layers.l1()), hidden }
    }

    pub(super) fn add(
        &mut self,
        floats: &FloatWeights,
        set: &FeatureSet,
        scene: &Scene,
        turn: Color,
    ) {
        let activation = self.layers.activation();
        let mut inputs = Vec::with_capacity(2 * self.layers.width());
        for perspective in [turn, !turn] {
            let sums = floats.accumulate(set, scene, perspective);
            let outputs: Vec<f32> = sums.into_iter().map(|sum| activation.of(sum)).collect();
            self.transformer.add(&outputs);
            inputs.extend(outputs);
        }
        if let Layers::Two { buckets, .. } = self.layers {
            let bucket = buckets.of(scene.board().occupied().count());
            let sums = floats.dense(bucket, &inputs);
            let outputs: Vec<f32> = sums.into_iter().map(|sum| activation.of(sum)).collect();
            self.hidden[bucket].add(&outputs);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.transformer.merge(&other.transformer);
        self.hidden.iter_mut().zip(&other.hidden).for_each(|(a, b)| a.merge(b));
    }

    pub(super) fn layers(&self) -> Vec<LayerActivity> {
        let transformer =
            || summary(HiddenLayer::Transformer, std::slice::from_ref(&self.transformer));
        let hidden = || summary(HiddenLayer::Second, &self.hidden);
        match self.layers {
            Layers::Linear => Vec::new(),
            Layers::One { .. } => vec![transformer()],
            Layers::Two { .. } => vec![transformer(), hidden()],
        }
    }
}

/// How often each neuron of a layer fired.
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

    /// Adds the outputs of one position; the largest is 1. In a linear model
    /// there are none to count.
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

/// A layer of which there may be several copies.
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
