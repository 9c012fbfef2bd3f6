//! Whether a net is stronger: first where nodes are counted, then where time is.

use arena::{Decision, EloModel, Limit, Sprt};
use measure::{Measure, Sequential, Tested};
use plan::Job;

use crate::DiscoverError;
use crate::workshop::{Model, Workshop};

/// Games of a challenger against the holder.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// At fixed nodes.
    pub(crate) nodes: Test,
    /// At fixed time: none if the nodes said no, and none yet while these are played.
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

    /// Those that were played.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &Test> {
        std::iter::once(&self.nodes).chain(&self.time)
    }

    /// Whether the nodes said no.
    pub(crate) fn is_refused(&self) -> bool {
        self.nodes.tested.decision == Decision::AcceptH0
    }

    /// Plays both tests in openings of `seed`; `trial` has what is played already where that ends
    /// early.
    pub(crate) fn play(
        trial: &mut Option<Self>,
        shop: &mut Workshop<'_>,
        players: [&Model; 2],
        seed: u64,
    ) -> Result<(), DiscoverError> {
        let nodes = test(shop, players, Limit::Nodes(shop.search.nodes), seed)?;
        let trial = trial.insert(Self { nodes, time: None });
        if !trial.is_refused() {
            let limit = Limit::MovetimeMs(shop.search.movetime_ms);
            trial.time = Some(test(shop, players, limit, seed)?);
        }
        Ok(())
    }
}

/// The challenger against the holder.
fn test(
    shop: &mut Workshop<'_>,
    players: [&Model; 2],
    limit: Limit,
    seed: u64,
) -> Result<Test, DiscoverError> {
    let game = shop.game(players, limit, seed);
    let [challenger, holder] = players.map(|model| &model.expression);
    let (elo1, model) = (shop.search.elo1, EloModel::Logistic);
    let sprt = Sprt { elo0: 0.0, elo1, alpha: 0.05, beta: 0.05, model };
    let title = format!("{challenger} against {holder}, {limit}");
    let tested = shop.ask_one(Job::Measure(Measure::from(Sequential { game, sprt })), &title)?;
    Ok(Test { limit, tested })
}
