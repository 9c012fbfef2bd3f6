//! Positions as games have them, for the time of a node in play.
//!
//! Tables that a game has filled change the time of a node, and not by one factor: beside squares, a
//! set with mobility takes 1.67 times the time with fresh tables and 1.95 times with those of a game,
//! as on a clock (1.94). So nets search the moves of a game one after the other, each its own tree,
//! with as many nodes as a move on a clock of 10 ms has. With a quarter of
//! [`TIMED_NODES`] the ratio is 5 % smaller, with three times as many 2 % larger.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arena::contender::Evaluation;
use chess::Position;
use engine::{Limits, Searcher, bench};

use crate::HASH_MB;

/// Nodes of a move while the games are played.
const PLAYED_NODES: u64 = 500;

/// Plies of a game at most.
const PLIES: usize = 80;

/// Plies from one timed position to the next: one player's moves.
const STEP: usize = 2;

/// Nodes of a timed search: a move of some 10 ms.
pub const TIMED_NODES: u64 = 20_000;

/// Positions of a game at most.
pub const TIMED_POSITIONS: u64 = (PLIES / STEP) as u64;

/// Positions of games of PeSTO's tables against themselves, in order of play.
#[derive(Clone, Debug)]
pub struct PlayedPositions {
    games: Vec<Vec<Position>>,
}

impl PlayedPositions {
    /// Games, from the positions of the bench before its endgames. Even, so that half of the cores
    /// begin with the other net.
    pub const GAMES: usize = 16;

    /// Plays the games. `None` if stopped.
    pub fn new(stop: &AtomicBool) -> Option<Self> {
        let starts = bench::POSITIONS.iter().take(Self::GAMES);
        let starts = starts.filter_map(|fen| Position::from_fen(fen).ok());
        Some(Self { games: starts.map(|start| game(start, stop)).collect::<Option<_>>()? })
    }

    /// Searches the positions of a game, one after the other with the same table: nanoseconds per
    /// node. Games are counted round and round. `None` if stopped.
    pub fn time(
        &self,
        game: usize,
        searcher: &mut Searcher,
        nodes: u64,
        stop: &AtomicBool,
    ) -> Option<f64> {
        let (mut searched, mut elapsed) = (0, Duration::ZERO);
        searcher.new_game();
        for position in &self.games[game % self.games.len()] {
            let started = Instant::now();
            let found = searcher.search(position, &[], &Limits::nodes(nodes), stop, &mut |_| {});
            elapsed += started.elapsed();
            searched += found.nodes;
        }
        let time = elapsed.as_nanos() as f64 / searched.max(1) as f64;
        (!stop.load(Ordering::Relaxed)).then_some(time)
    }
}

/// The searcher of a match for an evaluation.
pub fn searcher(evaluation: &Evaluation) -> Searcher {
    Searcher::new(evaluation.evaluator(), HASH_MB)
}

/// Every [`STEP`]th position of a game. `None` if stopped.
fn game(start: Position, stop: &AtomicBool) -> Option<Vec<Position>> {
    let mut player = searcher(&Evaluation::Pesto);
    let (mut position, mut positions) = (start, Vec::new());
    for ply in 0..PLIES {
        let limits = Limits::nodes(PLAYED_NODES);
        let Some(played) = player.search(&position, &[], &limits, stop, &mut |_| {}).best else {
            break;
        };
        if ply % STEP == 0 {
            positions.push(position.clone());
        }
        position.play(played);
    }
    (!stop.load(Ordering::Relaxed)).then_some(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_of_games_are_the_same_every_time_and_lose_pieces() {
        let stop = AtomicBool::new(false);
        let [one, other] = [(); 2].map(|()| PlayedPositions::new(&stop).unwrap());
        let boards = |it: &PlayedPositions| {
            it.games.iter().flatten().map(|position| position.board().clone()).collect::<Vec<_>>()
        };
        assert_eq!(boards(&one), boards(&other));
        assert_eq!(one.games.len(), PlayedPositions::GAMES);
        let pieces = |position: &Position| position.board().occupied().count();
        for game in &one.games {
            let (first, last) = (game.first().unwrap(), game.last().unwrap());
            assert!(pieces(last) < pieces(first));
        }
        let mut pesto = searcher(&Evaluation::Pesto);
        assert!(one.time(PlayedPositions::GAMES, &mut pesto, 100, &stop).unwrap() > 0.0);
        stop.store(true, Ordering::Relaxed);
        assert!(PlayedPositions::new(&stop).is_none());
        assert!(one.time(0, &mut pesto, 100, &stop).is_none());
    }
}
