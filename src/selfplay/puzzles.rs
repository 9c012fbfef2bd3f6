//! Puzzles from games: positions with one clearly best move.
//!
//! Human puzzle collections carry human ratings but cannot be bundled freely
//! with every program; these can be made by anyone from any games. A position
//! qualifies if its best move beats the second best by a margin that decides
//! something: not when everything wins, nor when everything loses. A short
//! search rejects most positions before the long one.
//!
//! The rows have the columns of the Lichess puzzle database, without ratings.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use chess::{Move, Position, PositionKey};
use data::{Game, Score};
use engine::{Evaluator, Limits, SearchResult, Searcher};

use super::production;

/// Criteria of a puzzle. Scores are in centipawns for the solver.
#[derive(Clone, Debug, PartialEq)]
pub struct MiningConfig {
    /// Nodes of each long search.
    pub nodes: u64,
    /// Least lead of the best move over the second.
    pub margin: i32,
    /// Nodes of each search of the first, short pass.
    pub quick_nodes: u64,
    /// Least lead in the short pass.
    pub quick_margin: i32,
    /// The best move must not leave the solver worse than this.
    pub least_best: i32,
    /// The second best must not win anyway.
    pub most_second: i32,
    /// Fewest legal moves to choose from.
    pub least_moves: usize,
    /// Most moves the solver has to find.
    pub longest: usize,
    /// Most puzzles from one game.
    pub per_game: usize,
    /// Least distance of two puzzles of a game, in plies.
    pub distance: usize,
    /// Enough puzzles.
    pub puzzles: usize,
    /// Seed of the order in which positions of a game are searched.
    pub seed: u64,
    /// Games searched at a time; 0 for one a core.
    pub threads: usize,
    /// Table of each searcher, in MiB.
    pub hash_mb: usize,
}

impl Default for MiningConfig {
    fn default() -> Self {
        Self {
            nodes: 200_000,
            margin: 200,
            quick_nodes: 5_000,
            quick_margin: 150,
            least_best: -50,
            most_second: 600,
            least_moves: 3,
            longest: 4,
            per_game: 2,
            distance: 8,
            puzzles: usize::MAX,
            seed: 1,
            threads: 0,
            hash_mb: 4,
        }
    }
}

/// A position, the opponent's move in it, and the solution.
#[derive(Clone, Debug)]
pub struct MinedPuzzle {
    /// Before the opponent's move.
    pub before: Position,
    /// The opponent's move, then the solver's and the replies in turn.
    pub moves: Vec<Move>,
    /// Words of the Lichess vocabulary.
    pub themes: Vec<String>,
    key: PositionKey,
}

/// Column names of the Lichess puzzle database.
pub const COLUMNS: [&str; 10] = [
    "PuzzleId",
    "FEN",
    "Moves",
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
];

impl MinedPuzzle {
    /// The row, in the order of [`COLUMNS`].
    pub fn row(&self) -> [String; 10] {
        let id = format!("{:010x}", self.key >> 24);
        let moves: Vec<String> = self.moves.iter().map(|&m| self.before.uci(m)).collect();
        let mut row: [String; 10] = Default::default();
        row[0] = id;
        row[1] = self.before.fen();
        row[2] = moves.join(" ");
        row[7] = self.themes.join(" ");
        row
    }
}

/// Counts of the search so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mined {
    pub games: u64,
    /// Puzzles found in them.
    pub puzzles: u64,
}

/// Searches `games` and passes each puzzle to `on_puzzle`, in the order of the games and without
/// repeated positions. The same games and configuration give the same puzzles, with any number
/// of threads.
///
/// # Errors
/// The first error of `on_puzzle`, which ends the search.
pub fn mine<E: Send>(
    games: &[Game],
    config: &MiningConfig,
    make_evaluator: &(dyn Fn() -> Box<dyn Evaluator> + Sync),
    on_puzzle: &mut dyn FnMut(MinedPuzzle) -> Result<(), E>,
    on_progress: &mut dyn FnMut(&Mined),
    stop: &AtomicBool,
) -> Result<Mined, E> {
    let mut mined = Mined::default();
    let mut seen = HashSet::new();
    let make_miner = || Miner { config, searcher: Searcher::new(make_evaluator(), config.hash_mb) };
    let job = |miner: &mut Miner<'_>, number: u64, over: &AtomicBool| {
        let game = games.get(usize::try_from(number).ok()?)?;
        miner.game(game, number, over)
    };
    let mut accept = |found: Vec<MinedPuzzle>| {
        mined.games += 1;
        for puzzle in found {
            if mined.puzzles as usize >= config.puzzles {
                return Ok(ControlFlow::Break(()));
            }
            if seen.insert(puzzle.key) {
                mined.puzzles += 1;
                on_puzzle(puzzle)?;
            }
        }
        on_progress(&mined);
        Ok(ControlFlow::Continue(()))
    };
    production::produce(config.threads, &make_miner, &job, &mut accept, stop)?;
    Ok(mined)
}

