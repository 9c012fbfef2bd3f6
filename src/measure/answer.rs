//! The answer at the head of a page: the strongest set, its cost, and the certainty.

use crate::EloResult;
use base::Estimate;
use base::format::{counted, grouped};
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
        let against_reference = self.result.clause(Some(self.reference));
        let (value, detail) = match self.mark {
            Mark::Better => (self.set, against_reference),
            Mark::Worse => (self.reference, self.result.negated().clause(Some(self.set))),
            _ => ("no clear winner", format!("{} {against_reference}", self.set)),
        };
        Fact::new("Strongest", value, detail)
    }

    /// The title names a set that is not the strongest.
    fn cost(&self) -> Fact {
        let title = match self.mark {
            Mark::Better => "Cost".to_owned(),
            _ => format!("Cost of {}", self.set),
        };
        let in_elo = match self.result.limit.counts_speed() {
            true => "included in the Elo",
            false => "not included in the Elo at fixed nodes",
        };
        let detail = format!("time per node, {} = 1; {in_elo}", self.reference);
        match self.cost {
            Some(cost) => Fact::new(&title, format!("× {}", cost.plain()), detail),
            None => Fact::new(&title, "not measured", detail),
        }
    }

    fn certainty(&self) -> Fact {
        let value = match self.mark {
            Mark::NotSeparable => "no clear winner (95 %)",
            Mark::Better => "beats reference (95 %)",
            _ => "reference wins (95 %)",
        };
        let games = format!("{} games", grouped(u64::from(self.result.games)));
        let basis = match self.seeds {
            1 => format!("1 seed, another may differ; {games}"),
            seeds => format!("{}, {games}", counted(seeds as u64, "seed")),
        };
        let parts: Vec<String> = [basis].into_iter().chain(self.remarks.clone()).collect();
        Fact::new("Certainty", value, parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::Limit;

    fn facts(elo: Estimate, mark: Mark) -> Vec<Fact> {
        let limit = Limit::EqualTime(5_000.try_into().unwrap());
        let result = EloResult { limit, estimate: elo, games: 1_200, too_many_forfeits: None };
        Challenge {
            set: "ALL + PV",
            reference: "ALL",
            result: &result,
            mark,
            cost: Some(Estimate::symmetric(1.25, 0.01)),
            seeds: 3,
            remarks: vec!["2 warnings below".to_owned()],
        }
        .facts()
    }

    fn words(facts: &[Fact]) -> Vec<[&str; 2]> {
        facts.iter().map(|fact| [fact.value.as_str(), fact.detail.as_str()]).collect()
    }

    #[test]
    fn the_verdict_decides_which_set_is_named() {
        let won = facts(Estimate::symmetric(53.0, 19.0), Mark::Better);
        let expected = [
            ["ALL + PV", "beats ALL by 53 ± 19 Elo at equal time (5,000 reference nodes)"],
            ["× 1.250 ± 0.010", "time per node, ALL = 1; included in the Elo"],
            ["beats reference (95 %)", "3 seeds, 1,200 games; 2 warnings below"],
        ];
        assert_eq!(words(&won), expected);
        let lost = facts(Estimate::symmetric(-53.0, 19.0), Mark::Worse);
        let text = "beats ALL + PV by 53 ± 19 Elo at equal time (5,000 reference nodes)";
        assert_eq!(words(&lost)[0], ["ALL", text]);
        assert_eq!(lost[1].title, "Cost of ALL + PV");
        assert_eq!(lost[2].value, "reference wins (95 %)");
        let open = facts(Estimate::symmetric(-3.0, 19.0), Mark::NotSeparable);
        let text = "ALL + PV is not separable from ALL at equal time (5,000 reference nodes) (−3 ± 19 Elo)";
        assert_eq!(words(&open)[0], ["no clear winner", text]);
        assert_eq!(open[2].value, "no clear winner (95 %)");
        assert!(facts(Estimate::symmetric(53.0, 19.0), Mark::NoVerdict).is_empty());
    }
}
