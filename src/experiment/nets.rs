//! The nets of an experiment, from its run folder alone.

use std::path::{Path, PathBuf};

use super::error::ExperimentError;
use super::read::{self, Overrides};
use super::run::{self, EXPERIMENT};
use super::runs::Runs;
use super::workspace::Workspace;
use measure::page;
use report::Table;

/// A row for each net of the run folder, such as `runs/quickstart`: losses, and Elo with intervals.
///
/// # Errors
/// A folder without a run, a run of another kind, nothing measured, a result that cannot be read.
pub fn nets(folder: &Path) -> Result<Table, ExperimentError> {
    let missing = || ExperimentError::NoRun { folder: folder.to_owned() };
    let name = folder.file_name().and_then(|name| name.to_str()).ok_or_else(missing)?;
    let parent = folder.parent().map_or_else(PathBuf::new, Path::to_owned);
    let note = Runs::of(&parent).note(name)?.ok_or_else(missing)?;
    if note.kind != EXPERIMENT.name {
        return Err(ExperimentError::OtherKind { kind: note.kind });
    }
    let title = "the file of the last run";
    let experiment = read::parse(title, &note.config, &Overrides::default())?;
    let workspace = Workspace { runs: parent, ..Workspace::here(None) };
    let results = workspace.run_dir(&experiment).results();
    Ok(page::nets(&run::report(&experiment, &note, &results)?))
}