struct Miner<'a> {
    config: &'a MiningConfig,
    searcher: Searcher,
}

/// The best move of a position that has one.
struct OnlyMove {
    best: Move,
    score: Score,
    centipawns: i32,
}

impl Miner<'_> {
    /// The puzzles of a game; `None` if `over` was set before its end.
    fn game(&mut self, game: &Game, number: u64, over: &AtomicBool) -> Option<Vec<MinedPuzzle>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.config.seed);
        rng.set_stream(number);
        let mut plies: Vec<usize> = (0..game.moves.len()).collect();
        plies.shuffle(&mut rng);
        let positions = positions(game);
        let mut taken: Vec<usize> = Vec::new();
        let mut found = Vec::new();
        for ply in plies {
            let near = |&other: &usize| ply.abs_diff(other) < self.config.distance;
            if taken.iter().any(near) {
                continue;
            }
            let puzzle = self.puzzle(&positions[ply], game.moves[ply].played, over);
            if over.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(puzzle) = puzzle {
                taken.push(ply);
                found.push(puzzle);
                if found.len() >= self.config.per_game {
                    break;
                }
            }
        }
        Some(found)
    }

    /// The puzzle after the opponent's move `m`, if there is one.
    fn puzzle(&mut self, before: &Position, m: Move, over: &AtomicBool) -> Option<MinedPuzzle> {
        let start = before.after(m);
        let first = self.first_move(&start, m, over)?;
        let mut moves = vec![m, first.best];
        let mut position = start.after(first.best);
        while moves.len() / 2 < self.config.longest {
            let Some((reply, next)) = self.continuation(&position, over) else { break };
            position = position.after(reply).after(next.best);
            moves.extend([reply, next.best]);
        }
        let themes = themes(&first, moves.len() / 2, &position);
        Some(MinedPuzzle { before: before.clone(), moves, themes, key: start.key() })
    }

    /// The only move of a position, if it makes a puzzle.
    fn first_move(&mut self, start: &Position, last: Move, over: &AtomicBool) -> Option<OnlyMove> {
        let config = self.config;
        if start.legal_moves().len() < config.least_moves {
            return None;
        }
        let quick = self.only_move(start, config.quick_nodes, config.quick_margin, over)?;
        if recaptures(last, quick.best) {
            return None;
        }
        let sure = self.only_move(start, config.nodes, config.margin, over)?;
        (!recaptures(last, sure.best)).then_some(sure)
    }

    /// The opponent's best reply and the only move after it.
    fn continuation(&mut self, position: &Position, over: &AtomicBool) -> Option<(Move, OnlyMove)> {
        let config = self.config;
        self.searcher.new_game();
        let reply = self.search(position, Limits::nodes(config.nodes), over)?.best?;
        let next = position.after(reply);
        if next.legal_moves().len() < config.least_moves {
            return None;
        }
        let only = self.only_move(&next, config.nodes, config.margin, over)?;
        Some((reply, only))
    }

    /// The best move, if it leads the second by `margin` and that decides something.
    fn only_move(
        &mut self,
        position: &Position,
        nodes: u64,
        margin: i32,
        over: &AtomicBool,
    ) -> Option<OnlyMove> {
        self.searcher.new_game();
        let first = self.search(position, Limits::nodes(nodes), over)?;
        let best = first.best?;
        if first.centipawns() < self.config.least_best {
            return None;
        }
        let others = Limits { excluded_root_moves: vec![best], ..Limits::nodes(nodes) };
        let second = self.search(position, others, over)?;
        let is_only = second.best.is_some()
            && second.centipawns() < self.config.most_second
            && first.centipawns() - second.centipawns() >= margin;
        let centipawns = first.centipawns();
        is_only.then_some(OnlyMove { best, score: first.score, centipawns })
    }

    /// The result of a search; `None` if it was stopped.
    fn search(
        &mut self,
        position: &Position,
        limits: Limits,
        over: &AtomicBool,
    ) -> Option<SearchResult> {
        let found = self.searcher.search(position, &[], &limits, over, &mut |_| {});
        (!over.load(Ordering::Relaxed)).then_some(found)
    }
}

