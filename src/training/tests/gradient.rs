//! The whole network and its loss, differentiated by Burn and our operation,
//! against differences of an independent computation in f64.

use std::ops::Range;

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};

use super::random_choices;
use crate::batch::{Batch, Encoder, Lesson};
use crate::loss::{Loss, Pqr, Target};
use crate::rival::RivalDraw;
use crate::session::tensors;
use crate::{Method, TrainingConfig};
use features::FeatureSet;
use network::front::Inverse;
use network::testing::every_device;
use network::{Nnue, OUTPUT_SCALE};
use nnue::{Activation, Architecture, FloatWeights, HiddenActivation, Layers};

const SCORES: Method = Method::TargetScores;

/// The parameters end to end, in f64, in the order of [`FloatWeights`].
fn flat(weights: &FloatWeights) -> Vec<f64> {
    weights.tensors().iter().flat_map(|(_, values)| values.iter().copied()).map(f64::from).collect()
}

/// A net straight from the definitions, over flat parameters.
struct Reference<'a> {
    architecture: Architecture,
    parameters: &'a [f64],
}

impl<'a> Reference<'a> {
    /// The tensors in the order of [`FloatWeights`].
    fn tensors(&self) -> [&'a [f64]; 6] {
        let Architecture { features, layers } = self.architecture;
        let (width, buckets) = (layers.width(), layers.buckets().count());
        let (outputs, l2) = (layers.dense_outputs() * buckets, layers.l2() * buckets);
        let out_bias = if l2 > 0 { buckets } else { 0 };
        let mut rest = self.parameters;
        let sizes = [features * width, width, outputs * 2 * width, outputs, l2, out_bias];
        let tensors = sizes.map(|size| {
            let (tensor, after) = rest.split_at(size);
            rest = after;
            tensor
        });
        assert!(rest.is_empty());
        tensors
    }

    /// Centipawns for a position: the lists of both sides, and its pieces.
    fn centipawns(&self, lists: [&[(i32, f32)]; 2], pieces: u8) -> f64 {
        let [ft, ft_bias, dense, dense_bias, out, out_bias] = self.tensors();
        let layers = self.architecture.layers;
        let (width, outputs) = (layers.width(), layers.dense_outputs());
        let bucket = (usize::from(pieces) - 1) * layers.buckets().count() / 32;
        let activated = |x: f64| match layers.activation() {
            Activation::ClippedRelu => x.clamp(0.0, 1.0),
            Activation::SquaredClippedRelu => x.clamp(0.0, 1.0).powi(2),
            Activation::Identity => x,
        };
        let mut hidden = Vec::new();
        for list in lists {
            for (column, bias) in ft_bias.iter().enumerate() {
                let active = list.iter().filter(|&&(f, _)| f >= 0);
                let weighted =
                    |&(f, v): &(i32, f32)| f64::from(v) * ft[f as usize * width + column];
                hidden.push(activated(active.map(weighted).sum::<f64>() + bias));
            }
        }
        if layers == Layers::Linear {
            return hidden[0] - hidden[1];
        }
        let sum = |weights: &[f64], inputs: &[f64]| -> f64 {
            weights.iter().zip(inputs).map(|(w, x)| w * x).sum()
        };
        let neurons = bucket * outputs..(bucket + 1) * outputs;
        let sums = neurons.map(|neuron| {
            sum(&dense[neuron * 2 * width..][..2 * width], &hidden) + dense_bias[neuron]
        });
        if layers.l2() == 0 {
            return sums.sum();
        }
        let above: Vec<f64> = sums.map(activated).collect();
        sum(&out[bucket * outputs..][..outputs], &above) + out_bias[bucket]
    }

