//! The nets of an experiment: the product of its lists.

use std::sync::Arc;

use super::axes::{self, Setting};
use super::config::{DataConfig, Experiment};
use super::error::ExperimentError;
use super::read::names;
use super::stages::Stage;
use base::Diagnostic;
use features::{Names, TrainedSet};
use measure::Factor;
use nnue::{Layers, LayersError};
use training::{Method, TrainingConfig};

/// The axis of learning curves.
const POSITIONS: &str = "data.positions";

/// One net to be trained and judged.
#[derive(Clone, Debug)]
pub struct RunSpec {
    pub features: Arc<TrainedSet>,
    pub layers: Layers,
    /// How it is taught, its method included.
    pub training: TrainingConfig,
    pub data: DataConfig,
    /// Seed of initial weights and of the order of the data.
    pub seed: u64,
    /// Keys of these tables that the grid varies.
    pub settings: Vec<Setting>,
    /// What it is taught before.
    pub before: Vec<StageSpec>,
}

/// A stage before the last.
#[derive(Clone, Debug)]
pub struct StageSpec {
    pub name: String,
    pub features: Arc<TrainedSet>,
    pub layers: Layers,
    /// How the net is taught.
    pub training: TrainingConfig,
    pub data: DataConfig,
}

impl RunSpec {
    /// What people call the run: `ALL + PV 64 -> 16 -> 1 seed 1`.
    pub fn label(&self) -> String {
        let Self { features, layers, seed, .. } = self;
        let method = match self.training.method {
            Method::TargetScores => String::new(),
            other => format!(" {other}"),
        };
        let settings: String =
            self.settings.iter().map(|setting| format!(" {}", setting.told())).collect();
        let layers = layers.name();
        format!("{} {layers}{method}{settings} seed {seed}", features.expression())
    }

    /// How the name of its folder begins.
    pub fn slug(&self) -> String {
        let method = match self.training.method {
            Method::TargetScores => "",
            Method::Pqr(_) => "-pqr",
        };
        let features = slug(self.features.expression());
        let told: String = self.settings.iter().map(|it| format!(" - {}", it.told())).collect();
        let settings = slug(&told);
        let settings = if settings.is_empty() { settings } else { format!("-{settings}") };
        format!("{features}{method}-{}{settings}-s{}", self.layers.slug(), self.seed)
    }

    /// Whether another net differs by its seed only.
    pub fn is_of_same_arm(&self, other: &Self) -> bool {
        let of = |spec: &Self| {
            let Self { features, layers, training, settings, .. } = spec;
            (features.expression().to_owned(), layers.clone(), training.method, settings.clone())
        };
        of(self) == of(other)
    }

    /// What sets the net apart besides its features, where the grid varies it.
    pub fn variant(&self, experiment: &Experiment) -> String {
        self.variant_but(experiment, |_| false)
    }

    /// What the grid can vary, and what this net has of it, the features first.
    pub fn factors(&self, experiment: &Experiment) -> Vec<Factor> {
        let factor = |name: &str, level: String| Factor { name: name.to_owned(), level };
        let mut factors = vec![factor("features", self.features.expression().to_owned())];
        if experiment.grid.layers.len() > 1 {
            factors.push(factor("layers", self.layers.name()));
        }
        if experiment.methods().len() > 1 {
            factors.push(factor("method", self.training.method.to_string()));
        }
        let settings = self.settings.iter();
        factors.extend(settings.map(|setting| factor(&setting.key, setting.told())));
        factors
    }

    /// The number of positions that the grid asks for, where it varies it, and what else sets
    /// the net apart.
    pub fn size(&self, experiment: &Experiment) -> Option<(u64, String)> {
        let is_size = |setting: &Setting| setting.key == POSITIONS;
        let asked = self.settings.iter().find(|setting| is_size(setting))?.value.as_integer()?;
        Some((u64::try_from(asked).ok()?, self.variant_but(experiment, is_size)))
    }

    fn variant_but(
        &self,
        experiment: &Experiment,
        is_left_out: impl Fn(&Setting) -> bool,
    ) -> String {
        let mut parts = Vec::new();
        parts.extend((experiment.grid.layers.len() > 1).then(|| self.layers.name()));
        parts.extend((experiment.methods().len() > 1).then(|| self.training.method.to_string()));
        let settings = self.settings.iter().filter(|setting| !is_left_out(setting));
        parts.extend(settings.map(Setting::told));
        parts.join(", ")
    }
}

/// An expression as part of a folder name.
fn slug(expression: &str) -> String {
    let mut slug = String::new();
    for c in expression.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            '+' | '⊕' => slug.push('+'),
            '*' | '×' => slug.push('x'),
            _ if slug.ends_with('-') || slug.ends_with('+') => {}
            ' ' => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(32);
    slug.trim_matches('-').to_owned()
}

