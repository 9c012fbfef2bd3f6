//! The set that answers the question of a page: the strongest beside the reference.

use super::best::are_inseparable;
use crate::EloResult;
use crate::answer::Challenge;
use crate::page::lineup::{Entry, Lineup};
use crate::page::model::Report;
use base::estimate::Estimate;
use report::{Fact, Mark};

/// Sets named as perhaps as strong as the strongest.
const NAMED: usize = 2;

/// Empty without a verdict, at the limit that decides, on sets with as much data as the reference.
pub(super) fn facts(report: &Report, lineup: &Lineup<'_>) -> Vec<Fact> {
    let sets = candidates(report, lineup);
    named(&sets).map_or_else(Vec::new, |named| {
        Challenge {
            set: &named.entry.label,
            reference: &report.reference,
            result: named.result,
            mark: named.mark,
            cost: named.entry.set.cost,
            seeds: named.entry.set.seeds_at(named.result.limit),
            warnings: report.warnings.len(),
            has_equals: !equals(named, &sets).is_empty(),
            remarks: remarks(report, named, &sets),
        }
        .facts()
    })
}

/// A set with a verdict at the limit that decides.
struct Candidate<'a> {
    entry: &'a Entry<'a>,
    result: &'a EloResult,
    mark: Mark,
}

impl<'a> Candidate<'a> {
    fn of(entry: &'a Entry<'a>, lineup: &Lineup<'_>) -> Option<Self> {
        let result = entry.result(lineup.deciding()?)?;
        let pays = entry.set.pays.filter(|_| result.limit.counts_speed());
        let mark = match (result.mark(), pays) {
            (Mark::NoVerdict, _) => return None,
            (_, Some(pays)) => pays.mark(),
            (mark, None) => mark,
        };
        Some(Self { entry, result, mark })
    }

    fn elo(&self) -> Estimate {
        self.result.estimate
    }
}

/// The strongest first, as in the lineup.
fn candidates<'a>(report: &'a Report, lineup: &'a Lineup<'a>) -> Vec<Candidate<'a>> {
    let counts = |entry: &&Entry<'_>| !entry.is_reference && report.is_on_equal_data(entry.set);
    let played = lineup.entries.iter().filter(counts);
    played.filter_map(|entry| Candidate::of(entry, lineup)).collect()
}

/// The highest set that beats the reference, else the highest that is not separable from it, else the
/// highest.
fn named<'s, 'a>(sets: &'s [Candidate<'a>]) -> Option<&'s Candidate<'a>> {
    let first = |mark| sets.iter().find(|set| set.mark == mark);
    first(Mark::Better).or_else(|| first(Mark::NotSeparable)).or(sets.first())
}

/// Limits of a gain: sets that are perhaps as strong, and the luck of the best.
fn remarks(report: &Report, named: &Candidate<'_>, sets: &[Candidate<'_>]) -> Vec<String> {
    if named.mark != Mark::Better {
        return Vec::new();
    }
    let best = (sets.len() > 1).then(|| {
        format!(
            "best of {}: the Elo of the winner is probably too high",
            report.counted(sets.len())
        )
    });
    perhaps_as_strong(named, sets).into_iter().chain(best).collect()
}

/// Sets whose difference from a gain is not separable.
fn equals<'a>(named: &Candidate<'_>, sets: &'a [Candidate<'_>]) -> Vec<&'a str> {
    let others = sets.iter().filter(|set| set.entry.label != named.entry.label);
    others
        .filter(|set| named.mark == Mark::Better && are_inseparable(named.elo(), set.elo()))
        .map(|set| set.entry.label.as_str())
        .collect()
}

