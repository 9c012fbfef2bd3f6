//! The table of results: strength, its explanation, cost.

use super::intervals;
use super::lineup::{Entry, Lineup};
use super::model::{Report, SetRow};
use crate::unique::unique;
use arena::Limit;
use base::format::grouped;
use report::Format::{Count, Number, Percent, Signed, Text, Thousands};
use report::table::Readers;
use report::{Cell, Column, Mark, Table, TableOf};

/// A row for each set, the strongest first; every axis of the grid has a column in CSV and JSON.
pub(super) fn table(report: &Report, lineup: &Lineup<'_>) -> Table {
    let table = Table::of("results", "Results", &lineup.entries)
        .column(Column::new("set", "feature set", Text), |it| &it.label)
        .column(Column::new("features", "", Text).for_programs(), |it| &it.set.features)
        .column(Column::new("variant", "", Text).for_programs(), |it| &it.set.variant)
        .columns(
            axes(report),
            |axis| Column::new(*axis, "", Text).for_programs(),
            |it, axis| setting(it.set, axis),
        )
        .column(Column::new("is_reference", "", Text).for_programs(), |it| it.is_reference);
    let table = lineup.limits.iter().fold(table, |table, limit| with_elo(table, report, *limit));
    let table = with_expectation(table, report);
    with_costs(with_accuracy(table, report), report, lineup)
        .column(Column::new("inputs", "features", Count).means("Rows of the first layer"), |it| {
            it.set.size
        })
        .column(Column::new("seeds", "seeds", Count), |it| it.set.runs.len())
        .column(Column::new("verdict", "", Text).for_programs(), |it| {
            it.set.pays.map(|pays| pays.to_string())
        })
        .swatches(|it| it.style)
        .reference(|it| it.is_reference)
        .notes(intervals::of(report, lineup))
        .caption(match lineup.limits.is_empty() {
            true => String::new(),
            false => format!("{}.", Mark::legend(&report.reference)),
        })
        .summary()
        .wide()
        .table()
}

type Entries<'a> = TableOf<&'a Entry<'a>>;

fn with_elo<'a>(table: Entries<'a>, report: &Report, limit: Limit) -> Entries<'a> {
    let slug = limit.slug();
    let elo = |it: &Entry<'_>| match it.result(limit) {
        Some(elo) => Cell::from(elo.estimate).marked(elo.mark()),
        None if it.is_reference => Cell::remark("reference"),
        None => Cell::default(),
    };
    table
        .column(
            Column::estimate(format!("elo_{slug}"), format!("Elo, {limit}"), Signed(1))
                .means(&format!("Over {}, logistic", report.reference)),
            elo,
        )
        .column(Column::new(format!("games_{slug}"), "", Count).for_programs(), |it| {
            it.result(limit).map(|elo| elo.games)
        })
}

fn with_expectation<'a>(table: Entries<'a>, report: &Report) -> Entries<'a> {
    let table = table.column(
        Column::estimate("elo_expected_on_the_clock", "Elo, expected on the clock", Signed(1)),
        |it| it.set.expected,
    );
    match report.price {
        None => table,
        Some(price) => table
            .column(Column::estimate("price_of_time", "", Signed(1)).for_programs(), |it| {
                it.is_reference.then_some(price)
            }),
    }
}

fn with_accuracy<'a>(table: Entries<'a>, report: &Report) -> Entries<'a> {
    let loss = match report.losses_compare() {
        true => "validation loss",
        false => "validation loss, not comparable",
    };
    let puzzles = report
        .puzzles
        .as_ref()
        .map_or("puzzles".to_owned(), |suite| format!("puzzles, {} nodes", grouped(suite.nodes)));
    table
        .column(Column::estimate("validation_loss", loss, Number), |it| it.set.validation_loss)
        .column(Column::estimate("puzzle_accuracy", puzzles, Percent(1)), |it| {
            it.set.puzzle_accuracy
        })
        .column(Column::estimate("one_ply_accuracy", "puzzles, one ply", Percent(1)), |it| {
            it.set.one_ply
        })
}

