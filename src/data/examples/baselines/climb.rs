//! Tables by hill climbing: change one number at random, keep what helps.
//!
//! This is how piece-square tables for move orders were tuned before (Marcus Buffett,
//! "Compressing chess moves even further": 100,000 steps of up to ±15). What counts is
//! the entropy of the played moves' ranks, which has no slope; the numbers are the
//! weights of the features of `fast`.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use chess::{Game, Move, MoveList, Position};
use oplus_data::archive::{Mode, Recent, visit_choices};

/// The largest change of a step.
const STRIDE: i32 = 15;

/// Largest number of games, the first ones: each takes some 100 kB.
const GAMES: usize = 1_000;

/// A number for each feature of `fast`.
pub(crate) struct Tables(Vec<i32>);

impl Tables {
    /// Climbs for `steps` steps. The same games give the same tables.
    pub(crate) fn climbed(games: &[Game], steps: usize) -> Self {
        let mut slope = Slope::new(&games[..games.len().min(GAMES)]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut numbers = vec![0; Mode::Fast.features()];
        let mut height = slope.entropy();
        for _ in 0..steps {
            let feature = rng.random_range(0..numbers.len());
            let change = rng.random_range(-STRIDE..=STRIDE);
            slope.change(feature, change);
            let now = slope.entropy();
            if now <= height {
                height = now;
                numbers[feature] += change;
            } else {
                slope.change(feature, -change);
            }
        }
        Self(numbers)
    }

    /// Place of a move in the order of these tables, by its index among the legal ones.
    pub(crate) fn place(
        &self,
        position: &Position,
        recent: Recent,
        legal: &MoveList,
        index: usize,
    ) -> usize {
        let mut scores: Vec<i32> = Vec::with_capacity(legal.len());
        Mode::Fast.each(position, recent, legal, |features| {
            scores.push(
                features.as_slice().iter().map(|&feature| self.0[usize::from(feature)]).sum(),
            );
        });
        rank(&scores, index)
    }
}

/// All choices of some games, and where the played moves stand in them.
struct Slope {
    choices: Vec<Choice>,
    /// Scores of all moves, choice by choice.
    scores: Vec<i32>,
    /// For each feature the moves that have it, as (choice, index of the score).
    bearers: Vec<Vec<(u32, u32)>>,
    /// Number of played moves of each rank.
    ranks: Vec<u64>,
}

/// The moves of a position.
#[derive(Clone, Copy)]
struct Choice {
    /// Index of the first score.
    first: u32,
    moves: u32,
    /// Index of the played one among them.
    played: u32,
    /// Number of moves before it.
    rank: u32,
}

impl Slope {
    fn new(games: &[Game]) -> Self {
        let mut slope = Self {
            choices: Vec::new(),
            scores: Vec::new(),
            bearers: vec![Vec::new(); Mode::Fast.features()],
            ranks: vec![0; 256],
        };
        for game in games {
            visit_choices(game, |position, recent, legal, played| {
                slope.add(position, recent, legal, played);
            });
        }
        slope
    }

    fn add(&mut self, position: &Position, recent: Recent, legal: &MoveList, played: Move) {
        let (choice, first) = (self.choices.len() as u32, self.scores.len() as u32);
        Mode::Fast.each(position, recent, legal, |features| {
            let bearer = (choice, self.scores.len() as u32);
            for &feature in features.as_slice() {
                self.bearers[usize::from(feature)].push(bearer);
            }
            self.scores.push(0);
        });
        let played = super::index_of(legal, played);
        self.ranks[played] += 1;
        let (moves, played) = (legal.len() as u32, played as u32);
        self.choices.push(Choice { first, moves, played, rank: played });
    }

    /// Adds to a feature's number.
    fn change(&mut self, feature: usize, change: i32) {
        for bearers in self.bearers[feature].chunk_by(|a, b| a.0 == b.0) {
            for &(_, score) in bearers {
                self.scores[score as usize] += change;
            }
            let choice = &mut self.choices[bearers[0].0 as usize];
            let scores = &self.scores[choice.first as usize..][..choice.moves as usize];
            let rank = rank(scores, choice.played as usize);
            self.ranks[choice.rank as usize] -= 1;
            self.ranks[rank] += 1;
            choice.rank = rank as u32;
        }
    }

    /// Entropy of the ranks: bits of a move.
    fn entropy(&self) -> f64 {
        let total = self.choices.len().max(1) as f64;
        let bits = |&count: &u64| count as f64 * (total / count as f64).log2();
        self.ranks.iter().filter(|count| **count > 0).map(bits).sum::<f64>() / total
    }
}

/// Number of moves with a higher score, or an equal one and an earlier place.
fn rank(scores: &[i32], played: usize) -> usize {
    let own = scores[played];
    let (before, after) = scores.split_at(played);
    let earlier = before.iter().filter(|&&score| score >= own).count();
    earlier + after.iter().filter(|&&score| score > own).count()
}
