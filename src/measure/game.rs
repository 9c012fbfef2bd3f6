//! Games of two against each other.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::NodeTime;
use crate::judge::Concern;
use crate::tournament::{forfeited, repetition, too_many_forfeits};
use arena::contender::{Evaluation, Spending};
use arena::{
    EnginePlayer, Forfeits, GameRules, Limit, NetId, Opening, OpeningSource, OpeningsError,
    PairingResult, Pentanomial, Player, PlayerFactory, PlayerId, RandomPlies, Standstills,
    TimeControl, TooManyForfeits, TournamentConfig, TournamentIdentity, TournamentSchedule,
    Watchdog, play_shard, play_tournament,
};
use base::format::{ascii, ascii_signed};
use base::memory::Shortage;
use base::{Content, Estimate, Key, KeyError, Shard, memory};
use engine::bench::SIGNATURE;
use engine::{Limits, table};
use plan::{Context, Control, JobError, PlanError, Traits, Work};

/// A match of two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Players. Results are those of the first.
    pub seats: [MatchPlayer; 2],
    /// Games; rounded up to whole pairs.
    pub games: u64,
    /// Where games begin.
    pub openings: OpeningsOf,
    /// Seed of the openings.
    pub seed: u64,
    pub rules: GameRules,
    /// Transposition table per player, MiB.
    pub hash_mb: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchPlayer {
    pub net: NetId,
    /// Limit of a move.
    pub limit: Limit,
    /// Timing that decides the nodes of a move at equal time; none for the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_time: Option<NodeTime>,
}

impl MatchPlayer {
    /// A player whose nodes do not depend on the time of a node.
    pub fn new(net: NetId, limit: Limit) -> Self {
        Self { net, limit, node_time: None }
    }

    /// Limit of a move, with the nodes that take as long as those of the reference.
    fn own_limit(&self, context: &Context<'_>) -> Result<Limit, JobError> {
        match (self.limit, &self.node_time) {
            (Limit::EqualTime(nodes), Some(timing)) => {
                Ok(Limit::Nodes(timing.nodes(nodes, context)?))
            }
            (limit, _) => Ok(limit),
        }
    }
}

/// Where games begin, books by their content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningsOf {
    RandomPlies(RandomPlies),
    /// A book, drawn by the seed.
    Book(Content),
}

/// Transposition tables that do not fit the memory.
#[derive(Debug, thiserror::Error)]
#[error("hash_mb = {hash_mb}, for each player of {games} simultaneous games: {shortage}; lower it")]
struct NotEnoughMemory {
    /// Requested MiB per table.
    hash_mb: usize,
    games: usize,
    shortage: Shortage,
}

/// A match about to be played.
pub(crate) struct PreparedMatch {
    pub(crate) config: TournamentConfig,
    /// File name of the log of games.
    pub(crate) log: String,
    evaluations: [Evaluation; 2],
    limits: [Limit; 2],
    hash_mb: usize,
}

impl PreparedMatch {
    /// Constructor of the players.
    pub(crate) fn player<'s>(
        &'s self,
        stop: &'s AtomicBool,
    ) -> impl Fn(PlayerId) -> Box<dyn Player + 's> + Sync {
        move |PlayerId(i)| Box::new(sit(&self.evaluations[i], self.limits[i], self.hash_mb, stop))
    }
}

/// Result of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The games.
    pub result: PairingResult,
    /// Times at which the machine stood still while clocks ran.
    pub standstills: Standstills,
}

impl Match {
    /// The match with its players in the order of their nets, so that one pairing has one key.
    pub(crate) fn in_order(mut self) -> Self {
        self.seats.sort_by(|a, b| a.net.cmp(&b.net));
        self
    }

    pub(crate) fn is_timed(&self) -> bool {
        self.seats.iter().any(|seat| seat.limit.is_timed())
    }

    /// File name from the settings that decide a game, without the number of games: a longer match
    /// begins with the games of a shorter one.
    pub(crate) fn log(&self) -> Result<String, KeyError> {
        let endless = Self { games: 0, ..self.clone() };
        Ok(format!("{}.jsonl", endless.key()?))
    }

    /// File name with the nodes of players whose time decides them: nodes of another timing make
    /// other games.
    fn log_with(&self, limits: &[Limit; 2]) -> Result<String, KeyError> {
        let log = self.log()?;
        let is_timed = self.seats.iter().any(|seat| seat.node_time.is_some());
        let nodes = limits.map(|limit| limit.slug()).join("-");
        Ok(if is_timed { log.replace(".jsonl", &format!("-{nodes}.jsonl")) } else { log })
    }

