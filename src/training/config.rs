//! What an experiment says about training.

use serde::{Deserialize, Serialize};

use super::loss::Pqr;
use super::method::Method;
use super::optimiser::Optimiser;
use super::schedule::{LearningRate, Place, ResultWeight, Schedule};
use network::Compute;

/// Decay of the learning rate per epoch where none is given (thesis).
const DEFAULT_DECAY: f64 = 0.99;

/// More threads than machines have cores.
pub const MOST_THREADS: usize = 1024;

/// Positions of a whole run that can be counted exactly, by floats too.
const MOST_POSITIONS: u128 = 1 << 53;

/// The `[training]` table of an experiment. Defaults are those of the thesis
/// (Lombardo, *Feature set analysis for chess NNUE networks*, UBA 2024).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingConfig {
    /// Where to compute: `cpu`, `ndarray` or `gpu`. Default `cpu`.
    pub device: Compute,
    /// Threads; 0 for one per core. Never changes the result. Default 0.
    pub threads: usize,
    /// How the net is taught. Default `target-scores`.
    pub method: Method,
    /// Epochs to train for. More can be added to a finished run, unless a
    /// schedule looks at the end. Default 256.
    pub epochs: u32,
    /// Positions per epoch, rounded up to whole batches; the data is gone
    /// through as often as that takes. Default 100,000,000.
    pub positions_per_epoch: u64,
    /// Positions per step of the optimiser. Default 16,384.
    pub batch: usize,
    /// What turns gradients into steps. Default `adam`.
    pub optimiser: Optimiser,
    /// Share of every weight that is lost per step and unit of learning rate;
    /// for `adamw` and `ranger`. Default 0.
    pub weight_decay: f64,
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
    /// Share of the game's result in the target: 0 for the score alone, 1 for
    /// the result alone. A sample with only one of them is taught that.
    /// Default 0.
    pub result_weight: ResultWeight,
    /// Stop after so many epochs without a better validation loss, and keep
    /// the best epoch's net; 0 goes on to the end and keeps the last one.
    /// Default 0.
    pub patience: u32,
    /// The loss is |prediction − target| to this power, both as expected
    /// points. Default 2.6.
    pub loss_exponent: f64,
    /// Centipawns of the *output* per unit of the logistic that turns it into
    /// expected points. Default 410, as in nnue-pytorch (`in_scaling`).
    pub output_scale_cp: f64,
    /// Centipawns of the *score* per unit of the logistic that turns it into
    /// expected points. Default 361, as in nnue-pytorch (`out_scaling`).
    pub target_scale_cp: f64,
    /// Weights of the layers above the feature transformer are brought back to
    /// ± this after every step; 0 leaves them alone. Default 0: the quantiser
    /// chooses scales per net, so no weight is out of its range.
    #[serde(skip_serializing_if = "is_zero")]
    pub clip_weights: f64,
    /// Whether the net is trained with the feature transformer's weights as
    /// rounded as they will be played (see [`nnue::ROUNDING`]).
    /// Default false.
    #[serde(skip_serializing_if = "is_false")]
    pub rounding: bool,
}

// Left out where they are not used, which leaves the names of runs from before
// these keys as they are.
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            device: Compute::Cpu,
            threads: 0,
            method: Method::TargetScores,
            epochs: 256,
            positions_per_epoch: 100_000_000,
            batch: 16_384,
            optimiser: Optimiser::Adam,
            weight_decay: 0.0,
            learning_rate: 5e-4,
            schedule: Schedule::default(),
            decay: DEFAULT_DECAY,
            warmup: 0,
            result_weight: ResultWeight::Constant(0.0),
            patience: 0,
            loss_exponent: 2.6,
            output_scale_cp: 410.0,
            target_scale_cp: 361.0,
            clip_weights: 0.0,
            rounding: false,
        }
    }
}

/// A value that cannot be trained with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("training.{key} is {value}, which cannot be: {expected}")]
pub struct ConfigError {
    /// The key in the `[training]` table.
    pub key: &'static str,
    /// What it holds.
    pub value: String,
    /// What it may hold.
    pub expected: &'static str,
}

