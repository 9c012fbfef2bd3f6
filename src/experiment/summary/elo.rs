//! Games of the experiment: Elo of every arm, and who played whom.

use std::collections::BTreeMap;

use super::{Arm, Varied};
use crate::arena::{Pentanomial, SeedEstimate, pool};
use crate::experiment::config::Experiment;
use crate::experiment::error::ExperimentError;
use crate::experiment::measure::{MatchRecord, kind};
use crate::experiment::registry::{Registry, RunRecord};
use crate::report::{self, Limit};

/// The matches of the experiment, as far as they are played.
pub fn matches(
    registry: &Registry,
    experiment: &Experiment,
) -> Result<Vec<MatchRecord>, ExperimentError> {
    let mut records = Vec::new();
    for config in &experiment.evaluation.matches {
        for seed in &experiment.grid.seed {
            let subject = format!("{} nodes, seed {seed}", config.nodes);
            records.extend(registry.get(&experiment.name, &subject, kind::MATCH)?);
        }
    }
    Ok(records)
}

/// Elo of an arm against the reference, by limit.
#[derive(Default)]
pub struct ArmElo {
    /// All seeds together.
    pub pooled: Vec<report::EloResult>,
    /// Each of the arm's runs.
    pub by_seed: Vec<Vec<report::EloResult>>,
}

/// Elo of every arm, in their order.
pub fn elo_by_arm(arms: &[Arm], matches: &[MatchRecord], reference: usize) -> Vec<ArmElo> {
    let mut elo: Vec<ArmElo> = arms
        .iter()
        .map(|arm| ArmElo { by_seed: vec![Vec::new(); arm.runs.len()], ..ArmElo::default() })
        .collect();
    let mut limits: Vec<u64> = matches.iter().map(|record| record.nodes).collect();
    limits.dedup();
    for nodes in limits {
        let limit = Limit::Nodes(nodes);
        let mut estimates: Vec<Vec<SeedEstimate>> = vec![Vec::new(); arms.len()];
        let mut games = vec![0; arms.len()];
        for (a, arm) in arms.iter().enumerate().filter(|(a, _)| *a != reference) {
            for (r, run) in arm.runs.iter().enumerate() {
                let Some(pairs) = against(matches, nodes, &run.record, &arms[reference]) else {
                    continue;
                };
                let Some(estimate) = pairs.elo() else { continue };
                let played = (pairs.pairs() * 2) as u32;
                games[a] += played;
                estimates[a].extend(SeedEstimate::of(&estimate));
                let estimate = report::Estimate::from(estimate);
                elo[a].by_seed[r].push(report::EloResult { limit, estimate, games: played });
            }
        }
        for (a, pooled) in pool(&estimates).into_iter().enumerate() {
            let only =
                elo[a].by_seed.iter().flatten().find(|result| result.limit == limit).copied();
            let estimate = match pooled {
                Some(pooled) => report::Estimate::from(pooled.elo),
                // A perfect score has no standard error to pool, but a bound.
                None => match only {
                    Some(result) => result.estimate,
                    None => continue,
                },
            };
            elo[a].pooled.push(report::EloResult { limit, estimate, games: games[a] });
        }
    }
    elo
}

/// Pairs of a run against the reference's net of the same seed, seen by the run.
fn against(
    matches: &[MatchRecord],
    nodes: u64,
    run: &RunRecord,
    reference: &Arm,
) -> Option<Pentanomial> {
    let opponent = reference.runs.iter().find(|other| other.record.seed == run.seed)?;
    let record = matches.iter().find(|record| record.nodes == nodes && record.seed == run.seed)?;
    head_to_head(record, &run.id, &opponent.record.id)
}

fn head_to_head(record: &MatchRecord, first: &str, second: &str) -> Option<Pentanomial> {
    record.pairings.iter().find_map(|pairing| {
        let (a, b) = (record.players.get(pairing.first)?, record.players.get(pairing.second)?);
        let pairs = Pentanomial { counts: pairing.pentanomial };
        match (a == first && b == second, a == second && b == first) {
            (true, _) => Some(pairs),
            (_, true) => Some(pairs.inverted()),
            _ => None,
        }
    })
}

/// Games of every two arms over all seeds.
pub fn games(arms: &[Arm], matches: &[MatchRecord], varied: &Varied) -> Vec<report::Pairing> {
    let mut by_pair: BTreeMap<(u64, usize, usize), report::Pairing> = BTreeMap::new();
    let arm_of =
        |id: &str| arms.iter().position(|arm| arm.runs.iter().any(|run| run.record.id == id));
    for record in matches {
        for pairing in &record.pairings {
            let ids = [pairing.first, pairing.second].map(|i| record.players.get(i));
            let [Some(first), Some(second)] = ids else { continue };
            let (Some(a), Some(b)) = (arm_of(first), arm_of(second)) else { continue };
            let entry = by_pair.entry((record.nodes, a, b)).or_insert_with(|| report::Pairing {
                first: arms[a].label(varied),
                second: arms[b].label(varied),
                limit: Limit::Nodes(record.nodes),
                wins: 0,
                draws: 0,
                losses: 0,
                pentanomial: Some([0; 5]),
                elo: None,
                duplicates: 0,
                forfeits: 0,
            });
            entry.wins += pairing.games[0] as u32;
            entry.draws += pairing.games[1] as u32;
            entry.losses += pairing.games[2] as u32;
            entry.duplicates += pairing.duplicates as u32;
            entry.forfeits += pairing.forfeits as u32;
            if let Some(sum) = &mut entry.pentanomial {
                sum.iter_mut()
                    .zip(pairing.pentanomial)
                    .for_each(|(sum, count)| *sum += count as u32);
            }
        }
    }
    let mut games: Vec<report::Pairing> = by_pair.into_values().collect();
    for pairing in &mut games {
        let counts = pairing.pentanomial.unwrap_or_default().map(u64::from);
        pairing.elo = Pentanomial { counts }.elo().map(report::Estimate::from);
    }
    games
}
