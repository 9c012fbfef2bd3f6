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
mod planner;
mod error;
mod history;
mod page;
mod proposal;
mod pruning;
pub mod table;
mod testing;
mod training;
mod verdict;

use std::sync::atomic::AtomicBool;

use crate::run::of_note;
use crate::study::{Chapter, Files, Note, Standing, Study, StudyKind, StudyPlan};
use crate::{Experiment, Workspace};
use ::training::Train;
use base::{Observer, Silent};
use data::job::Positions;
use discovery::Purpose;
use discovery::jobs::{HeldOut, check_games};
use plan::{Control, JobError, Plan, Planned, RunDir, State};
use report::Page;

pub use error::DiscoverError;

use history::History;
use planner::SearchPlanner;
use verdict::Verdict;

/// The search of an experiment's `[discover]` table, with the judge of the set it ends with.
#[derive(Clone, Debug)]
pub struct Discovery(Experiment);

/// `oplus discover`.
pub static DISCOVERY: StudyKind = StudyKind {
    name: "discovery",
    command: "discover",
    read: |note| Ok(Box::new(Discovery::new(of_note(note)?)?)),
};

impl Discovery {
    /// # Errors
    /// An experiment without the table.
    pub fn new(experiment: Experiment) -> Result<Self, DiscoverError> {
        match &experiment.discover {
            Some(_) => Ok(Self(experiment)),
            None => Err(DiscoverError::NoTable),
        }
    }
}

impl Study for Discovery {
    fn kind(&self) -> &'static StudyKind {
        &DISCOVERY
    }

    fn name(&self) -> &str {
        &self.0.name
    }

    fn definition(&self) -> Result<String, JobError> {
        self.0.definition()
    }

    fn plan(
        &self,
        files: Files,
        dir: &RunDir,
        observer: &mut dyn Observer,
    ) -> Result<StudyPlan, JobError> {
        let planner = SearchPlanner::open(&self.0, files, "", dir, observer)?;
        let mut search = Search::of(planner);
        // Keys that depend on missing files decide no results.
        let standing = match search.planner.unknown.is_empty() {
            true => search.follow()?,
            false => Standing::Grows,
        };
        let SearchPlanner { plan, contents, unknown, .. } = search.planner;
        Ok(StudyPlan { plan, contents, unknown, standing })
    }

    fn pages(&self, note: &Note, dir: &RunDir) -> Result<Vec<Chapter>, JobError> {
        let (search, page) = self.search(note, dir)?;
        let mut chapters = vec![page.into()];
        if let Some(verdict) = search.verdict {
            let page = measure::page::of(&verdict.report)?;
            let about = "Nets, games and losses of the verdict";
            chapters.push(Chapter { folder: "verdict", about, page });
        }
        Ok(chapters)
    }

    fn live(&self, note: &Note, dir: &RunDir) -> Result<Page, JobError> {
        Ok(self.search(note, dir)?.1)
    }

    fn check(&self, workspace: &Workspace) -> Result<(), JobError> {
        Study::check(&self.0, workspace)
    }

    fn check_devices(&self) -> Result<(), JobError> {
        self.0.check_devices()
    }

    fn check_data(&self, stop: &AtomicBool) -> Result<(), JobError> {
        self.0.check_data(stop)
    }

    /// There are enough games to screen on; searches with a trained net have passed the check.
    fn check_start(
        &self,
        plan: &Plan,
        dir: &RunDir,
        control: &mut Control<'_>,
    ) -> Result<(), JobError> {
        let states = plan::states(plan, dir)?;
        let is_trained = |(planned, state): (&Planned, &State)| {
            planned.job.get::<Train>().is_some() && *state == State::Done
        };
        let mut jobs = plan.jobs().iter();
        let positions = jobs.find(|planned| planned.job.get::<Positions>().is_some());
        let (Some(positions), Some(table)) = (positions, &self.0.discover) else { return Ok(()) };
        if plan.jobs().iter().zip(&states).any(is_trained) {
            return Ok(());
        }
        let (purpose, at_most) = (Purpose::Screening, table.screened);
        let screened = HeldOut { positions: positions.key, purpose, at_most };
        let check = |context: &mut plan::Context<'_>| check_games(&screened, context);
        Ok(plan::run_unrecorded(plan, dir, positions.key, control, check)?)
    }

    fn memory_to_train(&self) -> Result<Option<u64>, JobError> {
        self.0.memory_to_train()
    }

    fn changed(&self, note: &Note) -> Option<String> {
        self.0.changed(note)
    }
}

impl Discovery {
    /// The search as far as results go, with its page.
    fn search(&self, note: &Note, dir: &RunDir) -> Result<(Search<'_>, Page), JobError> {
        let files = Files::Known(note.contents.clone());
        let planner = SearchPlanner::open(&self.0, files, &note.command, dir, &mut Silent)?;
        let mut search = Search::of(planner);
        let standing = search.follow()?;
        let page = page::of(&search.planner, &search.history, search.verdict.as_ref(), standing)?;
        Ok((search, page))
    }
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