impl TrainingConfig {
    /// Checks that every value makes sense; the first that does not is the
    /// error.
    pub fn validate(&self) -> Result<(), ConfigError> {
        at_least_one("epochs", u64::from(self.epochs))?;
        at_least_one("positions_per_epoch", self.positions_per_epoch)?;
        at_least_one("batch", self.batch as u64)?;
        self.validate_size()?;
        self.validate_method()?;
        self.validate_optimiser()?;
        self.validate_learning_rate()?;
        for weight in self.result_weight.ends() {
            let expected = "write a number from 0 (score alone) to 1 (result alone)";
            within("result_weight", weight, |x| (0.0..=1.0).contains(&x), expected)?;
        }
        within("loss_exponent", self.loss_exponent, |x| x >= 1.0, "write a number from 1 up")?;
        let above_zero = "write a number of centipawns above 0";
        within("output_scale_cp", self.output_scale_cp, |x| x > 0.0, above_zero)?;
        within("target_scale_cp", self.target_scale_cp, |x| x > 0.0, above_zero)?;
        let limit = "write a number above 0, such as 1.98, or 0 to leave weights alone";
        within("clip_weights", self.clip_weights, |x| x >= 0.0, limit)
    }

    /// Whether threads can be started and positions be counted.
    fn validate_size(&self) -> Result<(), ConfigError> {
        let expected = "write at most 1024, or 0 for one per core";
        within("threads", self.threads as f64, |x| x <= MOST_THREADS as f64, expected)?;
        let seen = u128::from(self.batches_per_epoch()) * self.batch as u128;
        if seen * u128::from(self.epochs) <= MOST_POSITIONS {
            return Ok(());
        }
        let by_batch = self.batch as u128 > MOST_POSITIONS / 2;
        let (key, value) = match by_batch {
            true => ("batch", self.batch.to_string()),
            false => ("positions_per_epoch", self.positions_per_epoch.to_string()),
        };
        let expected = "with the epochs and whole batches that is more than 2^53 positions in all, \
                        which no run comes to; write fewer";
        Err(ConfigError { key, value, expected })
    }

    fn validate_method(&self) -> Result<(), ConfigError> {
        let Method::Pqr(Pqr { kappa, scale_cp }) = self.method else { return Ok(()) };
        within("method.kappa", kappa, |x| x >= 0.0, "write a number from 0 up, such as 1.0")?;
        let expected = "write a number of centipawns above 0";
        within("method.scale_cp", scale_cp, |x| x > 0.0, expected)
    }

    fn validate_optimiser(&self) -> Result<(), ConfigError> {
        let (expected, allowed): (_, fn(f64) -> bool) =
            match self.optimiser {
                Optimiser::Adam => (
                    "adam has no weight decay; leave it out, or write `optimiser = \"adamw\"`",
                    |x| x == 0.0,
                ),
                Optimiser::Adamw => (
                    "adamw needs a weight decay above 0, such as 0.01; without one it is adam",
                    |x| x > 0.0,
                ),
                Optimiser::Ranger => ("write a number from 0 up, such as 0.01", |x| x >= 0.0),
            };
        within("weight_decay", self.weight_decay, allowed, expected)
    }

    fn validate_learning_rate(&self) -> Result<(), ConfigError> {
        within("learning_rate", self.learning_rate, |x| x > 0.0, "write a number above 0")?;
        let factor = "write a number above 0 and at most 1 (1 keeps the learning rate)";
        let is_factor = |x| x > 0.0 && x <= 1.0;
        within("decay", self.decay, is_factor, factor)?;
        match self.schedule {
            Schedule::Exponential {} => {}
            _ if self.decay != DEFAULT_DECAY => {
                let expected = "only the exponential schedule has a decay; leave it out";
                return Err(ConfigError { key: "decay", value: self.decay.to_string(), expected });
            }
            Schedule::Step { every, factor: by } => {
                at_least_one("schedule.every", every.into())?;
                within("schedule.factor", by, is_factor, factor)?;
            }
            Schedule::Cosine { last } | Schedule::Linear { last } => {
                let expected = "write a number from 0 to the learning rate";
                let downwards = |x| (0.0..=self.learning_rate).contains(&x);
                within("schedule.final", last, downwards, expected)?;
            }
        }
        if self.warmup > self.place(0).steps() {
            let expected = "the run ends before it; write fewer steps than the run has";
            return Err(ConfigError { key: "warmup", value: self.warmup.to_string(), expected });
        }
        Ok(())
    }

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

