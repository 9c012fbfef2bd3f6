//! The `[training]` table as options of a command.

use std::path::PathBuf;

use serde::de::DeserializeOwned;

use super::Failure;
use experiment::read;
use network::Compute;
use training::{Keep, Method, Optimiser, Schedule, TrainingConfig, WdlWeight, WeightDecay};

/// The `[training]` table. A missing flag is read from `--config`, and without one has the default
/// of an experiment's file.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Training (defaults are for when there is no --config)")]
pub(crate) struct TrainingFlags {
    /// A TOML file, such as an experiment's, whose [training] table has all keys below; flags
    /// override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Method: target-scores or pqr, with its keys pqr:kappa=WEIGHT,scale_cp=SCALE
    /// [default: target-scores]
    #[arg(long)]
    method: Option<Method>,
    /// Epochs [default: 20]
    #[arg(long)]
    epochs: Option<u32>,
    /// Positions per epoch [default: 1000000]
    #[arg(long)]
    positions_per_epoch: Option<u64>,
    /// Positions per step [default: 8192]
    #[arg(long)]
    batch: Option<usize>,
    /// adam, adamw or ranger [default: adam]
    #[arg(long, value_parser = named::<Optimiser>)]
    optimiser: Option<Optimiser>,
    /// Share of every weight lost per step and unit of learning rate, for adamw and ranger; or
    /// two, for the rows of features and for the dense layers: 0.1,0.01
    #[arg(long, value_name = "SHARE")]
    weight_decay: Option<WeightDecay>,
    /// Learning rate at the start [default: 0.001]
    #[arg(long)]
    learning_rate: Option<f64>,
    /// Learning rate from there on: exponential, cosine:final=RATE, linear:final=RATE or
    /// step:every=EPOCHS,factor=FACTOR [default: exponential]
    #[arg(long)]
    schedule: Option<Schedule>,
    /// Factor of the learning rate from epoch to epoch, of the exponential schedule [default: 0.99]
    #[arg(long, value_name = "FACTOR")]
    gamma: Option<f64>,
    /// Steps over which the learning rate rises from nothing [default: 0]
    #[arg(long, value_name = "STEPS")]
    warmup: Option<u64>,
    /// Weight of the game's result in the target, or FROM..TO for a line over the run [default: 0]
    #[arg(long, value_name = "SHARE")]
    wdl: Option<WdlWeight>,
    /// Chance of every active feature of a sample to be left out in training [default: 0]
    #[arg(long, value_name = "CHANCE")]
    feature_dropout: Option<f64>,
    /// The net to end with: best (of the lowest validation loss), last, or swa, the averaged
    /// weights of the last epochs, swa:epochs=5 [default: best]
    #[arg(long, value_name = "NET")]
    keep: Option<Keep>,
    /// Limit of the weights above the feature transformer; 0 for none [default: 0]
    #[arg(long, value_name = "LIMIT")]
    clip_weights: Option<f64>,
    /// Limit of the norm of all gradients of a step; 0 for none [default: 0]
    #[arg(long, value_name = "NORM")]
    clip_gradients: Option<f64>,
    /// Quantisation-aware training: round the feature transformer as it is played
    #[arg(long)]
    quantisation_aware: bool,
    /// Device: cpu, gpu, a graphics adapter by its number such as gpu:1, or ndarray, as far as the
    /// build has them [default: cpu]
    #[arg(long, value_parser = named::<Compute>)]
    device: Option<Compute>,
    /// Threads; 0 for one per core; never changes the result [default: 0]
    #[arg(long)]
    threads: Option<usize>,
}

impl TrainingFlags {
    pub(crate) fn config(&self) -> Result<TrainingConfig, Failure> {
        let mut config = match &self.config {
            Some(path) => read::training(path)?,
            None => TrainingConfig::default(),
        };
        self.apply(&mut config);
        config.validate().map_err(|error| Failure::usage(error.to_string()))?;
        Ok(config)
    }

    fn apply(&self, config: &mut TrainingConfig) {
        if self.schedule.is_some_and(|schedule| schedule != Schedule::default()) {
            // The gamma below it was that of another schedule.
            config.gamma = TrainingConfig::default().gamma;
        }
        set(&mut config.method, self.method);
        set(&mut config.epochs, self.epochs);
        set(&mut config.positions_per_epoch, self.positions_per_epoch);
        set(&mut config.batch, self.batch);
        set(&mut config.optimiser, self.optimiser);
        set(&mut config.weight_decay, self.weight_decay);
        set(&mut config.learning_rate, self.learning_rate);
        set(&mut config.schedule, self.schedule);
        set(&mut config.gamma, self.gamma);
        set(&mut config.warmup, self.warmup);
        set(&mut config.wdl, self.wdl);
        set(&mut config.feature_dropout, self.feature_dropout);
        set(&mut config.keep, self.keep);
        set(&mut config.clip_weights, self.clip_weights);
        set(&mut config.clip_gradients, self.clip_gradients);
        config.quantisation_aware |= self.quantisation_aware;
        set(&mut config.device, self.device);
        set(&mut config.threads, self.threads);
    }
}

fn set<T: Copy>(place: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *place = value;
    }
}

/// The value of a name, as in the experiment file.
pub(crate) fn named<T: DeserializeOwned>(name: &str) -> Result<T, String> {
    let name = toml::Value::String(name.to_owned());
    name.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        training: TrainingFlags,
    }

    fn config(options: &[&str]) -> TrainingConfig {
        let program = Program::try_parse_from([&["program"], options].concat()).unwrap();
        program.training.config().unwrap()
    }

    #[test]
    fn flags_override_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file.toml");
        std::fs::write(&path, "[training]\nepochs = 3\nbatch = 99\ngamma = 0.8\n[other]\n")
            .unwrap();
        let file = ["--config", path.to_str().unwrap()];
        let alone = config(&file);
        assert_eq!((alone.epochs, alone.batch, alone.gamma), (3, 99, 0.8));
        assert_eq!(alone.learning_rate, TrainingConfig::default().learning_rate);
        let more = ["--epochs", "5", "--schedule", "cosine:final=1e-6"];
        let both = config(&[&file[..], &more].concat());
        assert_eq!((both.epochs, both.batch), (5, 99));
        assert_eq!(both.schedule, Schedule::Cosine { last: 1e-6 });
    }

    #[test]
    fn the_help_names_the_defaults() {
        use clap::CommandFactory;
        let help = Program::command().render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(config(&[]), TrainingConfig::default());
        let usual = serde_json::to_value(TrainingConfig::default()).unwrap();
        for key in [
            "epochs",
            "positions_per_epoch",
            "batch",
            "learning_rate",
            "gamma",
            "warmup",
            "threads",
        ] {
            let flag = format!("--{} ", key.replace('_', "-"));
            let of_flag = help.split(&flag).nth(1).unwrap();
            let default = of_flag.split("[default: ").nth(1).unwrap();
            assert!(default.starts_with(&format!("{}]", usual[key])), "{key}: {default}");
        }
    }

    #[test]
    fn names_are_as_in_the_file() {
        assert_eq!(named("ranger"), Ok(Optimiser::Ranger));
        let error = named::<Optimiser>("sgd").unwrap_err();
        assert!(error.contains("expected one of `adam`, `adamw`, `ranger`"), "{error}");
    }
}
