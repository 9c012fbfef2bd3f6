//! The loss of `target-scores`: distance between the net's expected points and the target's.
//!
//! Scores are compared as expected points, through a logistic, because a
//! difference of a pawn matters near equality and not when a queen up. The
//! power 2.6 weighs large errors more than a square does (nnue-pytorch; the
//! thesis uses the same).

use burn::tensor::Tensor;

use serde::{Deserialize, Serialize};

use crate::TrainingConfig;
use data::Sample;
use network::{OUTPUT_SCALE, PowerLoss};

/// Maps a sample to its target: expected points, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    scale_cp: f64,
    wdl: f64,
}

impl Target {
    /// Target of the step after `step` others.
    pub fn at(config: &TrainingConfig, step: u64) -> Self {
        Self { scale_cp: config.out_scaling, wdl: config.wdl_at(step) }
    }

    /// Target of the last step. Every epoch is validated against it, so that losses of epochs
    /// compare.
    pub fn last(config: &TrainingConfig) -> Self {
        Self { scale_cp: config.out_scaling, wdl: config.wdl.last() }
    }

    /// Expected points for the side to move:
    /// `(1 − w)·σ(score / scale) + w·result`, or the only label.
    #[inline]
    pub fn of(&self, sample: &Sample) -> f32 {
        let from_score = logistic(f64::from(sample.score) / self.scale_cp);
        if sample.result >= Sample::UNKNOWN_RESULT {
            return from_score as f32;
        }
        let from_result = f64::from(sample.result) / 2.0;
        if sample.score == Sample::NO_SCORE {
            return from_result as f32;
        }
        ((1.0 - self.wdl) * from_score + self.wdl * from_result) as f32
    }
}

/// Mean of |σ(output) − target|^exponent over a batch.
#[derive(Clone, Copy, Debug)]
pub struct TargetScores {
    exponent: f64,
    /// Units of the logistic per unit of raw output.
    slope: f64,
}

impl TargetScores {
    pub fn new(config: &TrainingConfig) -> Self {
        Self { exponent: config.loss_exponent, slope: OUTPUT_SCALE / config.in_scaling }
    }

    /// From raw outputs and targets, both `[batch, 1]`.
    pub fn of(&self, output: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
        PowerLoss { slope: self.slope, exponent: self.exponent }.of(output, targets)
    }

    /// The loss of a net with a constant output of 0.
    pub(crate) fn baseline(&self, targets: &[f32]) -> f64 {
        let sum: f64 =
            targets.iter().map(|&target| (0.5 - f64::from(target)).abs().powf(self.exponent)).sum();
        sum / targets.len().max(1) as f64
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;
    use chess::{PackedPosition, Position};
    use network::testing::every_device;

    fn sample(score: i16, result: u8) -> Sample {
        let start = Position::default();
        let position = PackedPosition::pack(&start).unwrap();
        Sample { position, score, result, played: 0 }
    }

    #[test]
    fn targets_blend_score_and_result() {
        let target = |wdl| Target { scale_cp: 361.0, wdl };
        // 361 cp is one unit of the logistic: σ(1) = 0.731059.
        assert!((target(0.0).of(&sample(361, 0)) - 0.731_059).abs() < 1e-6);
        assert_eq!(target(1.0).of(&sample(361, 1)), 0.5);
        assert!((target(0.5).of(&sample(361, 2)) - 0.865_529).abs() < 1e-6);
        // A sample with one label only.
        assert_eq!(target(1.0).of(&sample(0, Sample::UNKNOWN_RESULT)), 0.5);
        assert_eq!(target(0.0).of(&sample(Sample::NO_SCORE, 2)), 1.0);
        assert_eq!(target(0.0).of(&sample(i16::MAX, 3)), 1.0);
        assert!((0.0..1e-30).contains(&target(0.0).of(&sample(i16::MIN, 3))));
    }

    #[test]
    fn loss_is_the_mean_power_of_the_difference() {
        for device in every_device() {
            assert_mean_power_of_difference(&device);
        }
    }

    fn assert_mean_power_of_difference(device: &Device) {
        let loss = TargetScores::new(&TrainingConfig::default());
        // A raw output of 410/600 is 410 cp: σ(1). The second is right on target.
        let raw = 410.0 / 600.0;
        let output = Tensor::<2>::from_data([[raw], [0.0]], device);
        let targets = Tensor::<2>::from_data([[0.25], [0.5]], device);
        let value: f32 = loss.of(output, targets).into_scalar();
        let expected = (0.731_058_6_f64 - 0.25).powf(2.6) / 2.0;
        assert!((f64::from(value) - expected).abs() < 1e-6, "{value} against {expected}");
        assert!((loss.baseline(&[0.25, 0.5]) - 0.25_f64.powf(2.6) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_perfect_answer_has_a_finite_gradient() {
        let devices = every_device().into_iter().map(Device::autodiff);
        for (device, loss_exponent) in
            devices.flat_map(|device| [1.0, 1.5, 2.6].map(|exponent| (device.clone(), exponent)))
        {
            let loss = TargetScores::new(&TrainingConfig { loss_exponent, ..Default::default() });
            let output = Tensor::<2>::from_data([[0.0]], &device).require_grad();
            let value = loss.of(output.clone(), Tensor::from_data([[0.5]], &device));
            let gradient: f32 = output.grad(&value.backward()).unwrap().into_scalar();
            assert_eq!(gradient, 0.0, "exponent {loss_exponent} on {device:?}");
        }
    }
}
