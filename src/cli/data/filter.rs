//! `oplus data filter`: some of the games or positions.

use std::path::PathBuf;

use super::output::{LayoutFlags, finish};
use crate::cli::Failure;
use crate::cli::inputs::{check_not_read, each, tell_skipped};
use crate::data::{Candidate, DataError, DataWriter, Entry, Filter, Format, Game, ListedPosition};
use crate::report::format::grouped;

/// Write some of the games or positions
///
/// Games are kept whole or not at all. `--positions` writes single positions instead, those
/// that training with the same filter would see; they want a format of positions (`.txt`,
/// `.data`).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data filter games.pgn.zst long.oarc --min-plies 40 --finished --scored
  oplus data filter games.oarc quiet.data --positions quiet
  oplus data filter games.oarc late.txt --positions '{ base = \"quiet\", min_ply = 40 }'")]
pub struct Args {
    /// Files to read
    #[arg(required = true, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// File to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// Only games of so many plies or more
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    min_plies: usize,
    /// Only games of no more plies
    #[arg(long, value_name = "PLIES", default_value_t = usize::MAX, hide_default_value = true)]
    max_plies: usize,
    /// Only games whose result is known
    #[arg(long)]
    finished: bool,
    /// Only games with a score
    #[arg(long)]
    scored: bool,
    /// Single positions: a filter as in experiments (`quiet`, `none`, or a table)
    #[arg(long, value_name = "FILTER")]
    positions: Option<Filter>,
    #[command(flatten)]
    layout: LayoutFlags,
}

pub fn main(args: &Args) -> Result<(), Failure> {
    check_not_read(&args.from, &args.to)?;
    let has_games = Format::written_as(&args.to).is_some_and(Format::has_games);
    if args.positions.is_some() && has_games {
        return Err(Failure::usage(
            "--positions writes single positions: name a file of positions (.txt, .data)",
        ));
    }
    let mut writer = args.layout.create(&args.to)?;
    let mut dropped = 0u64;
    let skipped = each(&args.from, "filtering", &mut |entry| {
        match entry {
            Entry::Game(game) if !args.keeps(&game) => dropped += 1,
            Entry::Game(game) => match args.positions {
                Some(filter) => dropped += write_positions(&mut writer, &game, filter)?,
                None => writer.write_game(&game)?,
            },
            Entry::Position(listed) => match args.positions {
                Some(filter) if filter.judge(&listed.candidate()).is_some() => dropped += 1,
                _ => writer.write_position(&listed)?,
            },
        }
        Ok(())
    })?;
    tell_skipped(&skipped);
    println!("dropped: {}", grouped(dropped));
    finish(writer, &args.to)
}

impl Args {
    fn keeps(&self, game: &Game) -> bool {
        let is_scored = || game.moves.iter().any(|m| m.white_score.is_some());
        (self.min_plies..=self.max_plies).contains(&game.moves.len())
            && (!self.finished || game.result.is_some())
            && (!self.scored || is_scored())
    }
}

/// Writes what the filter leaves of a game; how many positions it drops.
fn write_positions(writer: &mut DataWriter, game: &Game, filter: Filter) -> Result<u64, DataError> {
    let (mut dropped, mut written) = (0, Ok(()));
    game.visit(|candidate| match filter.judge(candidate) {
        Some(_) => dropped += 1,
        None if written.is_ok() => written = writer.write_position(&listed(candidate)),
        None => {}
    });
    written.map(|()| dropped)
}

fn listed(candidate: &Candidate<'_>) -> ListedPosition {
    ListedPosition {
        position: candidate.position.clone(),
        ply: candidate.ply,
        played: candidate.played,
        white_score: candidate.white_score,
        result: candidate.result,
    }
}
