//! The `[evaluation]` table: all of its keys, their defaults, checks and scaling.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use super::Scale;
use super::one_or_many::OneOrMany;
use crate::validate::{ValidationError, repeated};
use arena::{Limit, RandomPlies, TimeControl};
use measure::{HASH_MB, Pairings, SPEED_ROUNDS, SpeedQuestion, TIMING_ROUNDS};

/// Most games of a pairing: their openings are held in memory.
const MOST_GAMES: u64 = 10_000_000;

/// Largest transposition table of a player, in MiB.
const MOST_HASH: usize = 1 << 16;

/// The `[evaluation]` table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationConfig {
    /// Feature set that the others are compared with; the first of the grid if empty.
    pub reference: String,
    pub puzzles: Option<PuzzleConfig>,
    #[serde(rename = "match", deserialize_with = "matches")]
    pub matches: Vec<MatchConfig>,
    /// Games of the reference against itself with half the time, which measure Elo per doubling
    /// of time where games are played on the clock; 0 for none.
    pub price_games: u64,
    /// Whether the reference's nets play each other where it has three seeds or more: leads that
    /// only seeds make.
    pub null: bool,
    /// Rounds of timing a node; fewer than 6 leave its interval open, 0 skips the measurement.
    pub speed_rounds: u32,
    /// Rounds in which nodes are timed for games and puzzles at equal time.
    pub timing_rounds: u32,
    /// Transposition table per player, MiB.
    pub hash_mb: usize,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        Self {
            reference: String::new(),
            puzzles: None,
            matches: Vec::new(),
            price_games: 200,
            null: true,
            speed_rounds: SPEED_ROUNDS,
            timing_rounds: TIMING_ROUNDS,
            hash_mb: HASH_MB,
        }
    }
}

/// `puzzles = { … }`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuzzleConfig {
    /// Lichess CSV, plain or `.zst`.
    pub file: PathBuf,
    /// Nodes per move; 0 plays by one-ply value only.
    #[serde(default = "default_puzzle_nodes")]
    pub nodes: u64,
    /// Number of puzzles from the start of the file; 0 for all.
    #[serde(default)]
    pub limit: usize,
    /// Whether sets solve them once more with the nodes that take as long as the reference's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub equal_time: bool,
}

/// Games at one limit from one book. An entry of `match = [ … ]` with lists stands for several.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "MatchEntry", into = "MatchTable")]
pub struct MatchConfig {
    /// Limit of each move.
    pub limit: Limit,
    /// Games of each pairing and seed; rounded up to whole pairs.
    pub games: u64,
    /// Games of each pairing and seed that are planned in the end: a verdict from fewer needs a
    /// wider interval to clear 0, so that looking at it before costs no error.
    pub planned_games: Option<u64>,
    pub pairings: Pairings,
    /// EPD or PGN of start positions, plain or `.zst`; random plies if absent.
    pub openings: Option<PathBuf>,
    /// Random plies from the start position when there is no book.
    pub random_plies: RandomPlies,
    /// Place of the entry in the file.
    entry: usize,
}

/// Entry of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "MatchTable<OneOrMany<NonZeroU64>, OneOrMany<PathBuf>>")]
struct MatchEntry(Vec<MatchConfig>);

/// Keys of an entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    bound(deserialize = "Nodes: Deserialize<'de>, Openings: Deserialize<'de>")
)]
struct MatchTable<Nodes = NonZeroU64, Openings = PathBuf> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<Nodes>,
    /// Nodes are those of the reference, and others get as many as take the same time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    equal_time: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<NonZeroU32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    movetime_ms: Option<NonZeroU32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tc: Option<TimeControl>,
    #[serde(default = "default_games")]
    games: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    planned_games: Option<u64>,
    #[serde(default)]
    pairings: Pairings,
    #[serde(default)]
    openings: Option<Openings>,
    #[serde(default = "default_random_plies")]
    random_plies: RandomPlies,
}

