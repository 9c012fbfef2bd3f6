//! The network as a Burn module: the layers of a line, one after the other.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};

use super::activation::activated;
use super::buckets::PositionBuckets;
use super::by_bucket::{Dense, by_bucket};
use super::front::{ActiveFeatures, Between, Front, RowPrecision, front};
use nnue::{Activation, Addition, Layers, ROUNDING};

/// Centipawns per unit of the network's raw output.
///
/// With outputs near 1 instead of near 600 the optimiser, whose steps have the
/// size of the learning rate, reaches useful evaluations in thousands of steps
/// instead of hundreds of thousands. The figure is nnue-pytorch's `nnue2score`.
pub const OUTPUT_SCALE: f64 = 600.0;

/// Inputs of the network for a batch.
#[derive(Clone, Debug)]
pub struct Input {
    /// `2 × positions` rows, the two perspectives of a position in consecutive
    /// ones, the side to move first (see [`front`](super::front)).
    pub active: ActiveFeatures,
    /// The copy of the upper layers that each position uses.
    pub buckets: PositionBuckets,
}

/// A net of any [`Layers`]; the two halves of the feature transformer share
/// their weights.
#[derive(Module, Debug)]
pub struct Nnue {
    #[module(skip)]
    pub(super) layers: Layers,
    /// Whether the feature transformer is used as quantised as in play.
    #[module(skip)]
    pub(super) is_quantisation_aware: bool,
    /// Penalty of every activation of the feature transformer.
    #[module(skip)]
    pub(super) penalty: f32,
    /// Precision in which the forward pass reads the weights of the feature transformer.
    #[module(skip)]
    pub(super) row_precision: RowPrecision,
    /// Feature transformer; `None` in the linear model.
    pub(super) transformer: Option<Transformer>,
    /// PSQT part of the output, `[features, buckets]`; `None` without one.
    pub(super) psqt: Option<Param<Tensor<2>>>,
    /// The dense layers, the output last; none in the linear model.
    pub(super) dense: Vec<DenseLayer>,
}

/// A row of weights per feature.
#[derive(Module, Debug)]
pub(crate) struct Transformer {
    /// `[features, width]`.
    pub(super) weights: Param<Tensor<2>>,
    /// `[width]`.
    pub(super) bias: Param<Tensor<1>>,
}

/// A dense layer, once per bucket.
#[derive(Module, Debug)]
pub(crate) struct DenseLayer {
    /// `[buckets, inputs, sums]`; of the lowest layer the side to move's inputs come first.
    pub(super) weights: Param<Tensor<3>>,
    /// `[buckets, sums]`.
    pub(super) bias: Param<Tensor<2>>,
}

impl DenseLayer {
    fn values(&self) -> Dense {
        Dense { weights: self.weights.val(), bias: self.bias.val() }
    }
}

impl Nnue {
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The same, trained with the weights and biases of the feature transformer
    /// rounded to multiples of 1/[`ROUNDING`]. Gradients pass the rounding as
    /// if it were not there (Bengio et al., *Estimating or propagating
    /// gradients through stochastic neurons*, 2013), so that the weights
    /// themselves can go on in steps smaller than a multiple.
    ///
    /// PSQT weights are not rounded: the engine uses them as exactly as training does.
    pub fn quantisation_aware(self) -> Self {
        Self { is_quantisation_aware: true, ..self }
    }

    /// The same with `penalty` added to the gradient of every activation of the feature
    /// transformer: as if the loss had that times their sum, so that fewer are above zero.
    pub fn with_penalty(self, penalty: f32) -> Self {
        Self { penalty, ..self }
    }

    /// The same with a forward pass that reads the weights of the feature transformer in that
    /// precision. PSQT weights are read as they are.
    pub fn with_row_precision(self, row_precision: RowPrecision) -> Self {
        Self { row_precision, ..self }
    }

    /// The weights above the feature transformer brought back to ±`limit`.
    pub fn clip_weights(self, limit: f64) -> Self {
        let clipped = |weights: Tensor<3>| {
            Tensor::from_inner(weights.inner().clamp(-limit, limit)).require_grad()
        };
        let clip = |layer: DenseLayer| DenseLayer { weights: layer.weights.map(clipped), ..layer };
        Self { dense: self.dense.into_iter().map(clip).collect(), ..self }
    }

    /// Values as the feature transformer uses them.
    pub(super) fn used<const D: usize>(&self, values: Tensor<D>) -> Tensor<D> {
        if !self.is_quantisation_aware {
            return values;
        }
        let rounded = (values.clone() * ROUNDING).round() / ROUNDING;
        let difference = (rounded - values.clone()).detach();
        values + difference
    }

    /// Raw outputs `[batch, 1]`, in units of [`OUTPUT_SCALE`] centipawns, for
    /// the side to move.
    pub fn forward(&self, input: Input) -> Tensor<2> {
        let Input { active, buckets } = input;
        let head = self.psqt.as_ref().map(|it| head(it.val(), active.clone(), buckets.clone()));
        let upper = self.transformer.as_ref().map(|it| self.upper(it, active, buckets));
        match (upper, head) {
            (Some(upper), Some(head)) => upper + head,
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => unreachable!("every net has a transformer or a head"),
        }
    }

    /// Output of the layers.
    fn upper(
        &self,
        transformer: &Transformer,
        active: ActiveFeatures,
        buckets: PositionBuckets,
    ) -> Tensor<2> {
        let mut dense = self.dense.iter();
        let lowest = dense.next().expect("there is an output above a transformer").values();
        let between = Between { activation: self.layers.activation(), penalty: self.penalty };
        let (weights, bias) = (transformer.weights.val(), transformer.bias.val());
        let (weights, bias) = (self.used(weights), self.used(bias));
        let precision = self.row_precision;
        let lowest = Front { weights, bias, dense: lowest, between, precision };
        let mut sums = front(lowest, active, buckets.clone());
        let mut skipped: Option<Tensor<2>> = None;
        for (hidden, above) in self.layers.hidden().iter().zip(dense) {
            if let Some(addition) = hidden.addition {
                let added = sums.clone().narrow(1, hidden.neurons, addition.neurons());
                skipped = Some(match addition {
                    Addition::Skip => added,
                });
                sums = sums.narrow(1, 0, hidden.neurons);
            }
            sums = by_bucket(activated(sums, hidden.activation), above.values(), buckets.clone());
        }
        match skipped {
            Some(skipped) => sums + skipped,
            None => sums,
        }
    }
}

/// PSQT part of the output, `[batch, 1]`: the active features of the side to move less those of
/// the other.
fn head(weights: Tensor<2>, active: ActiveFeatures, buckets: PositionBuckets) -> Tensor<2> {
    let device = weights.device();
    let [_, copies] = weights.dims();
    let sums = Front {
        bias: Tensor::zeros([copies], &device),
        dense: differences(copies, &device),
        weights,
        between: Activation::Identity.into(),
        precision: RowPrecision::F32,
    };
    front(sums, active, buckets)
}

/// Weights of the difference of both sides, `[copies, 2 × copies, 1]`: 1 for the own column of
/// each bucket, −1 for that of the other side.
fn differences(copies: usize, device: &Device) -> Dense {
    let mut signs = vec![0.0_f32; copies * 2 * copies];
    for bucket in 0..copies {
        signs[bucket * 2 * copies + bucket] = 1.0;
        signs[bucket * 2 * copies + copies + bucket] = -1.0;
    }
    Dense {
        weights: Tensor::from_data(TensorData::new(signs, [copies, 2 * copies, 1]), device),
        bias: Tensor::zeros([copies, 1], device),
    }
}
