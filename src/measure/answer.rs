//! The answer at the head of a page: the strongest set, its cost, and the certainty.

use crate::EloResult;
use base::Estimate;
use base::format::{counted, fixed, grouped, signed};
use report::{Fact, Mark};

/// A set against the reference, under the limit that decides.
pub struct Challenge<'a> {
    pub set: &'a str,
    pub reference: &'a str,
    pub result: &'a EloResult,
    /// The verdict on the set.
    pub mark: Mark,
    /// Time per node relative to the reference.
    pub cost: Option<Estimate>,
    pub seeds: usize,
    /// Warnings of the page.
    pub warnings: usize,
    /// Whether other sets are perhaps as strong.
    pub has_equals: bool,
    /// Limits and origin of the verdict.
    pub remarks: Vec<String>,
}

impl Challenge<'_> {
    /// Empty without a verdict.
    pub fn facts(&self) -> Vec<Fact> {
        match self.mark {
            Mark::NoVerdict | Mark::Remark => Vec::new(),
            Mark::Better | Mark::Worse | Mark::NotSeparable => {
                vec![self.strongest(), self.cost(), self.certainty()]
            }
        }
    }

    fn strongest(&self) -> Fact {
        let Self { set, reference, result, .. } = self;
        let (value, detail) = match self.mark {
            Mark::Better => (*set, result.clause(Some(reference))),
            Mark::Worse => (*reference, result.negated().clause(Some(set))),
            _ => ("no clear winner", self.lead()),
        };
        Fact::new("Strongest", value, detail)
    }

    /// `ALL + PV has −3 ± 19 Elo over ALL at 1,000 nodes`.
    fn lead(&self) -> String {
        let EloResult { estimate, limit, .. } = self.result;
        format!("{} has {} Elo over {} at {limit}", self.set, estimate.signed(), self.reference)
    }

    /// The title names the owner, since the reference may be the strongest.
    fn cost(&self) -> Fact {
        let title = match self.mark {
            Mark::Better => "Cost of the winner".to_owned(),
            Mark::Worse => "Cost of the loser".to_owned(),
            _ => format!("Cost of {}", self.set),
        };
        let Some(cost) = self.cost else {
            return Fact::new(&title, "not measured", "no timing".to_owned());
        };
        let in_elo = match (self.result.limit.counts_speed(), cost.covers(1.0)) {
            (true, _) => "; the Elo counts it",
            (false, false) => "; Elo at fixed nodes does not count it",
            (false, true) => "",
        };
        let factor = format!("time per node × {} beside {}", cost.plain(), self.reference);
        Fact::new(&title, slowdown(cost), format!("{factor}{in_elo}"))
    }

    fn certainty(&self) -> Fact {
        let seed = (self.seeds == 1).then(|| "1 seed".to_owned());
        let warnings = (self.warnings > 0).then(|| counted(self.warnings as u64, "warning"));
        let limits: Vec<String> = seed.into_iter().chain(warnings).collect();
        let clear = if self.has_equals { "clear over the reference" } else { "clear" };
        let value = match (self.mark, limits.is_empty()) {
            (Mark::NotSeparable, _) => "undecided".to_owned(),
            (_, true) => clear.to_owned(),
            (_, false) => format!("{clear}, but {}", limits.join(", ")),
        };
        let elo = match self.mark {
            Mark::Worse => self.result.estimate.negated(),
            _ => self.result.estimate,
        };
        let seeds = counted(self.seeds as u64, "seed");
        let games = grouped(u64::from(self.result.games));
        let basis = format!("95 % interval {} Elo; {seeds}, {games} games in all", interval(elo));
        let parts: Vec<String> = [basis].into_iter().chain(self.remarks.clone()).collect();
        Fact::new("Certainty", value, parts.join("; "))
    }
}

/// `27.6 % more time per node`.
fn slowdown(cost: Estimate) -> String {
    let per_cent = |share: f64| fixed(100.0 * share, 1);
    match cost.value {
        factor if cost.covers(1.0) => {
            format!("same time per node (± {} %)", per_cent(cost.margin() / factor))
        }
        factor if factor >= 2.0 => format!("{} times the time per node", fixed(factor, 1)),
        factor if factor > 1.0 => format!("{} % more time per node", per_cent(factor - 1.0)),
        factor => format!("{} % less time per node", per_cent(1.0 - factor)),
    }
}

