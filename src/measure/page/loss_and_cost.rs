//! Elo at equal time beside its prediction from validation loss and time per node.

use super::lineup::{Entry, Lineup};
use super::model::Report;
use crate::loss_and_cost::{LossAndCost, LossCostElo};
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
        let reference = lineup.reference()?.set;
        let base = reference.validation_loss.filter(|_| report.losses_compare())?.value;
        let of = |entry: &'a Entry<'a>| {
            let result = entry.result(limit)?;
            let is_usable = result.too_many_forfeits.is_none() && result.estimate.is_bounded();
            let reduction = 100.0 * (1.0 - entry.set.validation_loss?.value / base);
            let doublings = entry.set.cost?.value.log2();
            let elo = result.estimate;
            let set = LossCostElo { reduction, doublings, elo };
            (is_usable && report.is_on_equal_data(entry.set)).then_some((entry, set))
        };
        let sets: Vec<_> = lineup.entries.iter().filter_map(of).collect();
        let values: Vec<LossCostElo> = sets.iter().map(|(_, set)| *set).collect();
        Some(Self { limit, plane: LossAndCost::of(&values)?, sets })
    }
}

/// A remark: the worth of a per cent of the loss, and of the time of a node.
pub(super) fn finding(report: &Report, lineup: &Lineup<'_>) -> Option<Finding> {
    let Fit { limit, plane, .. } = Fit::of(report, lineup)?;
    let explains = plane.per_percent.low > 0.0;
    let text = format!(
        "{} Elo at {limit}: {} Elo per per cent of loss and {} per doubling of the time per node; {} \
         lie {} Elo off (standard deviation).{}",
        if explains { "explain" } else { "do not explain" },
        plane.per_percent.signed(),
        plane.per_doubling.signed(),
        report.counted(plane.sets),
        fixed(plane.off, 0),
        if explains { break_even(&plane) } else { String::new() },
    );
    Some(Finding { mark: Mark::Remark, subject: "Loss and time per node".to_owned(), text })
}

/// The loss that a slower node has to make up for.
fn break_even(plane: &LossAndCost) -> String {
    let reduction = plane.break_even.scaled(EXAMPLE.log2());
    format!(
        " A node of {} times the time pays with a loss lower by {} %.",
        fixed(EXAMPLE, 1),
        reduction.plain()
    )
}

/// Measured over predicted Elo; `None` without a plane.
pub(super) fn figure(report: &Report, lineup: &Lineup<'_>) -> Result<Option<Figure>, DrawError> {
    let Some(Fit { limit, sets, plane }) = Fit::of(report, lineup) else { return Ok(None) };
    let group = |(entry, set): &(&Entry<'_>, LossCostElo)| Group {
        label: entry.label.clone(),
        style: entry.style,
        members: vec![(plane.predicted(set), set.elo)],
    };
    let groups: Vec<Group> = sets.iter().map(group).collect();
    let diagonal = Line { through: (0.0, 0.0), slope: Estimate::symmetric(1.0, 0.0) };
    let titles = Titles {
        picture: "Elo at equal time beside its prediction from loss and time per node",
        across: &format!(
            "predicted: {} Elo per % of loss, {} per doubling of the time per node",
            plane.per_percent.signed(),
            plane.per_doubling.signed()
        ),
        up: &format!("Elo over {}, {limit}", report.reference),
    };
    let Some(svg) = scatter::draw(&groups, Some(&diagonal), &titles)? else { return Ok(None) };
    let caption = format!(
        "Two numbers fitted to {}, a plane through the reference: least squares with the errors of Elo. \
         Vertical lines: 95 % intervals of Elo. Standard deviation from the diagonal: {} Elo.",
        report.counted(plane.sets),
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
        let base = report.reference_set().unwrap().validation_loss.unwrap().value;
        let reference = report.reference.clone();
        for (set, cost) in report.sets.iter_mut().zip([1.0, 1.3, 1.1, 2.0, 1.6, 1.2]) {
            set.cost = Some(Estimate::symmetric(cost, 0.01));
            let reduction = 100.0 * (1.0 - set.validation_loss.unwrap().value / base);
            let elo = 5.0 * reduction - 200.0 * cost.log2();
            let estimate = Estimate::symmetric(elo, 15.0);
            let result = EloResult { limit, estimate, games: 400, too_many_forfeits: None };
            set.elo = if set.label() == reference { Vec::new() } else { vec![result] };
        }
        report
    }

    #[test]
    fn the_remark_has_both_effects_and_an_example() {
        let report = on_a_plane();
        let found = finding(&report, &Lineup::of(&report)).unwrap();
        assert!(found.text.starts_with("explain Elo at equal time (1,000 reference nodes): +5.0"));
        assert!(found.text.contains("−200 ±") || found.text.contains("−200.0 ±"), "{found:?}");
        assert!(found.text.contains("A node of 1.1 times the time pays"), "{found:?}");
        let figure = figure(&report, &Lineup::of(&report)).unwrap().unwrap();
        assert!(figure.svg.inline().contains("predicted"), "{}", figure.caption);
    }

    #[test]
    fn fixed_nodes_alone_have_no_plane() {
        let report = demo::report();
        assert!(finding(&report, &Lineup::of(&report)).is_none());
    }
}
