//! Training games (and puzzles) made with the engine itself.
//!
//! Games begin with a few random moves, which have no score, to a position that a
//! verification search finds balanced, and are played at a fixed number of nodes a move;
//! each position keeps the score of the search that chose its move. Nothing is
//! left out here: what to train on is the business of `data`'s filters.
//!
//! Every game draws from its own random stream, chosen by the seed and the
//! game's number, and starts with a fresh table; games are handed over in the
//! order of their numbers. So the same configuration makes the same file,
//! whatever the number of threads.

pub mod adjudication;
pub mod opening;
pub mod play;
pub mod production;
pub mod puzzles;

use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::AtomicBool;

use crate::data::{Game, GameResult};
use crate::engine::{Evaluator, Searcher};

pub use adjudication::Adjudication;

/// How games are made.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfplayConfig {
    /// When there are enough.
    pub target: Target,
    /// Nodes a move after which no new iteration begins.
    pub nodes: u64,
    /// How many random moves open a game.
    pub random_plies: RangeInclusive<u32>,
    /// Openings judged worse than this for either side are drawn again, in centipawns.
    pub balance: i32,
    /// When a game is called won or drawn.
    pub adjudication: Adjudication,
    /// Another seed, other games.
    pub seed: u64,
    /// Games played at a time; 0 for one a core.
    pub threads: usize,
    /// Table of each player, in MiB.
    pub hash_mb: usize,
}

impl Default for SelfplayConfig {
    fn default() -> Self {
        Self {
            target: Target::Games(100),
            nodes: 2_500,
            random_plies: 6..=9,
            balance: 150,
            adjudication: Adjudication::default(),
            seed: 1,
            threads: 0,
            hash_mb: 2,
        }
    }
}

/// When to end: the last game is always whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// After so many games.
    Games(u64),
    /// With the game that brings the positions to so many.
    Positions(u64),
}

/// What has been made so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Production {
    /// Games.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Games that were drawn.
    pub draws: u64,
}

impl Production {
    fn count(&mut self, game: &Game) {
        self.games += 1;
        let scored = game.moves.iter().filter(|m| m.white_score.is_some());
        self.positions += scored.count() as u64;
        self.draws += u64::from(game.result == Some(GameResult::Draw));
    }

    fn reaches(&self, target: Target) -> bool {
        match target {
            Target::Games(games) => self.games >= games,
            Target::Positions(positions) => self.positions >= positions,
        }
    }
}

/// Plays games until the target is reached or `stop` is set, and hands each to
/// `on_game` in order; `on_progress` hears of it afterwards.
///
/// # Errors
/// The first error of `on_game`, which ends the production.
pub fn generate<E>(
    config: &SelfplayConfig,
    make_evaluator: &(dyn Fn() -> Box<dyn Evaluator> + Sync),
    on_game: &mut dyn FnMut(Game) -> Result<(), E>,
    on_progress: &mut dyn FnMut(&Production),
    stop: &AtomicBool,
) -> Result<Production, E> {
    let mut production = Production::default();
    if production.reaches(config.target) {
        return Ok(production);
    }
    let make_worker = || Searcher::new(make_evaluator(), config.hash_mb);
    let job = |searcher: &mut Searcher, number: u64, over: &AtomicBool| {
        play::play(config, number, searcher, over)
    };
    let mut accept = |game: Game| {
        production.count(&game);
        on_game(game)?;
        on_progress(&production);
        let enough = production.reaches(config.target);
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    production::produce(config.threads, &make_worker, &job, &mut accept, stop)?;
    Ok(production)
}

#[cfg(test)]
mod tests;
