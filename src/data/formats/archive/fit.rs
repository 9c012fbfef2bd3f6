//! Models fitted to games, policies by gradient.
//!
//! Floating point is used here and nowhere on the way of a game into a file: what comes
//! out is rounded to whole numbers. The same games give the same policy on any number
//! of threads.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::adaptive::{Adaptive, Bit};
use super::context::Recent;
use super::game::{Encodable, GameModel};
use super::model::Model;
use super::moves::{Mode, MoveCode, visit_choices};
use super::policy::{LANES, Policy, Row, UNIT};
use super::range_coder::Encoder;
use chess::{Game, Move, MoveList, Position};

/// Settings of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitConfig {
    /// Passes over the games.
    pub epochs: usize,
    /// Games of one step.
    pub batch: usize,
    /// First learning rate; it falls to nothing in a straight line.
    pub learning_rate: f32,
    /// Pull of rows towards zero, per step and unit of learning rate (as in AdamW).
    pub decay: f32,
    /// Another seed, other first weights.
    pub seed: u64,
}

impl Default for FitConfig {
    fn default() -> Self {
        Self { epochs: 8, batch: 32, learning_rate: 0.006, decay: 0.002, seed: 1 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitProgress {
    pub mode: Mode,
    pub step: usize,
    pub steps: usize,
    /// Bits per move of the games of the step.
    pub bits: f64,
}

/// Fits all parts of a model to games.
pub fn fit(games: &[Game], config: &FitConfig, progress: &mut dyn FnMut(FitProgress)) -> Model {
    let best = fit_policy(Mode::Best, games, config, progress);
    let fast = fit_policy(Mode::Fast, games, config, progress);
    Model { best, fast, unread: Vec::new(), games: expect(games) }
}

pub(crate) fn fit_policy(
    mode: Mode,
    games: &[Game],
    config: &FitConfig,
    progress: &mut dyn FnMut(FitProgress),
) -> Policy {
    let mut weights = Weights::random(mode, config.seed);
    let mut adam = Adam::new(weights.rows.len());
    let steps = config.epochs * games.len().div_ceil(config.batch);
    let mut step = 0;
    for epoch in 0..config.epochs {
        for batch in batches(games, config.batch, epoch) {
            let gradient = gradient(mode, &weights, &batch);
            let rate = config.learning_rate * (1.0 - step as f32 / steps as f32);
            adam.step(&mut weights, &gradient, rate, config.decay);
            step += 1;
            let bits = gradient.bits / f64::from(gradient.moves.max(1));
            progress(FitProgress { mode, step, steps, bits });
        }
    }
    weights.rounded(mode)
}

/// Games of each step: those that lie a fixed way apart, in another order each pass.
fn batches(games: &[Game], size: usize, epoch: usize) -> impl Iterator<Item = Vec<&Game>> {
    let count = games.len().div_ceil(size).max(1);
    (0..count).map(move |number| {
        let first = (number * 7 + epoch * 3) % count;
        games.iter().skip(first).step_by(count).collect()
    })
}

/// Sums of a move: the logit's plain part, and neurons.
type Lanes = [f32; LANES];

/// A policy that is being fitted.
struct Weights {
    rows: Vec<Lanes>,
    /// Weights of the neurons; the plain part has 1.
    neurons: Lanes,
}

impl Weights {
    /// Small numbers for the neurons, nothing for the plain part.
    fn random(mode: Mode, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut lanes = |size: f32| -> Lanes {
            std::array::from_fn(|lane| if lane == 0 { 0.0 } else { rng.random_range(-size..size) })
        };
        let rows = (0..mode.rows()).map(|_| lanes(0.05)).collect();
        Self { rows, neurons: lanes(0.3) }
    }

    fn rounded(&self, mode: Mode) -> Policy {
        let round = |lanes: &Lanes| -> Row { lanes.map(|x| (x * UNIT as f32).round() as i16) };
        Policy::new(mode, self.rows.iter().map(round).collect(), round(&self.neurons))
    }
}

/// Direction of a step, and how good the policy is.
struct Gradient {
    rows: Vec<Lanes>,
    neurons: Lanes,
    bits: f64,
    moves: u32,
}

impl Gradient {
    fn new(rows: usize) -> Self {
        Self { rows: vec![[0.0; LANES]; rows], neurons: [0.0; LANES], bits: 0.0, moves: 0 }
    }

    fn add(mut self, other: &Self) -> Self {
        self.rows.iter_mut().zip(&other.rows).for_each(|(sum, part)| add(sum, part));
        add(&mut self.neurons, &other.neurons);
        self.bits += other.bits;
        self.moves += other.moves;
        self
    }
}

#[inline]
fn add(sums: &mut Lanes, part: &Lanes) {
    sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
}

/// In parts of fixed size, added in their order: the same on any number of threads.
fn gradient(mode: Mode, weights: &Weights, games: &[&Game]) -> Gradient {
    let of_part = |part: &[&Game]| {
        let mut pass = Pass::new(mode, weights);
        part.iter().for_each(|game| {
            visit_choices(game, |position, recent, legal, played| {
                pass.choice(position, recent, legal, played);
            });
        });
        pass.gradient
    };
    let parts: Vec<Gradient> = games.par_chunks(8).map(of_part).collect();
    parts.iter().fold(Gradient::new(weights.rows.len()), Gradient::add)
}

/// There and back through the policy, choice by choice.
struct Pass<'w> {
    mode: Mode,
    weights: &'w Weights,
    gradient: Gradient,
    /// Rows of the position.
    common: Vec<usize>,
    /// Rows of all moves, one behind the other, and where those of each end.
    rows: Vec<usize>,
    ends: Vec<usize>,
    sums: Vec<Lanes>,
    logits: Vec<f32>,
}

impl<'w> Pass<'w> {
    fn new(mode: Mode, weights: &'w Weights) -> Self {
        let gradient = Gradient::new(weights.rows.len());
        let (common, rows, ends) = (Vec::new(), Vec::new(), Vec::new());
        Self { mode, weights, gradient, common, rows, ends, sums: Vec::new(), logits: Vec::new() }
    }

    fn choice(&mut self, position: &Position, recent: Recent, legal: &MoveList, played: Move) {
        self.forward(position, recent, legal);
        let best = self.logits.iter().copied().fold(f32::MIN, f32::max);
        let total: f32 = self.logits.iter().map(|logit| (logit - best).exp2()).sum();
        let mut common = [0.0; LANES];
        let mut start = 0;
        for (i, &m) in legal.iter().enumerate() {
            let share = (self.logits[i] - best).exp2() / total;
            let is_played = m == played;
            if is_played {
                self.gradient.bits -= f64::from(share.max(1e-9)).log2();
                self.gradient.moves += 1;
            }
            let slope = if is_played { 1.0 - share } else { -share };
            self.back(i, start, slope, &mut common);
            start = self.ends[i];
        }
        self.common.iter().for_each(|&row| add(&mut self.gradient.rows[row], &common));
    }

    fn forward(&mut self, position: &Position, recent: Recent, legal: &MoveList) {
        let Self { mode, weights, common, rows, ends, sums, logits, .. } = self;
        [&mut *common, &mut *rows, &mut *ends].into_iter().for_each(Vec::clear);
        sums.clear();
        logits.clear();
        mode.each_of_position(position, |row| common.push(row));
        let mut base = [0.0; LANES];
        common.iter().for_each(|&row| add(&mut base, &weights.rows[row]));
        mode.each(position, recent, legal, |features| {
            let mut lanes = base;
            for row in features.as_slice().iter().map(|&feature| usize::from(feature)) {
                add(&mut lanes, &weights.rows[row]);
                rows.push(row);
            }
            ends.push(rows.len());
            let hidden = lanes.iter().zip(&weights.neurons).skip(1);
            logits
                .push(lanes[0] + hidden.map(|(lane, weight)| lane.max(0.0) * weight).sum::<f32>());
            sums.push(lanes);
        });
    }

    /// Through move `i`, whose rows begin at `start`.
    fn back(&mut self, i: usize, start: usize, slope: f32, common: &mut Lanes) {
        let mut lanes = [0.0; LANES];
        lanes[0] = slope;
        let neurons = lanes.iter_mut().zip(&self.weights.neurons).zip(&mut self.gradient.neurons);
        for (((lane, weight), gradient), &sum) in neurons.zip(&self.sums[i]).skip(1) {
            if sum > 0.0 {
                *gradient += slope * sum;
                *lane = slope * weight;
            }
        }
        for &row in &self.rows[start..self.ends[i]] {
            add(&mut self.gradient.rows[row], &lanes);
        }
        // Rows that all moves share do not change the plain part.
        lanes[0] = 0.0;
        add(common, &lanes);
    }
}

/// AdamW (Loshchilov and Hutter, 2019).
struct Adam {
    mean: Vec<Lanes>,
    square: Vec<Lanes>,
    steps: i32,
}

const MEMORY: (f32, f32) = (0.9, 0.999);

impl Adam {
    /// For `rows` rows and the neurons' weights.
    fn new(rows: usize) -> Self {
        let zeros = vec![[0.0; LANES]; rows + 1];
        Self { mean: zeros.clone(), square: zeros, steps: 0 }
    }

    fn step(&mut self, weights: &mut Weights, gradient: &Gradient, rate: f32, decay: f32) {
        self.steps += 1;
        let scale = 1.0 / gradient.moves.max(1) as f32;
        let correction = (1.0 - MEMORY.0.powi(self.steps), 1.0 - MEMORY.1.powi(self.steps));
        let rows = weights.rows.iter_mut().chain([&mut weights.neurons]);
        let slopes = gradient.rows.iter().chain([&gradient.neurons]);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((row, slope), (mean, square)) in rows.zip(slopes).zip(moments) {
            for lane in 0..LANES {
                let slope = slope[lane] * scale;
                mean[lane] += (slope - mean[lane]) * (1.0 - MEMORY.0);
                square[lane] += (slope * slope - square[lane]) * (1.0 - MEMORY.1);
                let size = (square[lane] / correction.1).sqrt() + 1e-8;
                let pull = if lane == 0 { 0.0 } else { decay * row[lane] };
                row[lane] += rate * (mean[lane] / correction.0 / size - pull);
            }
        }
    }
}

/// Probabilities of scores, lengths and results of such games. Games that
/// cannot be encoded are passed over.
pub(crate) fn expect(games: &[Game]) -> GameModel {
    let mut model = GameModel::default();
    // Odds of moves are another matter: here all are alike.
    let mut moves = MoveCode::new(Policy::new(Mode::Fast, Vec::new(), Row::default()));
    // Probabilities adapt and forget, so kinds of games must not come one after the other.
    let mut mixed: Vec<&Game> = games.iter().collect();
    mixed.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    for game in mixed.into_iter().filter_map(|game| Encodable::new(game).ok()) {
        // Only reading can fail.
        let _ = model.pass(&mut moves, &mut Encoder::default(), &game);
    }
    model.each(&mut |bit| *bit = Bit::expecting(bit.odds()));
    model
}