/// All runs of the grid: features outermost, seeds innermost.
///
/// # Errors
/// A feature set, layers or settings that cannot be, which reading the file finds out.
pub fn expand(experiment: &Experiment) -> Result<Vec<RunSpec>, ExperimentError> {
    let names = names(experiment);
    let plain = |message: String| ExperimentError::Config(Box::new(Diagnostic::new(message)));
    let layers = experiment.grid.layers().map_err(|error| plain(error.in_one_line()))?;
    let combinations = experiment.grid.axes.combinations().map_err(|error| plain(error.message))?;
    let mut runs = Vec::new();
    for text in experiment.expressions() {
        let features =
            TrainedSet::compile(text, &names).map_err(|error| plain(error.to_string()))?;
        for layers in &layers {
            for &method in experiment.methods() {
                for settings in &combinations {
                    let (training, data) =
                        axes::with(experiment, settings).map_err(|error| plain(error.message))?;
                    let training = TrainingConfig { method, ..training };
                    let only = StageSpec {
                        name: String::new(),
                        features: features.clone(),
                        layers: layers.clone(),
                        training,
                        data,
                    };
                    let mut stages = stages(experiment, &names, only).map_err(plain)?;
                    let StageSpec { features, layers, training, data, .. } =
                        stages.pop().expect("a net has a last stage");
                    for &seed in &experiment.grid.seed {
                        runs.push(RunSpec {
                            features: features.clone(),
                            layers: layers.clone(),
                            training: training.clone(),
                            data: data.clone(),
                            seed,
                            settings: settings.clone(),
                            before: stages.clone(),
                        });
                    }
                }
            }
        }
    }
    Ok(runs)
}

/// What a net is taught, one thing after another; the last is `only` with what its stage
/// says.
fn stages(
    experiment: &Experiment,
    names: &Names,
    only: StageSpec,
) -> Result<Vec<StageSpec>, String> {
    if experiment.stages.is_empty() {
        return Ok(vec![only]);
    }
    let stage = |(stage, number): (&Stage, usize)| {
        let (training, data) =
            stage.tables(&only.training, &only.data).map_err(|error| error.message)?;
        let features = match &stage.features {
            Some(text) => TrainedSet::compile(text, names).map_err(|error| error.to_string())?,
            None => only.features.clone(),
        };
        let layers = match &stage.layers {
            Some(line) => line.parse().map_err(|error: LayersError| error.in_one_line())?,
            None => only.layers.clone(),
        };
        Ok(StageSpec { name: stage.called(number), features, layers, training, data })
    };
    experiment.stages.iter().zip(1..).map(stage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(grid: &str) -> Experiment {
        let text =
            format!("name = \"x\"\n[data]\ntrain = []\n[grid]\nfeatures = [\"ALL\"]\n{grid}");
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn every_kind_of_layers_has_a_name_of_its_own() {
        let lines = ["1", "8 -> 1", "8 screlu -> 1", "8 -> 16 -> 1", "8 -> 16 -> 1, buckets 8"];
        let experiment = experiment(&format!("layers = {lines:?}"));
        let runs = expand(&experiment).unwrap();
        let variants: Vec<String> = runs.iter().map(|run| run.variant(&experiment)).collect();
        assert_eq!(variants[0], "linear");
        assert_eq!(variants[1..], lines[1..]);
        assert_eq!(runs[0].slug(), "all-linear-s1");
        let mut labels: Vec<String> = runs.iter().map(RunSpec::label).collect();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), runs.len(), "{labels:?}");
    }

    #[test]
    fn keys_of_other_tables_make_arms() {
        let experiment = experiment("seed = [1, 2]\n\"training.epochs\" = [1, 2]");
        let runs = expand(&experiment).unwrap();
        let told: Vec<(u32, u64, String)> = runs
            .iter()
            .map(|run| (run.training.epochs, run.seed, run.variant(&experiment)))
            .collect();
        let variant = |epochs: u32| format!("epochs = {epochs}");
        let expected =
            [(1, 1, variant(1)), (1, 2, variant(1)), (2, 1, variant(2)), (2, 2, variant(2))];
        assert_eq!(told, expected);
        assert!(runs[0].is_of_same_arm(&runs[1]) && !runs[1].is_of_same_arm(&runs[2]));
        let slugs: Vec<String> = runs.iter().map(RunSpec::slug).collect();
        assert!(
            slugs[0].ends_with("-epochs-1-s1") && slugs[3].ends_with("-epochs-2-s2"),
            "{slugs:?}"
        );
    }
}
