//! The reference against itself: games of its nets of other seeds.

use crate::evaluation_plan::Meeting;
use crate::page::model::{NullGames, SetPairing};
use crate::{EvaluationPlan, VariantNet};
use arena::{Limit, NullEstimate, Opponent, SeedEstimate};
use plan::{PlanError, Results};

/// Games of the reference's nets against each other, as far as they are played.
#[derive(Default)]
pub(super) struct Null {
    pairings: Vec<SetPairing>,
    /// Elo of the pairings; none of one in which a net won or lost every game.
    estimates: Vec<(Limit, NullEstimate)>,
}

pub(super) fn of(evaluation_plan: &EvaluationPlan, results: &Results) -> Result<Null, PlanError> {
    let reference = evaluation_plan.reference();
    let mut null = Null::default();
    for Meeting { nets, game, .. } in evaluation_plan.null_meetings() {
        let Some(played) = results.output_of(&game)? else { continue };
        let labels = nets.map(|net| {
            let VariantNet { seed, .. } = &reference.nets[net];
            seed.map_or_else(|| format!("net {}", net + 1), |seed| format!("seed {seed}"))
        });
        let limit = game.seats[0].limit;
        let is_sound = played.too_many_forfeits().is_none();
        let mut pairing = SetPairing::empty(labels, limit);
        pairing.add(&played.seen_by(&game, &reference.nets[nets[0]].net));
        let [net, other] = nets.map(|net| Opponent { variant: evaluation_plan.reference, net });
        let elo = pairing.pairs.elo().filter(|_| is_sound);
        let estimate = elo.and_then(|elo| SeedEstimate::of(&elo, other));
        null.estimates.extend(estimate.map(|estimate| (limit, NullEstimate { net, estimate })));
        null.pairings.push(pairing);
    }
    Ok(null)
}

impl Null {
    /// Estimates under a limit.
    pub(super) fn at(&self, limit: Limit) -> Vec<NullEstimate> {
        let at_limit = self.estimates.iter().filter(|(of_games, _)| *of_games == limit);
        at_limit.map(|(_, estimate)| *estimate).collect()
    }

    /// For the page; `None` without games.
    pub(super) fn games(self) -> Option<NullGames> {
        (!self.pairings.is_empty()).then_some(NullGames { pairings: self.pairings })
    }
}
