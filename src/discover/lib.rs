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

use base::Observer;
use experiment::{Experiment, Runs, Workspace, preflight};

pub use error::DiscoverError;

use path::Path;
use workshop::Workshop;

/// How a call ended.
#[derive(Debug)]
pub struct Found {
    /// The set, as an expression; `None` if nothing passed.
    pub set: Option<String>,
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
    let search = experiment.discover.as_ref().ok_or(DiscoverError::NoTable)?;
    let runs = Runs::open(&workspace.runs)?;
    preflight::check(experiment, workspace)?;
    let mut shop = Workshop::open(experiment, search, workspace, observer, stop)?;
    let path = Path::find(&mut shop)?;
    let verdict = verdict::of(&mut shop, &path, command, &runs, workspace)?;
    let page = page::write(&shop, &path, verdict.as_ref(), command, workspace)?;
    let set = path.found().map(str::to_owned);
    Ok(Found { set, page, table: verdict.map(|verdict| verdict.table) })
}
