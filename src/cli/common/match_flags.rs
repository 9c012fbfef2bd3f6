//! Flags of all commands that play games.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::progress::Progress;
use super::signals::stop_flag;
use super::{Failure, match_pgn};
use arena::contender::{Contender, ContenderError, MatchTerms, PlayerSettings, Spending};
use arena::{
    DrawRule, GameRules, Opening, OpeningSource, Openings, RandomPlies, ResignRule, Switch,
    TimeControl, TournamentConfig, TournamentIdentity, TournamentSchedule,
};
use base::Observer;
use base::memory;
use chess::{EndgameTable, Syzygy};
use engine::table;
use experiment::preflight;

/// Limits, openings and adjudication.
#[derive(Debug, clap::Args)]
pub(crate) struct MatchFlags {
    /// Nodes per move [default: 1000 without any other limit]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), help_heading = LIMITS)]
    nodes: Option<u64>,
    /// Random variation of the nodes per move, in per cent, so that identical players play distinct
    /// games
    #[arg(long, value_name = "PERCENT", help_heading = LIMITS)]
    jitter: Option<u8>,
    /// Depth per move, in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), help_heading = LIMITS)]
    depth: Option<u32>,
    /// Milliseconds per move
    #[arg(long, value_name = "MS", help_heading = LIMITS)]
    movetime: Option<u32>,
    /// Time control in seconds: base+increment, or moves/base+increment
    #[arg(long, value_name = "TIME", conflicts_with = "movetime", help_heading = LIMITS)]
    tc: Option<TimeControl>,
    /// Tolerance of the clock, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = GameRules::default().time_margin_ms, help_heading = LIMITS)]
    time_margin: u64,
    /// Timeout of engines without a clock, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = LIMITS)]
    patience: u32,

    /// Book of openings: EPD or PGN, plain or .zst, or Polyglot (.bin) [default: random plies]
    #[arg(long, value_name = "FILE", help_heading = OPENINGS)]
    openings: Option<PathBuf>,
    /// Plies of each book line
    #[arg(long, value_name = "PLIES", requires = "openings", help_heading = OPENINGS)]
    book_plies: Option<usize>,
    /// Openings in the order of the file, instead of shuffled by the seed
    #[arg(long, requires = "openings", help_heading = OPENINGS)]
    sequential: bool,
    /// Random plies without a book: a number, or a range such as 6-9
    #[arg(long, value_name = "PLIES", default_value = "8", help_heading = OPENINGS)]
    random_plies: RandomPlies,
    /// Bound on the score of random openings in a short search, in centipawns
    #[arg(long, value_name = "CP", conflicts_with = "openings", help_heading = OPENINGS)]
    balance: Option<u32>,
    /// Seed of the openings and of --jitter
    #[arg(long, default_value_t = 1, help_heading = OPENINGS)]
    seed: u64,

    /// Draw adjudication: from MOVE on, both scores within CP for MOVES moves; `off` for none
    #[arg(long, value_name = "MOVE/MOVES/CP", default_value = "40/8/10", help_heading = ADJUDICATION)]
    draw_rule: Switch<DrawRule>,
    /// Win adjudication: both scores beyond CP for MOVES moves; `off` for none
    #[arg(long, value_name = "MOVES/CP", default_value = "3/1000", help_heading = ADJUDICATION)]
    resign_rule: Switch<ResignRule>,
    /// Length limit in moves of each side, a draw; `off` for no limit
    #[arg(long, value_name = "MOVES", default_value = "200", help_heading = ADJUDICATION)]
    max_moves: Switch<NonZeroU32>,
    /// Folder of Syzygy tables for adjudication
    #[arg(long, value_name = "PATH", help_heading = ADJUDICATION)]
    syzygy: Option<String>,
    /// No adjudication: every game ends by the rules
    #[arg(long, conflicts_with_all = ["draw_rule", "resign_rule", "max_moves", "syzygy"], help_heading = ADJUDICATION)]
    play_out: bool,

    /// Simultaneous games [default: half the cores with clocks, else all]
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u16).range(1..=512))]
    concurrency: Option<u16>,
    /// PGN file of the games
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Log of the games; the same command resumes a stopped match from it
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Print JSON lines: one per finished game, and one for the result
    #[arg(long)]
    pub json: bool,
    /// Folder of the page with plots and tables
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
}

const LIMITS: &str = "Limits of each move";
const OPENINGS: &str = "Openings";
const ADJUDICATION: &str = "Adjudication";

