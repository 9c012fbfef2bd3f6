//! What a part of the search is worth.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::game::{games_at_once, meet};
use crate::{Desk, MeasureError, Measurement, NetId};
use arena::contender::Spending;
use arena::{
    EnginePlayer, GameRules, Identity, Limit, Openings, PairingResult, Player, PlayerId, Schedule,
    TimeControl, TournamentConfig,
};
use engine::{Limits, Technique, Techniques, bench};

/// The engine that has a part of its search against the engine that has not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ablation {
    /// What both evaluate with.
    pub net: NetId,
    /// The part. All others are as in play.
    pub part: Technique,
    /// What both may spend on a move.
    pub limit: Limit,
    /// Games; rounded up to whole pairs.
    pub games: u64,
    /// Seed of the openings, which are random plies.
    pub seed: u64,
    /// Plies to which the nodes of both are counted.
    pub depth: NonZeroU32,
}

/// What a part brings.
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
    /// How many times as many nodes the search needs that lacks the part.
    pub fn ratio(self) -> f64 {
        self.without as f64 / self.with.max(1) as f64
    }
}

impl Ablation {
    /// Nodes a move, if nothing is said.
    pub const NODES: NonZeroU64 = match NonZeroU64::new(3_000) {
        Some(nodes) => nodes,
        None => NonZeroU64::MIN,
    };

    /// Plies to which nodes are counted, if nothing is said.
    pub const DEPTH: NonZeroU32 = match NonZeroU32::new(8) {
        Some(depth) => depth,
        None => NonZeroU32::MIN,
    };

    /// The search with the part, and the search without.
    fn techniques(&self) -> [Techniques; 2] {
        let usual = Techniques::PLAYING;
        [usual.with(self.part), usual.without(self.part)]
    }

    fn log(&self) -> Result<String, MeasureError> {
        // More games are the same ones and some more, and nodes are counted without games.
        let endless = Self { games: 0, depth: NonZeroU32::MIN, ..self.clone() };
        Ok(format!("{}.jsonl", endless.key()?))
    }

    fn play(&self, desk: &mut Desk<'_>) -> Result<PairingResult, MeasureError> {
        let evaluation = desk.shelf.evaluation(&self.net)?;
        let (sides, stop) = (self.techniques(), desk.stop);
        let Spending { nodes, depth, time_control, .. } = self.limit.into();
        let limits = Limits { nodes, depth, ..Limits::default() };
        let player = |PlayerId(side): PlayerId| -> Box<dyn Player + '_> {
            let player = EnginePlayer::new(evaluation.evaluator(), HASH_MB, limits.clone(), stop)
                .with_techniques(sides[side]);
            Box::new(player.timed(time_control.unwrap_or(TimeControl::Untimed)))
        };
        let names = self.techniques().map(|side| side.to_string());
        let told = names.map(|name| (name, format!("{}, {}", self.net, self.limit)));
        let openings_told = Openings::usual_told(self.seed);
        let config = TournamentConfig {
            identity: Identity::new(
                told,
                Schedule::RoundRobin,
                GameRules::default(),
                openings_told,
            ),
            openings: Openings::usual(self.seed, self.games.div_ceil(2) as usize)?,
            threads: games_at_once(desk, self.is_timed()),
            tables: None,
        };
        let log = desk.games.join(self.log()?);
        meet(desk.title, &config, &player, &log, &mut desk.watch())
    }

    fn count(&self, desk: &mut Desk<'_>) -> Result<PartNodes, MeasureError> {
        let evaluation = desk.shelf.evaluation(&self.net)?;
        let count = |side: Techniques| {
            let depth = self.depth.get();
            bench::run(evaluation.evaluator(), side, depth, desk.stop, &mut |_, _| {})
        };
        let [with, without] = self.techniques().map(count);
        match (with, without) {
            (Some(with), Some(without)) => {
                Ok(PartNodes { with: with.nodes, without: without.nodes })
            }
            _ => Err(MeasureError::Stopped),
        }
    }
}

impl Measurement for Ablation {
    type Found = Ablated;
    const KIND: &'static str = "ablation";
    const VERSION: u32 = 1;

    fn nets(&self) -> Vec<&NetId> {
        vec![&self.net]
    }

    fn searches(&self) -> bool {
        true
    }

    fn is_timed(&self) -> bool {
        self.limit.is_timed()
    }

    fn games(&self) -> Result<Option<String>, MeasureError> {
        self.log().map(Some)
    }

    fn take(&self, desk: &mut Desk<'_>) -> Result<Ablated, MeasureError> {
        let nodes = self.count(desk)?;
        let result = self.play(desk)?;
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
