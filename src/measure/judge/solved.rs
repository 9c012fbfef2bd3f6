//! Puzzles: accuracy, by rating, and variant against variant.

use std::collections::BTreeMap;

use super::variant_results::{NetResults, VariantResults};
use crate::page::model::{PairedPuzzles, PuzzleSuite};
use crate::puzzles::{AttemptOutcome, Crossed, Lead, Proportion, leads};
use crate::{EvaluationPlan, Solved};
use arena::student_mean;
use base::Estimate;
use base::format::grouped;
use report::PuzzleBucket;

/// Share of puzzles solved over all seeds.
pub(super) fn accuracy<'a>(records: impl Iterator<Item = &'a Solved>) -> Option<Estimate> {
    share_of_seeds(records.map(Solved::counts).map(proportion))
}

fn proportion((successes, trials): (u64, u64)) -> Proportion {
    Proportion { successes, trials }
}

/// Mean share over seeds on the same puzzles. With one seed Wilson's interval for the puzzles;
/// with several the hull of that and the seeds' own spread: repeated puzzles are not more puzzles.
fn share_of_seeds(seeds: impl Iterator<Item = Proportion>) -> Option<Estimate> {
    let shares: Vec<Proportion> = seeds.collect();
    let values: Vec<f64> = shares.iter().filter_map(|share| share.share()).collect();
    let by_seed = student_mean(&values)?;
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
pub(super) fn buckets<'a>(records: impl Iterator<Item = &'a Solved>) -> Vec<PuzzleBucket> {
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
        Some(PuzzleBucket { from, to: from + WIDTH, puzzles, accuracy })
    };
    by_bucket.into_iter().filter_map(bucket).collect()
}

/// Share solved by one net in each rating range, by the lowest rating of the range.
fn of_ratings(record: &Solved, width: u32) -> BTreeMap<u32, Proportion> {
    let mut by_rating: BTreeMap<u32, Proportion> = BTreeMap::new();
    for (&rating, solved) in record.ratings.iter().zip(record.solved.bytes()) {
        if rating > 0 {
            by_rating.entry(rating / width * width).or_default().add(solved == b'1');
        }
    }
    by_rating
}

/// Every variant against the reference on the same puzzles, net by net.
pub(super) fn paired(
    evaluation_plan: &EvaluationPlan,
    variants: &[VariantResults<'_>],
) -> Vec<PairedPuzzles> {
    let Some(reference) = variants.get(evaluation_plan.reference) else { return Vec::new() };
    let others: Vec<&VariantResults<'_>> = (0..)
        .zip(variants)
        .filter(|(a, _)| *a != evaluation_plan.reference)
        .map(|(_, variant)| variant)
        .collect();
    let one_ply = tests_of(&others, reference, |net| net.one_ply.as_ref());
    let searched = tests_of(&others, reference, |net| net.puzzles.as_ref());
    let row = |variant: &VariantResults<'_>, condition: String, lead: Lead| PairedPuzzles {
        first: variant.label(),
        second: reference.label(),
        condition,
        lead,
    };
    let nodes = evaluation_plan.puzzles.as_ref().map_or(0, |question| question.nodes);
    let mut rows = Vec::new();
    for ((variant, searched), one_ply) in others.iter().zip(searched).zip(one_ply) {
        rows.extend(searched.map(|lead| row(variant, format!("{} nodes", grouped(nodes)), lead)));
        rows.extend(one_ply.map(|lead| row(variant, "one ply".to_owned(), lead)));
    }
    rows
}

type SolvedBy = for<'a> fn(&'a NetResults<'_>) -> Option<&'a Solved>;

/// Lead of each variant over the reference, with seed variance pooled over variants.
fn tests_of(
    variants: &[&VariantResults<'_>],
    reference: &VariantResults<'_>,
    of: SolvedBy,
) -> Vec<Option<Lead>> {
    let crossed: Vec<Option<Crossed>> =
        variants.iter().map(|variant| crossed(variant, reference, of)).collect();
    leads(&crossed)
}

/// Each net with its twin, no net twice; `None` unless all have results.
fn crossed(
    variant: &VariantResults<'_>,
    reference: &VariantResults<'_>,
    of: SolvedBy,
) -> Option<Crossed> {
    let meetings = variant.definition.meetings(reference.definition).into_iter();
    let independent =
        variant.definition.independent(reference.definition, meetings.map(|m| (m, m)).collect());
    let net_of = |variant: &'_ VariantResults<'_>, place: usize| -> Option<Vec<AttemptOutcome>> {
        let net = variant.nets.iter().find(|net| net.place == place)?;
        Some(outcomes(of(net)?))
    };
    let mut nets = Vec::new();
    for (own, other) in independent.into_iter().filter_map(|group| group.into_iter().next()) {
        nets.push((net_of(variant, own)?, net_of(reference, other)?));
    }
    let nets: Vec<_> = nets.iter().map(|(own, other)| (&own[..], &other[..])).collect();
    Crossed::compare(&nets)
}

fn outcomes(record: &Solved) -> Vec<AttemptOutcome> {
    let outcome =
        |solved: u8| AttemptOutcome { solved: solved == b'1', ..AttemptOutcome::default() };
    record.solved.bytes().map(outcome).collect()
}

pub(super) fn suite(
    evaluation_plan: &EvaluationPlan,
    variants: &[VariantResults<'_>],
) -> Option<PuzzleSuite> {
    let question = evaluation_plan.puzzles.as_ref()?;
    let nets = variants.iter().flat_map(|variant| &variant.nets);
    let solved = nets.filter_map(|net| net.puzzles.as_ref().or(net.one_ply.as_ref())).next()?;
    Some(PuzzleSuite {
        name: question.name.clone(),
        puzzles: solved.solved.len() as u64,
        nodes: question.nodes,
    })
}
