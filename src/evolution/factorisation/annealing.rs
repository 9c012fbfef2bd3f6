//! Simulated annealing: single bits and single weights change at random, upwards too, less often
//! the lower the temperature.
//!
//! A bit affects one square of all tables, a weight the squares of one component in one table, so
//! the cost of a change is a sum over twelve or at most 64 cells. After cooling, exact steps
//! ([`alternating`]) lead to the bottom.

use rand::Rng;

use crate::Chance;

use super::alternating;
use super::factors::{Factors, OFFSET_STEP, RANGE};
use super::search::SearchClock;
use super::target::FactorTarget;
use super::{Cells, SQUARES, TABLES};

/// Temperatures of the start and of the end, as shares of the cost after exact steps from a random
/// start.
const HOT: f64 = 1.0 / 100.0;
const COLD: f64 = 1.0 / 2_000.0;

/// Share of the budget for the first cooling. The rest reheats and cools the best solution again
/// and again, from a lower temperature, so that only undecided bits and weights change.
const FIRST: f64 = 0.5;
const AGAIN: f64 = 10.0;
const WARM: f64 = 1.0 / 250.0;

/// Changes between two polls of the clock.
const BETWEEN_LOOKS: u64 = 4_096;

/// Cools a random start down, and reheats its best until the budget is spent.
pub(crate) fn anneal(
    target: &FactorTarget,
    count: usize,
    chance: &mut Chance,
    watch: &mut SearchClock<'_>,
) -> Factors {
    let mut factors = random(target, count, chance);
    let scale = alternating::descend(target, &mut factors);
    let mut state = AnnealingState::new(target, factors);
    let mut best = (state.cost, state.factors.clone());
    let mut cooling = 0;
    while let Some(share) = watch.share() {
        let (number, heat) = heat(share);
        if number != cooling {
            cooling = number;
            state = AnnealingState::new(target, best.1.clone());
        }
        state.heat = scale * heat;
        (0..BETWEEN_LOOKS).for_each(|_| state.step(chance));
        if state.cost < best.0 {
            best = (state.cost, state.factors.clone());
        }
        watch.advance(BETWEEN_LOOKS, best.0);
    }
    let mut last = state.factors;
    let cost = alternating::descend(target, &mut last);
    let of_best = alternating::descend(target, &mut best.1);
    if of_best < cost { best.1 } else { last }
}

/// Index and temperature of the cooling at a share of the budget.
fn heat(share: f64) -> (usize, f64) {
    let cooled = |from: f64, share: f64| from * (COLD / from).powf(share);
    if share < FIRST {
        return (0, cooled(HOT, share / FIRST));
    }
    let again = (share - FIRST) / (1.0 - FIRST) * AGAIN;
    (1 + again as usize, cooled(WARM, again.fract()))
}

/// Components of random squares, with the best weights for them.
pub(crate) fn random(target: &FactorTarget, count: usize, chance: &mut Chance) -> Factors {
    let mut factors = target.start();
    (0..count).for_each(|_| factors.grow());
    let all = (1u32 << count) - 1;
    factors.masks.iter_mut().for_each(|mask| *mask = chance.random::<u32>() & all);
    alternating::best_weights(target, &mut factors);
    factors
}

struct AnnealingState<'t> {
    target: &'t FactorTarget,
    factors: Factors,
    errors: Cells<i32>,
    cost: f64,
    heat: f64,
}

impl<'t> AnnealingState<'t> {
    fn new(target: &'t FactorTarget, factors: Factors) -> Self {
        let errors = target.errors(&factors);
        let cost = target.cost_of(&errors);
        Self { target, factors, errors, cost, heat: 0.0 }
    }

    fn step(&mut self, chance: &mut Chance) {
        match chance.random_range(0..8) {
            0..6 => self.try_bit(chance),
            6 if self.target.fits_offsets => self.try_offset(chance),
            _ => self.try_weight(chance),
        }
    }

    /// Whether a change of this cost is accepted.
    #[inline]
    fn takes(&self, change: f64, chance: &mut Chance) -> bool {
        change <= 0.0 || chance.random::<f64>() < (-change / self.heat).exp()
    }

    fn try_bit(&mut self, chance: &mut Chance) {
        let square = chance.random_range(0..SQUARES);
        let component = chance.random_range(0..self.factors.count());
        let sign = if self.factors.masks[square] >> component & 1 == 1 { -1 } else { 1 };
        let weights = self.factors.weights[component].map(|weight| sign * weight);
        let errors = self.errors[square];
        let importance = &self.target.importance[square];
        let change: f32 = (0..TABLES)
            .map(|table| {
                let step = weights[table];
                importance[table] * (step * (2 * errors[table] + step)) as f32
            })
            .sum();
        if self.takes(f64::from(change), chance) {
            self.factors.masks[square] ^= 1 << component;
            self.errors[square].iter_mut().zip(weights).for_each(|(error, step)| *error += step);
            self.cost += f64::from(change);
        }
    }

    fn try_weight(&mut self, chance: &mut Chance) {
        let component = chance.random_range(0..self.factors.count());
        let table = chance.random_range(0..TABLES);
        let step = small(chance);
        let weight = self.factors.weights[component][table] + step;
        let change = self.change(table, step, |mask| mask >> component & 1 == 1);
        if RANGE.contains(&weight) && self.takes(change, chance) {
            self.factors.weights[component][table] = weight;
            self.shift(table, step, |mask| mask >> component & 1 == 1);
            self.cost += change;
        }
    }

    fn try_offset(&mut self, chance: &mut Chance) {
        let table = chance.random_range(0..TABLES);
        let step = if chance.random() { 1 } else { -1 };
        let offset = self.factors.offsets[table] + step;
        let change = self.change(table, step * OFFSET_STEP, |_| true);
        if RANGE.contains(&offset) && self.takes(change, chance) {
            self.factors.offsets[table] = offset;
            self.shift(table, step * OFFSET_STEP, |_| true);
            self.cost += change;
        }
    }

    /// Cost of adding `step` to some squares of a table.
    #[inline]
    fn change(&self, table: usize, step: i32, is_of: impl Fn(u32) -> bool) -> f64 {
        let mut change = 0.0f32;
        for square in 0..SQUARES {
            let of_square = self.target.importance[square][table]
                * (step * (2 * self.errors[square][table] + step)) as f32;
            change += if is_of(self.factors.masks[square]) { of_square } else { 0.0 };
        }
        f64::from(change)
    }

    fn shift(&mut self, table: usize, step: i32, is_of: impl Fn(u32) -> bool) {
        for (errors, &mask) in self.errors.iter_mut().zip(&self.factors.masks) {
            errors[table] += if is_of(mask) { step } else { 0 };
        }
    }
}

/// A step of a weight: mostly one, seldom more, never none.
fn small(chance: &mut Chance) -> i32 {
    let size = 1 + chance.random::<u32>().trailing_zeros().min(5) as i32;
    if chance.random() { size } else { -size }
}
