//! What there is to see at a moment.

use std::path::{Path, PathBuf};

use crate::discover::SoFar;
use crate::planning::Planning;
use crate::read::{self, Overrides};
use crate::watch::tally::{Tally, epochs, figures};
use crate::watch::version::{version, version_of_results};
use crate::watch::{Subject, WatchError};
use crate::{Experiment, Note, Runs, Workspace, publish};
use base::Silent;
use measure::{Report, RunRow, SetRow, losses, page};
use plan::Plan;
use report::now::{Doing, Now, Stage};
use training::EpochMetrics;

/// Sees a subject, and remembers what is dear to find out again.
#[derive(Debug)]
pub struct View {
    workspace: Workspace,
    runs: Runs,
    subject: Subject,
    /// By the version of which it is.
    page: Option<(String, String)>,
    /// What was begun last.
    begun: Option<Begun>,
    /// By the version of which it is.
    tally: Option<(String, Tally)>,
}

/// An experiment as it was last begun.
#[derive(Debug)]
struct Begun {
    note: Note,
    experiment: Experiment,
    planned: Planned,
}

/// What is to be done.
#[derive(Debug)]
enum Planned {
    /// It is known from the beginning.
    Grid(Box<Planning>),
    /// What comes next depends on what was found, of which this is the version.
    Search { results: String, so_far: Box<SoFar> },
}

impl Begun {
    fn plan(&self) -> &Plan {
        match &self.planned {
            Planned::Grid(planning) => &planning.plan,
            Planned::Search { so_far, .. } => &so_far.plan,
        }
    }

    /// Whether it is still what a note and results of this version say.
    fn is_of(&self, note: &Note, now: &str) -> bool {
        let is_current = match &self.planned {
            Planned::Grid(_) => true,
            Planned::Search { results, .. } => results == now,
        };
        is_current && self.note == *note
    }

    /// Whether more jobs are to come than are known.
    fn grows(&self) -> bool {
        match &self.planned {
            Planned::Grid(_) => false,
            Planned::Search { so_far, .. } => !so_far.is_over(),
        }
    }
}

impl View {
    /// Of a subject whose runs lie there.
    pub fn new(workspace: Workspace, subject: Subject) -> Self {
        let runs = Runs::of(&workspace.runs);
        Self { workspace, runs, subject, page: None, begun: None, tally: None }
    }

    /// Changes whenever the page does, but for what is under way.
    pub fn version(&self) -> String {
        version(&self.folder())
    }

    fn folder(&self) -> PathBuf {
        match &self.subject {
            Subject::Experiment(name) => self.runs.folder_of(name),
            Subject::Training(folder) => folder.clone(),
        }
    }

    /// What is under way.
    ///
    /// # Errors
    /// Results that cannot be read.
    pub fn now(&mut self) -> Result<Now, WatchError> {
        let version = self.version();
        let name = match &self.subject {
            Subject::Experiment(name) => name.clone(),
            Subject::Training(folder) => return Ok(now_of_training(folder, &epochs(folder)?)),
        };
        let known = self.tally.take().filter(|(known, _)| *known == version);
        self.plan(&name)?;
        let Some(begun) = &self.begun else { return Err(WatchError::Nothing) };
        let (plan, place) = (begun.plan(), self.workspace.workplace(&begun.experiment));
        let tally = match known {
            Some((_, tally)) => tally,
            None => Tally::of(plan, &place)?,
        };
        let now = Now { grows: begun.grows(), ..tally.now(plan, &place)? };
        self.tally = Some((version, tally));
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
        let page = match (&self.subject, &self.begun) {
            (Subject::Training(folder), _) => {
                page::of(&report_of(folder, &epochs(folder)?))?.live(&now)?
            }
            (Subject::Experiment(_), Some(Begun { note, experiment, planned })) => match planned {
                Planned::Grid(planning) => {
                    publish::live(&self.runs, experiment, planning, note, &now)?
                }
                Planned::Search { so_far, .. } => so_far.page.live(&now)?,
            },
            (Subject::Experiment(_), None) => return Err(WatchError::Nothing),
        };
        self.page = Some((version, page.clone()));
        Ok(page)
    }

    /// Plans the experiment as it was last begun: that may have been a moment ago, with other
    /// keys.
    fn plan(&mut self, name: &str) -> Result<(), WatchError> {
        let note = self.runs.note(name)?.ok_or(WatchError::Nothing)?;
        let results = version_of_results(&self.runs.folder_of(name));
        if self.begun.as_ref().is_some_and(|begun| begun.is_of(&note, &results)) {
            return Ok(());
        }
        let experiment = read::parse("what was run last", &note.config, &Overrides::default())?;
        let planned = match &experiment.discover {
            None => {
                let planning = Planning::of(&experiment, note.contents.clone(), &mut Silent)?;
                Planned::Grid(Box::new(planning))
            }
            Some(_) => {
                let so_far = crate::discover::so_far(&experiment, note.clone(), &self.workspace)?;
                Planned::Search { results, so_far: Box::new(so_far) }
            }
        };
        self.begun = Some(Begun { note, experiment, planned });
        Ok(())
    }
}

/// Of a training on its own nobody tells how long it will be.
fn now_of_training(folder: &Path, epochs: &[EpochMetrics]) -> Now {
    let done = folder.join(nnue::NET_FILE).exists();
    let stage = Stage { name: "training".to_owned(), done: usize::from(done), jobs: 1 };
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
