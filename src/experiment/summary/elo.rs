//! Games of the experiment: Elo of every arm, and who played whom.

use std::collections::BTreeMap;

use super::{Arm, Varied, spread_told};
use crate::config::{Experiment, MatchConfig, Pairings};
use crate::error::ExperimentError;
use crate::measure::{MatchRecord, PairingRecord, kind};
use crate::registry::{Registry, RunRecord};
use arena::{Estimate, Pentanomial, SeedEstimate, pool};
use report::{self, Limit, Spoilt};

/// The matches of the experiment among the nets of the arms, as far as they are played.
pub fn matches(
    registry: &Registry,
    experiment: &Experiment,
    arms: &[Arm],
) -> Result<Vec<MatchRecord>, ExperimentError> {
    let mut records = Vec::new();
    for config in &experiment.evaluation.matches {
        for &seed in &experiment.grid.seed {
            records.extend(match_of(registry, experiment, arms, config, seed)?);
        }
    }
    Ok(records)
}

fn match_of(
    registry: &Registry,
    experiment: &Experiment,
    arms: &[Arm],
    config: &MatchConfig,
    seed: u64,
) -> Result<Vec<MatchRecord>, ExperimentError> {
    let Experiment { name, evaluation, .. } = experiment;
    let meet = meetings(experiment, arms, config, seed);
    let mut records: Vec<MatchRecord> = Vec::new();
    for &two in &meet {
        let subject = MatchRecord::subject(config, evaluation.hash_mb, seed, two);
        records.extend(registry.get::<MatchRecord>(name, &subject, kind::MATCH)?);
    }
    let earlier: Option<MatchRecord> =
        registry.get(name, &MatchRecord::earlier_subject(config, seed), kind::MATCH)?;
    if let Some(mut earlier) = earlier {
        let is_new = |pairing: &PairingRecord| {
            let ids = [pairing.first, pairing.second].map(|i| earlier.players.get(i));
            let [Some(a), Some(b)] = ids else { return false };
            meet.iter().any(|two| *two == [a, b] || *two == [b, a])
                && !records.iter().any(|record| head_to_head(record, a, b).is_some())
        };
        let pairings = earlier.pairings.iter().filter(|pairing| is_new(pairing)).cloned();
        earlier.pairings = pairings.collect();
        records.push(earlier);
    }
    Ok(records)
}

/// Ids of the nets of a seed that play each other.
fn meetings<'a>(
    experiment: &Experiment,
    arms: &'a [Arm],
    config: &MatchConfig,
    seed: u64,
) -> Vec<[&'a str; 2]> {
    let of_arm = |arm: &'a Arm| {
        let runs = arm.runs.iter().filter(|run| run.record.seed == seed);
        let is_reference = arm.features == experiment.reference();
        runs.map(move |run| (run.record.id.as_str(), is_reference)).collect::<Vec<_>>()
    };
    let nets: Vec<(&str, bool)> = arms.iter().flat_map(of_arm).collect();
    let mut meetings = Vec::new();
    for (i, &(first, first_is_reference)) in nets.iter().enumerate() {
        for &(second, second_is_reference) in &nets[i + 1..] {
            let of_reference = first_is_reference || second_is_reference;
            if of_reference || config.pairings == Pairings::RoundRobin {
                meetings.push([first, second]);
            }
        }
    }
    meetings
}

/// Elo of an arm against the reference, by limit.
#[derive(Default)]
pub struct ArmElo {
    /// All seeds together.
    pub pooled: Vec<report::EloResult>,
    /// Each of the arm's runs.
    pub by_seed: Vec<Vec<report::EloResult>>,
}

/// Elo of all arms, and what its intervals are.
pub struct Strengths {
    /// In the arms' order.
    pub arms: Vec<ArmElo>,
    /// What the intervals hold of the spread between seeds.
    pub spread: report::SeedSpread,
    /// Where an interval is another than that of its neighbours.
    pub warnings: Vec<String>,
}

/// What the seeds of an arm did under one limit.
#[derive(Default)]
struct Seeds {
    /// Those that have a standard error; none if any has none.
    estimates: Vec<SeedEstimate>,
    /// Pairs of all of them.
    pairs: Pentanomial,
    forfeits: u64,
    /// Whether a seed won, or lost, everything.
    is_open: bool,
}

