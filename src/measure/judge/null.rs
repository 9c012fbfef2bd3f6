//! The reference against itself: games of its nets of other seeds.

use crate::evaluation_plan::Meeting;
use crate::page::model::{NullGames, SetPairing};
use crate::{EvaluationPlan, VariantNet};
use plan::{PlanError, Results};

/// Games of the reference's nets against each other, as far as they are played.
pub(super) fn of(
    evaluation_plan: &EvaluationPlan,
    results: &Results,
) -> Result<Option<NullGames>, PlanError> {
    let reference = evaluation_plan.reference();
    let mut pairings = Vec::new();
    for Meeting { nets, game, .. } in evaluation_plan.null_meetings() {
        let Some(played) = results.output_of(&game)? else { continue };
        let labels = nets.map(|net| {
            let VariantNet { seed, .. } = &reference.nets[net];
            seed.map_or_else(|| format!("net {}", net + 1), |seed| format!("seed {seed}"))
        });
        let limit = game.seats[0].limit;
        let mut pairing = SetPairing::empty(labels, limit);
        pairing.add(&played.seen_by(&game, &reference.nets[nets[0]].net));
        pairings.push(pairing);
    }
    Ok((!pairings.is_empty()).then_some(NullGames { pairings }))
}
