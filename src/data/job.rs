//! The job that prepares positions for training, and access to them for the jobs that need it.

mod licence;
mod loading;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cache::READING;
use crate::{Cache, DataError, DataSpec, Dataset, Filter, Ingredient, SamplesByGame, Weight};
use base::{Content, Key};
use plan::{Context, JobError, RunDir, Traits, Work};

pub use licence::{licence_of, set_licence};
pub use loading::load;

/// Folder of prepared positions, inside the folder of runs.
const CACHE_FOLDER: &str = "cache";

/// Prepares positions: reads, filters, splits into training and validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Positions {
    /// Sources in order, with the number of times that each of their positions is shown.
    pub sources: Vec<(PositionSource, Weight)>,
    /// Share of the games held out for validation.
    pub validation: f64,
    pub filter: Filter<Content>,
    /// Training positions at most; all by default.
    pub positions: Option<u64>,
    /// Whether samples keep the move that was played.
    pub choices: bool,
}

/// A source of positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PositionSource {
    File(Content),
    /// The games that a job plays.
    Made(Key),
}

/// Size and content of prepared positions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// The data set without its samples.
    pub dataset: Dataset,
    pub hash: String,
    pub train: u64,
    pub validation: u64,
    /// Distinct training positions, to about 1 %; 0 where they were not counted.
    #[serde(default)]
    pub distinct: u64,
}

impl Work for Positions {
    const KIND: &'static str = "positions";
    const STAGE: &'static str = "preparing positions";
    const VERSION: u32 = READING;
    type Output = Prepared;

    fn needs(&self) -> Vec<Key> {
        let made = |(source, _): &(PositionSource, Weight)| match source {
            PositionSource::Made(key) => Some(*key),
            PositionSource::File(_) => None,
        };
        self.sources.iter().filter_map(made).collect()
    }

    fn traits(&self) -> Traits {
        Traits { group: "positions", ..Traits::default() }
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Prepared, JobError> {
        let dataset = dataset(context, context.planned().key)?;
        Ok(Prepared {
            hash: dataset.hash().to_string(),
            train: dataset.train.len() as u64,
            validation: dataset.validation.len() as u64,
            distinct: dataset.inventory.distinct,
            dataset: dataset.without_samples(),
        })
    }
}

impl Positions {
    fn spec(&self, context: &Context<'_>) -> Result<DataSpec, JobError> {
        let mut train = Vec::new();
        for (source, weight) in &self.sources {
            let path = match source {
                PositionSource::File(content) => context.file(content)?,
                PositionSource::Made(key) => games_file(context.dir(), *key),
            };
            train.push(Ingredient { weight: *weight, ..Ingredient::new(path) });
        }
        let Self { validation, positions: limit, choices, .. } = *self;
        let filter = self.filter.clone().with_net(|content| context.file(&content))?;
        Ok(DataSpec { train, validation, filter, limit, choices })
    }
}

/// The file of the games that a job plays.
pub fn games_file(dir: &RunDir, key: Key) -> PathBuf {
    dir.folder.join(format!("games-{key}.oarc"))
}

/// The positions that a job prepared, from memory, from the cache or from their files.
///
/// # Errors
/// Data that cannot be read; [`JobError::Stopped`].
pub fn dataset(context: &mut Context<'_>, key: Key) -> Result<Arc<Dataset>, JobError> {
    if let Some(dataset) = context.cached(key) {
        return Ok(dataset);
    }
    // Two data sets may not fit the memory.
    context.uncache::<Arc<Dataset>>();
    let spec = context.job::<Positions>(key)?.1.spec(context)?;
    let cache = Cache::new(context.dir().runs().join(CACHE_FOLDER));
    let plan = context.plan();
    let known = |path: &Path| plan.inputs.content_of(path);
    let dataset = load(&spec, Some(&cache), &known, context.observer, context.stop);
    let dataset = Arc::new(dataset.map_err(job_error)?);
    context.cache(key, dataset.clone());
    Ok(dataset)
}

/// All games held out of the positions that a job prepared.
///
/// # Errors
/// Data that cannot be read; [`JobError::Stopped`].
pub fn held_out(context: &mut Context<'_>, key: Key) -> Result<Arc<SamplesByGame>, JobError> {
    if let Some(games) = context.shared(key) {
        return Ok(games);
    }
    let spec = context.job::<Positions>(key)?.1.spec(context)?;
    let games = SamplesByGame::validating(&spec, usize::MAX, context.observer, context.stop);
    let games = Arc::new(games.map_err(job_error)?);
    context.share(key, games.clone());
    Ok(games)
}

fn job_error(error: DataError) -> JobError {
    match error {
        DataError::Stopped => JobError::Stopped,
        other => other.into(),
    }
}
