//! Elo at equal time beside its prediction from validation loss and time per node.

use super::lineup::{Entry, Lineup};
use super::model::{Report, SetRow};
use crate::loss_and_cost::{LossAndCost, LossCostElo, loss_reduction};
use arena::Limit;
use base::Estimate;
use base::format::fixed;
use report::plot::DrawError;
use report::plot::scatter::{self, Group, Line, Titles};
use report::{Figure, Finding, Mark};

/// Time per node of the example of a set that breaks even, relative to the reference's.
const EXAMPLE: f64 = 1.1;

/// Sets with loss, cost and Elo at equal time, and the plane through them.
struct Fit<'a> {
    limit: Limit,
    sets: Vec<(&'a Entry<'a>, LossCostElo)>,
    plane: LossAndCost,
}

impl<'a> Fit<'a> {
    /// `None` without equal time, without comparable losses, or with few sets.
    fn of(report: &Report, lineup: &'a Lineup<'a>) -> Option<Self> {
        let limit = lineup.deciding().filter(|limit| limit.is_equal_time())?;
        let base = loss(lineup.reference()?.set).filter(|_| report.losses_compare())?;
        let of = |entry: &'a Entry<'a>| {
            let reduction = loss_reduction(loss(entry.set)?, base);
            let doublings = entry.set.cost?.value.log2();
            let set = LossCostElo { reduction, doublings, elo: elo(entry, limit)? };
            report.is_on_equal_data(entry.set).then_some((entry, set))
        };
        let sets: Vec<_> = lineup.entries.iter().filter_map(of).collect();
        let values: Vec<LossCostElo> = sets.iter().map(|(_, set)| *set).collect();
        Some(Self { limit, plane: LossAndCost::of(&values)?, sets })
    }
}

/// Mean loss of several seeds; that of one has an unknown error.
fn loss(set: &SetRow) -> Option<f64> {
    set.validation_loss.filter(Estimate::is_bounded).map(|loss| loss.value)
}

/// Elo of a set with the noise of its nets' games.
fn elo(entry: &Entry<'_>, limit: Limit) -> Option<Estimate> {
    let elo = entry.sound_elo(limit)?;
    let nets: Option<Vec<Estimate>> = entry
        .set
        .runs
        .iter()
        .map(|run| run.sound_elo(limit).filter(Estimate::is_bounded))
        .collect();
    let nets = nets.filter(|nets| !nets.is_empty())?;
    let squares: f64 = nets.iter().map(|net| net.margin().powi(2)).sum();
    Some(Estimate::symmetric(elo.value, squares.sqrt() / nets.len() as f64))
}

/// A remark: Elo per 1 % lower loss and per doubling of the time per node.
pub(super) fn finding(report: &Report, lineup: &Lineup<'_>) -> Option<Finding> {
    let Fit { limit, plane, .. } = Fit::of(report, lineup)?;
    let text = format!(
        "Elo at {limit} is {} per 1 % lower loss and {} per doubling of the time per node, over {}; residuals \
         have a standard deviation of {} Elo.{}",
        plane.per_percent.signed(),
        plane.per_doubling.signed(),
        report.counted(plane.sets),
        fixed(plane.off, 0),
        plane.break_even.map_or(String::new(), break_even),
    );
    Some(Finding { mark: Mark::Remark, subject: "Loss and time per node:".to_owned(), text })
}

/// The loss that makes up for a slower node.
fn break_even(reduction_per_doubling: Estimate) -> String {
    let reduction = reduction_per_doubling.scaled(EXAMPLE.log2());
    format!(
        " A node of {} times the time breaks even when the loss falls by {} %.",
        fixed(EXAMPLE, 1),
        reduction.plain()
    )
}

