//! The verdict on the best candidate, the one confirming test: nets of other seeds, other held-out
//! games, matches played once, at equal time.

use crate::config::MatchConfig;
use crate::planning::Planning;
use crate::{EXPERIMENT, Experiment, Note, Study, run};
use arena::Limit;
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
    planner: &mut SearchPlanner<'_>,
    history: &History,
) -> Result<Option<Verdict>, DiscoverError> {
    let (Some(found), Some(baseline)) = (history.found(), history.baseline()) else {
        return Ok(None);
    };
    let experiment = judged(planner.experiment, found, &baseline.model.expression);
    let planning = planner.planning(&experiment)?;
    planner.ensure_over()?;
    let gains = gains(planner, &planning)?;
    let note = Note {
        kind: EXPERIMENT.name.to_owned(),
        config: experiment.definition().map_err(PlanError::from)?,
        command: planner.command.clone(),
        contents: planning.contents,
        page: None,
    };
    let report = run::report(&experiment, &note, &planner.results())?;
    Ok(Some(Verdict { report, gains }))
}

/// Loss reductions of the found set relative to the baseline, by seed.
fn gains(
    planner: &mut SearchPlanner<'_>,
    planning: &Planning,
) -> Result<Vec<Estimate>, DiscoverError> {
    let [baseline, found] = planning.evaluation_plan.variants.as_slice() else {
        return Ok(Vec::new());
    };
    let pair = |(baseline, found): (&VariantNet, &VariantNet)| {
        ([baseline.net.clone(), found.net.clone()], "loss of the verdict".to_owned())
    };
    let pairs = baseline.nets.iter().zip(&found.nets).map(pair).collect();
    Ok(planner.compared(Purpose::Verdict, pairs)?.into_iter().flatten().collect())
}

/// The experiment with baseline and found set as its grid, and with a match at equal time, which
/// decides.
fn judged(experiment: &Experiment, found: &str, baseline: &str) -> Experiment {
    let mut judged = experiment.clone();
    judged.grid.features = [baseline, found].map(str::to_owned).to_vec();
    judged.evaluation.reference = baseline.to_owned();
    let has_equal_time = judged.evaluation.matches.iter().any(|one| one.limit.is_equal_time());
    if let Some(search) = experiment.discover.as_ref().filter(|_| !has_equal_time) {
        let limit = Limit::EqualTime(search.nodes);
        judged.evaluation.matches.push(MatchConfig::of(limit, search.games.get()));
    }
    judged.discover = None;
    judged
}
