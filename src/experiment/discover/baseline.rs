//! The baseline of a found set: the strongest set of the grid that costs no more.

use arena::Limit;
use base::Estimate;
use measure::Pace;

use crate::discover::DiscoverError;
use crate::discover::planner::{Model, SearchPlanner};

/// A set of the grid.
#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    pub(crate) model: Model,
    pub(crate) pace: Pace,
    /// Whether a node costs no more than with the found set; always true for the start.
    pub(crate) is_affordable: bool,
    /// Elo over the start set at equal time; `None` for the start itself and for slower sets.
    pub(crate) elo: Option<Estimate>,
}

/// Cost ratio up to which a set counts as no slower: the noise of two measurements.
const AFFORDABLE: f64 = 1.02;

/// The sets of the grid. Affordable ones play the start at equal time, in openings of the search's
/// seed.
pub(crate) fn baselines(
    planner: &mut SearchPlanner<'_>,
    start: &Model,
    found: &Pace,
) -> Result<Vec<Baseline>, DiscoverError> {
    let sets: Vec<String> = planner.experiment.expressions().map(str::to_owned).collect();
    let models: Vec<Model> = planner.train(&sets, 1.0)?.into_iter().flatten().collect();
    let paces = planner.paces(&models.iter().collect::<Vec<_>>())?;
    let mut baselines = Vec::new();
    for (model, pace) in models.into_iter().zip(paces) {
        let Some(pace) = pace else { continue };
        // The start always counts, even if a noisy machine measures more.
        let is_start = model.net == start.net;
        let is_affordable = is_start || pace.cost(found).value <= AFFORDABLE;
        let elo = match is_affordable && !is_start {
            true => elo(planner, &model, start)?,
            false => None,
        };
        baselines.push(Baseline { model, pace, is_affordable, elo });
    }
    Ok(baselines)
}

/// The strongest affordable set.
pub(crate) fn strongest(baselines: &[Baseline]) -> Option<&Baseline> {
    let elo = |baseline: &&Baseline| baseline.elo.map_or(0.0, |elo| elo.value);
    let affordable = baselines.iter().filter(|baseline| baseline.is_affordable);
    affordable.max_by(|a, b| elo(a).total_cmp(&elo(b)))
}

fn elo(
    planner: &mut SearchPlanner<'_>,
    model: &Model,
    start: &Model,
) -> Result<Option<Estimate>, DiscoverError> {
    let limit = Limit::EqualTime(planner.search.nodes);
    let game = planner.game([model, start], limit, planner.search.seed)?;
    let title = format!("{} against {}, {limit}", model.expression, start.expression);
    let played = planner.output(game, &title)?;
    Ok(played.elo())
}
