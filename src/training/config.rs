//! The `[training]` table of an experiment.

mod check;
mod keys;

use serde::{Deserialize, Serialize};

use super::keep::Keep;
use super::method::Method;
use super::optimiser::{Optimiser, WeightDecay};
use super::schedule::{LearningRate, Schedule, SchedulePlace, WdlWeight};
use network::{Compute, RowPrecision};

pub use check::ConfigError;
pub use keys::TrainingKey;
use keys::table;

/// Default factor of the learning rate per epoch (thesis).
const DEFAULT_GAMMA: f64 = 0.99;

/// More threads than machines have cores.
pub const MOST_THREADS: usize = 1024;

table! {
    /// The `[training]` table of an experiment, and the flags of `oplus train`. Defaults make a
    /// training of minutes.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct TrainingConfig {
        // Where.
        /// Device: cpu, gpu, a graphics adapter by its number such as gpu:1, or ndarray, as far as
        /// the build has them.
        pub device: Compute = Compute::Cpu,
        /// Threads; 0 for one per core; never changes the result.
        pub threads: usize = 0,

        // Targets and loss.
        /// Method: target-scores or pqr, with its keys pqr:kappa=WEIGHT,scale_cp=SCALE.
        pub method: Method = Method::TargetScores,
        /// Weight of the game's result (win, draw, loss) in the target, from 0, the score alone, to
        /// 1, the result alone (1 − λ of nnue-pytorch); FROM..TO for a line over the run. A sample
        /// with one label only is trained on it.
        pub wdl: WdlWeight = WdlWeight::Constant(0.0),
        /// Chance of every active feature of a sample to be left out in training.
        pub feature_dropout: f64 = 0.0,
        /// Exponent of the loss |prediction − target|, both as expected points.
        pub loss_exponent: f64 = 2.6,
        /// Eval scale of the output: centipawns per unit of the logistic that turns it into expected
        /// points (as in nnue-pytorch).
        pub in_scaling: f64 = 410.0,
        /// Eval scale of the score, bullet's eval_scale, in centipawns (as in nnue-pytorch).
        pub out_scaling: f64 = 361.0,

        // Amount.
        /// Epochs. More can be added to a finished run, unless a schedule or average depends on
        /// their number.
        pub epochs: u32 = 20,
        /// Positions per epoch, rounded up to whole batches; the data is passed through as often as
        /// that takes.
        pub positions_per_epoch: u64 = 1_000_000,
        /// Positions per step of the optimiser.
        pub batch: usize = 8_192,

        // Steps.
        /// Optimiser: adam, adamw or ranger.
        pub optimiser: Optimiser = Optimiser::Adam,
        /// Learning rate at the start.
        pub learning_rate: f64 = 1e-3,
        /// Learning rate schedule: exponential, cosine:final=RATE, linear:final=RATE or
        /// step:every=EPOCHS,factor=FACTOR.
        pub schedule: Schedule = Schedule::default(),
        /// Factor of the learning rate from epoch to epoch, of the exponential schedule.
        pub gamma: f64 = DEFAULT_GAMMA,
        /// Steps of warm-up, over which the learning rate rises from nothing to the schedule's.
        pub warmup: u64 = 0,

        // Regularisation.
        /// L1 penalty on the activations of the feature transformer, so that fewer are above zero;
        /// reported losses are without it.
        pub activation_penalty: f64 = 0.0,
        /// Share of every weight that is lost per step and unit of learning rate, for adamw and
        /// ranger; or two, for the rows of features and for the dense layers: 0.1,0.01.
        pub weight_decay: WeightDecay = WeightDecay::even(0.0),
        /// Limit of the weights above the feature transformer, held after every step; 0 for none:
        /// the quantiser chooses scales per net, so no weight is out of its range.
        pub clip_weights: f64 = 0.0,
        /// Limit of the norm of all gradients of a step; 0 for none.
        pub clip_gradients: f64 = 0.0,
        /// Quantisation-aware training: the feature transformer's weights are rounded as they are
        /// played.
        pub quantisation_aware: bool = false,

        // Precision.
        /// Precision in which the forward pass reads the rows of features: f32, or bf16, a rounded
        /// copy of half the size, for graphics cards; weights, sums and gradients stay in f32.
        #[serde(skip_serializing_if = "RowPrecision::is_f32")]
        pub row_precision: RowPrecision = RowPrecision::F32,

        // Result.
        /// Net that the run ends with: best (of the lowest validation loss), last, or swa, the
        /// averaged weights of the last epochs, swa:epochs=5.
        pub keep: Keep = Keep::Best,
    }
}

impl TrainingConfig {
    /// Sets a key to a value in the form of the command line.
    ///
    /// # Errors
    /// A text that is no such value.
    pub fn set(&mut self, key: &TrainingKey, text: &str) -> Result<(), String> {
        let before = self.schedule;
        (key.set)(self, text)?;
        if self.schedule != before && self.schedule != Schedule::default() {
            // The gamma that was set belongs to the exponential schedule.
            self.gamma = DEFAULT_GAMMA;
        }
        Ok(())
    }

    /// Default of a key in the form of the file; text without quotes.
    pub fn default_of(key: &TrainingKey) -> String {
        match (key.default)() {
            Some(toml::Value::Float(number)) => number.to_string(),
            Some(toml::Value::String(text)) => text,
            Some(toml::Value::Table(table)) => {
                table.get("kind").and_then(toml::Value::as_str).unwrap_or_default().to_owned()
            }
            other => other.map_or(String::new(), |value| value.to_string()),
        }
    }

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

    fn place(&self, step: u64) -> SchedulePlace {
        SchedulePlace { step, steps_per_epoch: self.batches_per_epoch(), epochs: self.epochs }
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
