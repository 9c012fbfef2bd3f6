//! The nets of an experiment: the product of its lists.

use std::sync::Arc;

use super::axes::{self, Setting};
use super::config::{DataConfig, Experiment};
use super::error::ExperimentError;
use super::read::names;
use super::stages::TrainingStage;
use base::Diagnostic;
use features::{Names, TrainedSet};
use measure::GridFactor;
use nnue::{Activation, Buckets, Hidden, Layers, LayersError};
use training::{Method, TrainingConfig};

/// The axis of learning curves.
const POSITIONS: &str = "data.positions";

/// One net to be trained and judged.
#[derive(Clone, Debug)]
pub struct RunSpec {
    pub features: Arc<TrainedSet>,
    pub layers: Layers,
    /// Training settings, the method included.
    pub training: TrainingConfig,
    pub data: DataConfig,
    /// Seed of initial weights and of the order of the data.
    pub seed: u64,
    /// Keys of other tables that the grid varies.
    pub settings: Vec<Setting>,
    /// Earlier stages.
    pub before: Vec<StageSpec>,
}

/// A stage before the last.
#[derive(Clone, Debug)]
pub struct StageSpec {
    pub name: String,
    pub features: Arc<TrainedSet>,
    pub layers: Layers,
    /// Training settings.
    pub training: TrainingConfig,
    pub data: DataConfig,
}

impl RunSpec {
    /// Label of the run: `ALL + PV 64 -> 16 -> 1 seed 1`.
    pub fn label(&self) -> String {
        let Self { features, layers, seed, .. } = self;
        let method = match self.training.method {
            Method::TargetScores => String::new(),
            other => format!(" {other}"),
        };
        let settings: String =
            self.settings.iter().map(|setting| format!(" {}", setting.to_text())).collect();
        let layers = layers.name();
        format!("{} {layers}{method}{settings} seed {seed}", features.expression())
    }

    /// Prefix of the name of its folder.
    pub fn slug(&self) -> String {
        let method = self.training.method.slug();
        let features = slug(self.features.expression());
        let text: String = self.settings.iter().map(|it| format!(" - {}", it.to_text())).collect();
        let settings = slug(&text);
        let settings = if settings.is_empty() { settings } else { format!("-{settings}") };
        format!("{features}{method}-{}{settings}-s{}", self.layers.slug(), self.seed)
    }

    /// Trainings of this net, the last stage at the end, each as a run without stages before it.
    pub fn trainings(&self) -> impl Iterator<Item = Self> {
        let alone = Self { before: Vec::new(), ..self.clone() };
        let stage = |stage: &StageSpec| {
            let StageSpec { features, layers, training, data, .. } = stage.clone();
            Self { features, layers, training, data, ..alone.clone() }
        };
        let before: Vec<Self> = self.before.iter().map(stage).collect();
        before.into_iter().chain([alone])
    }

    /// Whether another net differs only in its seed.
    pub fn has_same_variant(&self, other: &Self) -> bool {
        let of = |spec: &Self| {
            let Self { features, layers, training, settings, .. } = spec;
            (features.expression().to_owned(), layers.clone(), training.method, settings.clone())
        };
        of(self) == of(other)
    }

    /// Settings other than the features that the grid varies.
    pub fn variant(&self, experiment: &Experiment) -> String {
        self.variant_but(experiment, |_| false)
    }

    /// Levels of this net on all axes of the grid, the features first.
    pub fn factors(&self, experiment: &Experiment) -> Vec<GridFactor> {
        let factor = |name: &str, level: String| GridFactor { name: name.to_owned(), level };
        let mut factors = vec![factor("features", self.features.expression().to_owned())];
        factors.extend(self.lists(experiment).map(|(name, level)| factor(name, level)));
        let settings = self.settings.iter();
        factors.extend(settings.map(|setting| factor(&setting.key, setting.to_text())));
        factors
    }

    /// Layers and method of this net, where the grid lists several.
    pub fn lists(&self, experiment: &Experiment) -> impl Iterator<Item = (&'static str, String)> {
        let layers = experiment.grid.layers.len() > 1;
        let method = experiment.methods().len() > 1;
        let layers = layers.then(|| ("layers", self.layers.name()));
        let method = method.then(|| ("method", self.training.method.to_string()));
        layers.into_iter().chain(method)
    }

