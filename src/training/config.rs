//! What an experiment says about training.

use serde::{Deserialize, Serialize};

use crate::network::Compute;

/// How the net is taught.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The output of every position is drawn towards its score (and result).
    #[default]
    TargetScores,
}

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
    /// Epochs to train for. More can be added to a finished run. Default 256.
    pub epochs: u32,
    /// Positions per epoch, rounded up to whole batches; the data is gone
    /// through as often as that takes. Default 100,000,000.
    pub positions_per_epoch: u64,
    /// Positions per step of the optimiser. Default 16,384.
    pub batch: usize,
    /// Learning rate of Adam in the first epoch. Default 5e-4.
    pub learning_rate: f64,
    /// The learning rate is multiplied by this after every epoch.
    /// Default 0.99.
    pub decay: f64,
    /// Share of the game's result in the target: 0 for the score alone, 1 for
    /// the result alone. A sample without a result is taught its score.
    /// Default 0.
    pub result_weight: f64,
    /// The loss is |prediction − target| to this power, both as expected
    /// points. Default 2.6.
    pub loss_exponent: f64,
    /// Centipawns of the *output* per unit of the logistic that turns it into
    /// expected points. Default 410, as in nnue-pytorch (`in_scaling`).
    pub output_scale_cp: f64,
    /// Centipawns of the *score* per unit of the logistic that turns it into
    /// expected points. Default 361, as in nnue-pytorch (`out_scaling`).
    pub target_scale_cp: f64,
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
            learning_rate: 5e-4,
            decay: 0.99,
            result_weight: 0.0,
            loss_exponent: 2.6,
            output_scale_cp: 410.0,
            target_scale_cp: 361.0,
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
        within("learning_rate", self.learning_rate, |x| x > 0.0, "write a number above 0")?;
        within(
            "decay",
            self.decay,
            |x| x > 0.0 && x <= 1.0,
            "write a number above 0 and at most 1 (1 keeps the learning rate)",
        )?;
        within(
            "result_weight",
            self.result_weight,
            |x| (0.0..=1.0).contains(&x),
            "write a number from 0 (score alone) to 1 (result alone)",
        )?;
        within("loss_exponent", self.loss_exponent, |x| x >= 1.0, "write a number from 1 up")?;
        let above_zero = "write a number of centipawns above 0";
        within("output_scale_cp", self.output_scale_cp, |x| x > 0.0, above_zero)?;
        within("target_scale_cp", self.target_scale_cp, |x| x > 0.0, above_zero)
    }

    /// Steps of the optimiser in an epoch.
    pub fn batches_per_epoch(&self) -> u64 {
        self.positions_per_epoch.div_ceil(self.batch as u64)
    }

    /// Learning rate of an epoch, counted from 0.
    pub fn learning_rate_in(&self, epoch: u32) -> f64 {
        self.learning_rate * self.decay.powf(f64::from(epoch))
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
        let config = TrainingConfig { epochs: 3, result_weight: 0.25, ..Default::default() };
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<TrainingConfig>(&text).unwrap(), config);
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
            ("learning_rate = 0.0", "learning_rate"),
            ("learning_rate = nan", "learning_rate"),
            ("learning_rate = inf", "learning_rate"),
            ("decay = 1.01", "decay"),
            ("result_weight = -0.1", "result_weight"),
            ("loss_exponent = 0.5", "loss_exponent"),
            ("output_scale_cp = 0.0", "output_scale_cp"),
            ("target_scale_cp = -361.0", "target_scale_cp"),
        ] {
            let config: TrainingConfig = toml::from_str(text).unwrap();
            assert_eq!(config.validate().unwrap_err().key, key, "{text}");
        }
    }

    #[test]
    fn the_learning_rate_decays_by_epoch() {
        let config = TrainingConfig::default();
        assert_eq!(config.learning_rate_in(0), 5e-4);
        assert!((config.learning_rate_in(255) - 3.85e-5).abs() < 1e-7); // thesis: 3.8e-5
    }
}
