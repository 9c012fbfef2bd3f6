//! `oplus net check`: whether a net is sound.

use std::path::PathBuf;
use std::sync::Arc;

use super::positions::PositionArgs;
use super::{line, load};
use crate::cli::Failure;
use crate::cli::inputs::UNPRINTED;
use crate::cli::output::print_json;
use crate::cli::progress::Progress;
use crate::cli::signals::stop_flag;
use base::Observer;
use base::format::{counted, fixed, signed};
use nnue_tools::check::{Evaluations, NetCheck, Walk, WalkBegin, Walked};
use report::Format::{Count, Percent, Text};
use report::{Column, Table};

/// Check a net: its sums, its neurons, its evaluations
///
/// Reads the file (checksum, sizes, feature set), looks at real positions, and plays random games,
/// from the usual start, of Chess960 and from endings, to see that accumulators which follow the
/// moves are those computed from scratch. Errors are listed last, with exit code 1; oddities that
/// are harmless (dead neurons, numbers at the edge of their type) are no errors.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus net check net.oplus
  oplus net check net.oplus --data games.pgn.zst --positions 100000
  oplus net check net.oplus --json")]
pub(super) struct NetCheckArgs {
    /// The net file
    file: PathBuf,
    #[command(flatten)]
    positions: PositionArgs,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &NetCheckArgs) -> Result<(), Failure> {
    let net = Arc::new(load(&args.file)?);
    let mut progress = Progress::default();
    let positions = args.positions.draw(&mut progress)?;
    progress.begin("checking on positions", positions.len() as u64, "positions");
    let advance = &mut |done| progress.advance(done, "");
    let check = NetCheck::new(&net, &positions, advance, stop_flag()).ok_or(UNPRINTED)?;
    progress.end(&counted(positions.len() as u64, "position"));
    match args.json {
        true => print_json(&check)?,
        false => print(&check),
    }
    match check.wrong.as_slice() {
        [] => Ok(()),
        wrong => {
            let file = args.file.display();
            Err(Failure::message(format!(
                "{file}: {}; train or quantise it again",
                wrong.join("; ")
            )))
        }
    }
}

fn print(check: &NetCheck) {
    line("file", "checksum, sizes and feature set are good");
    let (peak, limit) = (&check.peak, check.accumulator_limit);
    let share = 100.0 * peak.sum.abs() as f64 / limit as f64;
    line(
        "accumulators",
        format_args!(
            "at most {} of {limit} ({} %), neuron {}, in {}",
            peak.sum.abs(),
            fixed(share, 1),
            peak.neuron,
            peak.fen
        ),
    );
    print_walk(&check.walk);
    let silent = counted(check.silent_features as u64, "feature");
    line("rows", format_args!("{silent} with a row of zeros"));
    print_evaluations(&check.evaluations);
    if !check.layers.is_empty() {
        println!("\n{}\n", layers(check));
    }
    check.odd.iter().for_each(|odd| line("odd", odd));
    if check.wrong.is_empty() {
        line("result", "nothing is wrong");
    }
}

fn print_walk(walk: &Walk) {
    let walked = counted(walk.positions, "position");
    match &walk.mismatch {
        None => line("random games", format_args!("{walked}, incremental = from scratch")),
        Some(_) => line("random games", "incremental and from scratch differ"),
    }
    for Walked { begin, games, positions } in &walk.games {
        let begin = match begin {
            WalkBegin::Usual => "the usual start",
            WalkBegin::Chess960 => "starts of Chess960",
            WalkBegin::Ending => "endings",
        };
        let (games, positions) = (counted(*games, "game"), counted(*positions, "position"));
        line("", format_args!("{games} from {begin}: {positions}"));
    }
}

fn print_evaluations(evaluations: &Evaluations) {
    let (mean, deviation) = (signed(evaluations.mean, 1), fixed(evaluations.deviation, 1));
    let positions = counted(evaluations.positions as u64, "position");
    line("evaluations", format_args!("mean {mean} cp, deviation {deviation} cp, of {positions}"));
    let [least, p1, p25, p50, p75, p99, most] = evaluations.quantiles;
    line(
        "",
        format_args!(
            "{least} | 1 % {p1} | 25 % {p25} | 50 % {p50} | 75 % {p75} | 99 % {p99} | {most}"
        ),
    );
    for (name, evaluated) in
        [("smallest", &evaluations.smallest), ("largest", &evaluations.largest)]
    {
        if let Some(evaluated) = evaluated {
            line("", format_args!("{name} {} cp: {}", evaluated.centipawns, evaluated.fen));
        }
    }
}

fn layers(check: &NetCheck) -> Table {
    Table::of("layers", "Layers", &check.layers)
        .column(Column::new("layer", "layer", Text), |it| it.name.to_string())
        .column(Column::new("neurons", "neurons", Count), |it| it.neurons)
        .column(Column::new("dead", "dead", Count), |it| it.dead)
        .column(Column::new("stuck", "always full", Count), |it| it.stuck)
        .column(Column::new("active", "fires", Percent(1)), |it| it.active)
        .column(Column::new("full", "full", Percent(1)), |it| it.full)
        .table()
}