fn perhaps_as_strong(named: &Candidate<'_>, sets: &[Candidate<'_>]) -> Option<String> {
    let equals = equals(named, sets);
    let more = match equals.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first = equals[..equals.len().min(NAMED)].join(", ");
    (!equals.is_empty()).then(|| format!("perhaps as strong as the winner: {first}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::demo;
    use arena::TooManyForfeits;

    /// The reference and three sets at 1,000 nodes.
    fn report(elo: [f64; 3]) -> Report {
        let mut report = demo::report();
        report.sets.truncate(4);
        report.warnings.clear();
        for (set, elo) in report.sets.iter_mut().skip(1).zip(elo) {
            set.pays = None;
            set.elo = vec![EloResult {
                limit: demo::NODES,
                estimate: Estimate::symmetric(elo, 10.0),
                games: 400,
                too_many_forfeits: None,
            }];
        }
        report
    }

    fn details(report: &Report) -> [String; 2] {
        let facts = facts(report, &Lineup::of(report));
        [facts[0].detail.clone(), facts[2].detail.clone()]
    }

    #[test]
    fn the_strongest_set_is_named_with_its_equals() {
        let mut shown = report([30.0, 50.0, 45.0]);
        let labels: Vec<String> = shown.sets.iter().map(|set| set.label()).collect();
        let [_, second, third, last] = &labels[..] else { panic!("{labels:?}") };
        let [strongest, certainty] = details(&shown);
        assert_eq!(strongest, "beats ALL by 50 ± 10 Elo at 1,000 nodes");
        assert_eq!(facts(&shown, &Lineup::of(&shown))[0].value, *third);
        assert!(
            certainty.contains(&format!("perhaps as strong as the winner: {last};")),
            "{certainty}"
        );
        assert!(!certainty.contains(second) && certainty.contains("best of 3"), "{certainty}");
        shown.warnings.push("Overfitted".to_owned());
        assert_eq!(
            facts(&shown, &Lineup::of(&shown))[2].value,
            "clear over the reference, but 1 warning"
        );
        shown.sets[2].elo[0].too_many_forfeits = TooManyForfeits::of(13, 40);
        assert_eq!(details(&shown)[0], "beats ALL by 45 ± 10 Elo at 1,000 nodes");
    }

    #[test]
    fn a_verdict_goes_before_a_higher_estimate() {
        let mut shown = report([15.0, 20.0, -40.0]);
        let label = shown.sets[1].label();
        shown.sets[2].elo[0].estimate = Estimate::symmetric(20.0, 30.0);
        let named = |report: &Report| facts(report, &Lineup::of(report))[0].value.clone();
        assert_eq!(named(&shown), label, "+15 ± 10 beats the reference, +20 ± 30 does not");
        let mut open = report([-15.0, -20.0, -40.0]);
        open.sets[2].elo[0].estimate = Estimate::symmetric(-20.0, 30.0);
        assert_eq!(named(&open), "no clear winner", "−20 ± 30 is open");
    }

    #[test]
    fn a_set_that_wins_every_game_has_equals_too() {
        let mut shown = report([30.0, 400.0, 0.0]);
        let label = shown.sets[2].label();
        shown.sets[1].elo[0].estimate = Estimate::new(f64::INFINITY, 320.0, f64::INFINITY);
        let [strongest, certainty] = details(&shown);
        assert!(strongest.contains("by more than 320 Elo"), "{strongest}");
        assert!(
            certainty.contains(&format!("perhaps as strong as the winner: {label};")),
            "{certainty}"
        );
    }

    #[test]
    fn weaker_sets_leave_the_reference() {
        let [strongest, certainty] = details(&report([-30.0, -50.0, -45.0]));
        assert!(strongest.starts_with("beats "), "{strongest}");
        assert!(strongest.ends_with(" by 30 ± 10 Elo at 1,000 nodes"), "{strongest}");
        assert!(!certainty.contains("perhaps") && !certainty.contains("best of"), "{certainty}");
    }

    #[test]
    fn more_positions_are_no_strength_of_a_set() {
        let mut shown = report([30.0, 50.0, 45.0]);
        shown.sets[0].positions = Some(1_000);
        assert!(facts(&shown, &Lineup::of(&shown)).is_empty());
    }
}
