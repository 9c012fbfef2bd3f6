//! The loader alone, on one thread and on all.

use rayon::ThreadPool;

use measure::bench::loader::{self, LoaderCost};
use measure::bench::train::Setting;
use network::Compute;
use report::terminal::{self, Sheet};
use training::batch::{Example, Listing};
use training::noise::Noise;

pub(super) fn table(threads: usize) -> Sheet {
    let header = ["loader alone", "positions/s, 1 thread", "", "speed-up", "serial"];
    let mut header = header.map(str::to_owned);
    header[2] = format!("{threads} threads");
    terminal::table(header, 1)
}

/// Lists alone, with the inverse that graphics cards get, and, of sets whose features a card finds,
/// positions.
pub(super) fn rows(
    expression: &str,
    setting: Setting<'_>,
    [alone, all]: [&ThreadPool; 2],
    rounds: usize,
) -> Vec<Vec<String>> {
    let row = |(listing, contents)| {
        let cost = loader::time(setting, listing, alone, all, rounds);
        cells(format!("{expression}, {contents}"), setting.batch, cost)
    };
    let on_card = Listing::of(Compute::GPU, setting.features, Example::Position, Noise::default());
    let positions = matches!(on_card, Listing::OnCard(_)).then_some((on_card, "positions"));
    let lists = [(Listing::Rows, "lists"), (Listing::RowsAndInverse, "with inverse")];
    lists.into_iter().chain(positions).map(row).collect()
}

fn cells(name: String, batch: usize, cost: LoaderCost) -> Vec<String> {
    let speed = |seconds: f64| format!("{:.0}", batch as f64 / seconds);
    let percent = |fraction: f64| format!("{:.1} %", 100.0 * fraction);
    vec![
        name,
        speed(cost.alone.as_secs_f64()),
        speed(cost.together.as_secs_f64()),
        format!("{:.2}", cost.speed_up()),
        cost.serial_fraction().map_or("–".to_owned(), percent),
    ]
}
