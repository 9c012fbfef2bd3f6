//! The set that answers the question of a page: the strongest beside the reference.

use super::best::are_inseparable;
use super::strength::Strength;
use crate::answer::Challenge;
use crate::page::lineup::{Entry, Lineup};
use crate::page::model::Report;
use base::estimate::Estimate;
use base::format::counted;
use report::{Fact, Mark};

/// Sets named as equals of the strongest.
const NAMED: usize = 2;

/// Empty without a verdict on sets with as much data as the reference.
pub(super) fn facts(report: &Report, lineup: &Lineup<'_>) -> Vec<Fact> {
    let sets: Vec<Candidate<'_>> = candidates(report, lineup);
    sets.first().map_or_else(Vec::new, |strongest| {
        Challenge {
            set: &strongest.entry.label,
            reference: &report.reference,
            result: strongest.strength.decisive(),
            mark: strongest.strength.mark(),
            cost: strongest.entry.set.cost,
            seeds: strongest.entry.set.runs.len(),
            reservations: reservations(report, &sets),
        }
        .facts()
    })
}

struct Candidate<'a> {
    entry: &'a Entry<'a>,
    strength: Strength<'a>,
}

impl Candidate<'_> {
    fn elo(&self) -> Estimate {
        self.strength.decisive().estimate
    }
}

/// Sets with a verdict, the strongest first.
fn candidates<'a>(report: &'a Report, lineup: &'a Lineup<'a>) -> Vec<Candidate<'a>> {
    let counts = |entry: &&Entry<'_>| !entry.is_reference && report.is_on_equal_data(entry.set);
    let played = lineup.entries.iter().filter(counts).filter_map(|entry| {
        let strength = Strength::over_reference(entry, &lineup.limits, &report.reference)?;
        Some(Candidate { entry, strength })
    });
    let mut sets: Vec<_> = played.filter(|set| set.strength.mark() != Mark::NoVerdict).collect();
    sets.sort_by(|a, b| b.elo().value.total_cmp(&a.elo().value));
    sets
}

/// Equals of the strongest set, the luck of the best of many, and warnings.
fn reservations(report: &Report, sets: &[Candidate<'_>]) -> Vec<String> {
    let [strongest, others @ ..] = sets else { return Vec::new() };
    let mut all = Vec::new();
    let is_equal = |other: &&Candidate<'_>| are_inseparable(strongest.elo(), other.elo());
    let equals: Vec<&str> = match strongest.strength.mark() {
        Mark::Better => others.iter().filter(is_equal).map(|it| it.entry.label.as_str()).collect(),
        _ => Vec::new(),
    };
    if !equals.is_empty() {
        let more = match equals.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = equals[..equals.len().min(NAMED)].join(", ");
        all.push(format!("perhaps as strong: {named}{more}"));
    }
    if sets.len() > 2 {
        all.push(format!("best of {}: expect less Elo", report.counted(sets.len())));
    }
    if !report.warnings.is_empty() {
        all.push(format!("{} below", counted(report.warnings.len() as u64, "warning")));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EloResult;
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
        assert!(certainty.contains(&format!("perhaps as strong: {last};")), "{certainty}");
        assert!(!certainty.contains(second) && certainty.contains("best of 3"), "{certainty}");
        shown.warnings.push("Overfitted".to_owned());
        assert!(details(&shown)[1].ends_with("; 1 warning below"));
        shown.sets[2].elo[0].too_many_forfeits = TooManyForfeits::of(13, 40);
        assert_eq!(details(&shown)[0], "beats ALL by 45 ± 10 Elo at 1,000 nodes");
    }

    #[test]
    fn weaker_sets_leave_the_reference() {
        let [strongest, certainty] = details(&report([-30.0, -50.0, -45.0]));
        assert!(strongest.starts_with("beats "), "{strongest}");
        assert!(strongest.ends_with(" by 30 ± 10 Elo at 1,000 nodes"), "{strongest}");
        assert!(!certainty.contains("perhaps"), "{certainty}");
    }

    #[test]
    fn more_positions_are_no_strength_of_a_set() {
        let mut shown = report([30.0, 50.0, 45.0]);
        shown.sets[0].positions = Some(1_000);
        assert!(facts(&shown, &Lineup::of(&shown)).is_empty());
    }
}
