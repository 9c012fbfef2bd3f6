//! `oplus data filter`: some of the games or positions.

use std::path::PathBuf;

use super::output::{LayoutFlags, finish};
use crate::cli::Failure;
use crate::cli::inputs::{Read, each, sources, tell_read};
use base::format::grouped;
use data::{
    CandidatePosition, DataError, DataWriter, DropCounts, Entry, EntryReader, FileFormat, Filter,
    Game, ListedPosition, StaticNet, place,
};

/// Write some of the games or positions
///
/// Games are kept whole or not at all. `--positions` writes single positions instead, those
/// that training with the same filter would see; they need a format that holds positions (`.txt`,
/// `.data`, `.bin`, `.plain`, `.binpack`).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data filter games.pgn.zst long.oarc --min-plies 40 --finished --scored
  oplus data filter games.oarc quiet.data --positions quiet
  oplus data filter games.oarc quiet.binpack --positions quiet
  oplus data filter games.oarc late.txt --positions '{ base = \"quiet\", min_ply = 40 }'")]
pub(super) struct DataFilterArgs {
    /// Files to read
    #[arg(required = true, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// File to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// Fewest plies of a game
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    min_plies: usize,
    /// Most plies of a game
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

pub(super) fn main(args: &DataFilterArgs) -> Result<(), Failure> {
    let from = sources(&args.from, &[&args.to])?;
    let is_refused = |format: FileFormat| args.positions.is_some() && !format.holds_positions();
    if FileFormat::written_as(&args.to).is_some_and(is_refused) {
        return Err(Failure::usage(
            "--positions writes single positions: name a file that holds them (.txt, .data, .bin, \
             .plain, .binpack)",
        ));
    }
    if let Some(filter) = &args.positions {
        check_served(&from, filter)?;
    }
    let open = |filter: &Filter| filter.clone().open().map_err(Failure::from);
    let filter = args.positions.as_ref().map(open).transpose()?;
    let mut writer = args.layout.create(&args.to)?;
    let mut dropped = Dropped::default();
    let read = each(&from, "filtering", &mut |entry| {
        match entry {
            Entry::Game(game) if !args.keeps(&game) => {
                dropped.games += 1;
                dropped.positions_of_games += game.moves.len() as u64;
            }
            Entry::Game(game) => match &filter {
                Some(filter) => write_positions(&mut writer, &game, filter, &mut dropped.rules)?,
                None => writer.write_game(&game)?,
            },
            Entry::Position(listed) if !args.keeps_listed(&listed) => dropped.listed += 1,
            Entry::Position(listed) => {
                match filter.as_ref().and_then(|filter| filter.judge(&listed.candidate())) {
                    Some(rule) => dropped.rules.add(rule),
                    None => writer.write_position(&listed)?,
                }
            }
        }
        Ok(())
    })?;
    tell_read(&read);
    args.tell_unjudged(&read);
    dropped.tell();
    let is_empty = writer.written().is_empty();
    let finished = finish(writer, &args.to, &read);
    if is_empty { finished.map_err(|failure| dropped.advise(failure)) } else { finished }
}

/// Checks that the files have the data that the filter needs.
fn check_served(files: &[PathBuf], filter: &Filter) -> Result<(), Failure> {
    for path in files.iter().filter(|path| !place::is_read_once(path)) {
        let format = EntryReader::open(path)?.format();
        filter.check_served(path, format)?;
    }
    Ok(())
}

/// Counts of dropped games and positions.
#[derive(Default)]
struct Dropped {
    games: u64,
    /// Positions of these games.
    positions_of_games: u64,
    /// Positions of lists, by the flags that are for games too.
    listed: u64,
    /// Single positions, by the rules of the filter.
    rules: DropCounts,
}

impl Dropped {
    fn tell(&self) {
        let Self { games, positions_of_games, listed, rules } = self;
        if *games > 0 {
            println!(
                "dropped: {} games, {} positions",
                grouped(*games),
                grouped(*positions_of_games)
            );
        }
        if *listed > 0 {
            println!("dropped: {} positions without a result or score", grouped(*listed));
        }
        if rules.total() > 0 {
            println!("dropped: {} positions ({rules})", grouped(rules.total()));
        }
        if games + listed + rules.total() == 0 {
            println!("dropped: nothing");
        }
    }

    /// Adds advice to the failure if the filter dropped everything.
    fn advise(&self, failure: Failure) -> Failure {
        match (failure, self.rules.main_rule()) {
            (Failure::Failed(report), Some(rule)) => {
                Failure::message(format!("{report}. {}", rule.advice()))
            }
            (failure, _) => failure,
        }
    }
}

impl DataFilterArgs {
    fn keeps(&self, game: &Game) -> bool {
        let is_scored = || game.moves.iter().any(|m| m.white_score.is_some());
        (self.min_plies..=self.max_plies).contains(&game.moves.len())
            && (!self.finished || game.result.is_some())
            && (!self.scored || is_scored())
    }

    fn keeps_listed(&self, listed: &ListedPosition) -> bool {
        (!self.finished || listed.result.is_some())
            && (!self.scored || listed.white_score.is_some())
    }

    /// Prints the flags without data to judge by.
    fn tell_unjudged(&self, read: &Read) {
        let asks_for_plies = self.min_plies > 0 || self.max_plies < usize::MAX;
        if asks_for_plies && read.listed > 0 {
            eprintln!(
                "warning: --min-plies and --max-plies are about games; {} positions without a \
                 game were not judged by them",
                grouped(read.listed)
            );
        }
    }
}

/// Writes the positions of a game that pass the filter, and counts the others.
fn write_positions(
    writer: &mut DataWriter,
    game: &Game,
    filter: &Filter<StaticNet>,
    dropped: &mut DropCounts,
) -> Result<(), DataError> {
    let mut written = Ok(());
    CandidatePosition::visit(game, |candidate| match filter.judge(candidate) {
        Some(rule) => dropped.add(rule),
        None if written.is_ok() => written = writer.write_position(&listed(candidate)),
        None => {}
    });
    written
}

fn listed(candidate: &CandidatePosition<'_>) -> ListedPosition {
    ListedPosition {
        position: candidate.position.clone(),
        ply: candidate.ply,
        played: candidate.played,
        white_score: candidate.white_score,
        depth: candidate.depth,
        result: candidate.result,
    }
}
