//! The `[training]` table as flags: one for each of its keys.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::Failure;
use experiment::read;
use training::{TrainingConfig, TrainingKey};

const HEADING: &str = "Training (defaults apply without --config)";
const CONFIG: &str = "config";

/// Keys of `[training]` with the values of their flags. A missing flag is read from `--config`, and
/// without one has the default of an experiment's file.
#[derive(Debug, Default)]
pub(crate) struct TrainingFlags {
    config: Option<PathBuf>,
    given: Vec<(&'static TrainingKey, String)>,
}

impl TrainingFlags {
    pub(crate) fn config(&self) -> Result<TrainingConfig, Failure> {
        let mut config = match &self.config {
            Some(path) => read::training(path)?,
            None => TrainingConfig::default(),
        };
        for (key, value) in &self.given {
            let wrong = |reason| Failure::usage(format!("{}: {reason}", key.name));
            config.set(key, value).map_err(wrong)?;
        }
        config.validate().map_err(|error| Failure::usage(error.to_string()))?;
        Ok(config)
    }
}

/// `learning-rate` of `learning_rate`, for each key.
static LONG: LazyLock<Vec<String>> =
    LazyLock::new(|| TrainingConfig::KEYS.iter().map(|key| key.name.replace('_', "-")).collect());

fn flag((key, long): (&'static TrainingKey, &'static String)) -> Arg {
    let flag = Arg::new(key.name).long(long.as_str()).help_heading(HEADING);
    let default = TrainingConfig::default_of(key);
    if default == "false" {
        return flag.action(ArgAction::SetTrue).help(key.help());
    }
    let checked =
        move |text: &str| TrainingConfig::default().set(key, text).map(|()| text.to_owned());
    flag.value_name("VALUE")
        .value_parser(checked)
        .help(format!("{} [default: {default}]", key.help()))
}

impl clap::Args for TrainingFlags {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new(CONFIG)
            .long(CONFIG)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help_heading(HEADING)
            .help(
                "TOML file whose [training] table has the keys below, such as an experiment file; \
                 flags override it",
            );
        command.arg(config).args(TrainingConfig::KEYS.iter().zip(LONG.iter()).map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for TrainingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.config = matches.get_one::<PathBuf>(CONFIG).cloned();
        let is_given =
            |key: &&TrainingKey| matches.value_source(key.name) == Some(ValueSource::CommandLine);
        let value = |key: &'static TrainingKey| {
            let value = matches.try_get_one::<String>(key.name).ok().flatten();
            (key, value.map_or("true".to_owned(), String::clone))
        };
        self.given = TrainingConfig::KEYS.iter().filter(is_given).map(value).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::{CommandFactory, Parser};
    use training::Schedule;

    use super::*;

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
    fn every_key_has_a_flag_with_its_default() {
        assert_eq!(config(&[]), TrainingConfig::default());
        let help = Program::command().render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for (flag, default) in [
            ("--epochs <VALUE>", "20"),
            ("--positions-per-epoch <VALUE>", "1000000"),
            ("--learning-rate <VALUE>", "0.001"),
            ("--schedule <VALUE>", "exponential"),
            ("--in-scaling <VALUE>", "410"),
            ("--keep <VALUE>", "best"),
        ] {
            let of_flag = help.split(flag).nth(1).unwrap();
            let shown = of_flag.split("[default: ").nth(1).unwrap();
            assert!(shown.starts_with(&format!("{default}]")), "{flag}: {shown}");
        }
        let table = toml::Table::try_from(TrainingConfig::default()).unwrap();
        let names: HashSet<&str> = TrainingConfig::KEYS.iter().map(|key| key.name).collect();
        assert_eq!(names.len(), TrainingConfig::KEYS.len());
        assert!(table.keys().all(|key| names.contains(key.as_str())), "{table}");
        for key in TrainingConfig::KEYS {
            let default = TrainingConfig::default_of(key);
            assert!(!default.is_empty() && !key.help().is_empty(), "{}", key.name);
            let mut set = TrainingConfig::default();
            set.set(key, &TrainingConfig::default_of(key)).unwrap();
            assert_eq!(set, TrainingConfig::default(), "{}", key.name);
        }
        assert!(config(&["--quantisation-aware"]).quantisation_aware);
    }

    #[test]
    fn wrong_values_name_their_flag() {
        let error = Program::try_parse_from(["program", "--optimiser", "sgd"]).err().unwrap();
        let error = error.to_string();
        assert!(
            error.contains("--optimiser") && error.contains("`adam`, `adamw`, `ranger`"),
            "{error}"
        );
    }
}