/// `+34 to +72`, or the one end of a match that was won or lost to the last game.
fn interval(elo: Estimate) -> String {
    let end = |elo: f64| signed(elo, 0);
    match (elo.low.is_finite(), elo.high.is_finite()) {
        (true, false) => format!("above {}", end(elo.low)),
        (false, true) => format!("below {}", end(elo.high)),
        _ => format!("{} to {}", end(elo.low), end(elo.high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::Limit;

    fn challenge(result: &EloResult, mark: Mark) -> Challenge<'_> {
        Challenge {
            set: "ALL + PV",
            reference: "ALL",
            result,
            mark,
            cost: Some(Estimate::symmetric(1.25, 0.01)),
            seeds: 3,
            warnings: 0,
            has_equals: false,
            remarks: vec!["best of 2".to_owned()],
        }
    }

    fn details(facts: &[Fact]) -> Vec<[&str; 2]> {
        facts.iter().map(|fact| [fact.value.as_str(), fact.detail.as_str()]).collect()
    }

    #[test]
    fn the_verdict_decides_which_set_is_named() {
        let limit = Limit::EqualTime(5_000.try_into().unwrap());
        let result =
            |elo| EloResult { limit, estimate: elo, games: 1_200, too_many_forfeits: None };
        let won = result(Estimate::symmetric(53.0, 19.0));
        let won = challenge(&won, Mark::Better).facts();
        let expected = [
            ["ALL + PV", "beats ALL by 53 ± 19 Elo at equal time (5,000 reference nodes)"],
            [
                "25.0 % more time per node",
                "time per node × 1.250 ± 0.010 beside ALL; the Elo counts it",
            ],
            ["clear", "95 % interval +34 to +72 Elo; 3 seeds, 1,200 games in all; best of 2"],
        ];
        assert_eq!(details(&won), expected);
        let lost = result(Estimate::symmetric(-53.0, 19.0));
        let lost = challenge(&lost, Mark::Worse).facts();
        let text = "beats ALL + PV by 53 ± 19 Elo at equal time (5,000 reference nodes)";
        assert_eq!(details(&lost)[0], ["ALL", text]);
        assert_eq!([&won[1].title, &lost[1].title], ["Cost of the winner", "Cost of the loser"]);
        assert!(lost[2].detail.starts_with("95 % interval +34 to +72 Elo;"));
        let open = result(Estimate::symmetric(-3.0, 19.0));
        let none = challenge(&open, Mark::NoVerdict).facts();
        let open = challenge(&open, Mark::NotSeparable).facts();
        let text = "ALL + PV has −3 ± 19 Elo over ALL at equal time (5,000 reference nodes)";
        assert_eq!(details(&open)[0], ["no clear winner", text]);
        assert_eq!(open[1].title, "Cost of ALL + PV");
        assert_eq!(open[2].value, "undecided");
        assert!(open[2].detail.starts_with("95 % interval −22 to +16 Elo;"));
        assert!(none.is_empty());
    }

    #[test]
    fn equals_one_seed_and_warnings_limit_a_clear_verdict() {
        let elo = Estimate::new(f64::INFINITY, 320.0, f64::INFINITY);
        let limit = Limit::Nodes(1_000.try_into().unwrap());
        let result = EloResult { limit, estimate: elo, games: 400, too_many_forfeits: None };
        let value = |one: Challenge<'_>| one.facts()[2].value.clone();
        let equals = Challenge { has_equals: true, ..challenge(&result, Mark::Better) };
        assert_eq!(value(equals), "clear over the reference");
        let one = Challenge { seeds: 1, warnings: 2, ..challenge(&result, Mark::Better) };
        let certainty = &one.facts()[2];
        assert_eq!(certainty.value, "clear, but 1 seed, 2 warnings");
        assert!(certainty.detail.starts_with("95 % interval above +320 Elo; 1 seed, 400 games"));
    }

    #[test]
    fn costs_are_named_beside_the_reference() {
        let limit = Limit::Nodes(1_000.try_into().unwrap());
        let elo = Estimate::symmetric(53.0, 19.0);
        let result = EloResult { limit, estimate: elo, games: 400, too_many_forfeits: None };
        let cost = |value: f64| {
            let cost = Some(Estimate::symmetric(value, 0.01));
            let one = Challenge { cost, ..challenge(&result, Mark::Better) };
            one.facts().remove(1)
        };
        assert_eq!(cost(3.28).value, "3.3 times the time per node");
        assert_eq!(cost(0.964).value, "3.6 % less time per node");
        assert!(cost(0.964).detail.ends_with("; Elo at fixed nodes does not count it"));
        assert_eq!(cost(1.005).value, "same time per node (± 1.0 %)");
        assert!(cost(1.005).detail.ends_with("beside ALL"));
        let one = Challenge { cost: None, ..challenge(&result, Mark::Better) };
        assert_eq!(details(&one.facts())[1], ["not measured", "no timing"]);
    }
}
