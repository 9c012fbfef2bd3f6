//! `oplus train --find-rate`: learning rates tried on a net that nobody keeps.

use std::path::Path;

use super::Failure;
use super::progress::Progress;
use super::signals::stop_flag;
use base::Observer;
use base::format::significant;
use report::rates::{self, RateCurve, RatePoint};
use report::terminal;
use training::{RateRange, RateTest, TrainingJob, Try, find_rate};

/// Rows of the table for each decade of rates.
const ROWS_PER_DECADE: f64 = 3.0;

/// Tries the rates, shows what came of it and writes the sheet and the plot into `out`.
pub(super) fn main(
    job: &TrainingJob<'_>,
    range: RateRange,
    title: &str,
    out: &Path,
    progress: &mut Progress,
) -> Result<(), Failure> {
    // What training leaves where it works goes with this folder.
    let scratch = tempfile::tempdir()?;
    let job = TrainingJob { dir: scratch.path(), ..job.clone() };
    progress.begin(&format!("trying rates on {title}"), range.steps().into(), "steps");
    let mut watch = |step: u32, at: &Try| progress.advance(step.into(), &at.to_string());
    let found = find_rate(&job, range, &mut watch, stop_flag())?;
    let Some(test) = found else { return Err(Failure::Interrupted("nothing was written")) };
    progress.end(&format!("{} steps", test.tries().len()));
    println!("{}", told(&test));
    for path in rates::write(&curve(&test, title), out)? {
        println!("{}", path.display());
    }
    Ok(())
}

/// The losses at some of the rates, and what they say.
fn told(test: &RateTest) -> String {
    let mut table = terminal::compact(["learning rate", "loss"], 0);
    let mut row = None;
    for Try { rate, smoothed, .. } in test.tries() {
        let this = (rate.log10() * ROWS_PER_DECADE).round() as i64;
        if row.replace(this) != Some(this) {
            table.add_row([format!("{rate:.1e}"), significant(*smoothed)]);
        }
    }
    let end = match test.blew_up() {
        true => "the loss flew up at the end",
        false => "the highest rate was reached before the loss flew up",
    };
    let lowest = test.lowest().map_or(String::new(), |lowest| {
        format!("; it was lowest, {}, at {:.1e}", significant(lowest.smoothed), lowest.rate)
    });
    let advice = match test.recommended() {
        Some(rate) => format!("begin with a learning rate of {rate}: --learning-rate {rate}"),
        None => "the loss hardly fell at any rate: there is none to recommend".to_owned(),
    };
    format!("{table}\n{end}{lowest}\n{advice}")
}

fn curve(test: &RateTest, title: &str) -> RateCurve {
    let point = |&Try { rate, loss, smoothed }: &Try| RatePoint { rate, loss, smoothed };
    let points = test.tries().iter().map(point).collect();
    RateCurve { title: title.to_owned(), points, recommended: test.recommended() }
}
