//! Validation of the `[training]` table.

use super::{DEFAULT_GAMMA, MOST_THREADS, TrainingConfig};
use crate::keep::Keep;
use crate::loss::Pqr;
use crate::method::Method;
use crate::schedule::Schedule;

/// Positions of a whole run that can be counted exactly, by floats too.
const MOST_POSITIONS: u128 = 1 << 53;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("training.{key} is {value}, which cannot be: {expected}")]
pub struct ConfigError {
    /// The key in the `[training]` table.
    pub key: &'static str,
    pub value: String,
    pub expected: &'static str,
}

impl TrainingConfig {
    /// The first invalid value is the error.
    pub fn validate(&self) -> Result<(), ConfigError> {
        at_least_one("epochs", u64::from(self.epochs))?;
        at_least_one("positions_per_epoch", self.positions_per_epoch)?;
        at_least_one("batch", self.batch as u64)?;
        self.validate_size()?;
        self.validate_method()?;
        self.validate_optimiser()?;
        self.validate_learning_rate()?;
        for weight in self.wdl.ends() {
            let expected = "write a number from 0 (score alone) to 1 (result alone)";
            within("wdl", weight, |x| (0.0..=1.0).contains(&x), expected)?;
        }
        let chance = "write a chance from 0 (none) to below 1, such as 0.05";
        within("feature_dropout", self.feature_dropout, |x| (0.0..1.0).contains(&x), chance)?;
        within("loss_exponent", self.loss_exponent, |x| x >= 1.0, "write a number from 1 up")?;
        let above_zero = "write a number of centipawns above 0";
        within("in_scaling", self.in_scaling, |x| x > 0.0, above_zero)?;
        within("out_scaling", self.out_scaling, |x| x > 0.0, above_zero)?;
        let limit = "write a number above 0, such as 1.98, or 0 to leave weights alone";
        let penalty = "write a small number such as 1e-8, or 0 for none";
        within(
            "activation_penalty",
            self.activation_penalty,
            |x| (0.0..=1.0).contains(&x),
            penalty,
        )?;
        within("clip_weights", self.clip_weights, |x| x >= 0.0, limit)?;
        let limit = "write a norm above 0, such as 1.0, or 0 to leave gradients alone";
        within("clip_gradients", self.clip_gradients, |x| x >= 0.0, limit)?;
        self.validate_keep()
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
        let expected = "write a number from 0 up, such as 0.01";
        for share in self.weight_decay.parts() {
            within("weight_decay", share, |x| x >= 0.0, expected)?;
        }
        match self.optimiser.refusal(self.weight_decay) {
            None => Ok(()),
            Some(expected) => {
                let value = self.weight_decay.to_string();
                Err(ConfigError { key: "weight_decay", value, expected })
            }
        }
    }

    fn validate_keep(&self) -> Result<(), ConfigError> {
        let Keep::Swa { epochs } = self.keep else { return Ok(()) };
        at_least_one("keep.epochs", epochs.into())
    }

    fn validate_learning_rate(&self) -> Result<(), ConfigError> {
        within("learning_rate", self.learning_rate, |x| x > 0.0, "write a number above 0")?;
        let factor = "write a number above 0 and at most 1 (1 keeps the learning rate)";
        let is_factor = |x| x > 0.0 && x <= 1.0;
        within("gamma", self.gamma, is_factor, factor)?;
        match self.schedule {
            Schedule::Exponential {} => {}
            _ if self.gamma != DEFAULT_GAMMA => {
                let expected = "only the exponential schedule has a gamma; leave it out";
                return Err(ConfigError { key: "gamma", value: self.gamma.to_string(), expected });
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
    fn invalid_values_are_named() {
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
            ("gamma = 1.01", "gamma"),
            ("wdl = -0.1", "wdl"),
            ("wdl = { from = 0.0, to = 2.0 }", "wdl"),
            ("weight_decay = 0.1", "weight_decay"),
            ("optimiser = \"adamw\"", "weight_decay"),
            ("optimiser = \"ranger\"\nweight_decay = -1.0", "weight_decay"),
            ("weight_decay = { transformer = 0.0, upper = 0.1 }", "weight_decay"),
            (
                "optimiser = \"adamw\"\nweight_decay = { transformer = nan, upper = 0.1 }",
                "weight_decay",
            ),
            ("schedule = { kind = \"cosine\", final = 1.0 }", "schedule.final"),
            ("schedule = { kind = \"linear\", final = -1.0 }", "schedule.final"),
            ("schedule = { kind = \"linear\", final = 0.0 }\ngamma = 0.9", "gamma"),
            ("schedule = { kind = \"step\", every = 0, factor = 0.1 }", "schedule.every"),
            ("schedule = { kind = \"step\", every = 1, factor = 1.1 }", "schedule.factor"),
            ("warmup = 2_000_000", "warmup"),
            ("loss_exponent = 0.5", "loss_exponent"),
            ("in_scaling = 0.0", "in_scaling"),
            ("out_scaling = -361.0", "out_scaling"),
            ("clip_weights = -1.0", "clip_weights"),
            ("feature_dropout = -0.1", "feature_dropout"),
            ("feature_dropout = 1.0", "feature_dropout"),
            ("clip_gradients = -1.0", "clip_gradients"),
            ("clip_gradients = nan", "clip_gradients"),
            ("keep = { kind = \"swa\", epochs = 0 }", "keep.epochs"),
        ] {
            let config: TrainingConfig = toml::from_str(text).unwrap();
            assert_eq!(config.validate().unwrap_err().key, key, "{text}");
        }
    }
}
