//! The best variant of each feature set of a grid, side by side: features against layers or settings.

use crate::page::lineup::{Entry, Lineup};
use crate::page::model::Report;
use crate::unique::unique;
use arena::Limit;
use base::Estimate;
use base::estimate::Separation;
use base::format::fixed;
use report::{Finding, Mark};

/// Feature sets named in the sentence.
const NAMED: usize = 6;

/// A remark where a grid has several feature sets, each in several variants; `None` without games.
///
/// The best of several measurements is partly luck, so the remark has no mark of a verdict.
pub(super) fn finding(report: &Report, lineup: &Lineup<'_>) -> Option<Finding> {
    let limit = lineup.deciding()?;
    let bests = bests(report, lineup, limit);
    if bests.len() < 2 || bests.iter().any(|best| best.variants < 2) {
        return None;
    }
    let mut named: Vec<String> = bests.iter().take(NAMED).map(|best| best.text(limit)).collect();
    if are_inseparable(bests[0].elo(limit), bests[1].elo(limit)) {
        named[1].insert_str(0, "not separable from it, ");
    }
    let others = match bests.len().saturating_sub(NAMED) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let text = format!("at {limit}, Elo over {}: {}{others}.", report.reference, named.join("; "));
    Some(Finding { mark: Mark::Remark, subject: "Best of each feature set".to_owned(), text })
}

/// The best variant of a feature set.
struct Best<'a> {
    entry: &'a Entry<'a>,
    /// Variants with a result, the reference included.
    variants: usize,
}

impl Best<'_> {
    /// `ALL + PV: +43 ± 29 (time per node × 1.20)`.
    fn text(&self, limit: Limit) -> String {
        let elo = self.entry.elo(limit).map_or_else(|| "0".to_owned(), |elo| elo.signed());
        let cost = self.entry.set.cost.filter(|_| !self.entry.is_reference);
        let cost = cost
            .map_or(String::new(), |cost| format!(" (time per node × {})", fixed(cost.value, 2)));
        format!("{}: {elo}{cost}", self.entry.label)
    }

    /// 0 of the reference.
    fn elo(&self, limit: Limit) -> Estimate {
        self.entry.elo(limit).unwrap_or(Estimate::symmetric(0.0, 0.0))
    }
}

/// Whether the interval of the difference contains 0. The estimates count as independent: the games
/// against the same reference make the margin too wide rather than too narrow.
pub(super) fn are_inseparable(first: Estimate, second: Estimate) -> bool {
    let are_bounded = first.is_bounded() && second.is_bounded();
    match are_bounded {
        true => first.minus(&second).verdict() == Separation::Open,
        false => !first.is_apart_from(&second),
    }
}

/// Of each feature set, the strongest first.
fn bests<'a>(report: &Report, lineup: &'a Lineup<'a>, limit: Limit) -> Vec<Best<'a>> {
    let is_valid = |entry: &Entry<'_>| {
        entry.result(limit).is_some_and(|result| result.too_many_forfeits.is_none())
    };
    let counts = |entry: &&Entry<'_>| {
        report.is_on_equal_data(entry.set) && (entry.is_reference || is_valid(entry))
    };
    let played: Vec<&Entry<'_>> = lineup.entries.iter().filter(counts).collect();
    let features = unique(played.iter().map(|entry| entry.set.features.as_str()));
    let best = |features: &str| {
        let mut own = played.iter().filter(|entry| entry.set.features == features).copied();
        let entry = own.next()?;
        Some(Best { entry, variants: 1 + own.count() })
    };
    features.into_iter().filter_map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::model::SetRow;
    use crate::page::tests::demo;

    fn grid() -> Report {
        let mut report = demo::report();
        report.sets.truncate(2);
        let of_layers =
            |layers: &str, set: &SetRow| SetRow { variant: layers.to_owned(), ..set.clone() };
        let narrow: Vec<SetRow> = report.sets.iter().map(|set| of_layers("64", set)).collect();
        let wide: Vec<SetRow> = report.sets.iter().map(|set| of_layers("256", set)).collect();
        report.sets = [narrow, wide].concat();
        report.reference = "ALL · 64".to_owned();
        report
    }

    fn set_elo(report: &mut Report, label: &str, elo: f64) {
        let set = report.sets.iter_mut().find(|set| set.label() == label).unwrap();
        set.elo = vec![crate::EloResult {
            limit: demo::NODES,
            estimate: Estimate::symmetric(elo, 10.0),
            games: 400,
            too_many_forfeits: None,
        }];
    }

    #[test]
    fn each_feature_set_has_its_best_variant() {
        let mut report = grid();
        for set in &mut report.sets {
            set.elo.clear();
            set.cost = Some(Estimate::symmetric(1.5, 0.1));
        }
        set_elo(&mut report, "ALL · 256", 53.0);
        set_elo(&mut report, "ALL + PV · 64", -70.0);
        set_elo(&mut report, "ALL + PV · 256", -30.0);
        let found = finding(&report, &Lineup::of(&report)).unwrap();
        assert_eq!(
            found.text,
            "at 1,000 nodes, Elo over ALL · 64: ALL · 256: +53 ± 10 (time per node × 1.50); \
             ALL + PV · 256: −30 ± 10 (time per node × 1.50)."
        );
        set_elo(&mut report, "ALL · 256", -5.0);
        set_elo(&mut report, "ALL + PV · 256", -4.0);
        let found = finding(&report, &Lineup::of(&report)).unwrap();
        let text = "Elo over ALL · 64: ALL · 64: 0; not separable from it, ALL + PV · 256: −4 ± 10";
        assert!(found.text.contains(text), "{found:?}");
    }

    #[test]
    fn sets_of_one_variant_have_no_best_one() {
        let report = demo::report();
        assert!(finding(&report, &Lineup::of(&report)).is_none());
    }
}
