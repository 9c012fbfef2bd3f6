//! Whether games on the clock agree with those at equal time.

use super::lineup::{Entry, Lineup};
use super::model::Report;
use arena::Limit;
use base::Estimate;
use report::{Finding, Mark};

/// A remark for each clock beside equal time; none without either.
pub(super) fn findings(report: &Report, lineup: &Lineup<'_>) -> Vec<Finding> {
    let equal = lineup.deciding().filter(|limit| limit.is_equal_time());
    let Some(equal) = equal else { return Vec::new() };
    let clocks = lineup.limits.iter().filter(|limit| limit.is_timed());
    clocks.filter_map(|clock| finding(report, lineup, equal, *clock)).collect()
}

fn finding(report: &Report, lineup: &Lineup<'_>, equal: Limit, clock: Limit) -> Option<Finding> {
    let differences: Vec<(&str, Estimate)> = lineup
        .entries
        .iter()
        .filter_map(|entry| Some((entry.label.as_str(), difference(entry, equal, clock)?)))
        .collect();
    let apart: Vec<&(&str, Estimate)> =
        differences.iter().filter(|(_, difference)| !difference.covers(0.0)).collect();
    let largest = differences.iter().max_by(|a, b| size(&a.1).total_cmp(&size(&b.1)))?;
    let sets = report.counted(differences.len());
    let text = match apart.as_slice() {
        [] => format!(
            "agrees with {equal}: the largest difference of {sets} is that of {}, {} Elo.",
            largest.0,
            largest.1.signed()
        ),
        apart => {
            let named = |(label, difference): &&(&str, Estimate)| {
                format!("{label} ({} Elo)", difference.signed())
            };
            let named: Vec<String> = apart.iter().map(named).collect();
            format!("disagrees with {equal} on {} of {sets}: {}.", apart.len(), named.join(", "))
        }
    };
    let mark = if apart.is_empty() { Mark::Remark } else { Mark::NoVerdict };
    Some(Finding { mark, subject: clock.to_string(), text })
}

fn size(difference: &Estimate) -> f64 {
    difference.value.abs()
}

/// Lead on the clock less that at equal time. The seeds are the same, so the interval is wide
/// rather than narrow.
fn difference(entry: &Entry<'_>, equal: Limit, clock: Limit) -> Option<Estimate> {
    let (equal, clock) = (entry.sound_elo(equal)?, entry.sound_elo(clock)?);
    Some(clock.minus(&equal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EloResult;
    use crate::page::tests::demo;

    fn report(at_equal: f64, on_clock: f64) -> Report {
        let mut report = demo::report();
        report.sets.truncate(2);
        let equal = Limit::EqualTime(1_000.try_into().unwrap());
        let clock = Limit::MovetimeMs(20.try_into().unwrap());
        let result = |(limit, elo)| {
            let estimate = Estimate::symmetric(elo, 15.0);
            EloResult { limit, estimate, games: 400, too_many_forfeits: None }
        };
        report.sets[1].elo = [(equal, at_equal), (clock, on_clock)].map(result).into();
        report
    }

    #[test]
    fn a_clock_agrees_within_the_intervals() {
        let texts = |at_equal, on_clock| -> Vec<String> {
            let report = report(at_equal, on_clock);
            findings(&report, &Lineup::of(&report))
                .into_iter()
                .map(|finding| finding.text)
                .collect()
        };
        let agreed = texts(20.0, 10.0);
        assert!(
            agreed[0].starts_with("agrees with equal time (1,000 reference nodes)"),
            "{agreed:?}"
        );
        let apart = texts(20.0, -10.0);
        assert!(
            apart[0].starts_with("disagrees with equal time (1,000 reference nodes) on 1 of 1 set"),
            "{apart:?}"
        );
        let mut without = report(20.0, 10.0);
        without.sets[1].elo.truncate(1);
        assert!(findings(&without, &Lineup::of(&without)).is_empty());
    }
}
