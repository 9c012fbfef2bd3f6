//! `oplus net diff`: two nets side by side.

use std::path::PathBuf;

use super::positions::PositionArgs;
use super::{line, load};
use crate::cli::Failure;
use crate::cli::inputs::UNPRINTED;
use crate::cli::output::print_json;
use crate::cli::progress::Progress;
use crate::cli::signals::stop_flag;
use base::Observer;
use base::format::{counted, fixed};
use nnue_tools::diff::{EvaluationDiff, NetDiff, ShapeDifference, TensorDiff};
use report::Format::{Count, Fixed, Percent, Text};
use report::{Column, Table};

/// Compare two nets: shape, weights, evaluations, provenance
///
/// Weights are compared in units of activation (those of the last layer in
/// centipawns), so nets of different scales can be; nets of different features
/// or layers are compared by their evaluations alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus net diff old.oplus new.oplus
  oplus net diff old.oplus new.oplus --data games.pgn.zst --positions 100000
  oplus net diff old.oplus new.oplus --json | jq .evaluations.mean")]
pub(super) struct NetDiffArgs {
    /// The first net file
    first: PathBuf,
    /// The second net file
    second: PathBuf,
    #[command(flatten)]
    positions: PositionArgs,
    /// Print the differences as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &NetDiffArgs) -> Result<(), Failure> {
    let (first, second) = (load(&args.first)?, load(&args.second)?);
    let mut progress = Progress::default();
    let positions = args.positions.draw(&mut progress)?;
    progress.begin("comparing evaluations", positions.len() as u64, "positions");
    let advance = &mut |done| progress.advance(done, "");
    let diff = NetDiff::new(&first, &second, &positions, advance, stop_flag()).ok_or(UNPRINTED)?;
    progress.end(&counted(positions.len() as u64, "position"));
    match args.json {
        true => print_json(&diff)?,
        false => print(&diff),
    }
    Ok(())
}

fn print(diff: &NetDiff) {
    let alike = match (diff.same, diff.tensors.is_some()) {
        (true, _) => "the same features, layers, scales and numbers",
        (false, true) => "the same features and layers",
        (false, false) => "other features or layers",
    };
    line("nets", alike);
    diff.shape.iter().for_each(print_difference);
    print_evaluations(&diff.evaluations);
    if let Some(tensors) = diff.tensors.as_deref().filter(|_| !diff.same) {
        println!("\n{}\n", weights(tensors));
    }
    match diff.provenance.as_slice() {
        [] => line("provenance", "the same"),
        differences => {
            println!("provenance");
            differences.iter().for_each(print_difference);
        }
    }
}

fn print_difference(difference: &ShapeDifference) {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
    println!("  {}", difference.key);
    println!("    1: {}", side(&difference.first));
    println!("    2: {}", side(&difference.second));
}

pub(super) fn print_evaluations(evaluations: &EvaluationDiff) {
    let correlation = evaluations.correlation.map_or("unknown".to_owned(), |r| fixed(r, 5));
    line(
        "evaluations",
        format_args!(
            "differ by {} cp on average, 99 % by at most {} cp; correlation {correlation}; {}",
            fixed(evaluations.mean, 2),
            evaluations.percentile_99,
            counted(evaluations.positions as u64, "position"),
        ),
    );
    if let Some(most) = evaluations.largest.as_ref().filter(|most| most.first != most.second) {
        line("", format_args!("most: {} and {} cp in {}", most.first, most.second, most.fen));
    }
}

fn weights(tensors: &[TensorDiff]) -> Table {
    let size = |key: &str, title: &str| Column::new(key, title, Fixed(4));
    Table::of("weights", "Weights", tensors)
        .column(Column::new("weights", "weights", Text), |it| it.name)
        .column(Column::new("numbers", "numbers", Count), |it| it.numbers)
        .column(Column::new("differing", "differing", Percent(1)), |it| it.differing)
        .column(size("mean_size", "mean size"), |it| it.mean_size)
        .column(size("mean", "mean difference"), |it| it.mean)
        .column(size("largest", "largest"), |it| it.largest)
        .table()
}