/// The positions in which the game's moves were played.
fn positions(game: &Game) -> Vec<Position> {
    let mut position = game.start.clone();
    let mut positions = Vec::with_capacity(game.moves.len());
    for m in &game.moves {
        positions.push(position.clone());
        position.play(m.played);
    }
    positions
}

/// A recapture is no puzzle.
fn recaptures(last: Move, best: Move) -> bool {
    last.is_capture() && best.is_capture() && last.to() == best.to()
}

fn themes(first: &OnlyMove, solver_moves: usize, end: &Position) -> Vec<String> {
    let mut themes = Vec::new();
    match first.score {
        Score::Mate(moves) if moves as usize == solver_moves && end.is_checkmate() => {
            themes.push("mate".to_owned());
            themes.push(format!("mateIn{moves}"));
        }
        _ if first.centipawns >= 600 => themes.push("crushing".to_owned()),
        _ if first.centipawns >= 200 => themes.push("advantage".to_owned()),
        _ => themes.push("equality".to_owned()),
    }
    let length = match solver_moves {
        0 | 1 => "oneMove",
        2 => "short",
        3 => "long",
        _ => "veryLong",
    };
    themes.push(length.to_owned());
    themes
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use data::GameMove;
    use engine::Tapered;

    fn game(fen: &str, moves: &str) -> Game {
        let start = Position::from_fen(fen).unwrap();
        let mut position = start.clone();
        let play = |text: &str| {
            let played = position.parse_uci(text).unwrap();
            position.play(played);
            GameMove { played, white_score: None }
        };
        Game { start, moves: moves.split(' ').map(play).collect(), result: None }
    }

    fn quick() -> MiningConfig {
        MiningConfig { quick_nodes: 500, nodes: 5_000, hash_mb: 1, ..MiningConfig::default() }
    }

    fn rows(games: &[Game], config: &MiningConfig) -> Vec<[String; 10]> {
        let mut rows = Vec::new();
        let mut keep = |puzzle: MinedPuzzle| {
            rows.push(puzzle.row());
            Ok::<_, Infallible>(())
        };
        let stop = AtomicBool::new(false);
        let make = || Box::new(Tapered::pesto()) as Box<dyn Evaluator>;
        mine(games, config, &make, &mut keep, &mut |_| {}, &stop).unwrap();
        rows
    }

    #[test]
    fn a_blunder_into_mate_becomes_a_puzzle() {
        // Black leaves the back rank; anything but Ra8 mate is nothing much.
        let fen = "6k1/r4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1";
        let found = rows(&[game(fen, "a7b7")], &quick());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0][1], fen);
        assert!(found[0][2].starts_with("a7b7 a1a8"));
        assert!(found[0][3].is_empty() && found[0][4].is_empty());
    }

    #[test]
    fn recaptures_and_quiet_play_are_not_puzzles() {
        let recapture = game("4k3/8/8/3r4/8/2N5/3R4/4K3 b - - 0 1", "d5d2");
        let opening =
            game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4 e7e5 g1f3 b8c6");
        assert!(rows(&[recapture, opening], &quick()).is_empty());
    }

    #[test]
    fn the_same_puzzles_whatever_the_threads() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3";
        let games = vec![
            game(fen, "d7d6 f3f7"),
            game("6k1/r4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1", "a7b7"),
            game(fen, "h7h6 f3f7"),
        ];
        let one = rows(&games, &MiningConfig { threads: 1, ..quick() });
        assert!(one.iter().any(|row| row[2].contains("f3f7") && row[7].contains("mateIn1")));
        assert_eq!(one, rows(&games, &MiningConfig { threads: 3, ..quick() }));
    }
}
