//! `oplus features`: explains an expression.

mod explain;
mod list;
mod meaning;
mod position;
mod stats;

use std::path::PathBuf;

use serde::Serialize;

use super::Failure;
use super::define::names;
use super::inputs::check_not_read;
use super::{output, warnings};
use chess::Position;
use experiment::preflight;
use features::TrainedSet;

/// Explain a feature expression: blocks, sizes, index order, active features
///
/// --fen lists the active features of a position, --move the rows changed by a move in it,
/// --index the meaning and squares of a feature.
///
/// --stats counts active features, row updates per move and dead features on the positions of a
/// file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus features --list
  oplus features --list --json
  oplus features \"ALL + PH\"
  oplus features \"H + V\" --fen \"4k3/8/8/8/8/8/8/R3K3 w - - 0 1\"
  oplus features ALL --fen startpos --move e2e4           rows that a move adds and removes
  oplus features ALL --index 330                          in words, and on a board
  oplus features \"train KING-ALL + factors\"             trained and played rows
  oplus features \"CENTRE + ALL\" --define \"CENTRE=piece({d4, e4, d5, e5} * PIECES)\"
  oplus features \"ALL + PH\" --stats games.pgn.zst
  oplus features \"ALL + PH\" --stats openings.epd --positions 500 --searches 0 --json
  oplus features \"PH\" --stats games.pgn --top 200 --rows ph200.txt
  oplus features 'ALL + top(PH, \"ph200.txt\")'            the set selected by the file")]
pub(super) struct FeaturesArgs {
    /// The expression, such as "ALL + pair(FILES * PIECES * PIECES)"
    #[arg(required_unless_present = "list")]
    expression: Option<String>,
    /// Active features of a position (a FEN or `startpos`), for both perspectives
    #[arg(long, value_name = "FEN", requires = "expression")]
    fen: Option<String>,
    /// Changes by this move (e2e4, or Nf3) in the position
    #[arg(long = "move", value_name = "MOVE", requires = "fen", conflicts_with = "data")]
    played: Option<String>,
    /// Meaning of an index, with a board of its squares (repeatable)
    #[arg(long, value_name = "N", requires = "expression", conflicts_with_all = ["fen", "data"])]
    index: Vec<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Define a name for use in the expression (repeatable)
    #[arg(long, value_name = "NAME=EXPRESSION")]
    define: Vec<String>,
    /// List the named feature sets and schemes
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    stats: StatsArgs,
}

/// Statistics on real positions.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Statistics")]
struct StatsArgs {
    /// Statistics on positions of this file: an archive, PGN, viriformat, `FEN | score | result`, FEN
    /// or EPD, plain or .zst
    #[arg(long = "stats", value_name = "DATA", requires = "expression")]
    data: Option<PathBuf>,
    /// Maximum number of positions, drawn evenly from the whole file
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "data",
          value_parser = at_least_one())]
    positions: u64,
    /// Positions to search, with counts of the searched moves; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "data")]
    searches: u64,
    /// Nodes per search
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "data",
          value_parser = at_least_one())]
    nodes: u64,
    /// Seed of the draw
    #[arg(long, default_value_t = 1, requires = "data")]
    seed: u64,
    /// Write the most frequent K features to --rows
    #[arg(long, value_name = "K", requires_all = ["data", "rows"],
          value_parser = at_least_one())]
    top: Option<u64>,
    /// Output file of --top: one index per line, for `top(EXPRESSION, "FILE")`
    #[arg(long, value_name = "FILE", requires = "top")]
    rows: Option<PathBuf>,
}

fn at_least_one() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..)
}

pub(super) fn main(args: FeaturesArgs) -> Result<(), Failure> {
    if let Some(path) = &args.stats.rows {
        preflight::file("--rows", path)?;
        check_not_read(args.stats.data.as_slice(), path)?;
    }
    if let (true, true, Some(_)) = (args.list, args.json, &args.expression) {
        return Err(Failure::usage("--json takes either --list or an expression"));
    }
    if args.list {
        let listed = list::all()?;
        say(args.json, &listed, || list::text(&listed))?;
    }
    let Some(expression) = &args.expression else { return Ok(()) };
    let trained = TrainedSet::compile(expression, &names(&args.define)?)?;
    let set = trained.set();
    warnings::of_set(set);
    if !args.index.is_empty() {
        let features = meaning::of_all(set, &args.index)?;
        return say(args.json, &features, || meaning::text(&features));
    }
    let position = args.fen.as_deref().map(Position::named).transpose()?;
    if let Some((position, played)) = position.as_ref().zip(args.played.as_deref()) {
        let change = position::change(set, position, played)?;
        return say(args.json, &change, || position::text_of_change(&change));
    }
    // JSON is for programs: there is one answer.
    if let (true, Some(_), Some(_)) = (args.json, &position, &args.stats.data) {
        return Err(Failure::usage("--json takes either --fen or --stats"));
    }
    let about = explain::about(&trained);
    match (&position, &args.stats.data) {
        (_, Some(_)) if args.json => {}
        (Some(position), _) => {
            let active = position::active(set, position);
            let text = || explain::text(&about) + &position::text(&active, position);
            say(args.json, &active, text)?;
        }
        (None, _) => say(args.json, &about, || explain::text(&about))?,
    }
    match &args.stats.data {
        Some(data) => stats::main(set, data, args.json, &args.stats),
        None => Ok(()),
    }
}

/// Prints an answer for a program or for a person.
fn say(json: bool, answer: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
    match json {
        true => output::print_json(answer)?,
        false => print!("{}", text()),
    }
    Ok(())
}
