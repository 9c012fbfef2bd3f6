//! The `[training]` table of an experiment.

mod check;

use serde::{Deserialize, Serialize};

use super::keep::Keep;
use super::method::Method;
use super::optimiser::{Optimiser, WeightDecay};
use super::schedule::{LearningRate, Place, Schedule, WdlWeight};
use network::Compute;

pub use check::ConfigError;

/// Default factor of the learning rate per epoch (thesis).
const DEFAULT_GAMMA: f64 = 0.99;

/// More threads than machines have cores.
pub const MOST_THREADS: usize = 1024;

/// The `[training]` table of an experiment. Defaults are those of the thesis
/// (Lombardo, *Feature set analysis for chess NNUE networks*, UBA 2024), but that the
/// best net is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingConfig {
    // Where.
    /// `cpu`, `ndarray`, `gpu` or an adapter such as `gpu:1`. Default `cpu`.
    pub device: Compute,
    /// Threads; 0 for one per core. Never changes the result. Default 0.
    pub threads: usize,

    // Targets and loss.
    /// Default `target-scores`.
    pub method: Method,
    /// Weight of the game's result (win, draw, loss) in the target: 0 for the score alone, 1 for
    /// the result alone; 1 − λ of nnue-pytorch. A sample with one label only is trained on it.
    /// Default 0.
    pub wdl: WdlWeight,
    /// Chance of every active feature of a sample to be left out in training. Default 0.
    pub feature_dropout: f64,
    /// The loss is |prediction − target| to this power, both as expected
    /// points. Default 2.6.
    pub loss_exponent: f64,
    /// Eval scale of the *output*: centipawns per unit of the logistic that turns it into
    /// expected points. Default 410, as in nnue-pytorch.
    pub in_scaling: f64,
    /// Eval scale of the *score*, bullet's `eval_scale`. Default 361, as in nnue-pytorch.
    pub out_scaling: f64,

    // Amount.
    /// More can be added to a finished run, unless a schedule or average depends on their number.
    /// Default 256.
    pub epochs: u32,
    /// Positions per epoch, rounded up to whole batches; the data is gone
    /// through as often as that takes. Default 100,000,000.
    pub positions_per_epoch: u64,
    /// Positions per step of the optimiser. Default 16,384.
    pub batch: usize,

    // Steps.
    /// Default `adam`.
    pub optimiser: Optimiser,
    /// Learning rate at the start. Default 5e-4.
    pub learning_rate: f64,
    /// How the learning rate goes on from there. Default `exponential`.
    pub schedule: Schedule,
    /// With the exponential schedule the learning rate is multiplied by this
    /// after every epoch. Default 0.99.
    pub gamma: f64,
    /// Steps over which the learning rate rises from nothing to what the
    /// schedule says. Default 0.
    pub warmup: u64,

    // Regularisation.
    /// L1 penalty on the activations of the feature transformer, so that fewer are above zero;
    /// reported losses are without it. Default 0.
    pub activation_penalty: f64,
    /// Share of every weight that is lost per step and unit of learning rate, for the whole net
    /// or by part; for `adamw` and `ranger`. Default 0.
    pub weight_decay: WeightDecay,
    /// Weights of the layers above the feature transformer are clamped to ± this after every
    /// step; 0 for no limit. Default 0: the quantiser chooses scales per net, so no weight is out
    /// of its range.
    pub clip_weights: f64,
    /// Limit of the norm of all gradients of a step; 0 for none. Default 0.
    pub clip_gradients: f64,
    /// Quantisation-aware training: the feature transformer's weights are rounded as they will
    /// be played (see [`nnue::ROUNDING`]). Default false.
    pub quantisation_aware: bool,

    // Result.
    /// The net that the run ends with. Default `best`.
    pub keep: Keep,
}

