//! Experiments as studies.

use std::sync::atomic::AtomicBool;

use super::config::Experiment;
use super::difference::differences;
use super::error::ExperimentError;
use super::forecast::Rates;
use super::planning::Planning;
use super::publish::nothing_measured;
use super::read::{self, Overrides};
use super::study::{Chapter, Files, Note, Study, StudyKind, StudyPlan};
use super::workspace::Workspace;
use super::{discover, lints, preflight, summary};
use base::{Observer, Silent};
use measure::{Report, SetRow, page as judged};
use plan::{Control, JobError, Plan, Results, RunDir};
use report::Page;
use report::plot::Svg;

/// `oplus run`, and `oplus discover` of files with a `[discover]` table.
pub static EXPERIMENT: StudyKind = StudyKind {
    name: "experiment",
    read: |note| {
        let title = "the file of the last run";
        Ok(Box::new(read::parse(title, &note.config, &Overrides::default())?))
    },
};

impl Study for Experiment {
    fn kind(&self) -> &'static StudyKind {
        &EXPERIMENT
    }

    fn command(&self) -> &'static str {
        if self.discover.is_some() { "discover" } else { "run" }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn definition(&self) -> Result<String, JobError> {
        Ok(toml::to_string_pretty(self)?)
    }

    fn plan(
        &self,
        files: Files,
        dir: &RunDir,
        observer: &mut dyn Observer,
    ) -> Result<StudyPlan, JobError> {
        if self.discover.is_some() {
            return Ok(discover::plan(self, files, dir, observer)?);
        }
        let Planning { plan, contents, unknown, .. } = match files {
            Files::Known(contents) => Planning::of(self, contents, observer)?,
            Files::MayBeMissing => Planning::dry_run(self, observer)?,
        };
        Ok(StudyPlan { unknown, ..StudyPlan::fixed(plan, contents) })
    }

    /// Files have their content of the last run, so that a page can be made without them.
    fn pages(&self, note: &Note, dir: &RunDir) -> Result<Vec<Chapter>, JobError> {
        if self.discover.is_some() {
            return Ok(discover::pages(self, note, dir)?);
        }
        let page = match &self.selfplay {
            None => judged::of(&report(self, note, &dir.results())?)?,
            Some(_) => {
                let planning = Planning::of(self, note.contents.clone(), &mut Silent)?;
                of_generations(self, &planning, &dir.results(), note)?
                    .ok_or_else(|| unrated(self, note))?
            }
        };
        Ok(vec![page.into()])
    }

    /// With unfinished trainings.
    fn live(&self, note: &Note, dir: &RunDir) -> Result<Page, JobError> {
        if self.discover.is_some() {
            return Ok(Chapter::main_of(discover::pages(self, note, dir)?));
        }
        let planning = Planning::of(self, note.contents.clone(), &mut Silent)?;
        let results = dir.results().with_progress_of(&planning.plan);
        Ok(match of_generations(self, &planning, &results, note)? {
            Some(page) => page,
            None => judged::of(&summary::of(self, &planning, &results, note)?)?,
        })
    }

    fn check(&self, workspace: &Workspace) -> Result<(), JobError> {
        Ok(preflight::check(self, workspace)?)
    }

    fn check_machine(&self) -> Result<(), JobError> {
        Ok(preflight::machine(self)?)
    }

    fn check_data(&self, stop: &AtomicBool) -> Result<(), JobError> {
        Ok(preflight::data(self, stop)?)
    }

    fn check_start(
        &self,
        plan: &Plan,
        dir: &RunDir,
        control: &mut Control<'_>,
    ) -> Result<(), JobError> {
        match &self.discover {
            Some(search) => Ok(discover::check_games(search, plan, dir, control)?),
            None => Ok(()),
        }
    }

    fn lints(&self, stop: &AtomicBool) -> Result<Vec<String>, JobError> {
        Ok(lints::of_all(self, stop)?)
    }

    fn overview(&self, rates: &mut Rates) -> Result<String, JobError> {
        Ok(super::overview::of(self, rates)?)
    }

    fn memory_to_train(&self) -> Result<Option<u64>, JobError> {
        Ok(Some(preflight::memory_to_train(self)?))
    }

    fn changed(&self, note: &Note) -> Option<String> {
        base::identity::summary(&differences(&note.config, self))
    }

    fn card(&self, note: &Note, dir: &RunDir) -> Result<Option<Svg>, JobError> {
        if self.selfplay.is_some() || self.discover.is_some() {
            return Ok(None);
        }
        Ok(Some(judged::card(&report(self, note, &dir.results())?)?))
    }
}

/// Results so far of the grid that `note` records.
///
/// # Errors
/// Nothing measured, or a result that cannot be read.
pub(crate) fn report(
    experiment: &Experiment,
    note: &Note,
    results: &Results,
) -> Result<Report, ExperimentError> {
    let planning = Planning::of(experiment, note.contents.clone(), &mut Silent)?;
    let report = summary::of(experiment, &planning, results, note)?;
    match report.sets.iter().any(SetRow::is_measured) {
        true => Ok(report),
        false => Err(nothing_measured(experiment, note)),
    }
}

/// The page of generations; `None` without games against each other.
fn of_generations(
    experiment: &Experiment,
    planning: &Planning,
    results: &Results,
    note: &Note,
) -> Result<Option<Page>, ExperimentError> {
    match &experiment.selfplay {
        None => Ok(None),
        Some(config) => summary::generations::of(experiment, config, planning, results, note),
    }
}

fn unrated(experiment: &Experiment, note: &Note) -> ExperimentError {
    match experiment.changed(note) {
        None => ExperimentError::Unrated { experiment: experiment.name.clone() },
        Some(_) => nothing_measured(experiment, note),
    }
}
