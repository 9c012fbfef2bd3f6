//! `oplus selfplay`: games of the engine against itself.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use super::Failure;
use super::signals::stop_flag;
use super::study::{self, StudyFlags};
use super::{json, threads, uci};
use arena::contender::Evaluation;
use arena::{DrawRule, GameRules, RandomPlies, ResignRule, Switch};
use base::{Content, Shard, content_of};
use experiment::games_file::{GamesFile, GamesSource};
use selfplay::{
    GamesTarget, Production, SelfplayConfig, SelfplayFile, SelfplaySettings, Start, Temperature,
    Throughput, book,
};

/// Generate training games: self-play at fixed nodes
///
/// The file depends on the seed, not on the number of threads. After a stop (Ctrl-C) or a kill the
/// same command resumes, with the same file at the end.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus selfplay --positions 100000 --out games.oarc
  oplus selfplay --positions 1000000 --nodes 5000 --net best.oplus --out games.oarc
  oplus selfplay --positions 2000000 --nodes 5000 --net best.oplus --out games.oarc
        extends the same file
  oplus selfplay --random-plies 8-12 --balance 80 --resign-rule off --out games.oarc
  oplus selfplay --book UHO_4060_v4.epd.zst --temperature 25/20 --out games.oarc
  oplus selfplay --games 1000000 --shard 3/16 --out third.oarc
        one shard, for one of several machines; `oplus data convert first.oarc second.oarc …
        all.oarc` joins the shards, in this order, into the same file as one process writes
  oplus selfplay --positions 100000 --out positions.txt     lines `FEN | score | result`
  oplus selfplay --games 1000000 --out games.oarc --slurm --parallel 100
        shards on a cluster; the last job writes the file

FILE.journal keeps the games until the file is complete; --positions below its number ends with a
smaller file. FILE.selfplay.json has the settings of a finished file. Other settings under the same
name are an error, unless --fresh starts again.")]
pub(super) struct SelfplayArgs {
    /// Output file: an archive (.oarc), viriformat (.viri, .viri.zst), PGN, …
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of positions; the last game is played to its end
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    /// Number of games, instead of positions
    #[arg(long, conflicts_with = "positions", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Shard of the --games, such as 3/16, the third of sixteen
    #[arg(long, value_name = "N/OF", default_value_t = Shard::ALL, requires = "games")]
    shard: Shard,
    /// Soft node limit: no new iteration after it
    #[arg(long, default_value_t = SelfplaySettings::default().nodes)]
    nodes: NonZeroU64,
    /// Hard node limit: the search ends [default: ten times --nodes]; equal to --nodes for exact node
    /// counts
    #[arg(long, value_name = "NODES")]
    hard_nodes: Option<NonZeroU64>,
    /// Seed of the games
    #[arg(long, default_value_t = SelfplaySettings::default().seed)]
    seed: u64,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_parser = threads::any())]
    threads: usize,
    /// Net of the engine [default: PeSTO's tables]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Replace an existing file and its journal
    #[arg(long)]
    fresh: bool,

    /// Book of openings (EPD, PGN, plain or .zst); each game samples one, followed by random moves,
    /// since two games from one opening would be identical
    #[arg(long, value_name = "FILE", help_heading = OPENINGS)]
    book: Option<PathBuf>,
    /// Random moves at the start of a game: a number, or a range to sample from [default: 6-9; with a
    /// book 1-2]
    #[arg(long, value_name = "PLIES", help_heading = OPENINGS)]
    random_plies: Option<RandomPlies>,
    /// Bound on the score of openings in a short search, in centipawns; `off` for no bound
    #[arg(long, value_name = "CP", default_value_t = SelfplaySettings::default().balance, help_heading = OPENINGS)]
    balance: Switch<NonZeroU32>,

    /// Softmax temperature of the first plies after the opening, CP/PLIES: a move with a score lower by
    /// CP is e times less likely; `off` for the best move
    #[arg(
        long,
        value_name = "CP/PLIES",
        default_value_t = SelfplaySettings::default().temperature,
        help_heading = OPENINGS
    )]
    temperature: Switch<Temperature>,

    /// Draw adjudication: from MOVE on, both scores within CP for MOVES moves; `off` for none
    #[arg(
        long,
        value_name = "MOVE/MOVES/CP",
        default_value_t = Switch(SelfplaySettings::RULES.draw),
        help_heading = ADJUDICATION
    )]
    draw_rule: Switch<DrawRule>,
    /// Win adjudication: both scores beyond CP for MOVES moves; `off` for none
    #[arg(
        long,
        value_name = "MOVES/CP",
        default_value_t = Switch(SelfplaySettings::RULES.resign),
        help_heading = ADJUDICATION
    )]
    resign_rule: Switch<ResignRule>,
    /// Length limit in moves of each side, a draw; `off` for no limit
    #[arg(
        long,
        value_name = "MOVES",
        default_value_t = Switch(SelfplaySettings::RULES.max_moves()),
        help_heading = ADJUDICATION
    )]
    max_moves: Switch<NonZeroU32>,
    #[command(flatten)]
    study: StudyFlags,
}

