//! Expressions of feature sets and lines of layers.

use std::sync::Arc;

use super::{Result, ValidationError, check_training};
use crate::config::{Experiment, Grid};
use crate::stages::TrainingStage;
use features::{Names, TrainedSet};
use nnue::{Layers, LayersError, check_playable};

impl Grid {
    pub(super) fn check_expressions(&self, names: &Names) -> Result {
        if self.features.is_empty() {
            let help = "for example `features = [\"ALL\", \"ALL + PV\"]`";
            let error = ValidationError::new("grid.features", "no features to train", help);
            return Err(error.labelled("empty"));
        }
        let sets = self.check_features(names)?;
        let layers = self.check_layers()?;
        check_all_playable(&sets, &layers)
    }

    fn check_features(&self, names: &Names) -> Result<Vec<Arc<TrainedSet>>> {
        let mut known: Vec<Arc<TrainedSet>> = Vec::new();
        for (at, text) in self.features.iter().enumerate() {
            let path = format!("grid.features.{at}");
            if self.features[..at].contains(text) {
                return Err(again(path, "this feature set is listed twice"));
            }
            let trained = compiled(&path, text, names)?;
            if let Some(twin) = known.iter().find(|set| set.canonical() == trained.canonical()) {
                let twin = twin.expression();
                let message = format!(
                    "`{text}` and `{twin}` are the same set: it would be trained twice and \
                     compared with itself"
                );
                let help = "keep one of them; `grid.seed` gives several nets of one set";
                return Err(ValidationError::new(path, message, help).labelled("the same set"));
            }
            known.push(trained);
        }
        Ok(known)
    }

    fn check_layers(&self) -> Result<Vec<Layers>> {
        let mut known: Vec<Layers> = Vec::new();
        for (at, line) in self.layers.iter().enumerate() {
            let path = format!("grid.layers.{at}");
            let layers = parsed(&path, line)?;
            if known.contains(&layers) {
                return Err(again(path, "these layers are listed twice"));
            }
            known.push(layers);
        }
        Ok(known)
    }
}

/// Every feature set can be played with every line of layers.
fn check_all_playable(sets: &[Arc<TrainedSet>], layers: &[Layers]) -> Result {
    for (at, trained) in sets.iter().enumerate() {
        let unplayable = |layers: &Layers| check_playable(trained.set(), layers).err();
        if let Some(reason) = layers.iter().find_map(unplayable) {
            let path = format!("grid.features.{at}");
            let message = format!("not playable, a valued set: {reason}");
            let help = "`oplus train … --no-net` trains one and shows its validation loss";
            let error = ValidationError::new(path, message, help);
            return Err(error.labelled("features carry numbers"));
        }
    }
    Ok(())
}

impl Experiment {
    pub(super) fn check_stages(&self, names: &Names) -> Result {
        let Some(last) = self.stages.last() else { return Ok(()) };
        let last_path = format!("stages.{}", self.stages.len() - 1);
        let wrong = |path: String, message: &str, help: &str| {
            Err(ValidationError::new(path, message, help).labelled("this stage"))
        };
        if self.selfplay.is_some() {
            let help = "a generation is one net, trained in one stage";
            return wrong("stages".to_owned(), "stages and `[selfplay]` together", help);
        }
        let help = "the last stage trains the net of the grid: remove the key";
        if last.features.is_some() {
            let message = "the last stage has a feature set of its own";
            return wrong(format!("{last_path}.features"), message, help);
        }
        if last.layers.is_some() {
            let message = "the last stage has layers of its own";
            return wrong(format!("{last_path}.layers"), message, help);
        }
        self.stages
            .iter()
            .enumerate()
            .try_for_each(|(at, stage)| self.check_stage(&format!("stages.{at}"), stage, names))
    }

    fn check_stage(&self, path: &str, stage: &TrainingStage, names: &Names) -> Result {
        if let Some(text) = &stage.features {
            compiled(&format!("{path}.features"), text, names)?;
        }
        if let Some(line) = &stage.layers {
            parsed(&format!("{path}.layers"), line)?;
        }
        let here = |error: ValidationError| error.below(path).labelled("in this stage");
        let (training, _) = stage.tables(&self.training, &self.data).map_err(here)?;
        check_training(&training).map_err(here)
    }
}

fn compiled(path: &str, text: &str, names: &Names) -> Result<Arc<TrainedSet>> {
    TrainedSet::compile(text, names).map_err(|error| ValidationError::of_expression(path, &error))
}

fn parsed(path: &str, line: &str) -> Result<Layers> {
    line.parse().map_err(|error: LayersError| ValidationError::of_expression(path, error.mistake()))
}

fn again(path: String, message: &str) -> ValidationError {
    ValidationError::new(path, message, "").labelled("again")
}
