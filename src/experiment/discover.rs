//! Search for a feature set, round by round:
//!
//! ```text
//! propose ──► screen ──► train the best few, by stages ──► prune ──► race: fixed nodes, equal time
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
mod planner;
mod error;
mod history;
mod page;
mod proposal;
mod pruning;
#[cfg(test)]
mod simulated;
pub mod table;
mod testing;
mod training;
mod verdict;

use crate::Experiment;
use crate::study::{Chapter, Files, Note, Standing, StudyPlan};
use ::training::Train;
use base::{Observer, Silent};
use data::job::Positions;
use discovery::Purpose;
use discovery::jobs::{self, HeldOut};
use plan::{Control, Plan, PlanError, Planned, RunDir, State};

pub use error::DiscoverError;

use history::History;
use planner::SearchPlanner;
use table::Discover;
use verdict::Verdict;

/// The jobs of a search as far as results decide them.
pub(crate) fn plan(
    experiment: &Experiment,
    files: Files,
    dir: &RunDir,
    observer: &mut dyn Observer,
) -> Result<StudyPlan, DiscoverError> {
    let mut search = Search::of(SearchPlanner::open(experiment, files, "", dir, observer)?);
    // Keys that depend on missing files decide no results.
    let standing = match search.planner.unknown.is_empty() {
        true => search.follow()?,
        false => Standing::Grows,
    };
    let SearchPlanner { plan, contents, unknown, .. } = search.planner;
    Ok(StudyPlan { plan, contents, unknown, standing })
}

/// The pages of search and verdict.
pub(crate) fn pages(
    experiment: &Experiment,
    note: &Note,
    dir: &RunDir,
) -> Result<Vec<Chapter>, DiscoverError> {
    let files = Files::Known(note.contents.clone());
    let planner = SearchPlanner::open(experiment, files, &note.command, dir, &mut Silent)?;
    let mut search = Search::of(planner);
    let standing = search.follow()?;
    let page = page::of(&search.planner, &search.history, search.verdict.as_ref(), standing)?;
    let mut chapters = vec![page.into()];
    if let Some(verdict) = search.verdict {
        let page = measure::page::of(&verdict.report)?;
        let about = "Nets, games and losses of the verdict";
        chapters.push(Chapter { folder: "verdict", about, page });
    }
    Ok(chapters)
}

/// There are enough games to screen on; searches with a trained net have passed the check.
pub(crate) fn check_games(
    search: &Discover,
    plan: &Plan,
    dir: &RunDir,
    control: &mut Control<'_>,
) -> Result<(), PlanError> {
    let states = plan::states(plan, dir)?;
    let is_trained = |(planned, state): (&Planned, &State)| {
        planned.job.get::<Train>().is_some() && *state == State::Done
    };
    let mut jobs = plan.jobs().iter();
    let positions = jobs.find(|planned| planned.job.get::<Positions>().is_some());
    let Some(positions) = positions else { return Ok(()) };
    if plan.jobs().iter().zip(&states).any(is_trained) {
        return Ok(());
    }
    let (purpose, at_most) = (Purpose::Screening, search.screened);
    let screened = HeldOut { positions: positions.key, purpose, at_most };
    let check = |context: &mut plan::Context<'_>| jobs::check_games(&screened, context);
    plan::run_unrecorded(plan, dir, positions.key, control, check)
}

/// A search: its jobs, its rounds, its verdict.
struct Search<'e> {
    planner: SearchPlanner<'e>,
    history: History,
    verdict: Option<Verdict>,
}

impl<'e> Search<'e> {
    fn of(planner: SearchPlanner<'e>) -> Self {
        Self { planner, history: History::default(), verdict: None }
    }

    /// Follows the results to the first job without one.
    fn follow(&mut self) -> Result<Standing, DiscoverError> {
        match self.steps() {
            Ok(()) => Ok(Standing::Over),
            Err(DiscoverError::Unfinished) => Ok(Standing::Grows),
            Err(end @ (DiscoverError::Failed { .. } | DiscoverError::NoCandidates { .. })) => {
                Ok(Standing::Failed(end.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    fn steps(&mut self) -> Result<(), DiscoverError> {
        self.history.run(&mut self.planner)?;
        self.verdict = verdict::of(&mut self.planner, &self.history)?;
        Ok(())
    }
}
