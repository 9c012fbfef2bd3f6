//! `oplus match`: two nets against each other.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;

use super::Failure;
use super::progress::{Progress, stop_flag};
use super::uci;
use crate::arena::{
    BookOrder, EnginePlayer, GameRules, Identity, Openings, PairingResult, Player, PlayerId,
    Schedule, TournamentConfig, play_tournament, write_pgn,
};
use crate::engine::Limits;
use crate::experiment::Observer;
use crate::nnue::Net;

/// Play two nets against each other at fixed nodes
///
/// Each opening is played twice with colours swapped; the interval counts
/// pairs. The same seed plays the same games at any number of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus match new.oplus old.oplus
  oplus match new.oplus pesto --games 1000 --nodes 5000 --pgn games.pgn
  oplus match new.oplus old.oplus --openings UHO_4060_v4.epd.zst")]
pub struct Args {
    /// The first player's net, or `pesto`
    first: String,
    /// The second player's net, or `pesto`
    second: String,
    /// Nodes per move
    #[arg(long, default_value_t = 1_000)]
    nodes: u64,
    /// Games; rounded up to whole pairs
    #[arg(long, default_value_t = 400)]
    games: usize,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// EPD or PGN of start positions, plain or .zst; random plies if absent
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Random plies when there is no book
    #[arg(long, default_value_t = 8)]
    random_plies: u32,
    /// Write the games
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Keep a log, so that a stopped match goes on
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

pub fn main(args: Args) -> Result<(), Failure> {
    let nets = [load(&args.first)?, load(&args.second)?];
    let config = TournamentConfig {
        identity: identity(&args, &nets),
        openings: openings(&args)?,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let stop = stop_flag();
    let make_player = |PlayerId(i): PlayerId| -> Box<dyn Player + '_> {
        Box::new(EnginePlayer::new(uci::make(&nets[i]), 8, Limits::nodes(args.nodes), stop))
    };
    let progress = Mutex::new(Progress::default());
    let show = |what: &dyn Fn(&mut Progress)| {
        if let Ok(mut progress) = progress.lock() {
            what(&mut progress);
        }
    };
    show(&|p| p.begin("match", 2 * config.openings.len() as u64, "games"));
    let mut on_game = |at: crate::arena::Progress<'_>| show(&|p| p.advance(at.finished as u64, ""));
    let result = play_tournament(&config, &make_player, args.log.as_deref(), &mut on_game, stop)
        .map_err(Failure::from_error)?;
    show(&|p| p.end(""));
    if let Some(path) = &args.pgn {
        let file = std::fs::File::create(path).map_err(Failure::from_error)?;
        let mut out = std::io::BufWriter::new(file);
        write_pgn(&mut out, "oplus match", result.records()).map_err(Failure::from_error)?;
    }
    if let Some(pairing) = result.pairings.first() {
        print_result(&args, pairing);
    }
    match result.is_complete() {
        true => Ok(()),
        false => Err(Failure::Stopped("with --log the match goes on when called again")),
    }
}

fn load(player: &str) -> Result<Option<Arc<Net>>, Failure> {
    match player {
        "pesto" => Ok(None),
        file => uci::load(Some(file.as_ref())).map_err(Failure::from_error),
    }
}

/// Names and contents of the players, so that a log of other nets is refused.
fn identity(args: &Args, nets: &[Option<Arc<Net>>; 2]) -> Identity {
    let hash = |net: &Option<Arc<Net>>| match net {
        Some(net) => net.fingerprint().to_string(),
        None => "pesto".to_owned(),
    };
    let names = match args.first == args.second {
        true => vec![format!("{} (1)", args.first), format!("{} (2)", args.second)],
        false => vec![args.first.clone(), args.second.clone()],
    };
    let settings = [
        ("nodes", args.nodes.to_string()),
        ("seed", args.seed.to_string()),
        ("first", hash(&nets[0])),
        ("second", hash(&nets[1])),
    ];
    Identity {
        players: names,
        schedule: Schedule::RoundRobin,
        rules: GameRules::default(),
        settings: settings.into_iter().map(|(k, v)| (k.to_owned(), v)).collect(),
    }
}

fn openings(args: &Args) -> Result<Vec<crate::arena::Opening>, Failure> {
    let pairs = args.games.div_ceil(2);
    let openings = match &args.openings {
        Some(book) => Openings::from_book(book, None, BookOrder::Shuffled(args.seed)),
        None => Openings::random(args.seed, pairs, args.random_plies, None),
    };
    openings.and_then(|openings| openings.take(pairs)).map_err(Failure::from_error)
}

fn print_result(args: &Args, pairing: &PairingResult) {
    let games = &pairing.games;
    println!(
        "{} against {}: {} wins, {} draws, {} losses",
        args.first, args.second, games.wins, games.draws, games.losses
    );
    let c = pairing.pentanomial.counts;
    println!("pairs 0 ½ 1 1½ 2: {} {} {} {} {}", c[0], c[1], c[2], c[3], c[4]);
    if let Some(elo) = pairing.pentanomial.elo() {
        println!("Elo {:+.1} ({:+.1} to {:+.1}, 95 %)", elo.value, elo.low, elo.high);
    }
    if pairing.duplicates > 0 {
        println!("warning: {} games repeat another one move by move", pairing.duplicates);
    }
}