/// Enough to make games of one opening differ, too few to leave the book far behind.
const PLIES_BEHIND_A_BOOK: RandomPlies = RandomPlies::between(1, 2);

const OPENINGS: &str = "Openings";
const ADJUDICATION: &str = "Adjudication";

pub(super) fn main(args: SelfplayArgs) -> Result<(), Failure> {
    if !args.study.runs_here() {
        return study::main(&args.games_file()?, &args.study);
    }
    let net = uci::load(args.net.as_deref())?;
    let config = args.config()?;
    let file = SelfplayFile {
        path: &args.out,
        player: &net.map_or(Evaluation::Pesto, Evaluation::Net),
        config: &config,
        start: if args.fresh { Start::Fresh } else { Start::Resume },
        parts: &[],
    };
    let outcome = file.make("self-play", &mut *args.study.observer(), stop_flag())?;
    let (made, throughput) = outcome.made().ok_or(study::STOPPED)?;
    match args.study.is_json() {
        true => json::print(&json::of_games(&args.out, made, throughput)),
        false => println!("{}", summary(&args.out, &made, throughput)),
    }
    Ok(())
}

impl SelfplayArgs {
    fn settings(&self) -> Result<SelfplaySettings, Failure> {
        let usual_plies = match self.book {
            None => SelfplaySettings::default().random_plies,
            Some(_) => PLIES_BEHIND_A_BOOK,
        };
        Ok(SelfplaySettings {
            nodes: self.nodes,
            hard_nodes: self.hard_nodes,
            book: self.book.as_deref().map(content).transpose()?,
            temperature: self.temperature,
            random_plies: self.random_plies.unwrap_or(usual_plies),
            balance: self.balance,
            rules: GameRules::adjudicated(self.draw_rule.0, self.resign_rule.0, self.max_moves.0),
            seed: self.seed,
            ..SelfplaySettings::default()
        })
    }

    fn target(&self) -> GamesTarget {
        self.games.map_or(GamesTarget::Positions(self.positions), GamesTarget::Games)
    }

    fn config(&self) -> Result<SelfplayConfig, Failure> {
        // A requirement of clap does not hold beside --positions, which excludes --games.
        if self.shard != Shard::ALL && self.games.is_none() {
            return Err(Failure::usage("--shard is one of the --games: give their number"));
        }
        let book = self.book.as_deref().map(book).transpose()?.unwrap_or_default();
        let (settings, target) = (self.settings()?, self.target());
        Ok(SelfplayConfig { settings, target, shard: self.shard, book, threads: self.threads })
    }

    fn games_file(&self) -> Result<GamesFile, Failure> {
        if self.shard != Shard::ALL {
            return Err(Failure::usage(
                "--shard does not go with a scheduler, which gets all shards",
            ));
        }
        let (net, book) = (self.net.clone(), self.book.clone());
        let (settings, target) = (self.settings()?, self.target());
        let source = GamesSource::Selfplay { net, book, settings, target };
        Ok(GamesFile::new(self.out.clone(), self.fresh, source, self.threads))
    }
}

fn content(path: &Path) -> Result<Content, Failure> {
    content_of(path, &mut |_| {})
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// Summary of the file; the speed is that of the session, if there was one.
fn summary(out: &Path, made: &Production, throughput: Option<Throughput>) -> String {
    let Production { games, positions, white_wins, draws, black_wins } = made;
    let mut lines = vec![
        out.display().to_string(),
        format!(
            "games      {games}: {white_wins} white wins, {draws} draws, {black_wins} black wins"
        ),
        format!("positions  {positions}"),
    ];
    let played = throughput.filter(|added| added.positions > 0);
    lines.extend(played.map(|Throughput { positions, seconds }| {
        format!("speed      {:.0} positions/s", positions as f64 / seconds.max(1e-9))
    }));
    lines.extend(out.metadata().ok().map(|file| {
        let bytes = file.len() as f64;
        format!("size       {:.2} bytes per position", bytes / *positions as f64)
    }));
    lines.join("\n")
}
