//! Gradients of a step brought back to a norm.
//!
//! The norm is that of all gradients together (Pascanu, Mikolov and Bengio, *On the difficulty
//! of training recurrent neural networks*, 2013), so that a step is made shorter but keeps its
//! direction; clipped tensor by tensor it would turn. The factor stays on the device: reading
//! it would wait for the step.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData};
use rayon::prelude::*;

use network::Nnue;

/// Values whose squares one parallel task adds up. The sums of tasks are added in their order,
/// so that threads do not change a bit.
const TASK_VALUES: usize = 1 << 15;

/// Gradients scaled to a norm of `limit` if theirs is larger, otherwise unchanged to the bit.
pub(crate) fn clipped(gradients: GradientsParams, network: &Nnue, limit: f64) -> GradientsParams {
    let Some(norm) = norm(&gradients, network) else { return gradients };
    // For a norm of zero the quotient is infinite, and the factor 1.
    let factor = norm.recip().mul_scalar(limit).clamp_max(1.0);
    let mut scaling = Scaling { gradients, factor };
    network.visit(&mut scaling);
    scaling.gradients
}

/// Root of the sum of the squares of all gradients, `[1]`; `None` if there are none.
pub(crate) fn norm(gradients: &GradientsParams, network: &Nnue) -> Option<Tensor<1>> {
    let mut squares = Squares { gradients, sum: None };
    network.visit(&mut squares);
    squares.sum.map(Tensor::sqrt)
}

struct Squares<'a> {
    gradients: &'a GradientsParams,
    sum: Option<Tensor<1>>,
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        let Some(gradient) = self.gradients.get::<D>(parameter.id) else { return };
        let more = sum_of_squares(gradient);
        self.sum = Some(match self.sum.take() {
            Some(sum) => sum + more,
            None => more,
        });
    }
}

/// Multiplies every gradient by the same factor.
struct Scaling {
    gradients: GradientsParams,
    factor: Tensor<1>,
}

impl ModuleVisitor for Scaling {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        // Taken out, so that it is the only owner of its memory and is scaled where it lies.
        if let Some(gradient) = self.gradients.remove::<D>(parameter.id) {
            let factor = self.factor.clone().reshape([1; D]);
            self.gradients.register(parameter.id, gradient * factor);
        }
    }
}

/// `[1]`, added up in an order that the sizes alone decide.
fn sum_of_squares<const D: usize>(tensor: Tensor<D>) -> Tensor<1> {
    match tensor.clone().try_into_primitive::<Flex>() {
        Ok(values) => sum_in_one_pass(values),
        Err(_elsewhere) => sum_by_tensors(tensor),
    }
}

/// On the processor.
fn sum_in_one_pass(values: FlexTensor) -> Tensor<1> {
    let values = values.to_contiguous();
    let square = |&value: &f32| f64::from(value) * f64::from(value);
    let tasks = values.storage::<f32>().par_chunks(TASK_VALUES);
    let sums: Vec<f64> = tasks.map(|task| task.iter().map(square).sum()).collect();
    let sum = sums.iter().sum::<f64>() as f32;
    Tensor::from_primitive::<Flex>(FlexTensor::from_data(TensorData::new(vec![sum], [1])))
}

/// Sums dimension by dimension: the order of a sum over everything at once depends on the timing
/// of a graphics card.
fn sum_by_tensors<const D: usize>(tensor: Tensor<D>) -> Tensor<1> {
    let sum = (0..D).rev().fold(tensor.square(), |sum, dimension| sum.sum_dim(dimension));
    sum.reshape([1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrainingConfig;
    use crate::batch::{Encoder, Example, Listing};
    use crate::loss::{Loss, Target};
    use crate::noise::Noise;
    use crate::session::tensors;
    use crate::tests::random_samples;
    use burn::tensor::Device;
    use features::FeatureSet;
    use network::front::IndexForm;
    use network::testing::every_device;
    use nnue::{Architecture, Buckets};

    struct Values<'a>(&'a GradientsParams, Vec<Vec<f32>>);

    impl ModuleVisitor for Values<'_> {
        fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
            let gradient = self.0.get::<D>(parameter.id).unwrap();
            self.1.push(gradient.try_into_vec_as().unwrap());
        }
    }

    fn values(gradients: &GradientsParams, network: &Nnue) -> Vec<f32> {
        let mut values = Values(gradients, Vec::new());
        network.visit(&mut values);
        values.1.concat()
    }

    fn norm_of(values: &[f32]) -> f64 {
        values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt()
    }

    /// A network and the gradients of a batch.
    fn step(device: &Device) -> (Nnue, GradientsParams) {
        let layers = "16 -> 8 -> 1, buckets 4, psqt".parse().unwrap();
        let network = Nnue::init(&Architecture { features: 768, layers }, 20.0, 1, device);
        let config = TrainingConfig::default();
        let samples = random_samples(64, 1);
        let encoder = Encoder {
            features: &FeatureSet::parse("ALL").unwrap(),
            buckets: &Buckets::Pieces(4),
            samples: (&samples).into(),
            target: Target::last(&config),
            example: Example::Position,
            noise: Noise::default(),
            listing: Listing::RowsAndInverse(IndexForm::Word),
        };
        let (input, targets) = tensors(encoder.batch(64, |i| i), None, device);
        let loss = Loss::new(&config).of(network.forward(input), targets);
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        (network, gradients)
    }

    #[test]
    fn the_norm_is_brought_to_the_limit_and_the_direction_kept() {
        for device in every_device().into_iter().map(Device::autodiff) {
            let (network, gradients) = step(&device);
            let before = values(&gradients, &network);
            let ours: f32 = norm(&gradients, &network).unwrap().into_scalar();
            assert!((f64::from(ours) / norm_of(&before) - 1.0).abs() < 1e-5, "{device:?}");
            let limit = norm_of(&before) / 8.0;
            let after = values(&clipped(gradients, &network, limit), &network);
            assert!((norm_of(&after) / limit - 1.0).abs() < 1e-5, "{device:?}");
            for (before, after) in before.iter().zip(&after) {
                assert!((before / 8.0 - after).abs() <= 1e-5 * before.abs(), "{device:?}");
            }
        }
    }

    #[test]
    fn what_is_within_the_limit_stays_to_the_bit() {
        for device in every_device().into_iter().map(Device::autodiff) {
            let (network, gradients) = step(&device);
            let before = values(&gradients, &network);
            let limit = 2.0 * norm_of(&before);
            assert_eq!(values(&clipped(gradients, &network, limit), &network), before);
        }
    }

    #[test]
    fn no_gradient_at_all_is_left_alone() {
        let (network, gradients) = step(&Device::flex().autodiff());
        let mut none = Scaling { gradients, factor: Tensor::zeros([1], &Device::flex()) };
        network.visit(&mut none);
        let after = values(&clipped(none.gradients, &network, 1.0), &network);
        assert!(after.iter().all(|&gradient| gradient == 0.0));
        assert!(norm(&GradientsParams::new(), &network).is_none());
    }

    #[test]
    fn both_ways_of_adding_agree() {
        let values: Vec<f32> = (0..60_000).map(|i| (i % 97) as f32 - 48.0).collect();
        let tensor = Tensor::<1>::from_floats(values.as_slice(), &Device::flex());
        let tensor = tensor.reshape([3, 100, 200]);
        let one: f32 = sum_of_squares(tensor.clone()).into_scalar();
        let many: f32 = sum_by_tensors(tensor).into_scalar();
        assert!((one / many - 1.0).abs() < 1e-5, "{one} {many}");
    }
}
