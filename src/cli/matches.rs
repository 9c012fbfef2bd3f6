//! `oplus match`: two players against each other.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::progress::stop_flag;
use super::{Failure, games};
use crate::arena::contender::{Contender, ContenderError, Settings, Spending, Terms};
use crate::arena::{
    BookOrder, GameRules, Identity, Opening, Openings, PairingResult, Player, PlayerId, Schedule,
    TimeControl, TournamentConfig, write_pgn,
};

/// Play two nets or engines against each other
///
/// A player is a net file (`.oplus`), `bundled` (the net that comes with the
/// program), `pesto`, `material`, or the command of a UCI engine. Each opening is
/// played twice with colours swapped; the interval counts pairs. Without engines
/// and clocks the same seed plays the same games at any number of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus match new.oplus old.oplus
  oplus match new.oplus pesto --games 1000 --nodes 5000 --pgn games.pgn
  oplus match new.oplus old.oplus --openings UHO_4060_v4.epd.zst
  oplus match pesto stockfish --tc 1+0.02 --second \"option.Skill Level=6\" --second option.Threads=1
  oplus match new.oplus glaurung --first nodes=20000 --second movetime=100 \\
      --second option.Threads=1 --second option.OwnBook=false
  oplus match \"uci:oplus uci --net new.oplus\" pesto --movetime 10

Settings of one player (--first, --second), as many as needed:
  name=TEXT         in the results and the PGN; an engine's own name otherwise
  nodes=N depth=N   limits of each move, instead of those of the match
  tc=1+0.02         a clock: seconds, and seconds for each move; 40/60+0.5: for 40 moves
  movetime=MS       milliseconds for each move
  option.NAME=VALUE a UCI option; our own search has option.Hash

Clocks follow fastchess: they begin with base time and one increment, and who oversteps by more
than --time-margin loses. An engine that crashes, does not answer or plays an illegal move loses
the game and is started anew; such games are counted beside the result.")]
pub struct Args {
    /// The first player: a net, `bundled`, `pesto`, `material`, or a UCI engine's command
    first: String,
    /// The second player
    second: String,
    /// Something about the first player
    #[arg(long = "first", value_name = "KEY=VALUE")]
    first_settings: Vec<String>,
    /// Something about the second player
    #[arg(long = "second", value_name = "KEY=VALUE")]
    second_settings: Vec<String>,
    /// Nodes per move; 1000 if there is no limit at all
    #[arg(long)]
    nodes: Option<u64>,
    /// Plies per search
    #[arg(long)]
    depth: Option<u32>,
    /// Milliseconds per move
    #[arg(long, value_name = "MS")]
    movetime: Option<u32>,
    /// Clocks, in seconds: base+increment, or moves/base+increment
    #[arg(long, value_name = "TIME", conflicts_with = "movetime")]
    tc: Option<TimeControl>,
    /// Milliseconds by which a player may overstep its time
    #[arg(long, value_name = "MS", default_value_t = GameRules::default().time_margin_ms)]
    time_margin: u64,
    /// Seconds without an answer, and without a clock, before an engine has lost
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u32,
    /// Games; rounded up to whole pairs
    #[arg(long, default_value_t = 400)]
    games: usize,
    /// Games at once; half the cores if a clock runs, else all
    #[arg(long, value_name = "GAMES")]
    concurrency: Option<usize>,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// EPD or PGN of start positions, plain or .zst; random plies if absent
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Random plies when there is no book
    #[arg(long, default_value_t = 8)]
    random_plies: u32,
    /// Play every game to its end instead of adjudicating clear ones
    #[arg(long)]
    play_out: bool,
    /// Write the games
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Keep a log, so that a stopped match goes on
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

pub fn main(args: Args) -> Result<(), Failure> {
    let stop = stop_flag();
    let contenders = contenders(&args, stop)?;
    let config = TournamentConfig {
        identity: identity(&args, &contenders),
        openings: openings(&args)?,
        threads: threads(&args, &contenders),
    };
    let make_player =
        |PlayerId(i): PlayerId| -> Box<dyn Player + '_> { contenders[i].player(stop) };
    let result = games::play("match", &config, &make_player, args.log.as_deref(), stop)?;
    if let Some(path) = &args.pgn {
        let file = std::fs::File::create(path).map_err(Failure::from_error)?;
        let mut out = std::io::BufWriter::new(file);
        write_pgn(&mut out, "oplus match", result.records()).map_err(Failure::from_error)?;
    }
    if let Some(pairing) = result.pairings.first() {
        print_result(&config.identity.players, pairing);
    }
    match result.is_complete() {
        true => Ok(()),
        false => Err(Failure::Stopped("with --log the match goes on when called again")),
    }
}

fn contenders(args: &Args, stop: &AtomicBool) -> Result<[Contender; 2], Failure> {
    let patience = Duration::from_secs(args.patience.max(1).into());
    let terms = Terms { spending: spending(args), patience };
    let contender = |text: &str, settings: &[String]| {
        let settings = Settings::parse(settings)
            .map_err(|error| ContenderError::Setting { player: text.to_owned(), error });
        settings.and_then(|settings| Contender::new(text, settings, terms, stop)).map_err(failure)
    };
    let mut pair = [
        contender(&args.first, &args.first_settings)?,
        contender(&args.second, &args.second_settings)?,
    ];
    if pair[0].name == pair[1].name {
        pair.iter_mut().zip(1..).for_each(|(one, i)| one.name = format!("{} ({i})", one.name));
    }
    Ok(pair)
}

/// A wrong request, or a player that fails.
fn failure(error: ContenderError) -> Failure {
    match error {
        ContenderError::Net(_) | ContenderError::Engine(_) => Failure::from_error(error),
        _ => Failure::usage(error.to_string()),
    }
}

/// What players may spend of whom nothing else is said.
fn spending(args: &Args) -> Spending {
    let per_move = |ms: u32| TimeControl::PerMove(Duration::from_millis(ms.max(1).into()));
    let time_control = args.tc.or(args.movetime.map(per_move));
    let given = Spending { nodes: args.nodes, depth: args.depth, time_control };
    if given.is_limited() { given } else { Spending { nodes: Some(1_000), ..given } }
}

/// Players on a clock must not take each other's cores.
fn threads(args: &Args, contenders: &[Contender]) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let timed = contenders.iter().any(|one| one.time_control().is_timed());
    args.concurrency.unwrap_or(if timed { cores / 2 } else { cores }).max(1)
}

