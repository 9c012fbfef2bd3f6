//! Adam (Kingma and Ba, *Adam: a method for stochastic optimization*, 2015)
//! and AdamW (Loshchilov and Hutter, *Decoupled weight decay regularization*,
//! 2019), which is Adam with weights that also shrink.

use burn::optim::{LearningRate, Optimizer};
use burn::tensor::{Device, Tensor};

use super::moments::{EPSILON, Moments, Update, seen_1, seen_2};

/// The optimiser; its state is kept by Burn, one [`Moments`] per parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adam {
    /// Share of a weight lost per step and unit of learning rate; 0 for Adam.
    pub weight_decay: f64,
}

impl Adam {
    /// The step of that number, counted from 1: mean over root of the mean
    /// square, both corrected for the moments having started at zero.
    fn update(self, learning_rate: LearningRate, step: u64) -> Update {
        Update {
            decay: (learning_rate * self.weight_decay) as f32,
            rate: (learning_rate / seen_1(step)) as f32,
            root: (1.0 / seen_2(step).sqrt()) as f32,
            floor: EPSILON as f32,
        }
    }
}

impl Optimizer for Adam {
    type State<const D: usize> = Moments<D>;

    fn step<const D: usize>(
        &self,
        learning_rate: LearningRate,
        weights: Tensor<D>,
        gradient: Tensor<D>,
        moments: Option<Moments<D>>,
    ) -> (Tensor<D>, Option<Moments<D>>) {
        let moments = moments.unwrap_or_else(|| Moments::new(&gradient));
        let update = self.update(learning_rate, moments.steps + 1);
        let (weights, moments) = moments.step(weights, gradient, update);
        (weights, Some(moments))
    }

    fn to_device<const D: usize>(moments: Moments<D>, device: &Device) -> Moments<D> {
        moments.moved_to(device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimiser::moments::tests::descend;
    use burn::optim::{AdamConfig, AdamWConfig};

    fn assert_same(ours: &[f32], expected: &[f32]) {
        for (a, b) in ours.iter().zip(expected) {
            assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{ours:?} against {expected:?}");
        }
    }

    #[test]
    fn without_decay_it_is_burns_adam() {
        let stock = AdamConfig::new().with_epsilon(EPSILON as f32).build();
        let ours = descend(Adam { weight_decay: 0.0 }, 1e-2, 20);
        assert_same(&ours, &descend(stock, 1e-2, 20));
    }

    #[test]
    fn with_decay_it_is_burns_adamw() {
        let stock = AdamWConfig::new().with_epsilon(EPSILON as f32).with_weight_decay(0.5).build();
        let ours = descend(Adam { weight_decay: 0.5 }, 1e-2, 20);
        assert_same(&ours, &descend(stock, 1e-2, 20));
        assert_ne!(ours, descend(Adam { weight_decay: 0.0 }, 1e-2, 20));
    }
}
