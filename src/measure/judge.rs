//! From results to the report: pools seeds, computes intervals, gives verdicts.

mod variant_results;
mod learning;
mod null;
mod solved;
mod soundness;
mod strength;
mod warnings;

use crate::page::model::{Report, SetRow};
use crate::{EvaluationPlan, NodeTimes, Verdict, held_out_split};
use arena::{Limit, SpreadSource};
use base::estimate::Estimate;
use plan::{PlanError, Results};
use report::{Cell, Column, Format};
pub use strength::tournament as tournament_of;
use strength::{AtLimit, Score, Strengths};
use variant_results::VariantResults;
pub use variant_results::losses;
pub(crate) use warnings::Concern;

/// Report of the results so far; the caller adds name and provenance.
///
/// # Errors
/// A result that cannot be read.
pub fn judge(evaluation_plan: &EvaluationPlan, results: &Results) -> Result<Report, PlanError> {
    let variants: Vec<VariantResults<'_>> = (0..evaluation_plan.variants.len())
        .map(|variant| VariantResults::load(variant, evaluation_plan, results))
        .collect::<Result<_, _>>()?;
    let node_times: Vec<Option<NodeTimes>> = (0..variants.len())
        .map(|a| evaluation_plan.node_times(a, results))
        .collect::<Result<_, _>>()?;
    let strengths = strength::of(evaluation_plan, &node_times, results)?;
    let losses: Vec<Vec<f64>> = variants.iter().map(VariantResults::validation_losses).collect();
    let held_out_splits: Vec<_> =
        evaluation_plan.variants.iter().map(|one| one.held_out_split.as_ref()).collect();
    let held_out_splits = held_out_split::numbers(&held_out_splits);
    let losses = held_out_split::mean_losses(&losses, &held_out_splits);
    let sources = losses.iter().flatten().map(|&(_, source)| source);
    let loss_spread = sources.fold(SpreadSource::Unknown, SpreadSource::with);
    let means: Vec<Option<Estimate>> =
        losses.iter().map(|loss| loss.map(|(mean, _)| mean)).collect();
    let learning = {
        let losses = learning::Losses { means: &means, held_out_splits: &held_out_splits };
        learning::of(evaluation_plan, &variants, losses, &strengths, results)?
    };
    let mut lines = strengths.lines(&node_times);
    let Strengths {
        limits,
        leads,
        mut books,
        null,
        games,
        price,
        price_games,
        spread,
        mut warnings,
    } = strengths;
    let reference = variants.get(evaluation_plan.reference);
    let nodes = limits.iter().position(|limit| !limit.limit.counts_speed());
    let most_nodes = most_nodes(&limits);
    let deciding = Limit::deciding(limits.iter().map(|limit| limit.limit));
    let deciding = limits.iter().position(|limit| Some(limit.limit) == deciding);
    let score_of = |a: usize, limit: Option<usize>| limits[limit?].variants[a].score.as_ref();
    let verdicts: Vec<Verdict> =
        (0..variants.len()).map(|a| Verdict::of(score_of(a, deciding))).collect();
    if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Withheld(_))) {
        let remedy = Verdict::REMEDY;
        warnings.push(format!("forfeits invalidate the measurement: {remedy}."));
    }
    let mut row = |(a, variant): (usize, &VariantResults<'_>)| {
        let cost = variant.pace.as_ref().zip(reference.and_then(|variant| variant.pace.as_ref()));
        let cost =
            cost.map(|(own, other)| own.cost(other)).filter(|_| a != evaluation_plan.reference);
        // Of both, the one that has decided the nodes of games.
        let cost = node_times[a].as_ref().map(NodeTimes::ratio).or(cost);
        let row = variant.row();
        SetRow {
            validation_loss: means[a],
            held_out_split: held_out_splits[a],
            over_peer: leads.as_ref().and_then(|leads| leads.over_peer(evaluation_plan, a)),
            elo: limits.iter().filter_map(|limit| limit.result(a)).collect(),
            cost,
            lines: std::mem::take(&mut lines[a]),
            books: std::mem::take(&mut books[a]),
            expected: expected(sound(score_of(a, nodes)), price.as_ref(), cost),
            pays: Some(verdicts[a]).filter(|verdict| *verdict != Verdict::Unknown),
            runs: variant
                .runs(|net| limits.iter().filter_map(|limit| limit.of_net(a, net)).collect()),
            figures: evaluation_plan
                .nodes_figures(node_times[a].as_ref())
                .chain(break_even(sound(score_of(a, most_nodes)), price.as_ref()))
                .chain(row.figures)
                .collect(),
            ..row
        }
    };
    warnings.splice(0..0, soundness::warnings(&variants));
    if let [first, others @ ..] = &evaluation_plan.timed_on(results)?[..]
        && !others.is_empty()
    {
        let others = others.join(", ");
        warnings.push(format!(
            "nodes were timed on different processors, {first} and {others}: remove the timings with \
             `oplus runs rm KEY` and measure them again on one machine."
        ));
    }
    Ok(Report {
        reference: reference.map(VariantResults::label).unwrap_or_default(),
        elo_spread: spread,
        loss_spread,
        puzzles: solved::suite(evaluation_plan, &variants),
        sets: variants
            .iter()
            .enumerate()
            .filter(|(_, variant)| !variant.nets.is_empty())
            .map(&mut row)
            .collect(),
        games,
        null,
        price: price.map(|price| price.elo),
        price_games,
        paired_puzzles: solved::paired(evaluation_plan, &variants),
        learning,
        warnings,
        ..Report::default()
    })
}

