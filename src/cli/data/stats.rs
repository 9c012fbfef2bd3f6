//! `oplus data stats`: files side by side.

use std::path::PathBuf;

use crate::cli::Failure;
use crate::cli::inputs::{check_not_empty, inspected};
use base::format::grouped;
use data::inspect::Inspection;
use data::place;

/// Compare files of games or positions: one line each
///
/// `oplus data inspect` shows more of one file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data stats *.oarc *.pgn.zst")]
pub(super) struct DataStatsArgs {
    /// Files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

const COLUMNS: [&str; 9] = [
    "games",
    "positions",
    "plies/game",
    "bytes/pos",
    "scored",
    "drawn",
    "in check",
    "again",
    "scale",
];

pub(super) fn main(args: &DataStatsArgs) -> Result<(), Failure> {
    let mut empty = Vec::new();
    for (at, path) in place::expand(&args.files)?.iter().enumerate() {
        let found = inspected(path)?;
        if at == 0 {
            print!("{:32}", "");
            COLUMNS.iter().for_each(|name| print!(" {name:>11}"));
            println!();
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        print!("{name:32}");
        cells(&found).iter().for_each(|cell| print!(" {cell:>11}"));
        println!();
        if found.skipped > 0 {
            eprintln!("{}: not read: {}", path.display(), grouped(found.skipped));
            found.first_skipped.iter().for_each(|message| eprintln!("  {message}"));
        }
        if found.games.unwrap_or(found.positions) == 0 {
            empty.push(path.clone());
        }
    }
    check_not_empty(&empty)
}

fn cells(found: &Inspection) -> [String; 9] {
    let positions = found.positions.max(1) as f64;
    let share = |count: u64| format!("{:.1} %", 100.0 * count as f64 / positions);
    let none = || "–".to_owned();
    let per_game = |games: u64| format!("{:.1}", positions / games.max(1) as f64);
    [
        found.games.map_or_else(none, grouped),
        grouped(found.positions),
        found.games.map_or_else(none, per_game),
        format!("{:.2}", found.bytes as f64 / positions),
        share(found.positions - found.unscored),
        share(found.results[1]),
        share(found.checks),
        share(found.duplicates),
        found
            .agreement
            .as_ref()
            .map_or_else(none, |agreement| format!("{:.0} cp", agreement.scale)),
    ]
}