    /// Whether what a step does depends on how many epochs there will be.
    pub(crate) fn knows_the_end(&self) -> bool {
        self.schedule.knows_the_end() || self.result_weight.knows_the_end()
    }

    fn place(&self, step: u64) -> Place {
        Place { step, steps_per_epoch: self.batches_per_epoch(), epochs: self.epochs }
    }
}

fn at_least_one(key: &'static str, value: u64) -> Result<(), ConfigError> {
    match value {
        0 => Err(ConfigError { key, value: "0".into(), expected: "write at least 1" }),
        _ => Ok(()),
    }
}

fn within(
    key: &'static str,
    value: f64,
    allowed: impl Fn(f64) -> bool,
    expected: &'static str,
) -> Result<(), ConfigError> {
    if value.is_finite() && allowed(value) {
        return Ok(());
    }
    Err(ConfigError { key, value: value.to_string(), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_table_is_the_default() {
        let config: TrainingConfig = toml::from_str("").unwrap();
        assert_eq!(config, TrainingConfig::default());
        assert!(config.validate().is_ok());
        assert_eq!(config.batches_per_epoch(), 6104); // thesis, §5.1
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
        let error = toml::from_str::<TrainingConfig>("learning_rat = 1e-3").unwrap_err();
        assert!(error.to_string().contains("learning_rat"), "{error}");
    }

    #[test]
    fn nonsense_is_named() {
        for (text, key) in [
            ("epochs = 0", "epochs"),
            ("positions_per_epoch = 0", "positions_per_epoch"),
            ("batch = 0", "batch"),
            ("threads = 100_000", "threads"),
            ("batch = 9_000_000_000_000_000_000", "batch"),
            ("positions_per_epoch = 9_000_000_000_000_000_000", "positions_per_epoch"),
            (
                "positions_per_epoch = 40_000_000_000_000\nepochs = 4_000_000_000",
                "positions_per_epoch",
            ),
            ("method = { kind = \"pqr\", kappa = -1.0 }", "method.kappa"),
            ("method = { kind = \"pqr\", scale_cp = 0 }", "method.scale_cp"),
            ("learning_rate = 0.0", "learning_rate"),
            ("learning_rate = nan", "learning_rate"),
            ("learning_rate = inf", "learning_rate"),
            ("decay = 1.01", "decay"),
            ("result_weight = -0.1", "result_weight"),
            ("result_weight = { from = 0.0, to = 2.0 }", "result_weight"),
            ("weight_decay = 0.1", "weight_decay"),
            ("optimiser = \"adamw\"", "weight_decay"),
            ("optimiser = \"ranger\"\nweight_decay = -1.0", "weight_decay"),
            ("schedule = { kind = \"cosine\", final = 1.0 }", "schedule.final"),
            ("schedule = { kind = \"linear\", final = -1.0 }", "schedule.final"),
            ("schedule = { kind = \"linear\", final = 0.0 }\ndecay = 0.9", "decay"),
            ("schedule = { kind = \"step\", every = 0, factor = 0.1 }", "schedule.every"),
            ("schedule = { kind = \"step\", every = 1, factor = 1.1 }", "schedule.factor"),
            ("warmup = 2_000_000", "warmup"),
            ("loss_exponent = 0.5", "loss_exponent"),
            ("output_scale_cp = 0.0", "output_scale_cp"),
            ("target_scale_cp = -361.0", "target_scale_cp"),
            ("clip_weights = -1.0", "clip_weights"),
        ] {
            let config: TrainingConfig = toml::from_str(text).unwrap();
            assert_eq!(config.validate().unwrap_err().key, key, "{text}");
        }
    }

    #[test]
    fn the_learning_rate_decays_by_epoch() {
        let config = TrainingConfig::default();
        assert_eq!(config.learning_rate_at(6103), 5e-4);
        assert_eq!(config.learning_rate_at(6104), 5e-4 * 0.99);
        let last = config.learning_rate_at(255 * 6104);
        assert!((last - 3.85e-5).abs() < 1e-7); // thesis: 3.8e-5
    }
}
