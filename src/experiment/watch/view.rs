//! The page of a subject at a moment.

use std::path::{Path, PathBuf};

use crate::discover::SearchState;
use crate::planning::Planning;
use crate::read::{self, Overrides};
use crate::watch::counts::{ProgressCounts, epochs, figures};
use crate::watch::version::{version, version_of_results};
use crate::watch::{WatchError, WatchSubject};
use crate::{Experiment, Note, Runs, Workspace, publish};
use base::Silent;
use measure::{Report, RunRow, SetRow, losses, page};
use plan::Plan;
use report::now::{Doing, Now, StageProgress};
use training::EpochMetrics;

/// The page of a subject, with caches of its parts.
#[derive(Debug)]
pub struct WatchView {
    workspace: Workspace,
    runs: Runs,
    subject: WatchSubject,
    /// With its version.
    page: Option<(String, String)>,
    last_run: Option<LastRun>,
    /// With their version.
    counts: Option<(String, ProgressCounts)>,
}

/// The last run of an experiment.
#[derive(Debug)]
struct LastRun {
    note: Note,
    experiment: Experiment,
    planned: Planned,
}

/// The plan of a run.
#[derive(Debug)]
enum Planned {
    /// All jobs.
    Grid(Box<Planning>),
    /// The jobs so far of a search, with the version of the results that they depend on.
    Search { results: String, state: Box<SearchState> },
}

impl LastRun {
    fn plan(&self) -> &Plan {
        match &self.planned {
            Planned::Grid(planning) => &planning.plan,
            Planned::Search { state, .. } => &state.plan,
        }
    }

    /// Whether note and version of the results are unchanged.
    fn is_of(&self, note: &Note, now: &str) -> bool {
        let is_current = match &self.planned {
            Planned::Grid(_) => true,
            Planned::Search { results, .. } => results == now,
        };
        is_current && self.note == *note
    }

    /// Whether more jobs may follow.
    fn grows(&self) -> bool {
        match &self.planned {
            Planned::Grid(_) => false,
            Planned::Search { state, .. } => !state.is_over(),
        }
    }
}

impl WatchView {
    pub fn new(workspace: Workspace, subject: WatchSubject) -> Self {
        let runs = Runs::of(&workspace.runs);
        Self { workspace, runs, subject, page: None, last_run: None, counts: None }
    }

    /// Changes with the page, running jobs apart.
    pub fn version(&self) -> String {
        version(&self.folder())
    }

    fn folder(&self) -> PathBuf {
        match &self.subject {
            WatchSubject::Experiment(name) => self.runs.folder_of(name),
            WatchSubject::Training(folder) => folder.clone(),
        }
    }

    /// Running jobs.
    ///
    /// # Errors
    /// Results that cannot be read.
    pub fn now(&mut self) -> Result<Now, WatchError> {
        let version = self.version();
        let name = match &self.subject {
            WatchSubject::Experiment(name) => name.clone(),
            WatchSubject::Training(folder) => return Ok(now_of_training(folder, &epochs(folder)?)),
        };
        let known = self.counts.take().filter(|(known, _)| *known == version);
        self.plan(&name)?;
        let Some(run) = &self.last_run else { return Err(WatchError::Nothing) };
        let (plan, dir) = (run.plan(), self.workspace.run_dir(&run.experiment));
        let counts = match known {
            Some((_, counts)) => counts,
            None => ProgressCounts::of(plan, &dir)?,
        };
        let now = Now { grows: run.grows(), ..counts.now(plan, &dir)? };
        self.counts = Some((version, counts));
        Ok(now)
    }

    /// The whole page, as HTML.
    ///
    /// # Errors
    /// Results that cannot be read.
    pub fn page(&mut self) -> Result<String, WatchError> {
        let version = self.version();
        if let Some((_, page)) = self.page.as_ref().filter(|(known, _)| *known == version) {
            return Ok(page.clone());
        }
        let now = self.now()?;
        let page = match (&self.subject, &self.last_run) {
            (WatchSubject::Training(folder), _) => {
                page::of(&report_of(folder, &epochs(folder)?))?.live(&now)?
            }
            (WatchSubject::Experiment(_), Some(LastRun { note, experiment, planned })) => {
                match planned {
                    Planned::Grid(planning) => {
                        publish::live(&self.runs, experiment, planning, note, &now)?
                    }
                    Planned::Search { state, .. } => state.page.live(&now)?,
                }
            }
            (WatchSubject::Experiment(_), None) => return Err(WatchError::Nothing),
        };
        self.page = Some((version, page.clone()));
        Ok(page)
    }

    /// Plans the last run, which may have changed since the last call.
    fn plan(&mut self, name: &str) -> Result<(), WatchError> {
        let note = self.runs.note(name)?.ok_or(WatchError::Nothing)?;
        let results = version_of_results(&self.runs.folder_of(name));
        if self.last_run.as_ref().is_some_and(|run| run.is_of(&note, &results)) {
            return Ok(());
        }
        let experiment =
            read::parse("the file of the last run", &note.config, &Overrides::default())?;
        let planned = match &experiment.discover {
            None => {
                let planning = Planning::of(&experiment, note.contents.clone(), &mut Silent)?;
                Planned::Grid(Box::new(planning))
            }
            Some(_) => {
                let state = crate::discover::state(&experiment, note.clone(), &self.workspace)?;
                Planned::Search { results, state: Box::new(state) }
            }
        };
        self.last_run = Some(LastRun { note, experiment, planned });
        Ok(())
    }
}

/// A single training, whose length is unknown.
fn now_of_training(folder: &Path, epochs: &[EpochMetrics]) -> Now {
    let done = folder.join(nnue::NET_FILE).exists();
    let stage = StageProgress { name: "training".to_owned(), done: usize::from(done), jobs: 1 };
    let doing = epochs.last().filter(|_| !done).map(|last| Doing {
        title: folder.display().to_string(),
        done: last.positions,
        unit: "positions".to_owned(),
        per_second: Some(last.positions_per_second),
        figures: vec![last.to_string(), figures(last)],
        ..Doing::default()
    });
    Now { stages: vec![stage], doing: doing.into_iter().collect(), ..Now::default() }
}

/// The curve of a training on its own.
fn report_of(folder: &Path, epochs: &[EpochMetrics]) -> Report {
    let run = RunRow { losses: losses(epochs), ..RunRow::default() };
    let name = folder.file_name().map_or_else(|| folder.into(), PathBuf::from);
    let name = name.display().to_string();
    let set = SetRow { features: name.clone(), runs: vec![run], ..SetRow::default() };
    Report { name, reference: set.features.clone(), sets: vec![set], ..Report::default() }
}