    /// Centipawns for each position of a batch.
    fn outputs(&self, batch: &Batch) -> Vec<f64> {
        let ones = vec![1.0; batch.indices.len()];
        let values = batch.values.as_ref().unwrap_or(&ones);
        let entries: Vec<(i32, f32)> =
            batch.indices.iter().zip(values).map(|(&f, &v)| (f, v)).collect();
        let positions = entries.chunks(2 * batch.width).zip(&batch.pieces);
        let output = |(rows, &pieces): (&[(i32, f32)], &u8)| {
            self.centipawns(rows.split_at(batch.width).into(), pieces)
        };
        positions.map(output).collect()
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The loss of outputs in centipawns, straight from the definitions.
fn reference_loss(method: Method, outputs: &[f64], targets: &[f32]) -> f64 {
    let config = TrainingConfig::default();
    let losses: Vec<f64> = match method {
        Method::TargetScores => {
            let error = |(cp, &target): (&f64, &f32)| {
                (sigmoid(cp / config.output_scale_cp) - f64::from(target)).abs()
            };
            let errors = outputs.iter().zip(targets).map(error);
            errors.map(|error| error.powf(config.loss_exponent)).collect()
        }
        Method::Pqr(Pqr { kappa, scale_cp }) => {
            let squash = |cp: f64| 2.0 * sigmoid(cp / scale_cp) - 1.0;
            let of_triple = |triple: &[f64]| {
                let [p, q, r] = [0, 1, 2].map(|i| squash(triple[i]));
                let equality = -sigmoid(p + q).ln() - sigmoid(-p - q).ln();
                -sigmoid(r - q).ln() + kappa * equality
            };
            outputs.chunks(3).map(of_triple).collect()
        }
    };
    losses.iter().sum::<f64>() / targets.len() as f64
}

/// Every kind of net; the last has a bucket per number of pieces.
fn all_layers() -> [Layers; 7] {
    let (clipped, squared) = (HiddenActivation::ClippedRelu, HiddenActivation::SquaredClippedRelu);
    [
        (16, 8, clipped, 1),
        (16, 8, squared, 1),
        (16, 8, clipped, 8),
        (16, 0, clipped, 1),
        (16, 0, squared, 3),
        (0, 0, clipped, 1),
        (16, 8, squared, 32),
    ]
    .map(|(l1, l2, activation, buckets)| Layers::new(l1, l2, activation, buckets).unwrap())
}

#[test]
fn gradients_are_the_slopes_of_the_loss() {
    for layers in all_layers() {
        assert_gradients_are_slopes(layers, SCORES, binary_batch(SCORES));
    }
}

#[test]
fn gradients_are_the_slopes_of_the_ranking_loss() {
    let method = Method::Pqr(Pqr { kappa: 0.7, scale_cp: 300.0 });
    let batch = binary_batch(method);
    assert_eq!(batch.indices.len(), 40 * 3 * 2 * batch.width);
    for layers in [all_layers()[0], all_layers()[2]] {
        assert_gradients_are_slopes(layers, method, batch.clone());
    }
}

#[test]
fn gradients_are_the_slopes_of_the_loss_with_values() {
    let mut batch = binary_batch(SCORES);
    // Negative, zero and positive, different for the same feature.
    let values = (0..batch.indices.len()).map(|i| (i % 11) as f32 / 4.0 - 1.0);
    let values: Vec<f32> = values.collect();
    batch.inverse = Some(Inverse::new(&batch.indices, Some(&values), batch.width, 768));
    batch.values = Some(values);
    assert_gradients_are_slopes(all_layers()[0], SCORES, batch);
}

#[test]
fn buckets_without_positions_get_no_gradient() {
    let mut batch = binary_batch(SCORES);
    batch.pieces.fill(32);
    for (l2, outputs) in [(0, 1), (8, 8)] {
        let layers = Layers::new(16, l2, HiddenActivation::ClippedRelu, 4).unwrap();
        let (_, gradient) =
            network_and_gradient(layers, SCORES, &batch, &Device::flex().autodiff());
        let of_last = |values: &[f32], size: usize| {
            let (others, last) = values.split_at(3 * size);
            assert!(others.iter().all(|&x| x == 0.0), "{layers}");
            assert!(last.iter().any(|&x| x != 0.0), "{layers}");
        };
        of_last(&gradient.dense_weights, outputs * 2 * 16);
        of_last(&gradient.dense_bias, outputs);
        if l2 > 0 {
            of_last(&gradient.out_weights, l2);
            of_last(&gradient.out_bias, 1);
        }
    }
}

fn binary_batch(method: Method) -> Batch {
    let features = &*FeatureSet::parse("ALL").unwrap();
    let samples = &random_choices(40, 11);
    let lesson = match method {
        Method::TargetScores => Lesson::Position,
        Method::Pqr(_) => Lesson::Ranking(RivalDraw::new(3)),
    };
    let target = Target::last(&TrainingConfig::default());
    Encoder { features, samples, target, lesson, inverse: true }.batch(40, |i| i)
}

fn initial_network(layers: Layers, device: &Device) -> Nnue {
    let architecture = Architecture { features: 768, layers };
    Nnue::init(architecture, 24.0, 5, device)
}

/// A fresh network's loss, and how it changes with the weights as
/// [`FloatWeights`] has them.
fn network_and_gradient(
    layers: Layers,
    method: Method,
    batch: &Batch,
    device: &Device,
) -> (f64, FloatWeights) {
    let config = TrainingConfig { method, ..Default::default() };
    let network = initial_network(layers, device);
    let (input, targets) = tensors(batch.clone(), device);
    let loss = Loss::new(&config).of(network.forward(input), targets);
    let gradients = GradientsParams::from_grads(loss.backward(), &network);
    let gradient = network.valid().map(&mut ToGradients(&gradients)).to_float_weights();
    // Handing over multiplied the last layer by the scale. Its parameters are
    // those of the network times the scale, so their slopes are the network's
    // divided by it.
    let gradient = gradient.with_output_times(1.0 / (OUTPUT_SCALE * OUTPUT_SCALE));
    let loss: f32 = loss.into_scalar();
    (f64::from(loss), gradient)
}

/// Places of the parameters that are in centipawns.
fn last_layer(weights: &FloatWeights) -> Range<usize> {
    let [ft, dense, out] = [0, 2, 4].map(|first| {
        weights.tensors()[first..first + 2].iter().map(|(_, values)| values.len()).sum::<usize>()
    });
    match weights.architecture.layers {
        Layers::Linear => 0..ft,
        Layers::One { .. } => ft..ft + dense,
        Layers::Two { .. } => ft + dense..ft + dense + out,
    }
}

fn assert_gradients_are_slopes(layers: Layers, method: Method, batch: Batch) {
    for device in every_device() {
        assert_gradients_are_slopes_on(&device.autodiff(), layers, method, &batch);
    }
}

fn assert_gradients_are_slopes_on(device: &Device, layers: Layers, method: Method, batch: &Batch) {
    let (loss, gradient) = network_and_gradient(layers, method, batch, device);
    let weights = initial_network(layers, device).to_float_weights();
    let (parameters, gradient) = (flat(&weights), flat(&gradient));
    let architecture = weights.architecture;
    let reference = |parameters: &[f64]| {
        let outputs = Reference { architecture, parameters }.outputs(batch);
        reference_loss(method, &outputs, &batch.targets)
    };
    let expected = reference(&parameters);
    assert!((loss - expected).abs() < 1e-6 * expected.max(1.0), "{layers}");

    // A kink of the clipping between the two points spoils a difference; with
    // this step that hits a parameter in a hundred at most.
    let last = last_layer(&weights);
    let (mut wrong, mut seen) = (0, 0);
    let every = if layers == Layers::Linear { 1 } else { 2 };
    for i in (0..parameters.len()).filter(|i| i % every == 0 || i + 300 > parameters.len()) {
        let (step, noise) = if last.contains(&i) { (1e-3, 1e-10) } else { (1e-6, 2e-8) };
        let mut moved = parameters.clone();
        moved[i] += step;
        let above = reference(&moved);
        moved[i] -= 2.0 * step;
        let slope = (above - reference(&moved)) / (2.0 * step);
        seen += usize::from(slope != 0.0);
        wrong += usize::from((slope - gradient[i]).abs() > noise + 1e-3 * slope.abs());
    }
    // What both sides see alike cancels in the linear model.
    let enough = if layers == Layers::Linear { 50 } else { 400 };
    assert!(seen > enough, "{layers}: only {seen} parameters touched");
    assert!(wrong * 100 <= seen, "{layers}: {wrong} of {seen} gradients are wrong");
}

/// Puts the gradient of every parameter in its place.
struct ToGradients<'a>(&'a GradientsParams);

impl ModuleMapper for ToGradients<'_> {
    fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, _, mapper) = parameter.consume();
        Param::from_mapped_value(id, self.0.get(id).expect("every parameter is used"), mapper)
    }
}
