//! `oplus ablate`: what each part of the search is worth.

use std::path::PathBuf;

use clap::ValueEnum;
use comfy_table::Table;

use super::signals::stop_flag;
use super::table;
use super::{Failure, games, uci};
use arena::{
    EnginePlayer, GameRules, Identity, Openings, PairingResult, Pentanomial, Player, PlayerId,
    RandomPlies, Schedule, TournamentConfig, TournamentResult, Trinomial,
};
use base::format::ascii_signed;
use engine::{Limits, Margin, Technique, Techniques};
use nnue::Net;

/// Play the engine without a part of its search against the whole
///
/// Every part is a switch. All matches are played from the same openings, each
/// with both colours; the table says what the engine gains by the part. A part
/// that play does without is tried the other way round: switched on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus ablate                                     every part, PeSTO's tables, 3000 nodes a move
  oplus ablate null-move late-move-reduction --games 1000
  oplus ablate --net runs/quickstart/RUN/net.oplus --movetime 20
  oplus ablate --list                              the parts and what they do")]
pub(super) struct Args {
    /// Parts to switch, one at a time; all if none are named
    #[arg(hide_possible_values = true)]
    parts: Vec<Technique>,
    /// Say what parts there are, and what margins
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

pub(super) fn main(args: Args) -> Result<(), Failure> {
    if args.list {
        return list();
    }
    let parts = match args.parts.as_slice() {
        [] => Technique::value_variants(),
        some => some,
    };
    let result = play(&args, parts)?;
    println!("{}", table(parts, &result));
    games::finished(&result, args.log.as_deref())
}

fn list() -> Result<(), Failure> {
    let width = Technique::value_variants().iter().map(|part| part.to_string().len()).max();
    for part in Technique::value_variants() {
        let help = part.to_possible_value().and_then(|value| value.get_help().cloned());
        println!("{:2$}  {}", part.to_string(), help.unwrap_or_default(), width.unwrap_or(0));
    }
    println!("\nMargins, what they are, from where to where they make sense:");
    let width = Margin::ALL.iter().map(|margin| margin.name.len()).max().unwrap_or(0);
    for Margin { name, about, usual, range: [low, high], .. } in Margin::ALL {
        println!("{name:width$}  {usual}, {low} to {high}:{about}");
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
    let openings = Openings::random(args.seed, pairs, RandomPlies::exactly(8), None).take(pairs);
    let config = TournamentConfig {
        identity: identity(args, parts, net.as_deref()),
        openings: openings.map_err(Failure::from_error)?,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        tables: None,
    };
    let stop = stop_flag();
    let make_player = |PlayerId(i): PlayerId| -> Box<dyn Player + '_> {
        let part = i.checked_sub(1).and_then(|i| parts.get(i));
        let whole = Techniques::PLAYING;
        let techniques = part.map_or(whole, |&part| whole.switched(part));
        let player = EnginePlayer::new(uci::make(&net), 8, limits.clone(), stop);
        Box::new(player.with_techniques(techniques))
    };
    games::play("ablation", &config, &make_player, args.log.as_deref(), stop)
}

/// The whole engine first, then each of those that have a part switched.
fn identity(args: &Args, parts: &[Technique], net: Option<&Net>) -> Identity {
    let switched = parts.iter().map(|&part| Techniques::PLAYING.switched(part).to_string());
    let limit = args.movetime.map_or(format!("{} nodes", args.nodes), |ms| format!("{ms} ms"));
    let net = net.map_or("pesto".to_owned(), |net| net.fingerprint().to_string());
    let names = std::iter::once(Techniques::PLAYING.to_string()).chain(switched);
    let players = names.map(|name| (name, format!("{net}, {limit}")));
    let schedule = Schedule::Gauntlet(PlayerId(0));
    let openings = format!("8 random plies, seed {}", args.seed);
    Identity::new(players, schedule, GameRules::default(), openings)
}

/// Games of the engine with a part against the engine without it.
struct Trial {
    part: Technique,
    games: Trinomial,
    pairs: Pentanomial,
}

impl Trial {
    /// The pairing's first player is the engine as it plays.
    fn new(part: Technique, pairing: &PairingResult) -> Self {
        let (games, pairs) = (pairing.games, pairing.pentanomial);
        if Techniques::PLAYING.has(part) {
            Self { part, games, pairs }
        } else {
            Self { part, games: games.inverted(), pairs: pairs.inverted() }
        }
    }

    fn lead(&self) -> i64 {
        self.games.wins as i64 - self.games.losses as i64
    }

    fn row(&self) -> [String; 6] {
        let (elo, interval) = self.pairs.elo().map_or(("?".into(), "?".into()), |elo| {
            let [value, low, high] =
                [elo.value, elo.low, elo.high].map(|number| ascii_signed(number, 0));
            (value, format!("{low} to {high}"))
        });
        let Trinomial { wins, draws, losses } = self.games;
        let [wins, draws, losses] = [wins, draws, losses].map(|games| games.to_string());
        [self.part.to_string(), elo, interval, wins, draws, losses]
    }
}

fn table(parts: &[Technique], result: &TournamentResult) -> Table {
    let mut table = table::table(["part", "Elo it adds", "95 %", "won", "drawn", "lost"], 1);
    let pairings = parts.iter().zip(&result.pairings);
    let mut trials: Vec<Trial> = pairings.map(|(&part, games)| Trial::new(part, games)).collect();
    trials.sort_by_key(|trial| std::cmp::Reverse(trial.lead()));
    table.add_rows(trials.iter().map(Trial::row));
    table
}
