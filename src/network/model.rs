//! The network as a Burn module.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::{Int, Tensor, TensorData};

use super::activation::clipped_relu;
use super::front::{ActiveFeatures, front};
use nnue::{Activation, Layers, ROUNDING};

/// Centipawns per unit of the network's raw output.
///
/// With outputs near 1 instead of near 600 the optimiser, whose steps have the
/// size of the learning rate, reaches useful evaluations in thousands of steps
/// instead of hundreds of thousands. The figure is nnue-pytorch's `nnue2score`.
pub const OUTPUT_SCALE: f64 = 600.0;

/// What the network reads of a batch.
#[derive(Clone, Debug)]
pub struct Input {
    /// `2 × positions` rows, the two perspectives of a position in consecutive
    /// ones, the side to move first (see [`front`](super::front)).
    pub active: ActiveFeatures,
    /// Pieces on the board of each position, which choose its output bucket.
    pub pieces: Vec<u8>,
}

/// A net of any [`Layers`]; the two halves of the feature transformer share
/// their weights.
#[derive(Module, Debug)]
pub struct Nnue {
    #[module(skip)]
    pub(super) layers: Layers,
    /// Whether the feature transformer is used as rounded as it will be played.
    #[module(skip)]
    pub(super) is_rounding: bool,
    /// Feature transformer, `[features, width]`.
    pub(super) ft_weights: Param<Tensor<2>>,
    /// `[L1]`; in the linear model it would cancel.
    pub(super) ft_bias: Option<Param<Tensor<1>>>,
    /// What reads the feature transformer, `[2 × L1, outputs × buckets]`, the
    /// side to move's half and the first bucket's outputs first. The linear
    /// model takes the difference instead.
    pub(super) dense: Option<Linear>,
    /// `[L2, buckets]`, where there is a second hidden layer.
    pub(super) output: Option<Linear>,
}

impl Nnue {
    /// Which layers it has.
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// The same, trained with the weights and biases of the feature transformer
    /// rounded to multiples of 1/[`ROUNDING`]. Gradients pass the rounding as
    /// if it were not there (Bengio et al., *Estimating or propagating
    /// gradients through stochastic neurons*, 2013), so that the weights
    /// themselves can go on in steps smaller than a multiple.
    ///
    /// The linear model stays as it is: the engine plays it as exactly as it is
    /// trained.
    pub fn rounding(self) -> Self {
        Self { is_rounding: self.layers != Layers::Linear, ..self }
    }

    /// The weights above the feature transformer brought back to ±`limit`.
    pub fn clip_weights(self, limit: f64) -> Self {
        let clip = |layer: Linear| {
            let clipped = |weight: Tensor<2>| {
                Tensor::from_inner(weight.inner().clamp(-limit, limit)).require_grad()
            };
            Linear { weight: layer.weight.map(clipped), ..layer }
        };
        Self { dense: self.dense.map(clip), output: self.output.map(clip), ..self }
    }

    /// The feature transformer's weights as they are used.
    pub(super) fn ft_weights(&self) -> Tensor<2> {
        self.used(self.ft_weights.val())
    }

    /// Its biases as they are used; none in the linear model.
    pub(super) fn ft_bias(&self) -> Option<Tensor<1>> {
        self.ft_bias.as_ref().map(|bias| self.used(bias.val()))
    }

    fn used<const D: usize>(&self, values: Tensor<D>) -> Tensor<D> {
        if !self.is_rounding {
            return values;
        }
        let rounded = (values.clone() * ROUNDING).round() / ROUNDING;
        let difference = (rounded - values.clone()).detach();
        values + difference
    }

    /// Raw outputs `[batch, 1]`, in units of [`OUTPUT_SCALE`] centipawns, for
    /// the side to move.
    pub fn forward(&self, input: Input) -> Tensor<2> {
        let Input { active, pieces } = input;
        let weights = self.ft_weights();
        let (Some(bias), Some(dense)) = (self.ft_bias(), &self.dense) else {
            return difference(weights, active);
        };
        let activation = self.layers.activation();
        let sums = front(weights, bias, dense.weight.val(), active, activation);
        let sums = match &dense.bias {
            Some(bias) => sums + bias.val().unsqueeze(),
            None => sums,
        };
        let bucket = self.buckets_of(&pieces, &sums);
        let sums = chosen(sums, &bucket, self.layers.dense_outputs());
        match &self.output {
            None => sums,
            Some(output) => chosen(output.forward(activated(sums, activation)), &bucket, 1),
        }
    }

    /// The output bucket of each position, `[batch, 1]`; `None` if there is
    /// but one.
    fn buckets_of(&self, pieces: &[u8], beside: &Tensor<2>) -> Option<Tensor<2, Int>> {
        let buckets = self.layers.buckets();
        let of = |&pieces: &u8| buckets.of(usize::from(pieces)) as i32;
        (buckets.count() > 1).then(|| {
            let of_each: Vec<i32> = pieces.iter().map(of).collect();
            Tensor::from_data(TensorData::new(of_each, [pieces.len(), 1]), &beside.device())
        })
    }
}

/// `f(own) − f(other)` `[batch, 1]`, `f` being the sum of the weights of the
/// active features.
fn difference(weights: Tensor<2>, active: ActiveFeatures) -> Tensor<2> {
    let device = weights.device();
    let bias = Tensor::zeros([1], &device);
    let signs = Tensor::from_data([[1.0], [-1.0]], &device);
    front(weights, bias, signs, active, Activation::Identity)
}

/// Of all buckets' values `[batch, buckets × size]` those of each position's
/// own, `[batch, size]`. No gradient reaches the others.
fn chosen(values: Tensor<2>, bucket: &Option<Tensor<2, Int>>, size: usize) -> Tensor<2> {
    let Some(bucket) = bucket else { return values };
    let [positions, all] = values.dims();
    let own = bucket.clone().unsqueeze_dim::<3>(2).expand([positions, 1, size]);
    values.reshape([positions, all / size, size]).gather(1, own).reshape([positions, size])
}

fn activated(sums: Tensor<2>, activation: Activation) -> Tensor<2> {
    match activation {
        Activation::ClippedRelu => clipped_relu(sums),
        Activation::SquaredClippedRelu => {
            let clipped = clipped_relu(sums);
            clipped.clone() * clipped
        }
        Activation::Identity => sums,
    }
}
