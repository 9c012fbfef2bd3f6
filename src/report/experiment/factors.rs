//! A grid of several factors as a table of two ways: features down, all else across.

use super::columns::Value;
use super::lineup::{Entry, Lineup};
use super::model::{Report, SetRow};
use crate::finding::Mark;
use crate::terminal::{self, Sheet};

/// Grids of fewer sets are read in the table of results.
const FEWEST: usize = 6;

/// What is told of each combination of the factors.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorTable {
    /// What the numbers are.
    pub title: String,
    /// The factor whose levels are the rows.
    pub down: String,
    /// Levels of the others, a combination each.
    pub across: Vec<String>,
    /// A level of the first factor, and what is told of it beside each combination.
    pub rows: Vec<FactorRow>,
}

/// One level of the factor that goes down.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorRow {
    pub level: String,
    /// As many as there are combinations of the others.
    pub values: Vec<Value>,
}

/// The table; nothing of few sets, or where only one factor varies.
pub fn table(report: &Report, lineup: &Lineup) -> Option<FactorTable> {
    if report.sets.len() < FEWEST {
        return None;
    }
    let varying: Vec<usize> = varying(&report.sets).collect();
    let (&down, rest) = varying.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let of_row = |set: &SetRow| set.factors[down].level.clone();
    let levels = in_order(report.sets.iter().map(of_row));
    let across = in_order(report.sets.iter().map(|set| levels_of(set, rest)));
    let told = Told::of(report, lineup)?;
    let rows = levels.into_iter().map(|level| {
        let value = |beside: &String| {
            let is_it = |entry: &&Entry| {
                of_row(entry.set) == level && levels_of(entry.set, rest) == *beside
            };
            lineup
                .entries
                .iter()
                .find(is_it)
                .map_or_else(nothing, |entry| told.value(report, entry))
        };
        let values = across.iter().map(value).collect();
        FactorRow { level, values }
    });
    let rows = rows.collect();
    let down = report.sets.first()?.factors[down].name.clone();
    Some(FactorTable { title: told.title(report), down, across, rows })
}

impl FactorTable {
    /// For a terminal.
    pub fn sheet(&self) -> Sheet {
        let header = std::iter::once(&self.down).chain(&self.across);
        let mut sheet = terminal::compact(header, 1);
        for FactorRow { level, values } in &self.rows {
            sheet.add_row(std::iter::once(level.clone()).chain(values.iter().map(Value::marked)));
        }
        sheet
    }
}

/// Places of the factors of which there is more than one level; none unless all sets have them.
fn varying(sets: &[SetRow]) -> impl Iterator<Item = usize> {
    let factors = sets.iter().map(|set| set.factors.len()).min().unwrap_or(0);
    let varies = move |at: &usize| sets.iter().any(|set| set.factors[*at] != sets[0].factors[*at]);
    (0..factors).filter(varies)
}

/// What a set has of some factors.
fn levels_of(set: &SetRow, factors: &[usize]) -> String {
    factors.iter().map(|&at| set.factors[at].level.as_str()).collect::<Vec<_>>().join(", ")
}

fn in_order(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut each: Vec<String> = Vec::new();
    all.for_each(|one| {
        if !each.contains(&one) {
            each.push(one);
        }
    });
    each
}

fn nothing() -> Value {
    Value { text: "—".to_owned(), mark: None }
}

/// The number that a table of factors is of.
enum Told {
    /// Elo under the limit that decides.
    Elo(arena::Limit),
    /// The validation loss, where nothing was played and losses compare.
    Loss,
}

impl Told {
    fn of(report: &Report, lineup: &Lineup) -> Option<Self> {
        let timed = lineup.limits.iter().find(|limit| limit.is_timed());
        match timed.or(lineup.limits.first()) {
            Some(limit) => Some(Self::Elo(*limit)),
            None => report.losses_compare().then_some(Self::Loss),
        }
    }

    fn title(&self, report: &Report) -> String {
        match self {
            Self::Elo(limit) if report.sets.iter().any(|set| set.over_peer.is_some()) => {
                format!("Elo over the reference's set on as many positions, {limit}")
            }
            Self::Elo(limit) => format!("Elo over {}, {limit}", report.reference),
            Self::Loss => "Validation loss".to_owned(),
        }
    }

    fn value(&self, report: &Report, entry: &Entry) -> Value {
        let limit = match self {
            Self::Loss => return loss(entry.set),
            Self::Elo(limit) => *limit,
        };
        if entry.is_reference {
            return Value { text: "reference".to_owned(), mark: None };
        }
        let own = entry.result(limit).filter(|_| report.is_on_equal_data(entry.set));
        let over_peer = entry.set.over_peer.as_ref().map(|over| &over.elo);
        match own.or(over_peer) {
            Some(elo) => Value { text: elo.estimate.signed(), mark: Some(elo.mark()) },
            None => nothing(),
        }
    }
}

fn loss(set: &SetRow) -> Value {
    set.validation_loss.map_or_else(nothing, |loss| Value { text: loss.plain(), mark: None })
}

/// What stands below the table.
pub fn caption(table: &FactorTable) -> String {
    let is_compared = |value: &Value| value.mark.is_some_and(|mark| mark != Mark::Remark);
    let reads = "Each cell is one set of the table above.";
    match table.rows.iter().flat_map(|row| &row.values).any(is_compared) {
        true => format!("{reads} ▲ better, ▼ worse, ≈ not separable, ? no verdict."),
        false => reads.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::demo;
    use crate::experiment::model::Factor;

    /// Three feature sets by three numbers of epochs.
    fn nine() -> Report {
        let mut report = demo::report();
        report.sets.truncate(3);
        let with = |epochs: u32| {
            move |mut set: SetRow| {
                let level = format!("epochs = {epochs}");
                let factor =
                    |name: &str, level: &str| Factor { name: name.into(), level: level.into() };
                set.factors =
                    vec![factor("features", &set.features), factor("training.epochs", &level)];
                set.variant = level;
                set
            }
        };
        let sets = [1, 2, 4].map(|epochs| report.sets.clone().into_iter().map(with(epochs)));
        report.sets = sets.into_iter().flatten().collect();
        report.reference = "ALL · epochs = 1".to_owned();
        report
    }

    #[test]
    fn a_grid_of_nine_sets_is_a_table_of_three_by_three() {
        let report = nine();
        let table = table(&report, &Lineup::of(&report)).unwrap();
        assert_eq!(table.down, "features");
        assert_eq!(table.across, ["epochs = 1", "epochs = 2", "epochs = 4"]);
        let levels: Vec<&str> = table.rows.iter().map(|row| row.level.as_str()).collect();
        assert_eq!(levels, ["ALL", "ALL + PV", "ALL + PH + PV"]);
        assert_eq!(table.rows[0].values[0].text, "reference");
        assert_eq!(table.rows[2].values[1].marked(), "−24 ± 16 ▼");
        let told = crate::experiment::table::results(&report, None);
        assert!(told.contains("Elo over ALL · epochs = 1, 20 ms a move"), "{told}");
    }

    #[test]
    fn what_has_one_factor_or_few_sets_needs_none() {
        let mut report = nine();
        report.sets.truncate(5);
        assert_eq!(table(&report, &Lineup::of(&report)), None);
        let report = demo::report();
        assert_eq!(table(&report, &Lineup::of(&report)), None, "no grid is known");
    }
}