    /// Everything that is needed to play.
    ///
    /// # Errors
    /// Openings, nets or memory that cannot be had.
    pub(crate) fn prepare(&self, context: &Context<'_>) -> Result<PreparedMatch, JobError> {
        let source = match &self.openings {
            OpeningsOf::RandomPlies(plies) => {
                OpeningSource::Random { plies: *plies, balance_cp: None }
            }
            OpeningsOf::Book(content) => {
                let path = context.file(content)?;
                OpeningSource::Book { path, plies: None, sequential: false }
            }
        };
        let openings = openings(&source, self.seed, self.games)?;
        let threads = games_at_once(context, self.is_timed());
        let tables = [table::bytes(self.hash_mb); 2].into_iter();
        memory::ensure(table::bytes_at_once(threads, tables)).map_err(|shortage| {
            NotEnoughMemory { hash_mb: self.hash_mb, games: threads, shortage }
        })?;
        let [first, second] = &self.seats;
        let evaluations = [first.net.load(context)?, second.net.load(context)?];
        let limits = [first.own_limit(context)?, second.own_limit(context)?];
        let config = self.tournament(&limits, openings, threads)?;
        let (log, hash_mb) = (self.log_with(&limits)?, self.hash_mb);
        Ok(PreparedMatch { config, log, evaluations, limits, hash_mb })
    }

    fn tournament(
        &self,
        limits: &[Limit; 2],
        openings: Vec<Opening>,
        threads: usize,
    ) -> Result<TournamentConfig, JobError> {
        let seat = |i: usize| format!("{}, {}, {} MiB", self.seats[i].net, limits[i], self.hash_mb);
        let [first, second] = [0, 1].map(seat);
        let second = if first == second { format!("{second} (2)") } else { second };
        let definition = self.log()?;
        let players = [first, second].map(|name| (name.clone(), definition.clone()));
        let openings_summary = format!("{}, seed {}", self.openings.summary(), self.seed);
        let identity = TournamentIdentity::new(
            players,
            TournamentSchedule::RoundRobin,
            self.rules,
            openings_summary,
        );
        Ok(TournamentConfig { identity, openings, threads, tables: None })
    }
}

/// Games at once: as many as there are cores, fewer where clocks run.
pub(crate) fn games_at_once(context: &Context<'_>, is_timed: bool) -> usize {
    let cores = base::cores();
    if is_timed { context.dir().timed_games.unwrap_or(cores / 2).max(1) } else { cores }
}

impl OpeningsOf {
    fn summary(&self) -> String {
        match self {
            Self::RandomPlies(plies) => format!("{plies} random plies"),
            Self::Book(content) => format!("book {content}"),
        }
    }
}

/// Openings of `games` games, one per pair.
///
/// # Errors
/// A book that cannot be read, or fewer openings than there are pairs to play.
pub fn openings(
    source: &OpeningSource,
    seed: u64,
    games: u64,
) -> Result<Vec<Opening>, OpeningsError> {
    let pairs = games.div_ceil(2).max(1) as usize;
    source.open(pairs, seed, &mut |_| {})?.take(pairs)
}

impl Work for Match {
    const KIND: &'static str = "match";
    const STAGE: &'static str = "matches";
    const VERSION: u32 = 1;
    type Output = Played;

    fn signature(&self) -> Option<u64> {
        Some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        let nets = self.seats.iter().filter_map(|seat| seat.net.job());
        let node_times = self.seats.iter().filter_map(|seat| seat.node_time.as_ref()?.key().ok());
        nets.chain(node_times).collect()
    }

    fn traits(&self) -> Traits {
        // A shard loads its nets anew, so it has some hundred games.
        const GAMES: u64 = 100;
        let timed = self.is_timed();
        let shards = if timed { 1 } else { self.games / GAMES };
        Traits { timed, shards, ..Traits::default() }
    }

