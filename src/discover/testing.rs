//! Whether a net is stronger: first where nodes are counted, then where time is.

use arena::{Decision, EloModel, Limit, Sprt};
use measure::{Measure, Sequential, Tested};
use plan::Job;

use crate::DiscoverError;
use crate::workshop::{Model, Workshop};

/// Games of a challenger against the holder, as far as they are played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trial {
    /// At fixed nodes.
    pub(crate) nodes: Option<Test>,
    /// At fixed time, if the nodes did not speak against it.
    pub(crate) time: Option<Test>,
}

/// A test under one limit.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) limit: Limit,
    pub(crate) tested: Tested,
}

impl Trial {
    /// Whether the challenger takes the holder's place: the games on time say so, or leave it
    /// open with more points for the challenger.
    pub(crate) fn is_passed(&self) -> bool {
        self.time.as_ref().is_some_and(|Test { tested, .. }| match tested.decision {
            Decision::AcceptH1 => true,
            Decision::AcceptH0 => false,
            Decision::Continue => {
                tested.played.result.pentanomial.elo().is_some_and(|elo| elo.value > 0.0)
            }
        })
    }

    /// Whether the nodes said no.
    pub(crate) fn is_refused(&self) -> bool {
        self.nodes.as_ref().is_some_and(|Test { tested, .. }| tested.decision == Decision::AcceptH0)
    }

    /// Plays both tests. Openings are those of `seed`.
    pub(crate) fn play(
        &mut self,
        shop: &mut Workshop<'_>,
        challenger: &Model,
        holder: &Model,
        seed: u64,
    ) -> Result<(), DiscoverError> {
        let nodes = Limit::Nodes(shop.search.nodes);
        self.nodes = Some(test(shop, challenger, holder, nodes, seed)?);
        if !self.is_refused() {
            let time = Limit::MovetimeMs(shop.search.movetime_ms);
            self.time = Some(test(shop, challenger, holder, time, seed)?);
        }
        Ok(())
    }
}

fn test(
    shop: &mut Workshop<'_>,
    challenger: &Model,
    holder: &Model,
    limit: Limit,
    seed: u64,
) -> Result<Test, DiscoverError> {
    let game = shop.game([challenger, holder], limit, seed);
    let (elo1, model) = (shop.search.elo1, EloModel::Logistic);
    let sprt = Sprt { elo0: 0.0, elo1, alpha: 0.05, beta: 0.05, model };
    let title = format!("{} against {}, {limit}", challenger.expression, holder.expression);
    let tested = shop.ask_one(Job::Measure(Measure::from(Sequential { game, sprt })), &title)?;
    Ok(Test { limit, tested })
}
