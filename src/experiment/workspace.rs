//! Folders in which studies work.

use std::path::PathBuf;

use super::runs::Runs;
use super::study::Study;
use plan::RunDir;

/// Folders of studies.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Folder of runs.
    pub runs: PathBuf,
    /// Pages, one folder per study.
    pub reports: PathBuf,
    /// Folder of the page; one of `reports` by default.
    pub page: Option<PathBuf>,
    /// Games at once where clocks run; half the cores by default.
    pub timed_games: Option<usize>,
}

impl Workspace {
    /// Folders inside the current one.
    pub fn here(timed_games: Option<usize>) -> Self {
        let (runs, reports) = (PathBuf::from(Runs::FOLDER), PathBuf::from("reports"));
        Self { runs, reports, page: None, timed_games }
    }

    /// The run folder of a study.
    pub fn run_dir(&self, study: &dyn Study) -> RunDir {
        RunDir::new(self.runs.join(study.name()), self.timed_games).or(study.others())
    }
}
