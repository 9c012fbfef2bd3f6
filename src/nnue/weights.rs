//! Weights as plain floats: the output of training and the input of quantisation.

use super::layers::Architecture;
use chess::{Color, Scene};
use features::{Feature, FeatureSet, TrainedSet, Weighted};

/// A trained net in floating point. The output is in centipawns for the side to move, so
/// the weights of the output layer are centipawns per unit of activation, and those of the
/// head are centipawns.
///
/// Tensors of layers that the net does not have are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatWeights {
    /// Features and layers.
    pub architecture: Architecture,
    /// `[features][width]`, row of a feature contiguous.
    pub ft_weights: Vec<f32>,
    /// `[width]`.
    pub ft_bias: Vec<f32>,
    /// `[features][buckets]`: PSQT weights.
    pub psqt: Vec<f32>,
    /// The dense layers, the output last.
    pub dense: Vec<DenseWeights>,
    /// Centipawns per unit of the sum that goes straight to the output; 0 without a skip.
    pub skip: f32,
}

/// A dense layer in floating point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseWeights {
    /// `[buckets][sums][inputs]`; of the lowest layer the side to move's inputs come first.
    pub weights: Vec<f32>,
    /// `[buckets][sums]`.
    pub bias: Vec<f32>,
}

impl DenseWeights {
    /// The sums of a bucket; `sums` is their number.
    pub(crate) fn sums(&self, bucket: usize, sums: usize, inputs: &[f32]) -> Vec<f32> {
        let biases = &self.bias[bucket * sums..][..sums];
        let rows = self.weights[bucket * sums * inputs.len()..].chunks_exact(inputs.len());
        rows.zip(biases).map(|(row, bias)| dot(row, inputs) + bias).collect()
    }
}

/// The outputs of all layers for a position.
#[derive(Clone, Debug, Default)]
pub struct Activations {
    /// Outputs of the feature transformer for each perspective, the side to move first.
    pub transformer: [Vec<f32>; 2],
    /// Outputs of each hidden dense layer.
    pub hidden: Vec<Vec<f32>>,
    /// Centipawns for the side to move.
    pub output: f32,
}

/// Sums of one perspective: the accumulator, and the PSQT head.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    /// `[width]`.
    pub neurons: Vec<f32>,
    /// By bucket, in centipawns; empty without a head.
    pub head: Vec<f32>,
}

impl FloatWeights {
    /// All tensors, with names for people.
    pub fn tensors(&self) -> Vec<(&'static str, &[f32])> {
        let mut tensors: Vec<(&str, &[f32])> = vec![
            ("feature transformer", &self.ft_weights),
            ("feature transformer bias", &self.ft_bias),
            ("psqt", &self.psqt),
        ];
        const NAMES: [[&str; 2]; 3] = [
            ["first dense layer", "first dense layer bias"],
            ["second dense layer", "second dense layer bias"],
            ["output", "output bias"],
        ];
        for (place, layer) in self.dense.iter().enumerate() {
            let is_output = place + 1 == self.dense.len();
            let [weights, bias] = NAMES[if is_output { NAMES.len() - 1 } else { place }];
            tensors.extend([(weights, &layer.weights[..]), (bias, &layer.bias[..])]);
        }
        tensors
    }

    /// The same with the output, and everything added to it, multiplied by `factor`.
    pub fn with_output_times(mut self, factor: f64) -> Self {
        let output = self.dense.last_mut().map(|output| [&mut output.weights, &mut output.bias]);
        let values = output.into_iter().flatten().flatten();
        for value in values.chain(&mut self.psqt).chain([&mut self.skip]) {
            *value = (f64::from(*value) * factor) as f32;
        }
        self
    }

    /// The weights of the exported set, from those of the training set: factors are added to the
    /// rows that share them. Evaluations stay the same except for rounding.
    pub fn folded(mut self, trained: &TrainedSet) -> Self {
        let layers = &self.architecture.layers;
        if layers.width() > 0 {
            self.ft_weights = trained.fold(self.ft_weights, layers.width());
        }
        if layers.has_psqt() {
            self.psqt = trained.fold(self.psqt, layers.psqt_columns());
        }
        self.architecture.features = trained.set().size();
        self
    }

    /// The row of a feature in the feature transformer.
    pub fn row(&self, feature: Feature) -> &[f32] {
        row(&self.ft_weights, self.architecture.layers.width(), feature)
    }

    /// PSQT weights of a feature; `[buckets]`, or empty without a head.
    pub fn head_of(&self, feature: Feature) -> &[f32] {
        row(&self.psqt, self.architecture.layers.psqt_columns(), feature)
    }

    /// Bias plus the rows of the active features of one perspective, each times its value, and
    /// their PSQT weights.
    pub fn sums(&self, active: &[Weighted]) -> Sums {
        let mut sums = Sums {
            neurons: self.ft_bias.clone(),
            head: vec![0.0; self.architecture.layers.psqt_columns()],
        };
        active.iter().for_each(|&Weighted { feature, value }| self.add(&mut sums, feature, value));
        sums
    }

    /// Adds the row and the PSQT weights of a feature, `times` times.
    pub fn add(&self, sums: &mut Sums, feature: Feature, times: f32) {
        let add = |sums: &mut [f32], row: &[f32]| {
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += times * weight);
        };
        add(&mut sums.neurons, self.row(feature));
        add(&mut sums.head, self.head_of(feature));
    }

    /// Centipawns for the side to move, the plain float reference.
    pub fn evaluate(&self, features: &FeatureSet, scene: &Scene, turn: Color) -> f32 {
        self.activations(features, scene, turn).output
    }

    /// Centipawns for the side to move, from the sums of both sides, its own first, in a bucket.
    pub fn evaluate_sums(&self, sums: [&Sums; 2], bucket: usize) -> f32 {
        self.activations_of(sums, bucket).output
    }

    /// The outputs of all layers for a position.
    pub fn activations(&self, features: &FeatureSet, scene: &Scene, turn: Color) -> Activations {
        let bucket = self.architecture.layers.buckets().of(scene, turn);
        let [own, other] = [turn, !turn].map(|perspective| {
            let mut active: Vec<Weighted> = Vec::new();
            features.active(scene, perspective, &mut active);
            self.sums(&active)
        });
        self.activations_of([&own, &other], bucket)
    }

    fn activations_of(&self, sums: [&Sums; 2], bucket: usize) -> Activations {
        let layers = &self.architecture.layers;
        let mut passed = Activations::default();
        if layers.has_psqt() {
            passed.output = sums[0].head[bucket] - sums[1].head[bucket];
        }
        if layers.is_linear() {
            return passed;
        }
        let activation = layers.activation();
        passed.transformer = sums.map(|sums| activation.of_layer(&sums.neurons));
        let mut inputs = passed.transformer.concat();
        let (shapes, mut skipped) = (layers.dense(), 0.0);
        for ((hidden, dense), shape) in layers.hidden().iter().zip(&self.dense).zip(&shapes) {
            let sums = dense.sums(bucket, shape.sums, &inputs);
            inputs = hidden.activation.of_layer(&sums[..hidden.neurons]);
            if let Some(addition) = hidden.addition {
                skipped += addition.of(&sums[hidden.neurons..]) * self.skip;
            }
            passed.hidden.push(inputs.clone());
        }
        if let Some(output) = self.dense.last() {
            passed.output += output.sums(bucket, 1, &inputs)[0] + skipped;
        }
        passed
    }
}

fn row(values: &[f32], columns: usize, feature: Feature) -> &[f32] {
    &values[feature.0 as usize * columns..][..columns]
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
