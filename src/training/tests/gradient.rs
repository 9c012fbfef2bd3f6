//! The whole network and its loss, differentiated by Burn and our operation,
//! against differences of an independent computation in f64.

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};

use super::random_choices;
use super::small::layers;
use crate::batch::{Active, Batch, Encoder, Example, Listing, Lists};
use crate::loss::{Loss, Pqr, Target};
use crate::negative::NegativeSampler;
use crate::noise::Noise;
use crate::session::tensors;
use crate::{Method, TrainingConfig};
use features::FeatureSet;
use network::front::{IndexForm, Inverse};
use network::testing::every_device;
use network::{Nnue, OUTPUT_SCALE};
use nnue::{Activation, Architecture, FloatWeights, Layers};

const SCORES: Method = Method::TargetScores;

/// The parameters end to end, in f64, in the order of [`FloatWeights`].
fn flat(weights: &FloatWeights) -> Vec<f64> {
    weights.tensors().iter().flat_map(|(_, values)| values.iter().copied()).map(f64::from).collect()
}

/// A net straight from the definitions, over flat parameters.
struct Reference<'a> {
    architecture: &'a Architecture,
    parameters: &'a [f64],
}

impl<'a> Reference<'a> {
    /// The tensors in the order of [`FloatWeights`].
    fn tensors(&self) -> Vec<&'a [f64]> {
        let Architecture { features, layers } = self.architecture;
        let (width, buckets) = (layers.width(), layers.buckets().count());
        let mut sizes = vec![features * width, width, features * layers.psqt_columns()];
        let dense = layers.dense();
        sizes.extend(
            dense.iter().flat_map(|it| [it.sums * it.inputs, it.sums]).map(|n| n * buckets),
        );
        let mut rest = self.parameters;
        let tensors = sizes.into_iter().map(|size| {
            let (tensor, after) = rest.split_at(size);
            rest = after;
            tensor
        });
        let tensors = tensors.collect();
        assert!(rest.is_empty());
        tensors
    }

    /// Centipawns for a position: the lists of both sides, and its bucket.
    fn centipawns(&self, lists: [&[(i32, f32)]; 2], bucket: usize) -> f64 {
        let tensors = self.tensors();
        let layers = &self.architecture.layers;
        let sum_of = |list: &[(i32, f32)], weights: &[f64], columns: usize, column: usize| {
            let active = list.iter().filter(|&&(f, _)| f >= 0);
            active.map(|&(f, v)| f64::from(v) * weights[f as usize * columns + column]).sum::<f64>()
        };
        let mut output = 0.0;
        if layers.has_psqt() {
            let columns = layers.psqt_columns();
            let [own, other] = lists.map(|list| sum_of(list, tensors[2], columns, bucket));
            output = own - other;
        }
        if layers.is_linear() {
            return output;
        }
        let (width, activation) = (layers.width(), layers.activation());
        let side = |list: &[(i32, f32)]| {
            let sum = |column| sum_of(list, tensors[0], width, column) + tensors[1][column];
            activated(&(0..width).map(sum).collect::<Vec<_>>(), activation)
        };
        let mut inputs = lists.map(side).concat();
        for (place, shape) in layers.dense().iter().enumerate() {
            let [weights, biases] = [tensors[3 + 2 * place], tensors[4 + 2 * place]];
            let neuron = |neuron: usize| {
                let neuron = bucket * shape.sums + neuron;
                let weights = &weights[neuron * shape.inputs..][..shape.inputs];
                weights.iter().zip(&inputs).map(|(w, x)| w * x).sum::<f64>() + biases[neuron]
            };
            let sums: Vec<f64> = (0..shape.sums).map(neuron).collect();
            let Some(hidden) = layers.hidden().get(place) else { return output + sums[0] };
            output += sums[hidden.neurons..].iter().sum::<f64>() * OUTPUT_SCALE;
            inputs = activated(&sums[..hidden.neurons], hidden.activation);
        }
        unreachable!("the last layer is the output")
    }

    /// Centipawns for each position of a batch.
    fn outputs(&self, batch: &Batch) -> Vec<f64> {
        let ones = vec![1.0; batch.lists().indices.len()];
        let values = batch.lists().values.as_ref().unwrap_or(&ones);
        let entries: Vec<(i32, f32)> =
            batch.lists().indices.iter().zip(values).map(|(&f, &v)| (f, v)).collect();
        let positions = entries.chunks(2 * batch.lists().width).enumerate();
        let output = |(position, rows): (usize, &[(i32, f32)])| {
            let bucket = batch.buckets.get(position).map_or(0, |&bucket| bucket as usize);
            self.centipawns(rows.split_at(batch.lists().width).into(), bucket)
        };
        positions.map(output).collect()
    }
}

