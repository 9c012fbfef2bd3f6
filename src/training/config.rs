//! What an experiment says about training.

mod check;

use serde::{Deserialize, Serialize};

use super::keep::Keep;
use super::method::Method;
use super::optimiser::{Optimiser, WeightDecay};
use super::schedule::{LearningRate, Place, ResultWeight, Schedule};
use network::Compute;

pub use check::ConfigError;

/// Decay of the learning rate per epoch where none is given (thesis).
const DEFAULT_DECAY: f64 = 0.99;

/// More threads than machines have cores.
pub const MOST_THREADS: usize = 1024;

/// The `[training]` table of an experiment. Defaults are those of the thesis
/// (Lombardo, *Feature set analysis for chess NNUE networks*, UBA 2024), but that the
/// best net is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingConfig {
    // Where.
    /// Where to compute: `cpu`, `ndarray` or `gpu`. Default `cpu`.
    pub device: Compute,
    /// Threads; 0 for one per core. Never changes the result. Default 0.
    pub threads: usize,

    // What is taught.
    /// How the net is taught. Default `target-scores`.
    pub method: Method,
    /// Share of the game's result in the target: 0 for the score alone, 1 for
    /// the result alone. A sample with only one of them is taught that.
    /// Default 0.
    pub result_weight: ResultWeight,
    /// Chance of every active feature of a sample to be left out in training. Default 0.
    pub feature_dropout: f64,
    /// The loss is |prediction − target| to this power, both as expected
    /// points. Default 2.6.
    pub loss_exponent: f64,
    /// Centipawns of the *output* per unit of the logistic that turns it into
    /// expected points. Default 410, as in nnue-pytorch (`in_scaling`).
    pub output_scale_cp: f64,
    /// Centipawns of the *score* per unit of the logistic that turns it into
    /// expected points. Default 361, as in nnue-pytorch (`out_scaling`).
    pub target_scale_cp: f64,

    // How much of it.
    /// Epochs to train for. More can be added to a finished run, unless
    /// something looks at the end. Default 256.
    pub epochs: u32,
    /// Positions per epoch, rounded up to whole batches; the data is gone
    /// through as often as that takes. Default 100,000,000.
    pub positions_per_epoch: u64,
    /// Positions per step of the optimiser. Default 16,384.
    pub batch: usize,

    // In what steps.
    /// What turns gradients into steps. Default `adam`.
    pub optimiser: Optimiser,
    /// Learning rate at the start. Default 5e-4.
    pub learning_rate: f64,
    /// How the learning rate goes on from there. Default `exponential`.
    pub schedule: Schedule,
    /// With the exponential schedule the learning rate is multiplied by this
    /// after every epoch. Default 0.99.
    pub decay: f64,
    /// Steps over which the learning rate rises from nothing to what the
    /// schedule says. Default 0.
    pub warmup: u64,

    // Within what bounds.
    /// What each unit of every activation of the feature transformer adds to the loss, so
    /// that fewer are above zero; the losses told are without it. Default 0.
    pub activation_penalty: f64,
    /// Share of every weight that is lost per step and unit of learning rate, for the whole net
    /// or by part; for `adamw` and `ranger`. Default 0.
    pub weight_decay: WeightDecay,
    /// Weights of the layers above the feature transformer are brought back to
    /// ± this after every step; 0 leaves them alone. Default 0: the quantiser
    /// chooses scales per net, so no weight is out of its range.
    pub clip_weights: f64,
    /// All gradients of a step are made smaller by one factor where their norm, taken over all
    /// of them, is above this; 0 leaves them alone. Default 0.
    pub clip_gradients: f64,
    /// Whether the net is trained with the feature transformer's weights as
    /// rounded as they will be played (see [`nnue::ROUNDING`]).
    /// Default false.
    pub rounding: bool,

    // Which net comes of it.
    /// Which net the run ends with. Default `best`.
    pub keep: Keep,
}

/// What a training is of which nothing is said, in a file or on the command line: minutes.
impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            device: Compute::Cpu,
            threads: 0,
            method: Method::TargetScores,
            result_weight: ResultWeight::Constant(0.0),
            feature_dropout: 0.0,
            loss_exponent: 2.6,
            output_scale_cp: 410.0,
            target_scale_cp: 361.0,
            epochs: 20,
            positions_per_epoch: 1_000_000,
            batch: 8_192,
            optimiser: Optimiser::Adam,
            learning_rate: 1e-3,
            schedule: Schedule::default(),
            decay: DEFAULT_DECAY,
            warmup: 0,
            activation_penalty: 0.0,
            weight_decay: WeightDecay::even(0.0),
            clip_weights: 0.0,
            clip_gradients: 0.0,
            rounding: false,
            keep: Keep::Best,
        }
    }
}

impl TrainingConfig {
    /// The same without what does not change what is computed: on how many
    /// threads.
    pub fn of_any_threads(&self) -> Self {
        Self { threads: 0, ..self.clone() }
    }

    /// Steps of the optimiser in an epoch.
    pub fn batches_per_epoch(&self) -> u64 {
        self.positions_per_epoch.div_ceil(self.batch as u64)
    }

    /// Learning rate of the step that is taken after `step` others.
    pub(crate) fn learning_rate_at(&self, step: u64) -> f64 {
        let Self { learning_rate: first, decay, schedule, warmup, .. } = *self;
        LearningRate { first, decay, schedule, warmup }.at(self.place(step))
    }

    /// Share of the result in the targets of that step.
    pub(crate) fn result_weight_at(&self, step: u64) -> f64 {
        self.result_weight.at(self.place(step))
    }

    /// Whether what comes of the first epochs depends on how many there will be.
    pub fn knows_the_end(&self) -> bool {
        self.schedule.knows_the_end()
            || self.result_weight.knows_the_end()
            || self.keep.knows_the_end()
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
        for (schedule, result_weight) in [
            (Schedule::default(), ResultWeight::Constant(0.25)),
            (Schedule::Cosine { last: 1e-6 }, ResultWeight::Line { from: 0.0, to: 0.3 }),
            (Schedule::Step { every: 3, factor: 0.1 }, ResultWeight::Constant(1.0)),
        ] {
            let config = TrainingConfig { schedule, result_weight, ..Default::default() };
            let text = toml::to_string(&config).unwrap();
            assert_eq!(toml::from_str::<TrainingConfig>(&text).unwrap(), config);
        }
    }

    #[test]
    fn unknown_keys_are_refused() {
        for key in ["learning_rat", "patience"] {
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
