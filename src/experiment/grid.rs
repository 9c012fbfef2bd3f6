//! The runs of an experiment, each named by what defines it.

use std::sync::Arc;

use serde::Serialize;

use super::config::Experiment;
use super::error::{ConfigError, ExperimentError};
use super::read::names;
use features::TrainedSet;
use nnue::{Buckets, HiddenActivation, Layers};
use training::{Method, TrainingConfig, TrainingError};

/// Changes whenever training changes what it computes, so that old results
/// are not taken for new ones.
const METHOD_VERSION: u32 = 1;

/// One net to be trained and judged.
#[derive(Clone, Debug)]
pub struct RunSpec {
    /// Its feature set.
    pub features: Arc<TrainedSet>,
    /// The layers above.
    pub layers: Layers,
    /// How it is taught.
    pub method: Method,
    /// Seed of initial weights and of the order of the data.
    pub seed: u64,
}

impl RunSpec {
    /// What people call the run: `ALL + PV 64×2→16 seed 1`.
    pub fn label(&self) -> String {
        let method = match self.method {
            Method::TargetScores => String::new(),
            other => format!(" {other}"),
        };
        let Self { features, layers, seed, .. } = self;
        format!("{} {layers}{method} seed {seed}", features.expression())
    }

    /// The training table of this run.
    pub fn training(&self, of_all: &TrainingConfig) -> TrainingConfig {
        TrainingConfig { method: self.method, ..of_all.clone() }
    }

    /// Name of the run's folder: readable, and ending in the hash of all that
    /// defines the run: features, sizes, seed, training and data.
    pub fn id(&self, training: &TrainingConfig, data_hash: &str) -> String {
        #[derive(Serialize)]
        struct Identity<'a> {
            method: u32,
            features: &'a str,
            l1: usize,
            l2: usize,
            #[serde(skip_serializing_if = "is_default")]
            activation: HiddenActivation,
            #[serde(skip_serializing_if = "is_default")]
            buckets: Buckets,
            seed: u64,
            training: TrainingConfig,
            data: &'a str,
        }
        let training = self.training(training).of_any_threads();
        let identity = Identity {
            method: METHOD_VERSION,
            features: self.features.canonical(),
            l1: self.layers.l1(),
            l2: self.layers.l2(),
            activation: self.layers.hidden_activation(),
            buckets: self.layers.buckets(),
            seed: self.seed,
            training,
            data: data_hash,
        };
        let text = serde_json::to_vec(&identity).unwrap_or_default();
        let hash = &blake3::hash(&text).to_hex()[..12];
        let method = match self.method {
            Method::TargetScores => "",
            Method::Pqr(_) => "-pqr",
        };
        let features = slug(self.features.expression());
        format!("{features}{method}-{}-s{}-{hash}", self.layers.slug(), self.seed)
    }
}

/// What came later than the first runs and is not used leaves their names as
/// they are.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
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
/// If a feature set or the layers cannot be, which reading the file finds out.
pub fn expand(experiment: &Experiment) -> Result<Vec<RunSpec>, ExperimentError> {
    let names = names(experiment);
    let layers = experiment.grid.layers().map_err(TrainingError::from)?;
    let mut runs = Vec::new();
    for text in experiment.expressions() {
        let features = TrainedSet::compile(text, &names).map_err(|error| {
            ExperimentError::Config(Box::new(ConfigError::plain(error.to_string())))
        })?;
        for &layers in &layers {
            for &method in experiment.methods() {
                for &seed in &experiment.grid.seed {
                    runs.push(RunSpec { features: features.clone(), layers, method, seed });
                }
            }
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(layers: Layers) -> RunSpec {
        RunSpec {
            features: TrainedSet::parse("ALL").unwrap(),
            layers,
            method: Method::default(),
            seed: 1,
        }
    }

    fn experiment(grid: &str) -> Experiment {
        let text =
            format!("name = \"x\"\n[data]\ntrain = []\n[grid]\nfeatures = [\"ALL\"]\n{grid}");
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn every_kind_of_layers_has_a_name_of_its_own() {
        let grid = "l1 = [0, 8]\nl2 = [0, 16]\nbuckets = [1, 8]\n\
                    activation = [\"clipped-relu\", \"squared-clipped-relu\"]";
        let runs = expand(&experiment(grid)).unwrap();
        assert_eq!(runs.len(), 1 + 8, "one of them is linear");
        let config = TrainingConfig::default();
        let mut ids: Vec<String> = runs.iter().map(|run| run.id(&config, "data")).collect();
        assert!(ids[0].starts_with("all-linear-s1-"), "{ids:?}");
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), runs.len(), "{ids:?}");
    }

    #[test]
    fn identities_differ_by_more_than_the_readable_part() {
        let config = TrainingConfig::default();
        let hash = |buckets, activation| {
            let id = spec(Layers::new(64, 16, activation, buckets).unwrap()).id(&config, "data");
            id[id.len() - 12..].to_owned()
        };
        let (clipped, squared) =
            (HiddenActivation::ClippedRelu, HiddenActivation::SquaredClippedRelu);
        assert_ne!(hash(1, clipped), hash(8, clipped));
        assert_ne!(hash(1, clipped), hash(1, squared));
    }
}