fn with_costs<'a>(table: Entries<'a>, report: &Report, lineup: &Lineup<'_>) -> Entries<'a> {
    let timed_on = match lineup.is_timed_in_games() {
        true => "each net on its own tree of the moves of games",
        false => "on the same search tree",
    };
    let cost = |it: &Entry<'_>| match it.is_reference && it.set.nodes_per_second.is_some() {
        true => Cell::remark("1"),
        false => it.set.cost.into(),
    };
    table
        .column(
            Column::estimate("nodes_per_second", "nodes/s", Thousands)
                .means("The median of the rounds, on one thread"),
            |it| it.set.nodes_per_second,
        )
        .column(
            Column::estimate("cost", "time per node", Number)
                .means(&format!("Relative to the reference, {timed_on}")),
            cost,
        )
        .columns(
            figures(report),
            |column| Column::clone(column),
            |it, column| it.set.figure(&column.key),
        )
}

/// Columns of the figures of sets; people see those that any set shows them.
fn figures(report: &Report) -> Vec<&Column> {
    let mut columns: Vec<&Column> = Vec::new();
    for (column, _) in report.sets.iter().flat_map(|set| &set.figures) {
        match columns.iter_mut().find(|known| known.key == column.key) {
            None => columns.push(column),
            Some(known) if column.readers == Readers::All => *known = column,
            Some(_) => {}
        }
    }
    columns
}

/// Keys that the grid varies beside features, in the order in which sets name them.
pub(super) fn axes(report: &Report) -> Vec<&str> {
    unique(report.sets.iter().flat_map(|set| &set.settings).map(|(key, _)| key.as_str()))
}

/// The value of a key in a set; empty where it is not varied.
pub(super) fn setting<'a>(set: &'a SetRow, axis: &str) -> &'a str {
    let found = set.settings.iter().find(|(key, _)| key == axis);
    found.map_or("", |(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::demo;
    use base::Estimate;

    fn rows(table: &Table) -> (csv::StringRecord, Vec<csv::StringRecord>) {
        let bytes = report::render::csv::sheet(table).expect("a sheet");
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let header = reader.headers().expect("a header").clone();
        (header, reader.records().map(|row| row.expect("a row")).collect())
    }

    #[test]
    fn results_read_back_to_the_same_numbers() {
        let mut report = demo::report();
        report.sets[1].features = "comma, \"quote\"\nand line".to_owned();
        report.sets[2].elo[0].estimate = Estimate::new(f64::INFINITY, 320.123456789, f64::INFINITY);
        let lineup = Lineup::of(&report);
        let (header, rows) = rows(&table(&report, &lineup));
        let column = |name: &str| header.iter().position(|cell| cell == name).expect("the column");
        assert_eq!(rows.len(), report.sets.len());
        for (entry, row) in lineup.entries.iter().zip(&rows) {
            assert_eq!(row[column("features")], entry.set.features);
            let elo = entry.set.elo_at(demo::NODES).map(|elo| elo.estimate);
            let read = row[column("elo_nodes_1000")].parse().ok();
            assert_eq!(read, elo.map(|elo| elo.value));
            let high = row[column("validation_loss_high")].parse().ok();
            assert_eq!(high, entry.set.validation_loss.map(|loss| loss.high));
            let updates = row[column("accumulator_updates_per_node")].parse();
            let updates = updates.map_or_else(|_| Cell::default(), |rows: f64| rows.into());
            assert_eq!(updates, entry.set.figure("accumulator_updates_per_node"));
            assert!(!updates.is_missing());
            let price = row[column("price_of_time")].parse().ok();
            assert_eq!(price, report.price.filter(|_| entry.is_reference).map(|it| it.value));
            assert_eq!(&row[column("is_reference")], entry.is_reference.to_string());
        }
    }

    #[test]
    fn axes_have_columns() {
        let mut report = demo::report();
        for (set, epochs) in report.sets.iter_mut().zip(["8", "16"]) {
            set.settings = vec![("training.epochs".to_owned(), epochs.to_owned())];
        }
        let (header, rows) = rows(&table(&report, &Lineup::of(&report)));
        let axis = header.iter().position(|cell| cell == "training.epochs").expect("an axis");
        let epochs: std::collections::BTreeSet<&str> = rows.iter().map(|row| &row[axis]).collect();
        assert!(epochs.contains("8") && epochs.contains("16"), "{epochs:?}");
    }
}
