//! Parts of a net that can be treated apart.
//!
//! Two suffice. Nearly all weights stand in the rows of features, where each is moved by the
//! positions that have its feature; the few above them are moved by every position.

use burn::module::{Param, ParamGroup, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::Nnue;

/// A part of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The rows of features, those that are counted by themselves among them, and their
    /// bias.
    Transformer,
    /// The dense layers.
    Upper,
}

impl Part {
    /// The parameters in it, by their paths in [`Nnue`].
    pub fn group(self) -> ParamGroup {
        match self {
            Part::Transformer => ParamGroup::from_any_predicates(vec!["transformer.", "psqt"]),
            Part::Upper => ParamGroup::from_predicate("dense."),
        }
    }
}

impl Nnue {
    /// Takes the gradients of a part away, so that no optimiser moves it.
    pub fn drop_gradients(&self, part: Part, gradients: &mut GradientsParams) {
        match part {
            Part::Transformer => {
                if let Some(transformer) = &self.transformer {
                    gradients.remove::<2>(id(&transformer.weights));
                    gradients.remove::<1>(id(&transformer.bias));
                }
                if let Some(psqt) = &self.psqt {
                    gradients.remove::<2>(id(psqt));
                }
            }
            Part::Upper => {
                for layer in &self.dense {
                    gradients.remove::<3>(id(&layer.weights));
                    gradients.remove::<2>(id(&layer.bias));
                }
            }
        }
    }

    /// Tensors of parameters in a part.
    pub fn tensors_in(&self, part: Part) -> usize {
        match part {
            Part::Transformer => {
                2 * usize::from(self.transformer.is_some()) + usize::from(self.psqt.is_some())
            }
            Part::Upper => 2 * self.dense.len(),
        }
    }
}

fn id<const D: usize>(parameter: &Param<Tensor<D>>) -> ParamId {
    parameter.id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::ActiveFeatures;
    use crate::{Input, PositionBuckets};
    use burn::tensor::{Device, Int};
    use nnue::Architecture;

    const LAYERS: [&str; 3] = ["8 -> 1", "8 -> 8 -> 1, buckets 3, psqt", "1"];

    /// The gradients of a net of these layers and of some batch.
    fn net_and_gradients(layers: &str) -> (Nnue, GradientsParams) {
        let device = Device::flex().autodiff();
        let layers: nnue::Layers = layers.parse().unwrap();
        let copies = layers.buckets().count() as i32;
        let net = Nnue::init(&Architecture { features: 6, layers }, 2.0, 1, &device);
        let indices = Tensor::<2, Int>::from_data([[0, 1], [2, 3], [4, 5], [1, -1]], &device);
        let buckets = match copies {
            1 => PositionBuckets::one(),
            _ => PositionBuckets::listed(vec![0, copies - 1], &device),
        };
        let input = Input { active: ActiveFeatures::new(indices, None), buckets };
        let gradients = net.forward(input).sum().backward();
        let gradients = GradientsParams::from_grads(gradients, &net);
        (net, gradients)
    }

    #[test]
    fn a_part_that_is_dropped_takes_all_its_gradients_along() {
        for layers in LAYERS {
            let (net, mut gradients) = net_and_gradients(layers);
            let of = |part| net.tensors_in(part);
            assert_eq!(gradients.len(), of(Part::Transformer) + of(Part::Upper), "{layers}");
            net.drop_gradients(Part::Upper, &mut gradients);
            assert_eq!(gradients.len(), of(Part::Transformer), "{layers}");
            net.drop_gradients(Part::Transformer, &mut gradients);
            assert!(gradients.is_empty(), "{layers}");
        }
    }
}
