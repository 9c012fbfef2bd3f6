//! Search for a feature set, round by round:
//!
//! ```text
//! propose ──► screen ──► train the best few, by stages ──► prune ──► test at fixed nodes, on time
//!    ▲                                                                          │
//!    └────────────────── the set that passes is the next base ◄─────────────────┘
//! ```
//!
//! An experiment with a `[discover]` table has the start of the search and the judge of its result:
//! nets of other seeds, other games, and the strongest set of the grid that costs no more as the
//! baseline. Each step is a job with a result file, so the search restarts from its beginning each
//! time and reads the results that exist.

mod addition;
mod baseline;
mod driver;
mod error;
mod history;
mod page;
mod proposal;
mod pruning;
pub mod table;
mod testing;
mod training;
mod verdict;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::planning::{FileContents, Planning};
use crate::{Experiment, Note, Runs, Workspace, preflight, run};
use base::{Observer, Silent};
use plan::Plan;
use report::Page;

pub use error::DiscoverError;

use driver::{Mode, SearchDriver};
use history::History;
use page::Standing;
use verdict::Verdict;

/// Files and messages of a search that is over.
#[derive(Debug)]
pub struct Discovered {
    /// The result in one sentence.
    pub headline: String,
    /// Reservations about the result.
    pub warnings: Vec<String>,
    /// The page of the search.
    pub page: PathBuf,
    /// The verdict as a table for a terminal; `None` if no set passed.
    pub table: Option<String>,
}

/// Runs the search of the experiment's `[discover]` table and judges the set it ends with.
/// `command` is the command line, for the provenance of the page.
///
/// # Errors
/// The error of a job; [`DiscoverError::Stopped`] once the stop flag is set. Finished jobs are
/// kept.
pub fn discover(
    experiment: &Experiment,
    command: &str,
    workspace: &Workspace,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Discovered, DiscoverError> {
    if experiment.discover.is_none() {
        return Err(DiscoverError::NoTable);
    }
    let runs = Runs::of(&workspace.runs);
    preflight::check(experiment, workspace)?;
    // The grid names all files of search and verdict.
    let grid = Planning::of(experiment, FileContents::default(), observer)?;
    let note = Note::of(experiment, command, &grid.contents)?;
    let _lock = run::begin(experiment, &note, &runs)?;
    let mode = Mode::Run { observer, stop };
    let mut search = Search::open(experiment, note, workspace, mode)?;
    search.driver.check_games()?;
    search.run(&runs)?;
    search.write(&runs, &workspace.reports.join(&experiment.name))
}

/// The state of a search, from its results.
#[derive(Debug)]
pub struct SearchState {
    /// Jobs planned so far: the next ones depend on their results.
    pub plan: Plan,
    pub page: Page,
    standing: Standing,
}

impl SearchState {
    /// Whether the state is final.
    pub fn is_over(&self) -> bool {
        self.standing != Standing::UnderWay
    }
}

/// The state of the search that `note` records, from its files; it runs no job.
///
/// # Errors
/// A result that cannot be read.
pub fn state(
    experiment: &Experiment,
    note: Note,
    workspace: &Workspace,
) -> Result<SearchState, DiscoverError> {
    let mut search = Search::open(experiment, note, workspace, Mode::ReadOnly(Silent))?;
    let standing = match search.run(&Runs::of(&workspace.runs)) {
        Ok(()) => Standing::Over,
        Err(DiscoverError::Unfinished) => Standing::UnderWay,
        Err(end @ (DiscoverError::Failed { .. } | DiscoverError::NoCandidates { .. })) => {
            Standing::Failed(end.to_string())
        }
        Err(error) => return Err(error),
    };
    let page = search.page(standing.clone())?;
    Ok(SearchState { page, standing, plan: search.driver.plan })
}

/// Writes the page of a search that is over into `folder`.
///
/// # Errors
/// [`DiscoverError::Unfinished`] of one that is not over; a disk that cannot be written.
pub fn publish(
    experiment: &Experiment,
    note: Note,
    workspace: &Workspace,
    folder: &Path,
) -> Result<Discovered, DiscoverError> {
    let runs = Runs::of(&workspace.runs);
    let mut search = Search::open(experiment, note, workspace, Mode::ReadOnly(Silent))?;
    search.run(&runs)?;
    search.write(&runs, folder)
}

/// A search: its driver, its rounds, its verdict.
struct Search<'w> {
    driver: SearchDriver<'w>,
    history: History,
    verdict: Option<Verdict>,
}

impl<'w> Search<'w> {
    fn open(
        experiment: &'w Experiment,
        note: Note,
        workspace: &Workspace,
        mode: Mode<'w>,
    ) -> Result<Self, DiscoverError> {
        let driver = SearchDriver::open(experiment, note, workspace, mode)?;
        Ok(Self { driver, history: History::default(), verdict: None })
    }

    fn run(&mut self, runs: &Runs) -> Result<(), DiscoverError> {
        self.history.run(&mut self.driver)?;
        self.verdict = verdict::of(&mut self.driver, &self.history, runs)?;
        Ok(())
    }

    fn page(&self, standing: Standing) -> Result<Page, DiscoverError> {
        page::of(&self.driver, &self.history, self.verdict.as_ref(), standing)
    }

    /// Writes the pages of search and verdict.
    fn write(&self, runs: &Runs, folder: &Path) -> Result<Discovered, DiscoverError> {
        let table = self.verdict.as_ref().map(|verdict| verdict.write(runs, folder)).transpose()?;
        let mut page = self.page(Standing::Over)?;
        page.sections.extend(self.verdict.is_some().then(page::verdict_link));
        let headline = page.findings.iter().map(|finding| finding.text.clone()).collect();
        let warnings = self.history.warnings().collect();
        Ok(Discovered { headline, warnings, page: page.write(folder)?.page, table })
    }
}