/// End of the help of all such commands.
pub(crate) const SETTINGS_HELP: &str = "\
Settings of one player (repeatable):
  name=TEXT         name in the results and the PGN [default: the engine's own]
  nodes=N depth=N   limits per move, instead of those of the match
  jitter=PERCENT    random variation of the nodes
  tc=1+0.02         time control: base and increment in seconds; 40/60+0.5: per 40 moves
  movetime=MS       milliseconds per move
  with=PART without=PART  a part of the bundled search on or off (`oplus ablate --list`)
  margin.NAME=N     a margin of the bundled search (same list)
  option.NAME=VALUE a UCI option; the bundled search has option.Hash

Clocks follow fastchess: they start with the base time and one increment, and a player that
exceeds its time by more than --time-margin loses. An engine that crashes, hangs or plays an
illegal move loses the game and is restarted; the result counts such games separately.";

/// Outputs of each game as it ends.
#[derive(Clone, Copy, Default)]
pub(crate) struct Output<'a> {
    /// File that keeps the games.
    pub log: Option<&'a Path>,
    /// Lines of JSON.
    pub json: bool,
}

/// Number of pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// A number of games, rounded up to pairs; fewer openings are an error.
    Games(usize),
    /// A number of games, bounded by the number of openings.
    AtMost(usize),
}

/// Two players and their settings.
#[derive(Debug, clap::Args)]
pub(crate) struct PairFlags {
    /// First player: a net, `bundled`, `pesto`, `material`, or a UCI engine's command
    first: String,
    /// Second player
    second: String,
    /// Setting of the first player (see below)
    #[arg(long = "first", value_name = "KEY=VALUE")]
    first_settings: Vec<String>,
    /// Setting of the second player
    #[arg(long = "second", value_name = "KEY=VALUE")]
    second_settings: Vec<String>,
}

impl PairFlags {
    pub(crate) fn contenders(&self, flags: &MatchFlags) -> Result<Vec<Contender>, Failure> {
        let Self { first, second, first_settings, second_settings } = self;
        flags.contenders(&[(first, first_settings.clone()), (second, second_settings.clone())])
    }
}

