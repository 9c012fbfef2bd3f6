//! The runs of an experiment, each named by what defines it.

use std::sync::Arc;

use serde::Serialize;

use super::config::Experiment;
use super::read::names;
use crate::features::{ExpressionError, TrainedSet};
use crate::training::TrainingConfig;

/// Changes whenever training changes what it computes, so that old results
/// are not taken for new ones.
const METHOD_VERSION: u32 = 1;

/// One net to be trained and judged.
#[derive(Clone, Debug)]
pub struct RunSpec {
    /// Its feature set.
    pub features: Arc<TrainedSet>,
    /// Feature transformer outputs per perspective.
    pub l1: usize,
    /// Second hidden layer.
    pub l2: usize,
    /// Seed of initial weights and of the order of the data.
    pub seed: u64,
}

impl RunSpec {
    /// What people call the run: `ALL + PV 64×2→16 seed 1`.
    pub fn label(&self) -> String {
        format!("{} {}×2→{} seed {}", self.features.expression(), self.l1, self.l2, self.seed)
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
            seed: u64,
            training: TrainingConfig,
            data: &'a str,
        }
        // How many threads compute it does not change what is computed.
        let training = TrainingConfig { threads: 0, ..training.clone() };
        let identity = Identity {
            method: METHOD_VERSION,
            features: self.features.canonical(),
            l1: self.l1,
            l2: self.l2,
            seed: self.seed,
            training,
            data: data_hash,
        };
        let text = serde_json::to_vec(&identity).unwrap_or_default();
        let hash = &blake3::hash(&text).to_hex()[..12];
        format!(
            "{}-{}-{}-s{}-{hash}",
            slug(self.features.expression()),
            self.l1,
            self.l2,
            self.seed
        )
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
pub fn expand(experiment: &Experiment) -> Result<Vec<RunSpec>, Box<ExpressionError>> {
    let names = names(experiment);
    let mut runs = Vec::new();
    for text in experiment.expressions() {
        let features = TrainedSet::compile(text, &names)?;
        for &l1 in &experiment.grid.l1 {
            for &l2 in &experiment.grid.l2 {
                for &seed in &experiment.grid.seed {
                    runs.push(RunSpec { features: features.clone(), l1, l2, seed });
                }
            }
        }
    }
    Ok(runs)
}