/// Place of the limit at most fixed nodes.
fn most_nodes(limits: &[AtLimit]) -> Option<usize> {
    let nodes = |limit| match limit {
        Limit::Nodes(nodes) => Some(nodes),
        _ => None,
    };
    let of_nodes = limits.iter().enumerate().filter_map(|(i, at)| Some((nodes(at.limit)?, i)));
    of_nodes.max().map(|(_, place)| place)
}

/// Cost of a node, relative to the reference's, at which a lead at fixed nodes is used up; `None`
/// where time has no price above 0.
fn break_even(at_nodes: Option<&Score>, price: Option<&Score>) -> Option<(Column, Cell)> {
    let (lead, price) = (at_nodes?.elo, price?.elo);
    if !lead.is_bounded() || !price.is_bounded() || price.low <= 0.0 {
        return None;
    }
    let doublings = lead.value / price.value;
    let margin = (lead.margin() / price.value).hypot(doublings * price.margin() / price.value);
    let cost = |doublings: f64| doublings.exp2();
    let cost = Estimate::new(cost(doublings), cost(doublings - margin), cost(doublings + margin));
    let column = Column::estimate("break_even_cost", "breaks even at", Format::Number).means(
        "Time per node, relative to the reference, that cancels the lead at the largest fixed nodes",
    );
    Some((column, cost.into()))
}

/// The score, unless too many forfeits make it invalid.
fn sound(score: Option<&Score>) -> Option<&Score> {
    score.filter(|score| score.too_many_forfeits.is_none())
}

/// Elo at fixed nodes less the price of a doubling × log₂ of the cost. The
/// three are measured apart, so their variances add up.
fn expected(
    at_nodes: Option<&Score>,
    price: Option<&Score>,
    cost: Option<Estimate>,
) -> Option<Estimate> {
    let (nodes, price, cost) = (at_nodes?.elo, price?.elo, cost?);
    let known = [nodes, price, cost].iter().all(Estimate::is_bounded);
    if !known || cost.low <= 0.0 {
        return None;
    }
    let doublings = cost.value.log2();
    let spread = (cost.high.log2() - cost.low.log2()) / 2.0;
    let parts = [nodes.margin(), price.margin() * doublings, price.value * spread];
    let margin = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
    Some(Estimate::symmetric(nodes.value - price.value * doublings, margin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Looks;
    use arena::Pentanomial;

    fn elo(value: f64, margin: f64) -> Score {
        let pairs = Pentanomial::default();
        Score {
            elo: Estimate::symmetric(value, margin),
            pairs,
            seed_margin: 0.0,
            too_many_forfeits: None,
            looks: Looks::One,
        }
    }

    /// A doubling that is worth 80 Elo takes 80 from a net with twice the time per node.
    #[test]
    fn time_has_its_price() {
        let cost = |ratio| Some(Estimate::symmetric(ratio, 0.0));
        let expected =
            |ratio| expected(Some(&elo(50.0, 12.0)), Some(&elo(80.0, 16.0)), cost(ratio));
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found}");
        let same = expected(1.0).unwrap();
        close(same.value, 50.0);
        close(same.margin(), 12.0);
        let twice = expected(2.0).unwrap();
        close(twice.value, -30.0);
        close(twice.margin(), 20.0);
        close(expected(0.5).unwrap().value, 130.0);
        assert_eq!(super::expected(None, Some(&elo(80.0, 1.0)), cost(1.0)), None);
    }
}
