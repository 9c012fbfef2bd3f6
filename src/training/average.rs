//! The mean of the weights at the ends of several epochs.
//!
//! Taken parameter by parameter, not of the exported weights: where these are rounded,
//! a mean of them would not be, and that of the parameters is rounded as they are.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};

use network::Nnue;

/// The mean of `count` nets from that of those before, and the last of them.
///
/// # Panics
/// If the device fails to hand its memory over.
pub(crate) fn mean_with(before: Nnue, net: &Nnue, count: u32) -> Nnue {
    let mut values = Values::default();
    net.visit(&mut values);
    before.map(&mut Approach { values: values.0.into_iter(), share: 1.0 / f64::from(count) })
}

/// Every parameter's values, in the order of visiting.
#[derive(Default)]
struct Values(Vec<Vec<f32>>);

impl ModuleVisitor for Values {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        self.0.push(numbers(parameter.val()));
    }
}

/// Moves every parameter towards others by a share of the way.
struct Approach {
    values: std::vec::IntoIter<Vec<f32>>,
    share: f64,
}

impl ModuleMapper for Approach {
    fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let there = self.values.next().expect("both nets are of one kind");
        parameter.map(|here| {
            let (shape, device) = (here.dims(), here.device());
            let moved = numbers(here).into_iter().zip(there).map(|(from, to)| {
                let (from, to) = (f64::from(from), f64::from(to));
                (from + (to - from) * self.share) as f32
            });
            Tensor::from_data(TensorData::new(moved.collect(), shape), &device)
        })
    }
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as().expect("weights are f32 and the device still answers")
}
