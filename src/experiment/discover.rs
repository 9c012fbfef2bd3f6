//! A feature set looked for, round by round:
//!
//! ```text
//! propose ──► screen ──► train the best few, by stages ──► prune ──► test at fixed nodes, on time
//!    ▲                                                                          │
//!    └────────────── what passes is the net to ask next ◄───────────────────────┘
//! ```
//!
//! An experiment with a `[discover]` table says where the search begins and how what it finds is
//! judged: by nets of other seeds, in other games, against the best set of the grid that costs no
//! more. Every step is a job whose result is a file; so the search is a program that runs from
//! its beginning each time and finds the answers that are there.

pub mod table;
mod addition;
mod error;
mod page;
mod path;
mod proposal;
mod pruning;
mod rival;
mod testing;
mod training;
mod verdict;
mod workshop;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use crate::planning::{FileContents, Planning};
use crate::{Experiment, Note, Runs, Workspace, preflight, run};
use base::{Observer, Silent};
use plan::Plan;
use report::Page;

pub use error::DiscoverError;

use page::Standing;
use path::Path;
use verdict::Verdict;
use workshop::{Hands, Workshop};

/// How a call ended.
#[derive(Debug)]
pub struct Found {
    /// What came of it, in a sentence.
    pub headline: String,
    /// What a reader has to know before believing it.
    pub warnings: Vec<String>,
    /// The page of the search.
    pub page: PathBuf,
    /// The table of the verdict, for a terminal, if there was something to judge.
    pub table: Option<String>,
}

/// Looks for a set as the experiment's `[discover]` table says, and judges what it finds.
/// `command` is what was typed, so that the page can say how it was made.
///
/// # Errors
/// Whatever keeps a job from being done; [`DiscoverError::Stopped`] if it was stopped. What is
/// done is kept.
pub fn discover(
    experiment: &Experiment,
    command: &str,
    workspace: &Workspace,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Found, DiscoverError> {
    if experiment.discover.is_none() {
        return Err(DiscoverError::NoTable);
    }
    let runs = Runs::of(&workspace.runs);
    preflight::check(experiment, workspace)?;
    // The grid names all files of the search, those of its verdict too.
    let grid = Planning::of(experiment, FileContents::default(), observer)?;
    let note = Note::of(experiment, command, &grid.contents)?;
    let _lock = run::begin(experiment, &note, &runs)?;
    let hands = Hands::Working { observer, stop };
    let mut search = Search::open(experiment, note, workspace, hands)?;
    search.shop.check_games()?;
    search.go(&runs)?;
    search.write(&runs, &workspace.reports.join(&experiment.name))
}

/// A search as it stands.
#[derive(Debug)]
pub struct SoFar {
    /// Jobs that are known by now: what comes after depends on what they find.
    pub plan: Plan,
    pub page: Page,
    standing: Standing,
}

impl SoFar {
    /// Whether nothing more comes of it.
    pub fn is_over(&self) -> bool {
        self.standing != Standing::UnderWay
    }
}

/// How a search stands that was begun so, whoever is at it.
///
/// # Errors
/// A result that cannot be read.
pub fn so_far(
    experiment: &Experiment,
    note: Note,
    workspace: &Workspace,
) -> Result<SoFar, DiscoverError> {
    let mut search = Search::open(experiment, note, workspace, Hands::Looking(Silent))?;
    let standing = match search.go(&Runs::of(&workspace.runs)) {
        Ok(()) => Standing::Over,
        Err(DiscoverError::Unfinished) => Standing::UnderWay,
        Err(end @ (DiscoverError::Failed { .. } | DiscoverError::NoCandidates { .. })) => {
            Standing::Failed(end.to_string())
        }
        Err(error) => return Err(error),
    };
    Ok(SoFar { page: search.page(standing.clone())?, standing, plan: search.shop.plan })
}

/// The page of a search that is over, again, in `folder`.
///
/// # Errors
/// [`DiscoverError::Unfinished`] of one that is not over; a disk that cannot be written.
pub fn publish(
    experiment: &Experiment,
    note: Note,
    workspace: &Workspace,
    folder: &std::path::Path,
) -> Result<Found, DiscoverError> {
    let runs = Runs::of(&workspace.runs);
    let mut search = Search::open(experiment, note, workspace, Hands::Looking(Silent))?;
    search.go(&runs)?;
    search.write(&runs, folder)
}

/// The way, where its jobs are done, and what was made of its end.
struct Search<'w> {
    shop: Workshop<'w>,
    path: Path,
    verdict: Option<Verdict>,
}

impl<'w> Search<'w> {
    fn open(
        experiment: &'w Experiment,
        note: Note,
        workspace: &Workspace,
        hands: Hands<'w>,
    ) -> Result<Self, DiscoverError> {
        let shop = Workshop::open(experiment, note, workspace, hands)?;
        Ok(Self { shop, path: Path::default(), verdict: None })
    }

    fn go(&mut self, runs: &Runs) -> Result<(), DiscoverError> {
        self.path.go(&mut self.shop)?;
        self.verdict = verdict::of(&mut self.shop, &self.path, runs)?;
        Ok(())
    }

    fn page(&self, standing: Standing) -> Result<Page, DiscoverError> {
        page::of(&self.shop, &self.path, self.verdict.as_ref(), standing)
    }

    /// Writes the pages of the search and of its verdict.
    fn write(&self, runs: &Runs, folder: &std::path::Path) -> Result<Found, DiscoverError> {
        let table = self.verdict.as_ref().map(|verdict| verdict.write(runs, folder)).transpose()?;
        let mut page = self.page(Standing::Over)?;
        page.sections.extend(self.verdict.is_some().then(page::verdict_link));
        let headline = page.findings.iter().map(|finding| finding.text.clone()).collect();
        let warnings = self.path.warnings().collect();
        Ok(Found { headline, warnings, page: page.write(folder)?.page, table })
    }
}