/// All matches of the file, with the places of their entries.
fn matches<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<MatchConfig>, D::Error> {
    let entries = Vec::<MatchEntry>::deserialize(deserializer)?;
    let of_entry = |(entry, MatchEntry(matches)): (usize, MatchEntry)| {
        matches.into_iter().map(move |one| MatchConfig { entry, ..one })
    };
    Ok(entries.into_iter().enumerate().flat_map(of_entry).collect())
}

/// A match without a limit of its moves, or with several.
#[derive(Debug, thiserror::Error)]
enum LimitError {
    #[error(
        "a match needs exactly one limit: nodes = 1_000, nodes = 5_000 with equal_time = true, \
         depth = 8, movetime_ms = 20 or tc = \"1+0.01\""
    )]
    NotOne,
    #[error(
        "equal_time = true needs the nodes of the reference: write nodes = 5_000, \
         equal_time = true"
    )]
    EqualTimeOfNoNodes,
    #[error("{0} matches, expected one")]
    Several(usize),
}

impl TryFrom<MatchEntry> for MatchConfig {
    type Error = LimitError;

    fn try_from(MatchEntry(matches): MatchEntry) -> Result<Self, LimitError> {
        let [only] =
            <[Self; 1]>::try_from(matches).map_err(|matches| LimitError::Several(matches.len()))?;
        Ok(only)
    }
}

impl TryFrom<MatchTable<OneOrMany<NonZeroU64>, OneOrMany<PathBuf>>> for MatchEntry {
    type Error = LimitError;

    fn try_from(
        table: MatchTable<OneOrMany<NonZeroU64>, OneOrMany<PathBuf>>,
    ) -> Result<Self, LimitError> {
        let MatchTable { nodes, equal_time, depth, movetime_ms, tc, games, pairings, .. } = table;
        let (planned_games, random_plies) = (table.planned_games, table.random_plies);
        if equal_time && nodes.is_none() {
            return Err(LimitError::EqualTimeOfNoNodes);
        }
        let of_nodes = if equal_time { Limit::EqualTime } else { Limit::Nodes };
        let kinds: [Option<Vec<Limit>>; 4] = [
            nodes.map(|OneOrMany(nodes)| nodes.into_iter().map(of_nodes).collect()),
            depth.map(|plies| vec![Limit::Depth(plies)]),
            movetime_ms.map(|ms| vec![Limit::MovetimeMs(ms)]),
            tc.filter(|tc| *tc != TimeControl::Untimed).map(|tc| vec![Limit::Tc(tc)]),
        ];
        let mut kinds = kinds.into_iter().flatten();
        let (Some(limits), None) = (kinds.next(), kinds.next()) else {
            return Err(LimitError::NotOne);
        };
        let books: Vec<Option<PathBuf>> = match table.openings {
            Some(OneOrMany(books)) => books.into_iter().map(Some).collect(),
            None => vec![None],
        };
        let from_book = |limit: Limit| {
            let one = move |openings: &Option<PathBuf>| {
                let openings = openings.clone();
                MatchConfig {
                    limit,
                    games,
                    planned_games,
                    pairings,
                    openings,
                    random_plies,
                    entry: 0,
                }
            };
            books.iter().map(one).collect::<Vec<_>>()
        };
        Ok(Self(limits.into_iter().flat_map(from_book).collect()))
    }
}

impl MatchConfig {
    /// Equal for matches whose games are the same from the first on; random plies have no effect
    /// with a book.
    fn limit_and_openings(&self) -> (Limit, Option<&Path>, Option<RandomPlies>) {
        let random_plies = self.openings.is_none().then_some(self.random_plies);
        (self.limit, self.openings.as_deref(), random_plies)
    }

    /// Games of every pairing after random plies.
    pub(crate) fn of(limit: Limit, games: u64) -> Self {
        Self {
            limit,
            games,
            planned_games: None,
            pairings: Pairings::default(),
            openings: None,
            random_plies: RandomPlies::USUAL,
            entry: 0,
        }
    }
}

