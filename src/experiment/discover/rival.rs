//! Whom a found set has to beat: the best set of the grid that costs no more.

use arena::Limit;
use base::Estimate;
use measure::Pace;

use crate::discover::DiscoverError;
use crate::discover::workshop::{Model, Workshop};

/// A set of the grid.
#[derive(Clone, Debug)]
pub(crate) struct Rival {
    pub(crate) model: Model,
    pub(crate) pace: Pace,
    /// Whether a node costs no more than with what was found; always of the start.
    pub(crate) is_no_dearer: bool,
    /// Elo over the set that the search began with, at fixed time; nothing of itself, and of those
    /// that are dearer.
    pub(crate) elo: Option<Estimate>,
}

/// A node may cost that much more and is still no dearer: what two measurements differ by.
const NO_DEARER: f64 = 1.02;

/// The grid's sets; those that are no dearer than what was found each against the first at fixed
/// time, in games of the search's own seed.
pub(crate) fn rivals(
    shop: &mut Workshop<'_>,
    start: &Model,
    found: &Pace,
) -> Result<Vec<Rival>, DiscoverError> {
    let sets: Vec<String> = shop.experiment.expressions().map(str::to_owned).collect();
    let models: Vec<Model> = shop.train(&sets, 1.0)?.into_iter().flatten().collect();
    let paces = shop.paces(&models.iter().collect::<Vec<_>>())?;
    let mut rivals = Vec::new();
    for (model, pace) in models.into_iter().zip(paces) {
        let Some(pace) = pace else { continue };
        // What the search began with has to be beaten, whatever a noisy machine says it costs.
        let is_start = model.net == start.net;
        let is_no_dearer = is_start || pace.cost(found).value <= NO_DEARER;
        let elo = match is_no_dearer && !is_start {
            true => elo(shop, &model, start)?,
            false => None,
        };
        rivals.push(Rival { model, pace, is_no_dearer, elo });
    }
    Ok(rivals)
}

/// Of those that are no dearer, the strongest.
pub(crate) fn strongest(rivals: &[Rival]) -> Option<&Rival> {
    let elo = |rival: &&Rival| rival.elo.map_or(0.0, |elo| elo.value);
    let no_dearer = rivals.iter().filter(|rival| rival.is_no_dearer);
    no_dearer.max_by(|a, b| elo(a).total_cmp(&elo(b)))
}

fn elo(
    shop: &mut Workshop<'_>,
    model: &Model,
    start: &Model,
) -> Result<Option<Estimate>, DiscoverError> {
    let limit = Limit::MovetimeMs(shop.search.movetime_ms);
    let game = shop.game([model, start], limit, shop.search.seed);
    let title = format!("{} against {}, {limit}", model.expression, start.expression);
    let played = shop.ask_one(game, &title)?;
    Ok(played.elo())
}