    fn games(&self) -> Result<Option<String>, KeyError> {
        self.log().map(Some)
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Played, JobError> {
        let prepared = self.prepare(context)?;
        let (config, player) = (&prepared.config, prepared.player(context.stop));
        let watchdog = self.is_timed().then(Watchdog::start);
        let log = context.games().join(&prepared.log);
        let parts = parts_of(&log);
        if !parts.is_empty() {
            arena::gather(config, &log, &parts)?;
            // Best effort: the log has all of their games.
            parts.iter().for_each(|part| drop(std::fs::remove_file(part)));
        }
        let result = meet(context.title(), config, &player, &log, &mut context.control());
        let standstills = watchdog.map(Watchdog::finish).unwrap_or_default();
        Ok(Played { result: result?, standstills })
    }

    /// Plays a part of the pairs into a log of its own.
    fn run_shard(&self, shard: Shard, context: &mut Context<'_>) -> Result<(), JobError> {
        let prepared = self.prepare(context)?;
        let (config, player) = (&prepared.config, prepared.player(context.stop));
        let log = part_of(&context.games().join(&prepared.log), shard);
        make_folder_of(&log)?;
        let (games, stop) = (config.games_of(shard)?, context.stop);
        let result = context.follow(games as u64, "games", |progress| {
            let mut on_game =
                |at: arena::GameProgress<'_>| progress(at.finished as u64, live(at.pairs));
            play_shard(shard, config, &player, Some(&log), &mut on_game, stop)
        })?;
        if result.records().count() == games { Ok(()) } else { Err(JobError::Stopped) }
    }
}

/// Plays a match of two to its end, every game kept in `log`, with progress of its score.
///
/// # Errors
/// Games that cannot be played; [`JobError::Stopped`].
pub fn meet(
    title: &str,
    config: &TournamentConfig,
    players: &PlayerFactory<'_>,
    log: &Path,
    control: &mut Control<'_>,
) -> Result<PairingResult, JobError> {
    make_folder_of(log)?;
    let (games, stop) = (config.games()?, control.stop);
    let result = control.follow(title, games as u64, "games", |progress| {
        let mut on_game =
            |at: arena::GameProgress<'_>| progress(at.finished as u64, live(at.pairs));
        play_tournament(config, players, Some(log), &mut on_game, stop)
    })?;
    let is_complete = result.records().count() == games;
    let only = result.pairings.into_iter().next().filter(|_| is_complete);
    let result = only.ok_or(JobError::Stopped)?;
    control.observer.end(&live(std::slice::from_ref(&result.pentanomial)));
    Ok(result)
}

/// The folder of a log.
pub(crate) fn make_folder_of(log: &Path) -> Result<(), PlanError> {
    let folder = log.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .map_err(|source| PlanError::Io { path: folder.to_owned(), source })
}

/// The log of a part of the games of another log.
fn part_of(log: &Path, shard: Shard) -> PathBuf {
    log.with_extension(format!("{}.jsonl", shard.slug()))
}

/// The logs of all parts of the games of another log.
fn parts_of(log: &Path) -> Vec<PathBuf> {
    let stem = log.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let begins = format!("{stem}.shard-");
    let is_part = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(&begins))
    };
    let entries = std::fs::read_dir(log.parent().unwrap_or(Path::new("."))).into_iter();
    let mut parts: Vec<PathBuf> =
        entries.flatten().flatten().map(|entry| entry.path()).filter(is_part).collect();
    parts.sort();
    parts
}

fn sit<'s>(
    evaluation: &Evaluation,
    limit: Limit,
    hash_mb: usize,
    stop: &'s AtomicBool,
) -> EnginePlayer<'s> {
    let Spending { nodes, depth, time_control, .. } = limit.into();
    let limits = Limits { nodes, depth, ..Limits::default() };
    let player = EnginePlayer::new(evaluation.evaluator(), hash_mb, limits, stop);
    player.timed(time_control.unwrap_or(TimeControl::Untimed))
}

/// Progress text with the score.
pub(crate) fn live(pairs: &[Pentanomial]) -> String {
    let elo = pairs.first().and_then(Pentanomial::elo);
    elo.map_or(String::new(), |elo| match elo.is_bounded() {
        true => format!("Elo {} ± {}", ascii_signed(elo.value, 0), ascii(elo.margin(), 0)),
        false => format!("Elo {}", elo.signed()),
    })
}

impl Played {
    /// The result from the side of one of the two.
    pub(crate) fn seen_by(self, game: &Match, net: &NetId) -> PairingResult {
        if game.seats[0].net == *net { self.result } else { self.result.turned() }
    }

    /// Warnings about games without information or with a misleading result; `names` are the
    /// players' labels.
    pub(crate) fn grave_warnings(&self, names: [String; 2]) -> Vec<(Concern, String)> {
        let mut warnings = Vec::new();
        if self.result.is_degenerate() || self.too_many_forfeits().is_some() {
            let repetition = repetition(&names, &self.result).into_iter();
            warnings.extend(repetition.map(|text| (Concern::Repetition, text)));
            let forfeited = forfeited(&names, &self.result).into_iter();
            warnings.extend(forfeited.map(|text| (Concern::Forfeits, text)));
        }
        warnings.extend(self.standstills.warning().map(|text| (Concern::Standstill, text)));
        warnings
    }

    /// Games that were lost otherwise than by chess.
    pub(crate) fn forfeits(&self) -> u64 {
        self.result.forfeits.iter().map(Forfeits::total).sum()
    }

    /// Whether too many games were forfeited for a verdict.
    pub fn too_many_forfeits(&self) -> Option<TooManyForfeits> {
        too_many_forfeits(&self.result)
    }

    /// Elo of the first; nothing if too many games were forfeited.
    pub fn elo(&self) -> Option<Estimate> {
        self.result.pentanomial.elo().filter(|_| self.too_many_forfeits().is_none())
    }
}