impl From<MatchConfig> for MatchTable {
    fn from(config: MatchConfig) -> Self {
        let MatchConfig { limit, games, planned_games, pairings, openings, random_plies, .. } =
            config;
        let (nodes, depth, movetime_ms, tc) = match limit {
            Limit::Nodes(nodes) | Limit::EqualTime(nodes) => (Some(nodes), None, None, None),
            Limit::Depth(plies) => (None, Some(plies), None, None),
            Limit::MovetimeMs(ms) => (None, None, Some(ms), None),
            Limit::Tc(control) => (None, None, None, Some(control)),
        };
        let equal_time = limit.is_equal_time();
        Self {
            nodes,
            equal_time,
            depth,
            movetime_ms,
            tc,
            games,
            planned_games,
            pairings,
            openings,
            random_plies,
        }
    }
}

fn default_puzzle_nodes() -> u64 {
    1_000
}
fn default_games() -> u64 {
    400
}
fn default_random_plies() -> RandomPlies {
    RandomPlies::USUAL
}

impl EvaluationConfig {
    /// # Errors
    /// The first invalid amount.
    pub(crate) fn check(&self) -> Result<(), ValidationError> {
        let hash_mb = self.hash_mb;
        if !(1..=MOST_HASH).contains(&hash_mb) {
            let message = format!("hash_mb = {hash_mb} is out of range");
            let help = "4 is the default; write a number from 1 to 65536";
            return Err(ValidationError::new("evaluation.hash_mb", message, help));
        }
        for &MatchConfig { games, planned_games, entry, .. } in &self.matches {
            if let Some(planned) = planned_games.filter(|planned| *planned < games) {
                let path = format!("evaluation.match.{entry}.planned_games");
                let message = format!("planned_games = {planned} is less than games = {games}");
                let help =
                    "planned_games is the final number of games: at least `games`, or absent";
                return Err(ValidationError::new(path, message, help));
            }
            let (message, help) = match games {
                0 => (
                    "games = 0: no games".to_owned(),
                    "write the games per pairing, such as 400, or remove the match",
                ),
                1..=MOST_GAMES => continue,
                _ => (
                    format!("games = {games} is out of range"),
                    "write at most 10_000_000; 2_000 games resolve about 15 Elo",
                ),
            };
            let path = format!("evaluation.match.{entry}.games");
            return Err(ValidationError::new(path, message, help));
        }
        self.check_repeated_matches()
    }

    /// Matches of the same limit and openings begin with the same games, which would count twice.
    fn check_repeated_matches(&self) -> Result<(), ValidationError> {
        let questions: Vec<_> = self.matches.iter().map(MatchConfig::limit_and_openings).collect();
        let Some(at) = repeated(&questions) else { return Ok(()) };
        let MatchConfig { limit, entry, .. } = &self.matches[at];
        let message = format!("a second match at {limit} from the same openings");
        let help = "its games repeat those of the first: keep one, with all its games";
        Err(ValidationError::new(format!("evaluation.match.{entry}"), message, help))
    }

    /// Losses alone: no games, no puzzles, no timing.
    pub(crate) fn losses() -> Self {
        Self { price_games: 0, speed_rounds: 0, ..Self::default() }
    }

    /// Searches that time a node; no rounds skip the measurement.
    pub(crate) fn speed(&self) -> SpeedQuestion {
        SpeedQuestion { rounds: self.speed_rounds, ..SpeedQuestion::default() }
    }

    /// Multiplies games.
    pub(super) fn scale(&mut self, scale: Scale) {
        if self.price_games > 0 {
            self.price_games = scale.of(self.price_games, 2);
        }
        for one in &mut self.matches {
            let games = scale.of(one.games, 2);
            one.games = games.checked_next_multiple_of(2).unwrap_or(games);
            let planned = one.planned_games.map(|planned| scale.of(planned, 2).max(one.games));
            one.planned_games = planned;
        }
    }
}
