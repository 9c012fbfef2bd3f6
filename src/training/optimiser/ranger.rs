//! Ranger: rectified Adam that looks ahead.
//!
//! Adam's first steps divide by a mean square that few gradients have made,
//! and are wild; *rectified* Adam (Liu et al., *On the variance of the
//! adaptive learning rate and beyond*, ICLR 2020) scales a step by how far
//! that mean can be trusted, and takes plain momentum while it cannot be at
//! all. *Lookahead* (Zhang et al., *Lookahead optimiser: k steps forward, 1
//! step back*, NeurIPS 2019) keeps a second, slow set of weights: every few
//! steps it goes half way to where the fast weights have arrived, and they
//! start again from there.
//!
//! The net that is validated, saved and exported is that of the fast weights.

use burn::backend::Flex;
use burn::optim::{LearningRate, Optimizer, RecordState, StateSink, StateSource};
use burn::tensor::{Device, Tensor};
use rayon::prelude::*;

use super::moments::{BETA_2, EPSILON, Moments, TASK_VALUES, Update, on_host, seen_1, seen_2};

/// Steps of the fast weights to one of the slow ones.
const LOOKAHEAD_STEPS: u64 = 6;

/// Part of the way that the slow weights go.
const LOOKAHEAD_SHARE: f32 = 0.5;

/// Gradients' worth of mean square from which on it is trusted.
const TRUSTED: f64 = 4.0;

/// The optimiser; its state is kept by Burn, one [`RangerState`] per parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranger {
    /// Share of a weight lost per step and unit of learning rate.
    pub weight_decay: f64,
}

/// Optimiser state of one parameter.
#[derive(Clone, Debug)]
pub(super) struct RangerState<const D: usize> {
    pub moments: Moments<D>,
    pub slow: Tensor<D>,
}

impl<const D: usize> RecordState for RangerState<D> {
    fn state_flatten(&self, prefix: &str, out: &mut StateSink) {
        self.moments.state_flatten(prefix, out);
        out.push_tensor(prefix, "slow", self.slow.to_data());
    }

    fn state_unflatten(prefix: &str, src: &mut StateSource, device: &Device) -> Option<Self> {
        Some(Self {
            moments: Moments::state_unflatten(prefix, src, device)?,
            slow: Tensor::from_data(src.take_tensor(prefix, "slow")?, device),
        })
    }
}

impl Ranger {
    /// The step of that number, counted from 1.
    fn update(self, learning_rate: LearningRate, step: u64) -> Update {
        let decay = (learning_rate * self.weight_decay) as f32;
        let rate = learning_rate / seen_1(step);
        match rectification(step) {
            Some(trust) => Update {
                decay,
                rate: (rate * trust) as f32,
                root: (1.0 / seen_2(step).sqrt()) as f32,
                floor: EPSILON as f32,
            },
            None => Update { decay, rate: rate as f32, root: 0.0, floor: 1.0 },
        }
    }
}

/// Variance rectification after `step` steps, 0 to 1; `None` before it is defined. The paper's
/// `r_t`, with its `ρ_t` as the length of the simple moving average that is equivalent to the
/// decaying one.
fn rectification(step: u64) -> Option<f64> {
    let forgotten = BETA_2.powf(step as f64);
    let longest = 2.0 / (1.0 - BETA_2) - 1.0;
    let length = longest - 2.0 * step as f64 * forgotten / (1.0 - forgotten);
    let variance = |length: f64| (length - 4.0) * (length - 2.0) / length;
    (length > TRUSTED).then(|| (variance(length) / variance(longest)).sqrt())
}

impl Optimizer for Ranger {
    type State<const D: usize> = RangerState<D>;

    fn step<const D: usize>(
        &self,
        learning_rate: LearningRate,
        weights: Tensor<D>,
        gradient: Tensor<D>,
        state: Option<RangerState<D>>,
    ) -> (Tensor<D>, Option<RangerState<D>>) {
        let RangerState { moments, slow } = state.unwrap_or_else(|| RangerState {
            moments: Moments::new(&gradient),
            slow: weights.clone(),
        });
        let update = self.update(learning_rate, moments.steps + 1);
        let (weights, moments) = moments.step(weights, gradient, update);
        let (weights, slow) = if moments.steps.is_multiple_of(LOOKAHEAD_STEPS) {
            look_back(weights, slow)
        } else {
            (weights, slow)
        };
        (weights, Some(RangerState { moments, slow }))
    }

    fn to_device<const D: usize>(state: RangerState<D>, device: &Device) -> RangerState<D> {
        RangerState { moments: state.moments.moved_to(device), slow: state.slow.to_device(device) }
    }
}