    /// The number of positions, where the grid varies it, and the other settings that it varies.
    pub fn size(&self, experiment: &Experiment) -> Option<(u64, String)> {
        let is_size = |setting: &Setting| setting.key == POSITIONS;
        let requested =
            self.settings.iter().find(|setting| is_size(setting))?.value.as_integer()?;
        Some((u64::try_from(requested).ok()?, self.variant_but(experiment, is_size)))
    }

    /// `256 neurons` where the lines of the grid differ in nothing else, otherwise the whole line.
    fn short_layers(&self, experiment: &Experiment) -> String {
        let all = experiment.grid.layers();
        let is_like = |line: &Layers| above_width(line) == above_width(&self.layers);
        match all.is_ok_and(|all| all.iter().all(is_like)) && !self.layers.is_linear() {
            true => format!("{} neurons", self.layers.width()),
            false => self.layers.name(),
        }
    }

    fn variant_but(
        &self,
        experiment: &Experiment,
        is_left_out: impl Fn(&Setting) -> bool,
    ) -> String {
        let mut parts = Vec::new();
        parts.extend((experiment.grid.layers.len() > 1).then(|| self.short_layers(experiment)));
        parts.extend((experiment.methods().len() > 1).then(|| self.training.method.to_string()));
        let settings = self.settings.iter().filter(|setting| !is_left_out(setting));
        parts.extend(settings.map(Setting::to_text));
        parts.join(", ")
    }
}

/// All of a line of layers but the width of its first layer.
fn above_width(line: &Layers) -> (Option<Activation>, &[Hidden], &Buckets, bool) {
    let activation = line.transformer().map(|first| first.activation);
    (activation, line.hidden(), line.buckets(), line.has_psqt())
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
/// An invalid feature set, layers or settings, which reading the file has excluded.
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

/// Stages of a net; the last is `only` with the settings of the last stage.
fn stages(
    experiment: &Experiment,
    names: &Names,
    only: StageSpec,
) -> Result<Vec<StageSpec>, String> {
    if experiment.stages.is_empty() {
        return Ok(vec![only]);
    }
    let stage = |(stage, number): (&TrainingStage, usize)| {
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
    fn layers_have_distinct_names() {
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
    fn widths_alone_are_named_in_neurons() {
        let variants = |lines: [&str; 2]| -> Vec<String> {
            let experiment = experiment(&format!("layers = {lines:?}"));
            let runs = expand(&experiment).unwrap();
            runs.iter().map(|run| run.variant(&experiment)).collect()
        };
        assert_eq!(variants(["64 screlu -> 1", "256 screlu -> 1"]), ["64 neurons", "256 neurons"]);
        assert_eq!(variants(["64 -> 8 -> 1", "256 -> 8 -> 1"]), ["64 neurons", "256 neurons"]);
        for whole in
            [["64 screlu -> 1", "256 -> 1"], ["64 -> 8 -> 1", "64 -> 16 -> 1"], ["1", "8 -> 1"]]
        {
            let named = variants(whole);
            assert_eq!(named[1], whole[1], "{named:?}");
        }
    }

    #[test]
    fn keys_of_other_tables_make_variants() {
        let experiment = experiment("seed = [1, 2]\n\"training.epochs\" = [1, 2]");
        let runs = expand(&experiment).unwrap();
        let found: Vec<(u32, u64, String)> = runs
            .iter()
            .map(|run| (run.training.epochs, run.seed, run.variant(&experiment)))
            .collect();
        let variant = |epochs: u32| format!("epochs = {epochs}");
        let expected =
            [(1, 1, variant(1)), (1, 2, variant(1)), (2, 1, variant(2)), (2, 2, variant(2))];
        assert_eq!(found, expected);
        assert!(runs[0].has_same_variant(&runs[1]) && !runs[1].has_same_variant(&runs[2]));
        let slugs: Vec<String> = runs.iter().map(RunSpec::slug).collect();
        assert!(
            slugs[0].ends_with("-epochs-1-s1") && slugs[3].ends_with("-epochs-2-s2"),
            "{slugs:?}"
        );
    }
}