/// Names and contents of the players, so that a log of others is refused.
fn identity(args: &Args, contenders: &[Contender; 2]) -> Identity {
    let settings = [
        ("seed", args.seed.to_string()),
        ("first", contenders[0].fingerprint()),
        ("second", contenders[1].fingerprint()),
    ];
    let rules = match args.play_out {
        true => GameRules::without_adjudication(),
        false => GameRules::default(),
    };
    Identity {
        players: contenders.iter().map(|one| one.name.clone()).collect(),
        schedule: Schedule::RoundRobin,
        rules: GameRules { time_margin_ms: args.time_margin, ..rules },
        settings: settings.into_iter().map(|(k, v)| (k.to_owned(), v)).collect(),
    }
}

fn openings(args: &Args) -> Result<Vec<Opening>, Failure> {
    let pairs = args.games.div_ceil(2);
    let openings = match &args.openings {
        Some(book) => Openings::from_book(book, None, BookOrder::Shuffled(args.seed)),
        None => Openings::random(args.seed, pairs, args.random_plies, None),
    };
    openings.and_then(|openings| openings.take(pairs)).map_err(Failure::from_error)
}

fn print_result(names: &[String], pairing: &PairingResult) {
    let games = &pairing.games;
    let score = games.score().map_or(String::new(), |score| format!(", {:.1} %", 100.0 * score));
    println!(
        "{} against {}: {} wins, {} draws, {} losses{score}",
        names[0], names[1], games.wins, games.draws, games.losses
    );
    let c = pairing.pentanomial.counts;
    println!("pairs 0 ½ 1 1½ 2: {} {} {} {} {}", c[0], c[1], c[2], c[3], c[4]);
    if let Some(elo) = pairing.pentanomial.elo() {
        println!("Elo {:+.1} ({:+.1} to {:+.1}, 95 %)", elo.value, elo.low, elo.high);
    }
    for (name, forfeits) in names.iter().zip(&pairing.forfeits) {
        println!("forfeited by {name}: {forfeits}");
    }
    if pairing.duplicates > 0 {
        println!("warning: {} games repeat another one move by move", pairing.duplicates);
    }
}
