//! Worth of a part of the search, in Elo and nodes.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::game::{games_at_once, meet};
use arena::contender::Spending;
use arena::{
    EnginePlayer, GameRules, Limit, NetId, Openings, PairingResult, Player, PlayerId, TimeControl,
    TournamentConfig, TournamentIdentity, TournamentSchedule,
};
use base::{Key, KeyError};
use engine::bench::SIGNATURE;
use engine::{Limits, Technique, Techniques, bench};
use plan::{Context, JobError, Plan, PlanError, Traits, Work};

/// The engine that has a part of its search against the engine that has not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ablation {
    /// Net of both.
    pub net: NetId,
    /// The part. All others are as in play.
    pub part: Technique,
    /// Limit of a move, for both.
    pub limit: Limit,
    /// Games; rounded up to whole pairs.
    pub games: u64,
    /// Seed of the openings, which are random plies.
    pub seed: u64,
    /// Plies to which the nodes of both are counted.
    pub depth: NonZeroU32,
}

/// Effect of a part on strength and on nodes to a depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ablated {
    /// The games, seen by the engine that has the part.
    pub result: PairingResult,
    /// Nodes to the depth, all positions of the bench together.
    pub nodes: PartNodes,
}

/// Nodes of two searches to the same depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartNodes {
    /// Of the search that has the part.
    pub with: u64,
    /// Of the search that has not.
    pub without: u64,
}

/// Table of each player, in MiB.
const HASH_MB: usize = 8;

impl PartNodes {
    /// Nodes without the part, as a multiple of those with it.
    pub fn ratio(self) -> f64 {
        self.without as f64 / self.with.max(1) as f64
    }
}

impl Ablation {
    /// Default nodes per move.
    pub const NODES: NonZeroU64 = match NonZeroU64::new(3_000) {
        Some(nodes) => nodes,
        None => NonZeroU64::MIN,
    };

    /// Default depth of the node counts, in plies.
    pub const DEPTH: NonZeroU32 = match NonZeroU32::new(8) {
        Some(depth) => depth,
        None => NonZeroU32::MIN,
    };

    /// Adds an ablation of each part to a plan, of all if none is named, otherwise like this one;
    /// their keys.
    ///
    /// # Errors
    /// A definition that cannot be serialised.
    pub fn add_each(
        &self,
        parts: &[Technique],
        plan: &mut Plan,
    ) -> Result<Vec<(Technique, Key)>, PlanError> {
        let parts = if parts.is_empty() { Technique::all() } else { parts };
        let mut add = |&part: &Technique| {
            Ok((part, plan.add(Self { part, ..self.clone() }, part.to_string())?))
        };
        parts.iter().map(&mut add).collect()
    }

    /// The search with the part, and the search without.
    fn techniques(&self) -> [Techniques; 2] {
        let usual = Techniques::PLAYING;
        [usual.with(self.part), usual.without(self.part)]
    }

    fn log(&self) -> Result<String, KeyError> {
        // More games are the same ones and some more, and nodes are counted without games.
        let endless = Self { games: 0, depth: NonZeroU32::MIN, ..self.clone() };
        Ok(format!("{}.jsonl", endless.key()?))
    }

    fn play(&self, context: &mut Context<'_>) -> Result<PairingResult, JobError> {
        let evaluation = self.net.load(context)?;
        let (sides, stop) = (self.techniques(), context.stop);
        let Spending { nodes, depth, time_control, .. } = self.limit.into();
        let limits = Limits { nodes, depth, ..Limits::default() };
        let player = |PlayerId(side): PlayerId| -> Box<dyn Player + '_> {
            let player = EnginePlayer::new(evaluation.evaluator(), HASH_MB, limits.clone(), stop)
                .with_techniques(sides[side]);
            Box::new(player.timed(time_control.unwrap_or(TimeControl::Untimed)))
        };
        let names = self.techniques().map(|side| side.to_string());
        let players = names.map(|name| (name, format!("{}, {}", self.net, self.limit)));
        let openings_summary = Openings::usual_summary(self.seed);
        let config = TournamentConfig {
            identity: TournamentIdentity::new(
                players,
                TournamentSchedule::RoundRobin,
                GameRules::default(),
                openings_summary,
            ),
            openings: Openings::usual(self.seed, self.games.div_ceil(2) as usize)?,
            threads: games_at_once(context, self.limit.is_timed()),
            tables: None,
        };
        let (title, log) = (context.title(), context.games().join(self.log()?));
        meet(title, &config, &player, &log, &mut context.control())
    }

    fn count(&self, context: &mut Context<'_>) -> Result<PartNodes, JobError> {
        let evaluation = self.net.load(context)?;
        let count = |side: Techniques| {
            let depth = self.depth.get();
            bench::run(evaluation.evaluator(), side, depth, context.stop, &mut |_, _| {})
        };
        let [with, without] = self.techniques().map(count);
        match (with, without) {
            (Some(with), Some(without)) => {
                Ok(PartNodes { with: with.nodes, without: without.nodes })
            }
            _ => Err(JobError::Stopped),
        }
    }
}

impl Work for Ablation {
    const KIND: &'static str = "ablation";
    const STAGE: &'static str = "ablations";
    const VERSION: u32 = 1;
    type Output = Ablated;

    fn signature(&self) -> Option<u64> {
        Some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        self.net.job().into_iter().collect()
    }

    fn traits(&self) -> Traits {
        Traits { timed: self.limit.is_timed(), ..Traits::default() }
    }

    fn games(&self) -> Result<Option<String>, KeyError> {
        self.log().map(Some)
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Ablated, JobError> {
        let nodes = self.count(context)?;
        let result = self.play(context)?;
        Ok(Ablated { result, nodes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_that_is_judged_has_the_part_and_the_other_has_not() {
        for &part in Technique::all() {
            let ablation = Ablation {
                net: NetId::Pesto,
                part,
                limit: Limit::MovetimeMs(NonZeroU32::MIN),
                games: 2,
                seed: 1,
                depth: NonZeroU32::MIN,
            };
            assert_eq!(ablation.techniques().map(|side| side.has(part)), [true, false]);
        }
    }
}
