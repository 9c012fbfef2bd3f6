//! Puzzles of the experiment: accuracy, by rating, and arm against arm.

use std::collections::BTreeMap;

use super::{Arm, ArmRun, Varied, mean_of_seeds};
use crate::measure::PuzzleRecord;
use puzzles::{Crossed, Lead, Outcome, Proportion, leads};
use report::{self, Estimate, Limit};

/// Share of puzzles solved over all seeds.
pub fn accuracy<'a>(records: impl Iterator<Item = &'a PuzzleRecord>) -> Option<Estimate> {
    share_of_seeds(records.map(PuzzleRecord::counts).map(proportion))
}

fn proportion((successes, trials): (u64, u64)) -> Proportion {
    Proportion { successes, trials }
}

/// Mean share over seeds that were all asked the same. With one seed Wilson's interval
/// for the puzzles; with several the hull of that and the seeds' own spread: the same
/// puzzles asked again are not more puzzles.
fn share_of_seeds(seeds: impl Iterator<Item = Proportion>) -> Option<Estimate> {
    let shares: Vec<Proportion> = seeds.collect();
    let by_seed = mean_of_seeds(shares.iter().filter_map(|share| share.share()))?;
    let mean = |of: fn(&Proportion) -> u64| {
        shares.iter().map(of).sum::<u64>().div_ceil(shares.len() as u64)
    };
    let puzzles = Proportion { successes: mean(|s| s.successes), trials: mean(|s| s.trials) };
    let puzzles = puzzles.interval();
    let (low, high) = match by_seed.is_of_unknown_spread() {
        true => (puzzles.low, puzzles.high),
        false => (by_seed.low.min(puzzles.low).max(0.0), by_seed.high.max(puzzles.high).min(1.0)),
    };
    Some(Estimate::new(by_seed.value, low, high))
}

/// Accuracy by 200 rating points, mean over the seeds.
pub fn buckets<'a>(records: impl Iterator<Item = &'a PuzzleRecord>) -> Vec<report::PuzzleBucket> {
    const WIDTH: u32 = 200;
    let mut by_bucket: BTreeMap<u32, Vec<Proportion>> = BTreeMap::new();
    for record in records {
        for (from, solved) in of_ratings(record, WIDTH) {
            by_bucket.entry(from).or_default().push(solved);
        }
    }
    let bucket = |(from, seeds): (u32, Vec<Proportion>)| {
        let puzzles = seeds.iter().map(|seed| seed.trials).max()?;
        let accuracy = share_of_seeds(seeds.into_iter())?;
        Some(report::PuzzleBucket { from, to: from + WIDTH, puzzles, accuracy })
    };
    by_bucket.into_iter().filter_map(bucket).collect()
}

/// What one net solved of each range of ratings, by the lowest rating of the range.
fn of_ratings(record: &PuzzleRecord, width: u32) -> BTreeMap<u32, Proportion> {
    let mut by_rating: BTreeMap<u32, Proportion> = BTreeMap::new();
    for (&rating, solved) in record.ratings.iter().zip(record.solved.bytes()) {
        if rating > 0 {
            by_rating.entry(rating / width * width).or_default().add(solved == b'1');
        }
    }
    by_rating
}

/// Every arm against the reference on the same puzzles, seed by seed.
pub fn paired_puzzles(
    arms: &[Arm],
    reference: usize,
    varied: &Varied,
) -> Vec<report::PairedPuzzles> {
    let Some(other) = arms.get(reference) else { return Vec::new() };
    let others: Vec<&Arm> =
        (0..).zip(arms).filter(|(a, _)| *a != reference).map(|(_, a)| a).collect();
    let one_ply = tests_of(&others, other, |run| run.one_ply.as_ref());
    let searched = tests_of(&others, other, |run| run.puzzles.as_ref());
    let row = |arm: &Arm, condition: String, lead: Lead| report::PairedPuzzles {
        first: arm.label(varied),
        second: other.label(varied),
        condition,
        lead,
    };
    let mut rows = Vec::new();
    for ((arm, searched), one_ply) in others.iter().zip(searched).zip(one_ply) {
        let nodes = arm.runs.iter().find_map(|run| run.puzzles.as_ref()).map_or(0, |r| r.nodes);
        rows.extend(searched.map(|lead| row(arm, Limit::Nodes(nodes).to_string(), lead)));
        rows.extend(one_ply.map(|lead| row(arm, "one ply".to_owned(), lead)));
    }
    rows
}

type PuzzlesOf = fn(&ArmRun) -> Option<&PuzzleRecord>;

/// Of each arm its lead over the reference; the arms lend each other the scatter of seeds.
fn tests_of(arms: &[&Arm], reference: &Arm, of: PuzzlesOf) -> Vec<Option<Lead>> {
    let crossed: Vec<Option<Crossed>> =
        arms.iter().map(|arm| crossed(arm, reference, of)).collect();
    leads(&crossed)
}

/// `None` unless both arms have every seed.
fn crossed(arm: &Arm, reference: &Arm, of: PuzzlesOf) -> Option<Crossed> {
    let mut nets = Vec::new();
    for run in &arm.runs {
        let twin = reference.runs.iter().find(|twin| twin.record.seed == run.record.seed)?;
        nets.push((outcomes(of(run)?), outcomes(of(twin)?)));
    }
    let nets: Vec<_> = nets.iter().map(|(own, other)| (&own[..], &other[..])).collect();
    Crossed::compare(&nets)
}

fn outcomes(record: &PuzzleRecord) -> Vec<Outcome> {
    let outcome = |solved: u8| Outcome { solved: solved == b'1', ..Outcome::default() };
    record.solved.bytes().map(outcome).collect()
}

pub fn suite(arms: &[Arm]) -> Option<report::PuzzleSuite> {
    let record = arms
        .iter()
        .flat_map(|arm| &arm.runs)
        .find_map(|run| run.puzzles.as_ref().or(run.one_ply.as_ref()))?;
    Some(report::PuzzleSuite {
        name: record.file.display().to_string(),
        puzzles: record.solved.len() as u64,
        nodes: record.nodes,
    })
}
