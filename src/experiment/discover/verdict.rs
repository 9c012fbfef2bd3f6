//! The verdict on a found set: nets of other seeds, other held-out games, matches played once.

use crate::planning::Planning;
use crate::{EXPERIMENT, Experiment, Note, Study, run};
use base::Estimate;
use discovery::Purpose;
use measure::VariantNet;
use plan::PlanError;

use crate::discover::DiscoverError;
use crate::discover::history::History;
use crate::discover::planner::SearchPlanner;

/// The report of the found set.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// Content of the page.
    pub(crate) report: measure::Report,
    /// Loss reduction relative to the baseline, in per cent, by seed.
    pub(crate) gains: Vec<Estimate>,
}

/// Judges the found set against its baseline; `None` if no set was found.
pub(crate) fn of(
    driver: &mut SearchPlanner<'_>,
    path: &History,
) -> Result<Option<Verdict>, DiscoverError> {
    let (Some(found), Some(baseline)) = (path.found(), path.baseline()) else { return Ok(None) };
    let experiment = judged(driver.experiment, found, &baseline.model.expression);
    let planning = driver.planning(&experiment)?;
    driver.ensure_over()?;
    let gains = gains(driver, &planning)?;
    let note = Note {
        kind: EXPERIMENT.name.to_owned(),
        config: experiment.definition().map_err(PlanError::from)?,
        command: driver.command.clone(),
        contents: planning.contents,
        page: None,
    };
    let report = run::report(&experiment, &note, &driver.results())?;
    Ok(Some(Verdict { report, gains }))
}

/// Loss reductions of the found set relative to the baseline, by seed.
fn gains(
    driver: &mut SearchPlanner<'_>,
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