/// Elo of every arm.
pub fn strengths(
    arms: &[Arm],
    matches: &[MatchRecord],
    reference: usize,
    varied: &Varied,
) -> Strengths {
    let mut elo: Vec<ArmElo> = arms
        .iter()
        .map(|arm| ArmElo { by_seed: vec![Vec::new(); arm.runs.len()], ..ArmElo::default() })
        .collect();
    let mut limits: Vec<u64> = matches.iter().map(|record| record.nodes).collect();
    limits.dedup();
    let (mut all, mut warnings) = (Vec::new(), Vec::new());
    for nodes in limits {
        let limit = Limit::Nodes(nodes);
        let mut seeds: Vec<Seeds> = Vec::with_capacity(arms.len());
        for (a, arm) in arms.iter().enumerate() {
            let of_arm = match a == reference {
                true => Seeds::default(),
                false => of_seeds(arm, &arms[reference], matches, limit, nodes, &mut elo[a]),
            };
            seeds.push(of_arm);
        }
        // A seed that won everything has no standard error, and the others must not stand
        // for it: such an arm is not pooled.
        let estimates: Vec<Vec<SeedEstimate>> = seeds
            .iter()
            .map(|arm| if arm.is_open { Vec::new() } else { arm.estimates.clone() })
            .collect();
        let pooled = pool(&estimates);
        for (a, (arm, pooled)) in seeds.iter().zip(&pooled).enumerate() {
            let of_games = || arm.pairs.elo();
            let Some(estimate) = pooled.map(|pooled| pooled.elo).or_else(of_games) else {
                continue;
            };
            elo[a].pooled.push(result(limit, &estimate, arm.pairs, arm.forfeits));
            if arm.is_open && arms[a].runs.len() > 1 {
                warnings.push(format!(
                    "{}: a seed won or lost every game at {limit}, so that the interval is of all \
                     games together and holds no spread between seeds.",
                    arms[a].label(varied)
                ));
            }
        }
        all.extend(pooled.into_iter().flatten().map(|pooled| pooled.spread));
    }
    Strengths { arms: elo, spread: spread_told(&all), warnings }
}

fn result(
    limit: Limit,
    estimate: &Estimate,
    pairs: Pentanomial,
    forfeits: u64,
) -> report::EloResult {
    let games = 2 * pairs.pairs();
    report::EloResult {
        limit,
        estimate: report::Estimate::from(*estimate),
        games: games as u32,
        spoilt: Spoilt::of(forfeits, games),
    }
}

/// Each seed of an arm against the reference's net of the same seed.
fn of_seeds(
    arm: &Arm,
    reference: &Arm,
    matches: &[MatchRecord],
    limit: Limit,
    nodes: u64,
    elo: &mut ArmElo,
) -> Seeds {
    let mut seeds = Seeds::default();
    for (run, results) in arm.runs.iter().zip(&mut elo.by_seed) {
        let Some((pairs, forfeits)) = against(matches, nodes, &run.record, reference) else {
            continue;
        };
        let Some(estimate) = pairs.elo() else { continue };
        let own = SeedEstimate::of(&estimate);
        seeds.is_open |= own.is_none();
        seeds.estimates.extend(own);
        seeds.pairs += pairs;
        seeds.forfeits += forfeits;
        results.push(result(limit, &estimate, pairs, forfeits));
    }
    seeds
}

/// Pairs of a run against the reference's net of the same seed, seen by the run, and how
/// many of their games were forfeited.
fn against(
    matches: &[MatchRecord],
    nodes: u64,
    run: &RunRecord,
    reference: &Arm,
) -> Option<(Pentanomial, u64)> {
    let opponent = reference.runs.iter().find(|other| other.record.seed == run.seed)?;
    let mut found = None;
    let played = matches.iter().filter(|record| record.nodes == nodes && record.seed == run.seed);
    for (pairs, forfeits) in
        played.filter_map(|record| head_to_head(record, &run.id, &opponent.record.id))
    {
        let (sum, total) = found.get_or_insert((Pentanomial::default(), 0));
        *sum += pairs;
        *total += forfeits;
    }
    found
}

fn head_to_head(record: &MatchRecord, first: &str, second: &str) -> Option<(Pentanomial, u64)> {
    record.pairings.iter().find_map(|pairing| {
        let (a, b) = (record.players.get(pairing.first)?, record.players.get(pairing.second)?);
        let pairs = Pentanomial { counts: pairing.pentanomial };
        match (a == first && b == second, a == second && b == first) {
            (true, _) => Some((pairs, pairing.forfeits)),
            (_, true) => Some((pairs.inverted(), pairing.forfeits)),
            _ => None,
        }
    })
}

/// Games of every two arms over all seeds, in the order of the arms.
pub fn games(arms: &[Arm], matches: &[MatchRecord], varied: &Varied) -> Vec<report::Pairing> {
    let mut by_pair: BTreeMap<(u64, usize, usize), report::Pairing> = BTreeMap::new();
    let arm_of =
        |id: &str| arms.iter().position(|arm| arm.runs.iter().any(|run| run.record.id == id));
    for record in matches {
        for pairing in &record.pairings {
            let ids = [pairing.first, pairing.second].map(|i| record.players.get(i));
            let [Some(first), Some(second)] = ids else { continue };
            let (Some(a), Some(b)) = (arm_of(first), arm_of(second)) else { continue };
            let (mut games, mut pairs) = (pairing.games, pairing.pentanomial);
            if a > b {
                games.reverse();
                pairs.reverse();
            }
            let (a, b) = (a.min(b), a.max(b));
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
            entry.wins += games[0] as u32;
            entry.draws += games[1] as u32;
            entry.losses += games[2] as u32;
            entry.duplicates += pairing.duplicates as u32;
            entry.forfeits += pairing.forfeits as u32;
            if let Some(sum) = &mut entry.pentanomial {
                sum.iter_mut().zip(pairs).for_each(|(sum, count)| *sum += count as u32);
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
