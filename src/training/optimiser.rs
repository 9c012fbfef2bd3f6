//! Optimisers.
//!
//! All three are of Adam's family: two [`moments`] of the gradient per weight
//! and one pass over memory per step. Adam is the optimiser of the thesis and the baseline of
//! the results here. AdamW is the field's workhorse (bullet's default); its weight decay keeps
//! weights small, as quantisation requires, without bending the step sizes as a penalty in the
//! loss would. Ranger is the optimiser of nnue-pytorch, the trainer of Stockfish's nets, and the
//! other one that bullet offers. Muon, Lion and the like were left out: Muon orthogonalises dense
//! matrices, while nearly all weights of an NNUE stand in the sparse first layer, and Lion's sign
//! moves a rare feature's row by as much as a common one's.

mod adam;
mod decay;
mod moments;
mod ranger;

use std::str::FromStr;

use burn::optim::{ModuleOptimizer, Optimizer};
use serde::{Deserialize, Serialize};

use network::dense_layers;

use adam::Adam;
pub use decay::WeightDecay;
use ranger::Ranger;

/// An optimiser as an experiment names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimiser {
    #[default]
    Adam,
    /// Adam with decoupled weight decay.
    Adamw,
    /// Rectified Adam with lookahead.
    Ranger,
}

impl FromStr for Optimiser {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let name = toml::Value::String(name.to_owned());
        name.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

impl Optimiser {
    /// As a Burn optimiser. Adam has no weight decay; the configuration refuses one.
    pub fn build(self, weight_decay: WeightDecay) -> ModuleOptimizer {
        match self {
            Optimiser::Adam => Adam { weight_decay: 0.0 }.into(),
            Optimiser::Adamw => by_part(weight_decay, |weight_decay| Adam { weight_decay }),
            Optimiser::Ranger => by_part(weight_decay, |weight_decay| Ranger { weight_decay }),
        }
    }

    /// The reason to refuse a weight decay, if there is one.
    pub(crate) fn refusal(self, weight_decay: WeightDecay) -> Option<&'static str> {
        let has_any = weight_decay.parts().into_iter().any(|share| share > 0.0);
        match self {
            Optimiser::Adam if has_any => {
                Some("adam has no weight decay; leave it out, or write `optimiser = \"adamw\"`")
            }
            Optimiser::Adamw if !has_any => {
                Some("adamw needs a weight decay above 0, such as 0.01; without one it is adam")
            }
            _ => None,
        }
    }

    /// Tensors of optimiser state per parameter.
    pub fn tensors_per_parameter(self) -> usize {
        match self {
            Optimiser::Adam | Optimiser::Adamw => moments::TENSORS,
            Optimiser::Ranger => moments::TENSORS + 1,
        }
    }
}

/// One optimiser of a decay for each part of the net.
fn by_part<O: Optimizer + 'static>(
    decay: WeightDecay,
    optimiser: impl Fn(f64) -> O,
) -> ModuleOptimizer {
    let whole = ModuleOptimizer::from(optimiser(decay.transformer));
    whole.with_group(dense_layers(), optimiser(decay.upper), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::module::Module;
    use burn::optim::GradientsParams;
    use burn::tensor::{Device, Tensor};
    use network::front::ActiveFeatures;
    use network::{Input, Nnue, PositionBuckets};
    use nnue::{Architecture, FloatWeights};

    /// Rows of features and weights of the output after a step without a gradient, as multiples of
    /// their values before.
    fn left(optimiser: Optimiser, decay: WeightDecay) -> [f32; 2] {
        let device = Device::flex().autodiff();
        let layers = "8 -> 8 -> 1".parse().unwrap();
        let net = Nnue::init(&Architecture { features: 6, layers }, 2.0, 1, &device);
        let before = net.valid().to_float_weights();
        let indices = Tensor::from_data([[0, 1], [2, 3]], &device);
        let active = ActiveFeatures::new(indices, None);
        let outputs = net.forward(Input { active, buckets: PositionBuckets::one() });
        let gradients = GradientsParams::from_grads((outputs * 0.0).sum().backward(), &net);
        let net = optimiser.build(decay).step(0.1, net, gradients);
        let after = net.valid().to_float_weights();
        let largest = |values: &[f32]| values.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let output = |weights: &FloatWeights| largest(&weights.dense[1].weights);
        [largest(&after.ft_weights) / largest(&before.ft_weights), output(&after) / output(&before)]
    }

    #[test]
    fn each_part_of_the_net_has_its_decay() {
        for optimiser in [Optimiser::Adamw, Optimiser::Ranger] {
            for (transformer, upper) in [(0.5, 0.0), (0.0, 0.5), (0.5, 1.0)] {
                let left = left(optimiser, WeightDecay { transformer, upper });
                let expected = [transformer, upper].map(|share| 1.0 - 0.1 * share as f32);
                for (left, expected) in left.into_iter().zip(expected) {
                    assert!((left - expected).abs() < 1e-6, "{left} {expected}");
                }
            }
        }
    }
}