fn activated(sums: &[f64], activation: Activation) -> Vec<f64> {
    let clipped = || sums.iter().map(|x| x.clamp(0.0, 1.0));
    match activation {
        Activation::ClippedRelu => clipped().collect(),
        Activation::SquaredClippedRelu => clipped().map(|x| x * x).collect(),
        Activation::Pairwise => {
            clipped().zip(clipped().skip(sums.len() / 2)).map(|(a, b)| a * b).collect()
        }
        Activation::Dual => sums.iter().map(|x| (x * x).min(1.0)).chain(clipped()).collect(),
        Activation::Identity => sums.to_vec(),
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
                (sigmoid(cp / config.in_scaling) - f64::from(target)).abs()
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
fn all_layers() -> [Layers; 14] {
    [
        "16 -> 8 -> 1",
        "16 screlu -> 8 screlu -> 1",
        "16 -> 8 -> 1, buckets 8",
        "16 -> 1",
        "16 screlu -> 1, buckets 3",
        "1",
        "1, buckets 8",
        "32 pairwise -> 8 -> 1",
        "16 -> 8 dual -> 1",
        "16 -> 8 -> 1, psqt",
        "16 -> 7 + skip -> 8 -> 1",
        "32 pairwise -> 7 dual + skip -> 8 screlu -> 1, buckets 4, psqt",
        "16 -> 8 -> 1, buckets king(RANKS)",
        "16 screlu -> 8 screlu -> 1, buckets 32",
    ]
    .map(layers)
}

#[test]
fn gradients_are_the_slopes_of_the_loss() {
    for layers in all_layers() {
        let batch = binary_batch(&layers, SCORES);
        assert_gradients_are_slopes(&layers, SCORES, batch);
    }
}

#[test]
fn gradients_are_the_slopes_of_the_ranking_loss() {
    let method = Method::Pqr(Pqr { kappa: 0.7, scale_cp: 300.0 });
    for layers in [&all_layers()[0], &all_layers()[2], &all_layers()[11]] {
        let batch = binary_batch(layers, method);
        assert_eq!(batch.lists().indices.len(), 40 * 3 * 2 * batch.lists().width);
        assert_gradients_are_slopes(layers, method, batch);
    }
}

#[test]
fn gradients_are_the_slopes_of_the_loss_with_values() {
    let layers = layers("16 -> 8 -> 1");
    let mut batch = binary_batch(&layers, SCORES);
    // Negative, zero and positive, different for the same feature.
    let values = (0..batch.lists().indices.len()).map(|i| (i % 11) as f32 / 4.0 - 1.0);
    let values: Vec<f32> = values.collect();
    let Lists { indices, width, form, .. } = batch.lists().clone();
    let inverse = Some(Inverse::new(batch.lists().rows(), Some(&values), 768));
    batch.active = Active::Lists(Lists { indices, form, width, values: Some(values), inverse });
    assert_gradients_are_slopes(&layers, SCORES, batch);
}

#[test]
fn buckets_without_positions_get_no_gradient() {
    for line in ["16 -> 1, buckets 4", "16 pairwise -> 8 dual -> 8 -> 1, buckets 4, psqt"] {
        let layers = layers(line);
        let mut batch = binary_batch(&layers, SCORES);
        batch.buckets.fill(3);
        let (_, gradient) =
            network_and_gradient(&layers, SCORES, &batch, &Device::flex().autodiff());
        for values in gradient.dense.iter().flat_map(|layer| [&layer.weights, &layer.bias]) {
            let (others, last) = values.split_at(values.len() / 4 * 3);
            assert!(others.iter().all(|&x| x == 0.0), "{layers}");
            assert!(last.iter().any(|&x| x != 0.0), "{layers}");
        }
        let of_others = |row: &[f32]| row[..3].iter().all(|&x| x == 0.0);
        assert!(gradient.psqt.chunks(4).all(of_others), "{layers}");
    }
}

fn binary_batch(layers: &Layers, method: Method) -> Batch {
    let features = &*FeatureSet::parse("ALL").unwrap();
    let samples = random_choices(40, 11);
    let example = match method {
        Method::TargetScores => Example::Position,
        Method::Pqr(_) => Example::Triplet(NegativeSampler::new(3)),
    };
    let target = Target::last(&TrainingConfig::default());
    let buckets = layers.buckets();
    let (samples, noise) = ((&samples).into(), Noise::default());
    let listing = Listing::RowsAndInverse(IndexForm::Word);
    Encoder { features, buckets, samples, target, example, noise, listing }.batch(40, |i| i)
}

fn initial_network(layers: &Layers, device: &Device) -> Nnue {
    let architecture = Architecture { features: 768, layers: layers.clone() };
    Nnue::init(&architecture, 24.0, 5, device)
}

/// A fresh network's loss, and how it changes with the weights as
/// [`FloatWeights`] has them.
fn network_and_gradient(
    layers: &Layers,
    method: Method,
    batch: &Batch,
    device: &Device,
) -> (f64, FloatWeights) {
    let config = TrainingConfig { method, ..Default::default() };
    let network = initial_network(layers, device);
    let (input, targets) = tensors(batch.clone(), None, device);
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

/// Whether each parameter is in centipawns.
fn in_centipawns(weights: &FloatWeights) -> Vec<bool> {
    let of_output = |name: &str| ["psqt", "output", "output bias"].contains(&name);
    let tensors = weights.tensors().into_iter();
    tensors.flat_map(|(name, values)| vec![of_output(name); values.len()]).collect()
}

fn assert_gradients_are_slopes(layers: &Layers, method: Method, batch: Batch) {
    for device in every_device() {
        assert_gradients_are_slopes_on(&device.autodiff(), layers, method, &batch);
    }
}

fn assert_gradients_are_slopes_on(device: &Device, layers: &Layers, method: Method, batch: &Batch) {
    let (loss, gradient) = network_and_gradient(layers, method, batch, device);
    let weights = initial_network(layers, device).to_float_weights();
    let (parameters, gradient) = (flat(&weights), flat(&gradient));
    let architecture = &weights.architecture;
    let reference = |parameters: &[f64]| {
        let outputs = Reference { architecture, parameters }.outputs(batch);
        reference_loss(method, &outputs, &batch.targets)
    };
    let expected = reference(&parameters);
    assert!((loss - expected).abs() < 1e-6 * expected.max(1.0), "{layers}");

    // A kink of the clipping between the two points spoils a difference; with
    // this step that hits a parameter in a hundred at most.
    let in_centipawns = in_centipawns(&weights);
    let (mut wrong, mut seen) = (0, 0);
    let every = if layers.is_linear() { 1 } else { 2 };
    for i in (0..parameters.len()).filter(|i| i % every == 0 || i + 300 > parameters.len()) {
        let (step, noise) = if in_centipawns[i] { (1e-3, 1e-10) } else { (1e-6, 2e-8) };
        let mut moved = parameters.clone();
        moved[i] += step;
        let above = reference(&moved);
        moved[i] -= 2.0 * step;
        let slope = (above - reference(&moved)) / (2.0 * step);
        seen += usize::from(slope != 0.0);
        wrong += usize::from((slope - gradient[i]).abs() > noise + 1e-3 * slope.abs());
    }
    // Features that both perspectives share cancel in the linear model.
    let enough = if layers.is_linear() { 50 } else { 400 };
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