/// The defaults of files and the command line: a training of minutes.
impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            device: Compute::Cpu,
            threads: 0,
            method: Method::TargetScores,
            wdl: WdlWeight::Constant(0.0),
            feature_dropout: 0.0,
            loss_exponent: 2.6,
            in_scaling: 410.0,
            out_scaling: 361.0,
            epochs: 20,
            positions_per_epoch: 1_000_000,
            batch: 8_192,
            optimiser: Optimiser::Adam,
            learning_rate: 1e-3,
            schedule: Schedule::default(),
            gamma: DEFAULT_GAMMA,
            warmup: 0,
            activation_penalty: 0.0,
            weight_decay: WeightDecay::even(0.0),
            clip_weights: 0.0,
            clip_gradients: 0.0,
            quantisation_aware: false,
            keep: Keep::Best,
        }
    }
}

impl TrainingConfig {
    /// The same without the number of threads, which does not change the result.
    pub fn of_any_threads(&self) -> Self {
        Self { threads: 0, ..self.clone() }
    }

    /// Steps of the optimiser in an epoch.
    pub fn batches_per_epoch(&self) -> u64 {
        self.positions_per_epoch.div_ceil(self.batch as u64)
    }

    /// Learning rate of the step that is taken after `step` others.
    pub(crate) fn learning_rate_at(&self, step: u64) -> f64 {
        let Self { learning_rate: first, gamma, schedule, warmup, .. } = *self;
        LearningRate { first, gamma, schedule, warmup }.at(self.place(step))
    }

    /// Weight of the result in the targets of that step.
    pub(crate) fn wdl_at(&self, step: u64) -> f64 {
        self.wdl.at(self.place(step))
    }

    /// Whether the first epochs depend on the number of epochs.
    pub fn depends_on_length(&self) -> bool {
        self.schedule.depends_on_length()
            || self.wdl.depends_on_length()
            || self.keep.depends_on_length()
    }

    fn place(&self, step: u64) -> Place {
        Place { step, steps_per_epoch: self.batches_per_epoch(), epochs: self.epochs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_table_is_the_default() {
        let config: TrainingConfig = toml::from_str("").unwrap();
        assert_eq!(config, TrainingConfig::default());
        assert!(config.validate().is_ok());
        assert_eq!(config.batches_per_epoch(), 123);
    }

    #[test]
    fn the_table_survives_writing_and_reading() {
        for (schedule, wdl) in [
            (Schedule::default(), WdlWeight::Constant(0.25)),
            (Schedule::Cosine { last: 1e-6 }, WdlWeight::Line { from: 0.0, to: 0.3 }),
            (Schedule::Step { every: 3, factor: 0.1 }, WdlWeight::Constant(1.0)),
        ] {
            let config = TrainingConfig { schedule, wdl, ..Default::default() };
            let text = toml::to_string(&config).unwrap();
            assert_eq!(toml::from_str::<TrainingConfig>(&text).unwrap(), config);
        }
    }

    #[test]
    fn unknown_keys_are_refused() {
        for key in
            ["learning_rat", "patience", "decay", "rounding", "result_weight", "target_scale_cp"]
        {
            let error = toml::from_str::<TrainingConfig>(&format!("{key} = 1")).unwrap_err();
            assert!(error.to_string().contains(&format!("unknown field `{key}`")), "{error}");
        }
    }

    #[test]
    fn the_learning_rate_decays_by_epoch() {
        let config = TrainingConfig {
            positions_per_epoch: 100_000_000,
            batch: 16_384,
            learning_rate: 5e-4,
            ..TrainingConfig::default()
        };
        assert_eq!(config.batches_per_epoch(), 6104); // thesis, §5.1
        assert_eq!(config.learning_rate_at(6103), 5e-4);
        assert_eq!(config.learning_rate_at(6104), 5e-4 * 0.99);
        let last = config.learning_rate_at(255 * 6104);
        assert!((last - 3.85e-5).abs() < 1e-7); // thesis: 3.8e-5
    }
}
