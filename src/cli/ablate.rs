//! `oplus ablate`: what each part of the search is worth.

use std::path::PathBuf;
use std::sync::Mutex;

use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};

use super::progress::{Progress, stop_flag};
use super::{Failure, uci};
use crate::arena::{
    EnginePlayer, GameRules, Identity, Openings, PairingResult, Player, PlayerId, Schedule,
    TournamentConfig, TournamentResult, play_tournament,
};
use crate::engine::{Limits, Technique, Techniques};
use crate::experiment::Observer;

/// Play the engine without a part of its search against the whole
///
/// Every part is a switch. All matches are played from the same openings, each
/// with both colours; the table says what the whole engine gains by the part.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus ablate                                     every part, PeSTO's tables, 3000 nodes a move
  oplus ablate null-move late-move-reduction --games 1000
  oplus ablate --net runs/quickstart/RUN/net.oplus --movetime 20
  oplus ablate --list                              the parts and what they do")]
pub struct Args {
    /// Parts to leave out, one at a time; all if none are named
    #[arg(hide_possible_values = true)]
    parts: Vec<Technique>,
    /// Say what parts there are
    #[arg(long)]
    list: bool,
    /// The net; without one the engine evaluates with PeSTO's tables
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Nodes per move
    #[arg(long, default_value_t = 3_000, conflicts_with = "movetime")]
    nodes: u64,
    /// Milliseconds per move instead, so that parts pay for the time they take
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// Games for each part; rounded up to whole pairs
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep a log, so that a stopped run goes on
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

pub fn main(args: Args) -> Result<(), Failure> {
    if args.list {
        return list();
    }
    let parts = match args.parts.as_slice() {
        [] => Technique::value_variants(),
        some => some,
    };
    let result = play(&args, parts)?;
    println!("{}", table(parts, &result));
    match result.is_complete() {
        true => Ok(()),
        false => Err(Failure::Stopped("with --log it goes on when called again")),
    }
}

fn list() -> Result<(), Failure> {
    let width = Technique::value_variants().iter().map(|part| part.to_string().len()).max();
    for part in Technique::value_variants() {
        let help = part.to_possible_value().and_then(|value| value.get_help().cloned());
        println!("{:2$}  {}", part.to_string(), help.unwrap_or_default(), width.unwrap_or(0));
    }
    Ok(())
}

/// The whole engine against each of those that lack a part.
fn play(args: &Args, parts: &[Technique]) -> Result<TournamentResult, Failure> {
    let net = uci::load(args.net.as_deref()).map_err(Failure::from_error)?;
    let limits = match args.movetime {
        Some(ms) => Limits::movetime(std::time::Duration::from_millis(ms)),
        None => Limits::nodes(args.nodes),
    };
    let pairs = args.games.div_ceil(2);
    let openings = Openings::random(args.seed, pairs, 8, None).and_then(|all| all.take(pairs));
    let config = TournamentConfig {
        identity: identity(args, parts),
        openings: openings.map_err(Failure::from_error)?,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let stop = stop_flag();
    let make_player = |PlayerId(i): PlayerId| -> Box<dyn Player + '_> {
        let left_out = i.checked_sub(1).and_then(|i| parts.get(i));
        let techniques = left_out.map_or(Techniques::ALL, |&part| Techniques::ALL.without(part));
        let player = EnginePlayer::new(uci::make(&net), 8, limits.clone(), stop);
        Box::new(player.with_techniques(techniques))
    };
    let progress = Mutex::new(Progress::default());
    let show = |what: &dyn Fn(&mut Progress)| {
        if let Ok(mut progress) = progress.lock() {
            what(&mut progress);
        }
    };
    show(&|p| p.begin("ablation", (2 * pairs * parts.len()) as u64, "games"));
    let mut on_game = |at: crate::arena::Progress<'_>| show(&|p| p.advance(at.finished as u64, ""));
    let result = play_tournament(&config, &make_player, args.log.as_deref(), &mut on_game, stop);
    show(&|p| p.end(""));
    result.map_err(Failure::from_error)
}

fn identity(args: &Args, parts: &[Technique]) -> Identity {
    let without = parts.iter().map(|part| format!("without {part}"));
    let limit = args.movetime.map_or(format!("{} nodes", args.nodes), |ms| format!("{ms} ms"));
    let net = args.net.as_ref().map_or("pesto".to_owned(), |net| net.display().to_string());
    let settings = [("limit", limit), ("net", net), ("seed", args.seed.to_string())];
    Identity {
        players: std::iter::once("whole".to_owned()).chain(without).collect(),
        schedule: Schedule::Gauntlet(PlayerId(0)),
        rules: GameRules::default(),
        settings: settings.map(|(key, value)| (key.to_owned(), value)).into(),
    }
}

fn table(parts: &[Technique], result: &TournamentResult) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["part", "Elo it adds", "95 %", "won", "drawn", "lost"]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut rows: Vec<(&Technique, &PairingResult)> = parts.iter().zip(&result.pairings).collect();
    let score = |pairing: &PairingResult| pairing.games.wins as i64 - pairing.games.losses as i64;
    rows.sort_by_key(|(_, pairing)| std::cmp::Reverse(score(pairing)));
    for (part, pairing) in rows {
        let (elo, interval) = match pairing.pentanomial.elo() {
            Some(elo) => {
                (format!("{:+.0}", elo.value), format!("{:+.0} to {:+.0}", elo.low, elo.high))
            }
            None => ("?".to_owned(), "?".to_owned()),
        };
        let games = &pairing.games;
        table.add_row([
            part.to_string(),
            elo,
            interval,
            games.wins.to_string(),
            games.draws.to_string(),
            games.losses.to_string(),
        ]);
    }
    table
}
