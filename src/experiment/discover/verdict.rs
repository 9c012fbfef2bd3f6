//! The verdict on a found set: nets of other seeds, other held-out games, matches played once.

use std::path;

use crate::planning::Planning;
use crate::publish::{self, Earlier};
use crate::{Experiment, Note, Runs};
use base::Estimate;
use discovery::Purpose;
use measure::VariantNet;

use crate::discover::DiscoverError;
use crate::discover::driver::SearchDriver;
use crate::discover::history::History;

/// The found set as an experiment, with its report.
#[derive(Debug)]
pub(crate) struct Verdict {
    experiment: Experiment,
    note: Note,
    /// Content of the page.
    pub(crate) report: measure::Report,
    /// Loss reduction relative to the baseline, in per cent, by seed.
    pub(crate) gains: Vec<Estimate>,
}

/// Folder of the verdict's page within that of the search.
const FOLDER: &str = "verdict";

impl Verdict {
    /// The page, relative to that of the search.
    pub(crate) const PAGE: &str = "verdict/index.html";

    /// Writes the page below that of the search; returns the table for a terminal.
    pub(crate) fn write(&self, runs: &Runs, folder: &path::Path) -> Result<String, DiscoverError> {
        let (Self { experiment, note, .. }, folder) = (self, folder.join(FOLDER));
        Ok(publish::page_in(runs, experiment, note, &folder, Earlier::IsReplaced)?.in_short())
    }
}

/// Judges the found set against its baseline; `None` if no set was found.
pub(crate) fn of(
    driver: &mut SearchDriver<'_>,
    path: &History,
    runs: &Runs,
) -> Result<Option<Verdict>, DiscoverError> {
    let (Some(found), Some(baseline)) = (path.found(), path.baseline()) else { return Ok(None) };
    let experiment = judged(driver.experiment, found, &baseline.model.expression);
    let planning = driver.planning(&experiment)?;
    driver.run_jobs()?;
    let gains = gains(driver, &planning)?;
    let note = Note::of(&experiment, &driver.note.command, &planning.contents)?;
    let report = publish::report(runs, &experiment, &note)?;
    Ok(Some(Verdict { experiment, note, report, gains }))
}

/// Loss reductions of the found set relative to the baseline, by seed.
fn gains(
    driver: &mut SearchDriver<'_>,
    planning: &Planning,
) -> Result<Vec<Estimate>, DiscoverError> {
    let [baseline, found] = planning.evaluation_plan.variants.as_slice() else {
        return Ok(Vec::new());
    };
    let pair = |(baseline, found): (&VariantNet, &VariantNet)| {
        ([baseline.net.clone(), found.net.clone()], "loss of the verdict".to_owned())
    };
    let pairs = baseline.nets.iter().zip(&found.nets).map(pair).collect();
    Ok(driver.compared(Purpose::Verdict, pairs)?.into_iter().flatten().collect())
}

/// The experiment with baseline and found set as its grid.
fn judged(experiment: &Experiment, found: &str, baseline: &str) -> Experiment {
    let mut judged = experiment.clone();
    judged.grid.features = [baseline, found].map(str::to_owned).to_vec();
    judged.evaluation.reference = baseline.to_owned();
    judged.discover = None;
    judged
}
