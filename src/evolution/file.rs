//! Files of searches: genome, methods, fitness, and matches of the answers.
//!
//! A file becomes a plan of jobs: a search for each method and seed, and matches of their answers.
//! The jobs run and resume like those of an experiment, and the page is made from their results
//! alone.

mod checks;
mod conditions;
mod config;
mod curves;
mod error;
mod found;
mod page;
mod planning;
mod publish;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::Evolved;
use base::Observer;
use plan::{Control, Ending, PlanError, Results, RunDir};
use report::Page;

pub use config::{Budget, Config, FitnessConfig, GenomeConfig, NamedMethod, TrialConfig};
pub use error::EvolveError;
pub use planning::SearchPlanning;

/// Runs all open jobs in `folder`; returns the page.
///
/// # Errors
/// Errors of jobs; [`EvolveError::Stopped`] once the stop flag is set.
pub fn evolve(
    config: &Config,
    command: &str,
    folder: &Path,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Page, EvolveError> {
    let planning = SearchPlanning::of(config)?;
    let dir = RunDir::new(folder.to_owned(), None);
    match plan::run_all(&planning.plan, &dir, &mut Control { observer, stop })? {
        Ending::Stopped => Err(EvolveError::Stopped),
        Ending::Finished(failed) if failed.is_empty() => {
            publish::page(config, &planning, folder, command)
        }
        Ending::Finished(failed) => Err(EvolveError::Failed(failed)),
    }
}

/// Writes the answer of each search into a file named after method and seed: tables, margins or a
/// net.
///
/// # Errors
/// A search without a result, a folder that cannot be written.
pub fn write_answers(config: &Config, folder: &Path, into: &Path) -> Result<(), EvolveError> {
    let planning = SearchPlanning::of(config)?;
    std::fs::create_dir_all(into)
        .map_err(|source| EvolveError::Io { path: into.to_owned(), source })?;
    for (method, searches) in config.methods.iter().zip(&planning.searches) {
        for planned in searches {
            let evolved: Option<Evolved> = Results::of(folder).output(planned.key)?;
            let Some(answer) = evolved.and_then(|evolved| evolved.answers.last().cloned()) else {
                let missing = (method.label().to_owned(), "no result".to_owned());
                return Err(EvolveError::Failed(vec![missing]));
            };
            let (bytes, ending) = planning.genome.file(&answer.point);
            let label = method.label().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            let path = into.join(format!("{label}-s{}.{ending}", planned.seed));
            base::write_atomically(&path, &[&bytes]).map_err(PlanError::from)?;
        }
    }
    Ok(())
}
