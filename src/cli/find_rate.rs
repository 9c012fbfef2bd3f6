//! `oplus train --find-rate`: a range test of learning rates.

use std::path::{Path, PathBuf};

use super::Failure;
use super::signals::stop_flag;
use base::format::significant;
use base::{Observer, write_atomically};
use report::Format::{Number, Text};
use report::plot::rates::{RateCurve, RatePoint, draw};
use report::render::csv;
use report::{Column, Table};
use training::{RateRange, RateTest, TrainingRun, Try};

/// Rows of the table for each decade of rates.
const ROWS_PER_DECADE: f64 = 3.0;

/// Tries the rates, prints the losses and writes the sheet and the plot into the folder of the run.
pub(super) fn main(
    run: TrainingRun<'_>,
    range: RateRange,
    title: &str,
    observer: &mut dyn Observer,
) -> Result<(), Failure> {
    let out = run.folder;
    // A run in the folder keeps its files.
    let scratch = tempfile::tempdir()?;
    let stage = format!("learning-rate search on {title}");
    let run = TrainingRun { stage, folder: scratch.path(), ..run };
    let Some(test) = run.find_rate(range, observer, stop_flag())? else {
        return Err(Failure::Interrupted("nothing was written"));
    };
    println!("{}", summary(&test));
    for path in write(&test, title, out)? {
        println!("{}", path.display());
    }
    Ok(())
}

/// Losses at some of the rates, and the recommended one.
fn summary(test: &RateTest) -> String {
    let mut row = None;
    let is_shown = |at: &&Try| {
        let this = (at.rate.log10() * ROWS_PER_DECADE).round() as i64;
        row.replace(this) != Some(this)
    };
    let table = Table::of("", "Losses", test.tries().iter().filter(is_shown))
        .column(Column::new("", "learning rate", Text), |at| format!("{:.1e}", at.rate))
        .column(Column::new("", "loss", Number), |at| at.smoothed)
        .table();
    let end = match test.blew_up() {
        true => "the loss diverged at the end",
        false => "the highest rate was reached before the loss diverged",
    };
    let lowest = test.lowest().map_or(String::new(), |lowest| {
        format!("; its minimum is {}, at {:.1e}", significant(lowest.smoothed), lowest.rate)
    });
    let advice = match test.recommended() {
        Some(rate) => format!("recommended learning rate {rate}: --learning-rate {rate}"),
        None => "the loss hardly fell at any rate: no recommendation".to_owned(),
    };
    format!("{table}\n{end}{lowest}\n{advice}")
}

/// Writes the sheet of all steps and the plot.
fn write(test: &RateTest, title: &str, out: &Path) -> Result<[PathBuf; 2], Failure> {
    let plot = draw(&curve(test, title))?;
    let sheet = csv::sheet(&steps(test))?;
    std::fs::create_dir_all(out)?;
    let paths = ["rates.csv", "rates.svg"].map(|name| out.join(name));
    let svg = plot.standalone();
    for (path, bytes) in paths.iter().zip([&sheet[..], svg.as_bytes()]) {
        write_atomically(path, &[bytes])?;
    }
    Ok(paths)
}

fn steps(test: &RateTest) -> Table {
    Table::of("rates", "Losses", test.tries())
        .column(Column::new("learning_rate", "learning rate", Number), |at| at.rate)
        .column(Column::new("loss", "loss", Number), |at| at.loss)
        .column(Column::new("smoothed", "running mean", Number), |at| at.smoothed)
        .table()
}

fn curve(test: &RateTest, title: &str) -> RateCurve {
    let point = |&Try { rate, loss, smoothed }: &Try| RatePoint { rate, loss, smoothed };
    let points = test.tries().iter().map(point).collect();
    RateCurve { title: title.to_owned(), points, recommended: test.recommended() }
}
