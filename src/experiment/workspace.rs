//! Folders in which studies work.

use std::path::PathBuf;

use super::runs::Runs;
use super::study::Study;
use plan::{Results, RunDir};

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

    /// The run folder of a study, with the results that its page keeps.
    pub fn run_dir(&self, study: &dyn Study) -> RunDir {
        let page = self.page_folder(study);
        let others = study.others().into_iter();
        let others = others.chain(Results::are_in(&page).then_some(page));
        RunDir::new(self.runs.join(study.name()), self.timed_games).or(others.collect())
    }

    /// The folder of the page of a study.
    fn page_folder(&self, study: &dyn Study) -> PathBuf {
        self.page.clone().unwrap_or_else(|| self.reports.join(study.name()))
    }
}
