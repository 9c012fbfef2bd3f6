//! What can be checked of an experiment without doing its work.

use std::sync::Arc;

use super::names;
use super::source::Source;
use crate::axes::{self, AxisError, Setting};
use crate::config::Experiment;
use crate::define::{self, DefineError, define};
use crate::discover;
use crate::error::ExperimentError;
use crate::generations;
use crate::misfit::{self, Misfit};
use crate::stages;
use data::filter::UnscoredTargets;
use features::error::nearest;
use features::{Names, TrainedSet};
use nnue::{Layers, LayersError, check_playable};
use training::{Method, TrainingConfig};

impl Source {
    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        self.check_name(experiment)?;
        self.check_features(experiment)?;
        self.check_numbers(experiment)?;
        self.check_generations(experiment)?;
        self.check_discovery(experiment)?;
        self.check_reference(experiment)
    }

    fn check_name(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let name = &experiment.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !name.is_empty() && name.chars().all(plain) && !name.starts_with('.') {
            return Ok(());
        }
        Err(self.error(
            self.find("name"),
            "the name becomes a folder: use letters, digits, `-`, `_` and `.`",
            "not a folder name",
            None,
        ))
    }

    fn check_definitions(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let mut names = Names::catalogue();
        for (name, text) in &experiment.define {
            define(&mut names, name, text).map_err(|error| {
                let help = Some(DefineError::HELP.to_owned());
                self.error(self.find(name), error.to_string(), "another meaning", help)
            })?;
        }
        experiment.define.keys().try_for_each(|name| {
            let place = self.find(name).unwrap_or(0..0);
            define::check(&names, name).map_err(|error| self.expression_error(place, &error))
        })
    }

    fn check_features(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        self.check_definitions(experiment)?;
        let names = names(experiment);
        let mut known: Vec<Arc<TrainedSet>> = Vec::new();
        if experiment.grid.features.is_empty() {
            let help = Some("for example `features = [\"ALL\", \"ALL + PV\"]`".to_owned());
            return Err(self.error(self.find("features"), "no features to train", "empty", help));
        }
        for (i, text) in experiment.grid.features.iter().enumerate() {
            let earlier = &experiment.grid.features[..i];
            if earlier.iter().any(|other| other.get_ref() == text.get_ref()) {
                let message = "this feature set is listed twice";
                return Err(self.error(Some(text.span()), message, "again", None));
            }
            let trained = TrainedSet::compile(text.get_ref(), &names)
                .map_err(|error| self.expression_error(text.span(), &error))?;
            if let Some(twin) = known.iter().find(|set| set.canonical() == trained.canonical()) {
                let twin = twin.expression();
                let message = format!(
                    "`{}` is `{twin}` again under another name: it would be trained twice and \
                     compared with itself",
                    text.get_ref()
                );
                let help = "keep one of them; `grid.seed` gives several nets of one set".to_owned();
                return Err(self.error(Some(text.span()), message, "the same set", Some(help)));
            }
            known.push(trained);
        }
        Ok(())
    }

    fn check_stages(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        if let Some((key, message, help)) = stages::misfit(experiment) {
            return Err(self.error(
                self.find_within(key),
                message,
                "this stage",
                Some(help.to_owned()),
            ));
        }
        let names = names(experiment);
        for stage in &experiment.stages {
            if let Some(text) = &stage.features {
                TrainedSet::compile(text.get_ref(), &names)
                    .map_err(|error| self.expression_error(text.span(), &error))?;
            }
            if let Some(line) = &stage.layers {
                let read = line.get_ref().parse::<Layers>();
                read.map_err(|error| self.expression_error(line.span(), error.mistake()))?;
            }
            let tables = stage.tables(&experiment.training, &experiment.data);
            let (training, _) = tables.map_err(|AxisError { key, message, help }| {
                self.error(self.find_within(&key), message, "in this stage", Some(help))
            })?;
            self.check_training(&training)?;
        }
        Ok(())
    }

    fn check_layers(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let mut known: Vec<Layers> = Vec::new();
        for line in &experiment.grid.layers {
            let layers: Layers = line.get_ref().parse().map_err(|error: LayersError| {
                self.expression_error(line.span(), error.mistake())
            })?;
            if known.contains(&layers) {
                let message = "these layers are listed twice";
                return Err(self.error(Some(line.span()), message, "again", None));
            }
            known.push(layers);
        }
        self.check_playable(experiment)
    }

    /// Whether each feature set can be played with each line of layers.
    fn check_playable(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let names = names(experiment);
        let layers = experiment.grid.layers().unwrap_or_default();
        for text in &experiment.grid.features {
            let Ok(trained) = TrainedSet::compile(text.get_ref(), &names) else { continue };
            let unplayable = |layers: &Layers| check_playable(trained.set(), layers).err();
            if let Some(reason) = layers.iter().find_map(unplayable) {
                let message = format!("no engine can play this valued set: {reason}");
                let help =
                    "`oplus train … --no-net` trains one and shows its validation loss".to_owned();
                let label = "features carry numbers";
                return Err(self.error(Some(text.span()), message, label, Some(help)));
            }
        }
        Ok(())
    }

    fn check_numbers(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let Experiment { training, .. } = experiment;
        let wrong = |key: &str, message: String, help: &str| {
            Err(self.error(self.find(key), message, "this value", Some(help.to_owned())))
        };
        self.check_layers(experiment)?;
        self.check_stages(experiment)?;
        if let Some(Misfit { key, message, help }) = misfit::of_values(experiment) {
            return wrong(key, message, help);
        }
        self.check_axes(experiment)?;
        self.check_methods(experiment)?;
        if !(experiment.scale.is_finite() && experiment.scale > 0.0) {
            let message = format!("scale = {} is not a positive number", experiment.scale);
            return wrong(
                "scale",
                message,
                "1.0 runs the experiment as written, 0.01 a hundredth of it",
            );
        }
        self.check_training(training)?;
        // What the grid varies is looked at with each of its values.
        let is_fixed =
            |misfit: &Misfit| !experiment.grid.axes.varies(&format!("data.{}", misfit.key));
        match misfit_of_data(experiment).filter(is_fixed) {
            Some(Misfit { key, message, help }) => wrong(key, message, help),
            None => Ok(()),
        }
    }

    /// Whether the rest of the file goes with a `[selfplay]` table, if there is one.
    fn check_generations(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let Some(Misfit { key, message, help }) =
            experiment.selfplay.as_ref().and_then(|_| generations::misfit(experiment))
        else {
            return Ok(());
        };
        let place = self.find(key).or_else(|| self.find_table("selfplay"));
        Err(self.error(place, message, "with `[selfplay]`", Some(help.to_owned())))
    }

    /// Whether the rest of the file goes with a `[discover]` table, if there is one.
    fn check_discovery(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let misfit = experiment
            .discover
            .as_ref()
            .and_then(|table| discover::table::misfit(experiment, table));
        let Some(Misfit { key, message, help }) = misfit else { return Ok(()) };
        let place = self.find_in("discover", key).or_else(|| self.find_key_like(key));
        let place = place.or_else(|| self.find_table("discover"));
        Err(self.error(place, message, "with `[discover]`", Some(help.to_owned())))
    }

    /// Every combination of the keys of other tables that the grid varies.
    fn check_axes(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let wrong = |AxisError { key, message, help }: AxisError| {
            let place = self.find_key_like(&key);
            self.error(place, message, "this axis", Some(help))
        };
        for settings in experiment.grid.axes.combinations().map_err(wrong)? {
            let (training, data) = axes::with(experiment, &settings).map_err(wrong)?;
            if settings.is_empty() {
                continue;
            }
            let told: Vec<String> = settings.iter().map(Setting::told).collect();
            let help = || Some(format!("with {}; see docs/experiment.md", told.join(", ")));
            training.validate().map_err(|error| {
                self.error(self.find_key_like(error.key), error.to_string(), "in the grid", help())
            })?;
            let with = Experiment { training, data, ..experiment.clone() };
            let misfit = misfit::of_values(&with).or_else(|| misfit_of_data(&with));
            if let Some(Misfit { key, message, .. }) = misfit {
                return Err(self.error(self.find_key_like(key), message, "in the grid", help()));
            }
        }
        Ok(())
    }

    /// The methods of the grid; that of the training table is checked with it.
    fn check_methods(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let Some(methods) = &experiment.grid.method else { return Ok(()) };
        let wrong = |message: &str, help: &str| {
            Err(self.error(self.find("method"), message, "this value", Some(help.to_owned())))
        };
        if methods.is_empty() {
            return wrong("method is an empty list", "leave it out for `training.method`");
        }
        if experiment.training.method != Method::default() {
            return wrong(
                "the method is given twice, in `grid` and in `training`",
                "keep `grid.method` to compare methods, `training.method` for a single one",
            );
        }
        if methods.iter().enumerate().any(|(i, method)| methods[..i].contains(method)) {
            return wrong("a method is listed twice", "each once: seeds give several nets of one");
        }
        methods.iter().try_for_each(|&method| {
            self.check_training(&TrainingConfig { method, ..experiment.training.clone() })
        })
    }

    pub(super) fn check_training(&self, training: &TrainingConfig) -> Result<(), ExperimentError> {
        training.validate().map_err(|error| {
            // `schedule.final` stands in the line of `schedule`.
            let line = error.key.split('.').next().unwrap_or(error.key);
            let help = Some("see docs/experiment.md".to_owned());
            self.error(self.find(line), error.to_string(), "this value", help)
        })
    }

    fn check_reference(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let reference = experiment.reference();
        if experiment.expressions().any(|text| text == reference) {
            return Ok(());
        }
        let help = match nearest(reference, experiment.expressions()) {
            Some(text) => format!("did you mean `{text}`?"),
            None => format!(
                "it must be one of: {}",
                experiment.expressions().collect::<Vec<_>>().join(", ")
            ),
        };
        Err(self.error(
            self.find("reference"),
            format!("the reference `{reference}` is not among the features of the grid"),
            "not in the grid",
            Some(help),
        ))
    }
}

/// The first thing in the `[data]` table that cannot be.
fn misfit_of_data(experiment: &Experiment) -> Option<Misfit> {
    let Experiment { data, training, .. } = experiment;
    if !(0.0..=0.5).contains(&data.validation) || data.validation == 0.0 {
        return Some(Misfit {
            key: "validation",
            message: format!("validation = {} is not a share of the games", data.validation),
            help: "0.05 keeps one game in twenty for validation",
        });
    }
    if data.train.is_empty() && experiment.selfplay.is_none() {
        return Some(Misfit {
            key: "train",
            message: "no data files".to_owned(),
            help: "for example `train = [\"datasets/bootstrap.oarc\"]`",
        });
    }
    let error = data.filter.check_targets(training.wdl.lowest()).err()?;
    Some(Misfit { key: "filter", message: error.to_string(), help: UnscoredTargets::HELP })
}
