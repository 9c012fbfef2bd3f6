//! The loader alone, on one thread and on all.

use rayon::ThreadPool;

use measure::bench::loader::{self, LoaderCost};
use measure::bench::train::BenchSetting;
use network::Compute;
use report::Format::{Fixed, Percent, Text};
use report::{Column, Table};
use training::batch::{Example, Listing};
use training::noise::Noise;

/// A row for each expression and kind of list.
pub(super) fn table(rows: &[(String, LoaderCost)], batch: usize, threads: usize) -> Table {
    let speed = |key: &str, title: String| Column::new(key, title, Fixed(0)).unit("positions/s");
    let per_second = |seconds: f64| batch as f64 / seconds;
    Table::of("loaders", "The loader alone", rows)
        .column(Column::new("loader", "loader alone", Text), |(name, _)| name)
        .column(speed("alone", "1 thread".to_owned()), |(_, cost)| {
            per_second(cost.alone.as_secs_f64())
        })
        .column(speed("together", format!("{threads} threads")), |(_, cost)| {
            per_second(cost.together.as_secs_f64())
        })
        .column(Column::new("speed_up", "speed-up", Fixed(2)), |(_, cost)| cost.speed_up())
        .column(Column::new("serial", "serial", Percent(1)), |(_, cost)| cost.serial_fraction())
        .table()
}

/// Lists alone, with the inverse that graphics cards get, and, of sets whose features a card finds,
/// positions.
pub(super) fn times(
    expression: &str,
    setting: BenchSetting<'_>,
    [alone, all]: [&ThreadPool; 2],
    rounds: usize,
) -> Vec<(String, LoaderCost)> {
    let row = |(listing, contents)| {
        (format!("{expression}, {contents}"), loader::time(setting, listing, alone, all, rounds))
    };
    let on_card = Listing::of(Compute::GPU, setting.features, Example::Position, Noise::default());
    let positions = matches!(on_card, Listing::OnCard(_)).then_some((on_card, "positions"));
    let [own, of_card] =
        [setting.compute, Compute::GPU].map(|it| it.index_form(setting.features.size()));
    let lists = [(Listing::Rows(own), "lists"), (Listing::RowsAndInverse(of_card), "with inverse")];
    lists.into_iter().chain(positions).map(row).collect()
}
