//! The whole network and its loss, differentiated by Burn and our operation,
//! against differences of an independent computation in f64.

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};

use super::random_samples;
use crate::features::FeatureSet;
use crate::network::device::tests::every_device;
use crate::network::front::Inverse;
use crate::network::{Nnue, OUTPUT_SCALE};
use crate::nnue::{Architecture, FloatWeights};
use crate::training::TrainingConfig;
use crate::training::batch::{Batch, Encoder};
use crate::training::loss::{Loss, Target};
use crate::training::session::tensors;

const L1: usize = 16;
const L2: usize = 8;

/// The parameters end to end, in f64, in the order of [`FloatWeights`].
fn flat(weights: &FloatWeights) -> Vec<f64> {
    let parts = [
        &weights.ft_weights,
        &weights.ft_bias,
        &weights.l2_weights,
        &weights.l2_bias,
        &weights.out_weights,
    ];
    let all = parts.into_iter().flatten().copied().chain([weights.out_bias]);
    all.map(f64::from).collect()
}

/// The loss of flat parameters, straight from the definitions.
fn reference_loss(parameters: &[f64], features: usize, batch: &Batch) -> f64 {
    let config = TrainingConfig::default();
    let (ft, rest) = parameters.split_at(features * L1);
    let (ft_bias, rest) = rest.split_at(L1);
    let (l2, rest) = rest.split_at(2 * L1 * L2);
    let (l2_bias, rest) = rest.split_at(L2);
    let (out, out_bias) = rest.split_at(L2);
    let clip = |x: f64| x.clamp(0.0, 1.0);
    let ones = vec![1.0; batch.indices.len()];
    let values = batch.values.as_ref().unwrap_or(&ones);
    let entries: Vec<(i32, f32)> =
        batch.indices.iter().zip(values).map(|(&f, &v)| (f, v)).collect();
    let mut total = 0.0;
    for (rows, &target) in entries.chunks(2 * batch.width).zip(&batch.targets) {
        let mut hidden = Vec::new();
        for row in rows.chunks(batch.width) {
            for (column, bias) in ft_bias.iter().enumerate() {
                let active = row.iter().filter(|&&(f, _)| f >= 0);
                let weighted = |&(f, v): &(i32, f32)| f64::from(v) * ft[f as usize * L1 + column];
                let sum: f64 = active.map(weighted).sum();
                hidden.push(clip(sum + bias));
            }
        }
        let mut cp = out_bias[0];
        for neuron in 0..L2 {
            let weights = &l2[neuron * 2 * L1..][..2 * L1];
            let sum: f64 = weights.iter().zip(&hidden).map(|(w, x)| w * x).sum();
            cp += out[neuron] * clip(sum + l2_bias[neuron]);
        }
        let points = 1.0 / (1.0 + (-cp / config.output_scale_cp).exp());
        total += (points - f64::from(target)).abs().powf(config.loss_exponent);
    }
    total / batch.len() as f64
}

#[test]
fn gradients_are_the_slopes_of_the_loss() {
    assert_gradients_are_slopes(binary_batch());
}

#[test]
fn gradients_are_the_slopes_of_the_loss_with_values() {
    let mut batch = binary_batch();
    // Negative, zero and positive, different for the same feature.
    let values = (0..batch.indices.len()).map(|i| (i % 11) as f32 / 4.0 - 1.0);
    let values: Vec<f32> = values.collect();
    batch.inverse = Some(Inverse::new(&batch.indices, Some(&values), batch.width, 768));
    batch.values = Some(values);
    assert_gradients_are_slopes(batch);
}

fn binary_batch() -> Batch {
    let features = FeatureSet::parse("ALL").unwrap();
    let samples = random_samples(40, 11);
    let target = Target::last(&TrainingConfig::default());
    Encoder { features: &features, samples: &samples, target, inverse: true }.batch(40, |i| i)
}

fn assert_gradients_are_slopes(batch: Batch) {
    for device in every_device() {
        assert_gradients_are_slopes_on(device.autodiff(), &batch);
    }
}

fn assert_gradients_are_slopes_on(device: Device, batch: &Batch) {
    let config = TrainingConfig::default();
    let architecture = Architecture { features: 768, l1: L1, l2: L2 };
    let network = Nnue::init(architecture, 24.0, 5, &device);
    let (active, targets) = tensors(batch.clone(), &device);
    let loss = Loss::new(&config).of(network.forward(active), targets);
    let gradients = GradientsParams::from_grads(loss.backward(), &network);
    let gradient = flat_gradients(&network, &gradients);

    let parameters = flat(&network.to_float_weights());
    let value: f32 = loss.into_scalar();
    let reference = |parameters: &[f64]| reference_loss(parameters, 768, batch);
    assert!((f64::from(value) - reference(&parameters)).abs() < 1e-6);

    // A kink of the clipping between the two points spoils a difference; with
    // this step that hits a parameter in a hundred at most.
    let (mut wrong, mut seen) = (0, 0);
    for i in (0..parameters.len()).filter(|i| i % 4 == 0 || i + 300 > parameters.len()) {
        let is_output = i + L2 + 1 >= parameters.len();
        let (step, noise) = if is_output { (1e-3, 1e-10) } else { (1e-6, 2e-8) };
        let mut moved = parameters.clone();
        moved[i] += step;
        let above = reference(&moved);
        moved[i] -= 2.0 * step;
        let slope = (above - reference(&moved)) / (2.0 * step);
        seen += usize::from(slope != 0.0);
        wrong += usize::from((slope - gradient[i]).abs() > noise + 1e-3 * slope.abs());
    }
    assert!(seen > 400, "only {seen} parameters touched");
    assert!(wrong * 100 <= seen, "{wrong} of {seen} gradients are wrong");
}

/// Puts the gradient of every parameter in its place.
struct ToGradients<'a>(&'a GradientsParams);

impl ModuleMapper for ToGradients<'_> {
    fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, _, mapper) = parameter.consume();
        Param::from_mapped_value(id, self.0.get(id).expect("every parameter is used"), mapper)
    }
}

/// The gradients in the order of the parameters.
fn flat_gradients(network: &Nnue, gradients: &GradientsParams) -> Vec<f64> {
    let mut flat = flat(&network.valid().map(&mut ToGradients(gradients)).to_float_weights());
    // Handing over multiplied the output layer by the scale. Its parameters
    // are those of the network times the scale, so their slopes are the
    // network's divided by it.
    let outputs = flat.len() - L2 - 1..;
    for value in &mut flat[outputs] {
        *value /= OUTPUT_SCALE * OUTPUT_SCALE;
    }
    flat
}