/// Moves the slow weights towards the fast ones and these to where the slow
/// ones are then. Returns both.
fn look_back<const D: usize>(fast: Tensor<D>, slow: Tensor<D>) -> (Tensor<D>, Tensor<D>) {
    match fast.clone().try_into_primitive::<Flex>() {
        // Dropped at once: `fast` must be the only owner of its memory again.
        Ok(_) => look_back_in_place(fast, slow),
        Err(_elsewhere) => look_back_by_tensors(fast, slow),
    }
}

fn look_back_by_tensors<const D: usize>(
    fast: Tensor<D>,
    slow: Tensor<D>,
) -> (Tensor<D>, Tensor<D>) {
    let slow = slow.clone() + (fast - slow) * LOOKAHEAD_SHARE;
    (slow.clone(), slow)
}

fn look_back_in_place<const D: usize>(fast: Tensor<D>, slow: Tensor<D>) -> (Tensor<D>, Tensor<D>) {
    let [mut fast, mut slow] = [fast, slow].map(on_host);
    fast.storage_mut::<f32>()
        .par_chunks_mut(TASK_VALUES)
        .zip(slow.storage_mut::<f32>().par_chunks_mut(TASK_VALUES))
        .for_each(|(fast, slow)| {
            for (fast, slow) in fast.iter_mut().zip(slow) {
                *slow += (*fast - *slow) * LOOKAHEAD_SHARE;
                *fast = *slow;
            }
        });
    (Tensor::from_primitive::<Flex>(fast), Tensor::from_primitive::<Flex>(slow))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimiser::moments::tests::{descend, gradients, start};

    /// The papers' formulas, one weight at a time.
    fn by_the_book(learning_rate: f64, weight_decay: f64, steps: u64) -> Vec<f64> {
        const BETA_1: f64 = 0.9;
        let mut fast: Vec<f64> = start().concat().into_iter().map(f64::from).collect();
        let mut slow = fast.clone();
        let (mut m, mut v) = (vec![0.0; fast.len()], vec![0.0; fast.len()]);
        for t in 1..=steps {
            let power = t as i32;
            let gradient = gradients(t as usize).concat();
            let rho_max = 2.0 / (1.0 - BETA_2) - 1.0;
            let rho = rho_max - 2.0 * t as f64 * BETA_2.powi(power) / (1.0 - BETA_2.powi(power));
            for i in 0..fast.len() {
                let g = f64::from(gradient[i]);
                m[i] = BETA_1 * m[i] + (1.0 - BETA_1) * g;
                v[i] = BETA_2 * v[i] + (1.0 - BETA_2) * g * g;
                let m_hat = m[i] / (1.0 - BETA_1.powi(power));
                let direction = if rho > 4.0 {
                    let r = ((rho - 4.0) * (rho - 2.0) * rho_max)
                        / ((rho_max - 4.0) * (rho_max - 2.0) * rho);
                    let v_hat = (v[i] / (1.0 - BETA_2.powi(power))).sqrt();
                    r.sqrt() * m_hat / (v_hat + EPSILON)
                } else {
                    m_hat
                };
                fast[i] -= learning_rate * (direction + weight_decay * fast[i]);
                if t % 6 == 0 {
                    slow[i] = (slow[i] + fast[i]) / 2.0;
                    fast[i] = slow[i];
                }
            }
        }
        fast
    }

    #[test]
    fn it_is_what_the_papers_say() {
        // Before it is trusted, at the first step back, and long after.
        for (steps, weight_decay) in [(4, 0.0), (6, 0.1), (45, 0.1)] {
            let ours = descend(Ranger { weight_decay }, 1e-2, steps);
            let expected = by_the_book(1e-2, weight_decay, steps as u64);
            for (a, b) in ours.iter().zip(&expected) {
                let error = (f64::from(*a) - b).abs();
                assert!(error < 2e-5 * (1.0 + b.abs()), "{steps}: {ours:?}, {expected:?}");
            }
        }
    }

    #[test]
    fn trust_grows_to_one() {
        assert_eq!((rectification(1), rectification(4)), (None, None));
        let trust: Vec<f64> = (6..20_000).filter_map(rectification).collect();
        assert_eq!(trust.len(), 20_000 - 6);
        assert!(trust.is_sorted() && trust[0] < 0.05 && trust[19_993] > 0.999_9);
    }

    #[test]
    fn in_place_or_not_both_meet_half_way() {
        let device = Device::flex();
        let tensor = |values: [f32; 3]| Tensor::<1>::from_data(values, &device);
        for look_back in [look_back, look_back_by_tensors] {
            let (fast, slow) = look_back(tensor([1.0, -2.0, 0.5]), tensor([0.0, 2.0, 0.5]));
            for weights in [fast, slow] {
                assert_eq!(weights.try_into_vec_as::<f32>().unwrap(), [0.5, 0.0, 0.5]);
            }
        }
    }
}