/// Measured over predicted Elo; `None` without a plane.
pub(super) fn figure(report: &Report, lineup: &Lineup<'_>) -> Result<Option<Figure>, DrawError> {
    let Some(Fit { limit, sets, plane }) = Fit::of(report, lineup) else { return Ok(None) };
    // The variants of a feature set share its colour: one has the whole label.
    let is_first = |at: usize, features: &str| {
        sets[..at].iter().all(|(earlier, _)| earlier.set.features != features)
    };
    let group = |(at, (entry, set)): (usize, &(&Entry<'_>, LossCostElo))| {
        let SetRow { features, variant, .. } = entry.set;
        let is_short = !variant.is_empty() && !is_first(at, features);
        Group {
            label: if is_short { variant } else { &entry.label }.clone(),
            style: entry.style,
            members: vec![(plane.predicted(set), set.elo)],
        }
    };
    let groups: Vec<Group> = sets.iter().enumerate().map(group).collect();
    let diagonal = Line { through: (0.0, 0.0), slope: Estimate::symmetric(1.0, 0.0) };
    let titles = Titles {
        picture: "Elo at equal time beside its prediction from loss and time per node",
        across: &format!(
            "predicted: {} Elo per 1 % of loss, {} per doubling of the time per node",
            plane.per_percent.signed(),
            plane.per_doubling.signed()
        ),
        up: &format!("Elo over {}, {limit}", report.reference),
    };
    let Some(svg) = scatter::draw(&groups, Some(&diagonal), &titles)? else { return Ok(None) };
    let caption = format!(
        "Elo of {} on a plane over loss and log₂ of the time per node, by least squares; a common shift of \
         {} Elo includes the luck of the reference's nets. Vertical lines: 95 % intervals of the games. \
         Standard deviation from the diagonal: {} Elo.",
        report.counted(plane.sets),
        fixed(plane.shift, 0),
        fixed(plane.off, 0),
    );
    let title = "Elo from loss and time per node".to_owned();
    Ok(Some(Figure { id: "loss-and-cost".into(), title, caption, svg }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EloResult;
    use crate::page::tests::demo;

    /// The demo's sets with Elo on a plane: 5 per per cent of loss, −200 per doubling.
    fn on_a_plane() -> Report {
        let mut report = demo::report();
        let limit = Limit::EqualTime(1_000.try_into().unwrap());
        report.sets.push(SetRow { variant: "wide".to_owned(), ..report.sets[1].clone() });
        let base = report.reference_set().unwrap().validation_loss.unwrap().value;
        let reference = report.reference.clone();
        for (set, cost) in report.sets.iter_mut().zip([1.0, 1.3, 1.1, 2.0, 1.6, 1.2, 1.8]) {
            set.cost = Some(Estimate::symmetric(cost, 0.01));
            let reduction = loss_reduction(set.validation_loss.unwrap().value, base);
            let elo = 5.0 * reduction - 200.0 * cost.log2();
            let estimate = Estimate::symmetric(elo, 15.0);
            let result = EloResult { limit, estimate, games: 400, too_many_forfeits: None };
            let elo = if set.label() == reference { Vec::new() } else { vec![result] };
            set.runs.iter_mut().for_each(|run| run.elo = elo.clone());
            set.elo = elo;
        }
        report
    }

    #[test]
    fn the_remark_has_both_effects_and_an_example() {
        let report = on_a_plane();
        let found = finding(&report, &Lineup::of(&report)).unwrap();
        let starts = "Elo at equal time (1,000 reference nodes) is +5.0";
        assert!(found.text.starts_with(starts), "{found:?}");
        assert!(found.text.contains("per 1 % lower loss and −200"), "{found:?}");
        assert!(found.text.contains("A node of 1.1 times the time breaks even"), "{found:?}");
        let figure = figure(&report, &Lineup::of(&report)).unwrap().unwrap();
        assert!(figure.svg.inline().contains("predicted"), "{}", figure.caption);
    }

    #[test]
    fn fixed_nodes_alone_have_no_plane() {
        let report = demo::report();
        assert!(finding(&report, &Lineup::of(&report)).is_none());
    }
}
