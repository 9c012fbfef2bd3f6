//! A grid of several factors as a table of two ways: features down, all else across.

use super::lineup::{Entry, Lineup};
use super::model::{Report, SetRow};
use crate::unique::unique;
use arena::Limit;
use report::Format::{self, Number, Signed, Text};
use report::{Cell, Column, Mark, Section, Table};

/// Grids of fewer sets are read in the table of results.
const FEWEST: usize = 6;

/// `None` of few sets, or where only one factor varies.
pub(super) fn section(report: &Report, lineup: &Lineup<'_>) -> Option<Section> {
    let table = table(report, lineup)?;
    Some(Section::new("factors", "Factors", [report::Part::Table(table)]))
}

fn table(report: &Report, lineup: &Lineup<'_>) -> Option<Table> {
    if report.sets.len() < FEWEST {
        return None;
    }
    let varying: Vec<usize> = varying(&report.sets).collect();
    let (&down, rest) = varying.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let of_row = |set: &SetRow| set.factors[down].level.clone();
    let levels = unique(report.sets.iter().map(of_row));
    let across = unique(report.sets.iter().map(|set| levels_of(set, rest)));
    let figure = Figure::of(report, lineup)?;
    let cell = |level: &String, beside: &String| {
        let is_it =
            |it: &&Entry<'_>| of_row(it.set) == *level && levels_of(it.set, rest) == *beside;
        lineup.entries.iter().find(is_it).map(|entry| figure.cell(report, entry))
    };
    let name = &report.sets.first()?.factors[down].name;
    let table = Table::of("", &figure.title(report), &levels)
        .column(Column::new("", name, Text), |level| level)
        .columns(
            across,
            |beside| Column { is_estimate: true, ..Column::new("", beside, figure.format()) },
            |level, beside| cell(level, beside),
        )
        .summary()
        .table();
    let caption = caption(&table);
    Some(Table { caption, ..table })
}

/// Places of the factors with more than one level; none unless all sets have them.
fn varying(sets: &[SetRow]) -> impl Iterator<Item = usize> {
    let factors = sets.iter().map(|set| set.factors.len()).min().unwrap_or(0);
    let varies = move |at: &usize| sets.iter().any(|set| set.factors[*at] != sets[0].factors[*at]);
    (0..factors).filter(varies)
}

/// Levels of a set in some factors.
fn levels_of(set: &SetRow, factors: &[usize]) -> String {
    factors.iter().map(|&at| set.factors[at].level.as_str()).collect::<Vec<_>>().join(", ")
}

/// The measurement in a table of factors.
enum Figure {
    /// Elo under the limit that decides.
    Elo(Limit),
    /// The validation loss, where nothing was played and losses compare.
    Loss,
}

impl Figure {
    fn of(report: &Report, lineup: &Lineup<'_>) -> Option<Self> {
        match lineup.deciding() {
            Some(limit) => Some(Self::Elo(limit)),
            None => report.losses_compare().then_some(Self::Loss),
        }
    }

    fn title(&self, report: &Report) -> String {
        match self {
            Self::Elo(limit) if report.sets.iter().any(|set| set.over_peer.is_some()) => {
                format!("Elo over the reference's set on the same number of positions, {limit}")
            }
            Self::Elo(limit) => format!("Elo over {}, {limit}", report.reference),
            Self::Loss => "Validation loss".to_owned(),
        }
    }

    fn format(&self) -> Format {
        match self {
            Self::Elo(_) => Signed(1),
            Self::Loss => Number,
        }
    }

    fn cell(&self, report: &Report, entry: &Entry<'_>) -> Cell {
        let limit = match self {
            Self::Loss => return entry.set.validation_loss.into(),
            Self::Elo(limit) => *limit,
        };
        if entry.is_reference {
            return Cell::remark("reference");
        }
        let own = entry.result(limit).filter(|_| report.is_on_equal_data(entry.set));
        let over_peer = entry.set.over_peer.as_ref().map(|over| &over.elo);
        own.or(over_peer).map(|elo| Cell::from(elo.estimate).marked(elo.mark())).into()
    }
}

/// Caption of the table.
fn caption(table: &Table) -> String {
    let is_compared = |cell: &Cell| cell.mark.is_some_and(|mark| mark != Mark::Remark);
    let reads = "Each cell is one set of the table above.";
    match table.rows.iter().flat_map(|row| &row.cells).any(is_compared) {
        true => format!("{reads} ▲ better, ▼ worse, ≈ not separable, ? no verdict."),
        false => reads.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::model::GridFactor;
    use crate::page::tests::demo;
    use report::Value;
    use report::render::terminal;

    /// Three feature sets by three numbers of epochs.
    fn nine() -> Report {
        let mut report = demo::report();
        report.sets.truncate(3);
        let with = |epochs: u32| {
            move |mut set: SetRow| {
                let level = format!("epochs = {epochs}");
                let factor =
                    |name: &str, level: &str| GridFactor { name: name.into(), level: level.into() };
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
        let titles: Vec<&str> = table.columns.iter().map(|it| it.title.as_str()).collect();
        assert_eq!(titles, ["features", "epochs = 1", "epochs = 2", "epochs = 4"]);
        let levels: Vec<&Value> = table.cells(0).map(|cell| &cell.value).collect();
        let expected = ["ALL", "ALL + PV", "ALL + PH + PV"].map(|it| Value::Text(it.to_owned()));
        assert_eq!(levels, expected.iter().collect::<Vec<_>>());
        assert_eq!(table.rows[0].cells[1], Cell::remark("reference"));
        let rows = terminal::table(&table, None);
        assert!(rows.lines().nth(3).is_some_and(|row| row.contains("−24 ± 16 ▼")), "{rows}");
        let page = crate::page::of(&report).unwrap();
        let shown = terminal::page(&page, None);
        assert!(shown.contains("Elo over ALL · epochs = 1, 20 ms per move"), "{shown}");
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
