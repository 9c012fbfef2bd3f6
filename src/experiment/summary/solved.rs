//! Puzzles of the experiment: accuracy, by rating, and arm against arm.

use std::collections::BTreeMap;

use super::{Arm, ArmRun, Varied, mean_of_seeds};
use crate::experiment::measure::PuzzleRecord;
use crate::puzzles::{Outcome, Paired, Proportion};
use crate::report::{self, Estimate, Limit};

/// Share of puzzles solved over all seeds. With one seed Wilson's interval
/// for the puzzles; with several the hull of that and the seeds' own spread.
pub fn accuracy<'a>(records: impl Iterator<Item = &'a PuzzleRecord>) -> Option<Estimate> {
    let counts: Vec<(u64, u64)> = records.map(PuzzleRecord::counts).collect();
    let by_seed =
        mean_of_seeds(counts.iter().map(|&(solved, all)| solved as f64 / all.max(1) as f64))?;
    let seeds = counts.len() as u64;
    let mean = |of: fn(&(u64, u64)) -> u64| counts.iter().map(of).sum::<u64>().div_ceil(seeds);
    let puzzles = Proportion { successes: mean(|c| c.0), trials: mean(|c| c.1) }.interval();
    let (low, high) = match by_seed.is_of_unknown_spread() {
        true => (puzzles.low, puzzles.high),
        false => (by_seed.low.min(puzzles.low).max(0.0), by_seed.high.max(puzzles.high).min(1.0)),
    };
    Some(Estimate::new(by_seed.value, low, high))
}

/// Accuracy by 200 rating points, over the first seed's suite order.
pub fn buckets<'a>(records: impl Iterator<Item = &'a PuzzleRecord>) -> Vec<report::PuzzleBucket> {
    const WIDTH: u32 = 200;
    let mut by_bucket: BTreeMap<u32, Proportion> = BTreeMap::new();
    for record in records {
        for (&rating, solved) in record.ratings.iter().zip(record.solved.bytes()) {
            if rating > 0 {
                by_bucket.entry(rating / WIDTH * WIDTH).or_default().add(solved == b'1');
            }
        }
    }
    by_bucket
        .into_iter()
        .map(|(from, solved)| {
            let interval = solved.interval();
            report::PuzzleBucket {
                from,
                to: from + WIDTH,
                puzzles: solved.trials,
                accuracy: Estimate::new(solved.share().unwrap_or(0.0), interval.low, interval.high),
            }
        })
        .collect()
}

/// Every arm against the reference on the same puzzles, seeds side by side.
pub fn paired_puzzles(
    arms: &[Arm],
    reference: usize,
    varied: &Varied,
) -> Vec<report::PairedPuzzles> {
    let mut tests = Vec::new();
    for (a, arm) in arms.iter().enumerate().filter(|(a, _)| *a != reference) {
        let Some(other) = arms.get(reference) else { continue };
        for (of, one_ply) in [(puzzles_of as PuzzlesOf, false), (one_ply_of as PuzzlesOf, true)] {
            let Some(paired) = paired(arm, other, of) else { continue };
            let nodes = arms[a].runs.iter().find_map(of).map_or(0, |record| record.nodes);
            let interval = paired.interval();
            tests.push(report::PairedPuzzles {
                first: arm.label(varied),
                second: other.label(varied),
                condition: if one_ply {
                    "one ply".to_owned()
                } else {
                    Limit::Nodes(nodes).to_string()
                },
                both: paired.both,
                only_first: paired.first_only,
                only_second: paired.second_only,
                neither: paired.neither,
                difference: Estimate::new(paired.difference(), interval.low, interval.high),
                p_value: paired.p_value(),
            });
        }
    }
    tests
}

type PuzzlesOf = fn(&ArmRun) -> Option<&PuzzleRecord>;

fn puzzles_of(run: &ArmRun) -> Option<&PuzzleRecord> {
    run.puzzles.as_ref()
}

fn one_ply_of(run: &ArmRun) -> Option<&PuzzleRecord> {
    run.one_ply.as_ref()
}

fn paired(arm: &Arm, other: &Arm, of: PuzzlesOf) -> Option<Paired> {
    let mut sum = Paired::default();
    for run in &arm.runs {
        let twin = other.runs.iter().find(|twin| twin.record.seed == run.record.seed)?;
        let [first, second] = [of(run)?, of(twin)?].map(outcomes);
        let paired = Paired::compare(&first, &second)?;
        sum.both += paired.both;
        sum.first_only += paired.first_only;
        sum.second_only += paired.second_only;
        sum.neither += paired.neither;
    }
    (sum.trials() > 0).then_some(sum)
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