impl MatchFlags {
    pub(crate) fn output(&self) -> Output<'_> {
        Output { log: self.log.as_deref(), json: self.json }
    }

    /// The players, ready to play; each text with its settings (`KEY=VALUE`).
    pub(crate) fn contenders(
        &self,
        players: &[(&str, Vec<String>)],
    ) -> Result<Vec<Contender>, Failure> {
        let patience = Duration::from_secs(self.patience.max(1).into());
        let terms = MatchTerms::new(self.spending(), patience, self.seed);
        let read = |(text, settings): &(&'_ str, Vec<String>)| {
            let player = (*text).to_owned();
            PlayerSettings::parse(settings)
                .map_err(|error| ContenderError::Setting { player, error })
        };
        let settings = players.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let players: Vec<_> = players.iter().map(|(text, _)| *text).zip(settings).collect();
        Ok(Contender::all(&players, terms, stop_flag())?)
    }

    /// The games to be played.
    pub(crate) fn config(
        &self,
        contenders: &[Contender],
        schedule: TournamentSchedule,
        wanted: Wanted,
    ) -> Result<TournamentConfig, Failure> {
        self.check_outputs()?;
        self.check_memory(contenders)?;
        let config = TournamentConfig {
            identity: self.identity(contenders, schedule)?,
            openings: self.openings(wanted)?,
            threads: self.threads(contenders),
            tables: self.tables()?,
        };
        let log = self.log.as_deref();
        let pgn = self.pgn.as_ref();
        pgn.map_or(Ok(()), |pgn| match_pgn::ensure_replaceable(pgn, &config, log))?;
        Ok(config)
    }

    /// The tables of all players at once fit into memory.
    fn check_memory(&self, contenders: &[Contender]) -> Result<(), Failure> {
        let games = self.threads(contenders);
        let bytes = contenders.iter().map(Contender::hash_bytes);
        memory::ensure(table::bytes_at_once(games, bytes)).map_err(|shortage| {
            Failure::message(format!(
                "the tables of {games} simultaneous games: {shortage}; lower option.Hash or \
                 --concurrency"
            ))
        })
    }

    /// Outputs can be written: an error before the games is better than after.
    fn check_outputs(&self) -> Result<(), Failure> {
        for (key, path) in [("--pgn", &self.pgn), ("--log", &self.log)] {
            path.as_ref().map_or(Ok(()), |path| preflight::file(key, path))?;
        }
        Ok(self.report.as_ref().map_or(Ok(()), |path| preflight::folder("--report", path))?)
    }

    /// Summary of the limits.
    pub(crate) fn limits_summary(&self) -> String {
        let Spending { nodes, jitter, depth, time_control } = self.spending();
        let mut parts = Vec::new();
        parts.extend(nodes.map(|nodes| format!("{nodes} nodes per move")));
        parts.extend(jitter.map(|percent| format!("± {percent} %")));
        parts.extend(depth.map(|depth| format!("depth {depth}")));
        parts.extend(time_control.map(|control| match control {
            TimeControl::PerMove(time) => format!("{} ms per move", time.as_millis()),
            other => format!("{other} s"),
        }));
        parts.join(", ")
    }

    /// Summary of the openings.
    pub(crate) fn openings_summary(&self) -> String {
        let source = match self.source() {
            OpeningSource::Random { plies, balance_cp: None } => format!("{plies} random plies"),
            OpeningSource::Random { plies, balance_cp: Some(cp) } => {
                format!("{plies} random plies, balanced within {cp} cp")
            }
            OpeningSource::Book { path, .. } => {
                path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
            }
        };
        format!("{source}, seed {}", self.seed)
    }

    /// Summary of the adjudication.
    pub(crate) fn adjudication_summary(&self) -> String {
        let rules = self.rules();
        let GameRules { draw, resign, .. } = rules;
        let mut parts = Vec::new();
        parts.extend(draw.map(|DrawRule { from_move, moves, bound_cp }| {
            format!(
                "draw: both scores within {bound_cp} cp for {moves} moves, from move {from_move} on"
            )
        }));
        parts.extend(resign.map(|ResignRule { moves, bound_cp }| {
            format!("win: both scores beyond {bound_cp} cp for {moves} moves")
        }));
        parts.extend(rules.max_moves().map(|moves| format!("draw after {moves} moves")));
        parts.extend(self.syzygy.as_ref().map(|_| "endgame tables".to_owned()));
        if parts.is_empty() { "none".to_owned() } else { parts.join("; ") }
    }

    /// Default limits of a player.
    fn spending(&self) -> Spending {
        let per_move = |ms: u32| TimeControl::PerMove(Duration::from_millis(ms.max(1).into()));
        let time_control = self.tc.or(self.movetime.map(per_move));
        let given =
            Spending { nodes: self.nodes, jitter: self.jitter, depth: self.depth, time_control };
        let unlimited = Spending { jitter: None, ..given } == Spending::default();
        if unlimited { Spending { nodes: Some(1_000), ..given } } else { given }
    }

    fn rules(&self) -> GameRules {
        let time_margin_ms = self.time_margin;
        let rules = match self.play_out {
            true => GameRules::without_adjudication(),
            false => GameRules::adjudicated(self.draw_rule.0, self.resign_rule.0, self.max_moves.0),
        };
        GameRules { time_margin_ms, ..rules }
    }

    fn tables(&self) -> Result<Option<Arc<dyn EndgameTable>>, Failure> {
        let open = |paths: &String| {
            let tables = Syzygy::open(paths)?;
            Ok(Arc::new(tables) as Arc<dyn EndgameTable>)
        };
        self.syzygy.as_ref().map(open).transpose()
    }

    /// Players on a clock must not take each other's cores.
    fn threads(&self, contenders: &[Contender]) -> usize {
        let cores = base::cores();
        let timed = contenders.iter().any(|one| one.time_control().is_timed());
        self.concurrency.map_or(if timed { cores / 2 } else { cores }, usize::from).max(1)
    }

    /// Names and contents of the players, so that a log of others is refused.
    fn identity(
        &self,
        contenders: &[Contender],
        schedule: TournamentSchedule,
    ) -> Result<TournamentIdentity, Failure> {
        let players = contenders.iter().map(|one| (one.name.clone(), one.fingerprint()));
        let source = serde_json::to_string(&(self.source(), self.seed));
        let openings = source?;
        let mut identity = TournamentIdentity::new(players, schedule, self.rules(), openings);
        let syzygy = self.syzygy.clone().map(|paths| ("syzygy".to_owned(), paths));
        identity.settings.extend(syzygy);
        Ok(identity)
    }

    fn source(&self) -> OpeningSource {
        match &self.openings {
            Some(path) => OpeningSource::Book {
                path: path.clone(),
                plies: self.book_plies,
                sequential: self.sequential,
            },
            None => OpeningSource::Random { plies: self.random_plies, balance_cp: self.balance },
        }
    }

    fn openings(&self, wanted: Wanted) -> Result<Vec<Opening>, Failure> {
        let (Wanted::Games(games) | Wanted::AtMost(games)) = wanted;
        if games == 0 {
            return Err(Failure::usage("a match needs at least two games"));
        }
        let (source, pairs) = (self.source(), games.div_ceil(2));
        let openings = self.draw(&source, pairs)?;
        if source.is_read_whole() {
            tell_what_was_left_out(&openings);
        }
        let pairs = match wanted {
            Wanted::AtMost(_) => pairs.min(openings.as_slice().len()).max(1),
            Wanted::Games(_) => pairs,
        };
        openings.take(pairs).map_err(Failure::from)
    }

    fn draw(&self, source: &OpeningSource, pairs: usize) -> Result<Openings, Failure> {
        if !source.is_slow() {
            return source.open(pairs, self.seed, &mut |_| {}).map_err(Failure::from);
        }
        let mut progress = Progress::default();
        progress.begin("openings", pairs as u64, "openings");
        let openings =
            source.open(pairs, self.seed, &mut |found| progress.advance(found as u64, ""));
        progress.end("");
        openings.map_err(Failure::from)
    }
}

fn tell_what_was_left_out(openings: &Openings) {
    let (duplicates, finished) = (openings.duplicates(), openings.finished());
    if duplicates > 0 {
        eprintln!("openings dropped, same position as another one: {duplicates}");
    }
    if finished > 0 {
        eprintln!("openings dropped, game over: {finished}");
    }
}
