//! Training games (and puzzles) by self-play, and games with new scores.
//!
//! Games of self-play are games of the arena, with its openings and rules, in which one searcher plays
//! both sides. Games begin with a few random moves, which have no score, to a position that a
//! verification search finds balanced, and are played at a fixed number of nodes a move;
//! each position keeps the score of the search that chose its move. Nothing is
//! left out here: what to train on is the business of `data`'s filters.
//!
//! Every game draws from its own random stream, chosen by the seed and the
//! game's number, and starts with a fresh table; games are handed over in the
//! order of their numbers. So the same configuration makes the same file,
//! whatever the number of threads and sessions.

pub mod file;
mod job;
mod play;
mod production;
pub mod puzzles;
pub mod rescore;
mod resumable;
mod settings;
mod shard_files;
mod temperature;

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use arena::Opening;
use base::Shard;
use chess::Color;
use data::{Game, GameResult};
use engine::{Evaluator, Searcher};

pub use file::SelfplayFile;
pub use job::Games;
pub use rescore::{Labeller, Rescore};
pub use resumable::{FileError, SessionOutcome, Start, Throughput};
pub use settings::{SelfplayBookError, SelfplaySettings, book};
pub use shard_files::job_file;
pub use temperature::{Temperature, TemperatureError};

/// How many games are made, and how.
#[derive(Clone, Debug)]
pub struct SelfplayConfig {
    pub settings: SelfplaySettings,
    pub target: GamesTarget,
    /// Which part of so many games; all of them if the target is a number of positions.
    pub shard: Shard,
    /// Openings of the book; empty without one.
    pub book: Vec<Opening>,
    /// Games played at a time; 0 for one a core. Has no influence on them.
    pub threads: usize,
}

/// When to end: the last game is always whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GamesTarget {
    /// After so many games.
    Games(u64),
    /// With the game that brings the positions to so many.
    Positions(u64),
}

/// Counts of what has been made so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Production {
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Games that White won.
    pub white_wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games that Black won.
    pub black_wins: u64,
}

impl SelfplayConfig {
    /// The numbers of the games, as far as they are known before.
    pub fn numbers(&self) -> Range<u64> {
        match self.target {
            GamesTarget::Games(games) => self.shard.range(games),
            GamesTarget::Positions(_) => 0..u64::MAX,
        }
    }

    /// When there are enough of these.
    pub fn enough(&self) -> GamesTarget {
        let numbers = self.numbers();
        match self.target {
            GamesTarget::Games(_) => GamesTarget::Games(numbers.end - numbers.start),
            positions @ GamesTarget::Positions(_) => positions,
        }
    }
}

impl Production {
    fn count(&mut self, game: &Game) {
        self.games += 1;
        let scored = game.moves.iter().filter(|m| m.white_score.is_some());
        self.positions += scored.count() as u64;
        match game.result {
            Some(GameResult::Win(Color::White)) => self.white_wins += 1,
            Some(GameResult::Win(Color::Black)) => self.black_wins += 1,
            Some(GameResult::Draw) => self.draws += 1,
            None => {}
        }
    }

    /// Whether it is enough.
    pub fn reaches(&self, target: GamesTarget) -> bool {
        let (GamesTarget::Games(enough) | GamesTarget::Positions(enough)) = target;
        self.towards(target) >= enough
    }

    /// How much of the target is made.
    fn towards(&self, target: GamesTarget) -> u64 {
        match target {
            GamesTarget::Games(_) => self.games,
            GamesTarget::Positions(_) => self.positions,
        }
    }

    fn note(&self) -> String {
        format!("{} games, {} draws", self.games, self.draws)
    }

    /// Share of the games that were drawn, in [0, 1].
    pub fn drawn(&self) -> f64 {
        self.draws as f64 / self.games.max(1) as f64
    }
}

/// Plays games until the target is reached or `stop` is set, and hands each to
/// `on_game` in order, then calls `on_progress`. Games of `before` count towards the
/// target and are not played again.
///
/// # Errors
/// The first error of `on_game`, which ends the production.
fn generate<E: Send>(
    config: &SelfplayConfig,
    before: Production,
    make_evaluator: &(dyn Fn() -> Box<dyn Evaluator> + Sync),
    on_game: &mut dyn FnMut(Game) -> Result<(), E>,
    on_progress: &mut dyn FnMut(&Production),
    stop: &AtomicBool,
) -> Result<Production, E> {
    let SelfplayConfig { settings, book, threads, .. } = config;
    let (target, first) = (config.enough(), config.numbers().start);
    let mut production = before;
    if production.reaches(target) {
        return Ok(production);
    }
    let make_worker = || Searcher::new(make_evaluator(), settings.hash_mb);
    let job = |searcher: &mut Searcher, number: u64, over: &AtomicBool| {
        play::play(settings, book, first + before.games + number, searcher, over)
    };
    let mut accept = |game: Game| {
        production.count(&game);
        on_game(game)?;
        on_progress(&production);
        let enough = production.reaches(target);
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    production::produce(*threads, &make_worker, &job, &mut accept, stop)?;
    Ok(production)
}

#[cfg(test)]
mod tests;
