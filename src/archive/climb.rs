//! Policies by hill climbing: change one number at random, keep what helps.
//!
//! This is how piece-square tables for move orders were tuned before (Marcus Buffett,
//! "Compressing chess moves even further": 100,000 steps of up to ±15). What counts is
//! the entropy of the played moves' ranks, which has no slope; the numbers are the
//! weights of the features of `fast`. It is here to be compared with the gradient of `fit`.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::choices::{follow, index_of};
use super::policy::{LANES, Policy, Row, Style, UNIT};
use chess::Game;

/// The largest change of a step.
const STRIDE: i16 = 15;

/// No more games than these are looked at, the first ones: each takes some 100 kB.
const GAMES: usize = 1_000;

/// Climbs for so many steps; `progress` hears after each how many are done and how many
/// bits a move takes. The same games and seed give the same policy.
pub(crate) fn climb(
    games: &[Game],
    steps: usize,
    seed: u64,
    progress: &mut dyn FnMut(usize, f64),
) -> Policy {
    let mut slope = Slope::new(&games[..games.len().min(GAMES)]);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut numbers = vec![0i16; Style::Brisk.clues()];
    let mut height = slope.entropy();
    for step in 1..=steps {
        let clue = rng.random_range(0..numbers.len());
        let change = rng.random_range(-STRIDE..=STRIDE);
        slope.change(clue, i32::from(change));
        let now = slope.entropy();
        if now <= height {
            height = now;
            numbers[clue] = numbers[clue].saturating_add(change);
        } else {
            slope.change(clue, -i32::from(change));
        }
        progress(step, height);
    }
    let scale = slope.best_scale();
    let scaled = |number: i16| plain((f64::from(number) * scale).round() as i16);
    Policy::new(Style::Brisk, numbers.into_iter().map(scaled).collect(), [0; LANES])
}

/// A row without neurons.
fn plain(number: i16) -> Row {
    std::array::from_fn(|lane| if lane == 0 { number } else { 0 })
}

/// All choices of some games, and where the played moves stand in them.
struct Slope {
    choices: Vec<Choice>,
    /// Scores of all moves, choice by choice.
    scores: Vec<i32>,
    /// For each clue the moves that have it, as (choice, index of the score).
    bearers: Vec<Vec<(u32, u32)>>,
    /// How often each rank was played.
    ranks: Vec<u64>,
}

/// The moves of a position.
#[derive(Clone, Copy)]
struct Choice {
    /// Index of the first score.
    first: u32,
    moves: u32,
    /// Which of them was played.
    played: u32,
    /// How many stand before it.
    rank: u32,
}

impl Slope {
    fn new(games: &[Game]) -> Self {
        let mut slope = Self {
            choices: Vec::new(),
            scores: Vec::new(),
            bearers: vec![Vec::new(); Style::Brisk.clues()],
            ranks: vec![0; 256],
        };
        for game in games {
            follow(game, |position, recent, legal, m| {
                let (choice, first) = (slope.choices.len() as u32, slope.scores.len() as u32);
                Style::Brisk.each(position, recent, legal, |clues| {
                    let bearer = (choice, slope.scores.len() as u32);
                    for &clue in clues.as_slice() {
                        slope.bearers[usize::from(clue)].push(bearer);
                    }
                    slope.scores.push(0);
                });
                let played = index_of(legal, m) as u32;
                slope.ranks[played as usize] += 1;
                let moves = legal.len() as u32;
                slope.choices.push(Choice { first, moves, played, rank: played });
            });
        }
        slope
    }

    /// Adds to a clue's number.
    fn change(&mut self, clue: usize, change: i32) {
        for bearers in self.bearers[clue].chunk_by(|a, b| a.0 == b.0) {
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

    /// What the scores are to be multiplied with to be logits. For ranks it makes no
    /// difference.
    fn best_scale(&self) -> f64 {
        let scales = (-8..=32).map(|quarter| (f64::from(quarter) / 4.0).exp2());
        let with_bits = scales.map(|scale| (self.bits(scale), scale));
        with_bits.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, scale)| scale)
    }

    /// Bits of all moves, if the scores are logits of that scale.
    fn bits(&self, scale: f64) -> f64 {
        let of_choice = |choice: &Choice| {
            let scores = &self.scores[choice.first as usize..][..choice.moves as usize];
            let power = |score: i32| (f64::from(score) * scale / f64::from(UNIT)).exp2();
            let total: f64 = scores.iter().map(|&score| power(score)).sum();
            (total / power(scores[choice.played as usize])).log2()
        };
        self.choices.iter().map(of_choice).sum()
    }

    /// Bits of a move, if each rank costs what it is worth.
    fn entropy(&self) -> f64 {
        let total = self.choices.len().max(1) as f64;
        let bits = |&count: &u64| count as f64 * (total / count as f64).log2();
        self.ranks.iter().filter(|count| **count > 0).map(bits).sum::<f64>() / total
    }
}

/// How many stand before a move; of equals those that come first.
fn rank(scores: &[i32], played: usize) -> usize {
    let own = scores[played];
    let (before, after) = scores.split_at(played);
    let earlier = before.iter().filter(|&&score| score >= own).count();
    earlier + after.iter().filter(|&&score| score > own).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::random_game::random_game;

    #[test]
    fn every_step_leads_down_and_is_counted_right() {
        let games: Vec<Game> = (0..4).map(|seed| random_game(seed, 60)).collect();
        let mut heights = Vec::new();
        let policy = climb(&games, 300, 1, &mut |_, bits| heights.push(bits));
        assert!(heights.is_sorted_by(|a, b| a >= b), "{heights:?}");
        assert!(heights[299] < heights[0]);

        // Followed step by step or all at once, and as logits better than no idea.
        let mut slope = Slope::new(&games);
        let none = slope.bits(1.0);
        for (clue, row) in policy.rows().iter().enumerate().take(Style::Brisk.clues()) {
            slope.change(clue, row[0].into());
        }
        assert!((slope.entropy() - heights[299]).abs() < 0.01);
        assert!(slope.bits(1.0) < none);
    }
}
