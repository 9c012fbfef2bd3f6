//! The genetic algorithm of the document, as it was published.
//!
//! Twenty approximations a generation; the best one stays as it is, and the others are mutated
//! copies of parents drawn in favour of the better ones, by the softmax of minus their mean squared
//! error. A weight changes with probability 0.005 by Binomial(6, ½) − 3, a bit with 0.002 by
//! Binomial(2, ½) − 1, clipped. It begins without components. All approximations get an empty
//! one and 500 generations, and then 500 at a time for as long as the last of them have lowered the
//! mean squared error by more than 0.1. (krezelj, psqt-factorisation, `evolution.py`,
//! `specimens.py` and `nb_training.ipynb`, 2023; there the first 100 of a component may already
//! be its last, which leaves some of them unused.)

use rand::Rng;

use crate::Chance;

use super::factors::{Factors, RANGE};
use super::search::SearchClock;
use super::target::FactorTarget;
use super::{Cells, SQUARES, TABLES};

const GENERATION: usize = 20;
const BLOCK: usize = 500;
const LEAST_GAIN: f64 = 0.1;
const WEIGHT_CHANGES: f64 = 0.005;
const BIT_CHANGES: f64 = 0.002;

/// Grows to `count` components, or ends earlier when the watch does.
pub(crate) fn evolve(
    target: &FactorTarget,
    count: usize,
    chance: &mut Chance,
    watch: &mut SearchClock<'_>,
) -> Factors {
    let mut generation = vec![Specimen::new(target, target.start()); GENERATION];
    for _ in 0..count {
        generation.iter_mut().for_each(|specimen| specimen.factors.grow());
        let mut before = f64::INFINITY;
        loop {
            for _ in 0..BLOCK {
                generation = next(target, &generation, chance);
            }
            let now = generation[0].error;
            watch.advance(BLOCK as u64, now * (SQUARES * TABLES) as f64);
            if before - now <= LEAST_GAIN || watch.share().is_none() {
                break;
            }
            before = now;
        }
    }
    generation.swap_remove(0).factors
}

#[derive(Clone)]
struct Specimen {
    factors: Factors,
    errors: Cells<i32>,
    /// Mean over all cells.
    error: f64,
}

impl Specimen {
    fn new(target: &FactorTarget, factors: Factors) -> Self {
        let errors = target.errors(&factors);
        let mut specimen = Self { factors, errors, error: 0.0 };
        specimen.judge(target);
        specimen
    }

    fn judge(&mut self, target: &FactorTarget) {
        self.error = target.cost_of(&self.errors) / (SQUARES * TABLES) as f64;
    }

    fn mutate(&mut self, chance: &mut Chance) {
        let count = self.factors.count();
        for place in places(count * TABLES, WEIGHT_CHANGES, chance) {
            let heads = (chance.random::<u32>() & 63).count_ones() as i32;
            self.change_weight(place / TABLES, place % TABLES, heads - 3);
        }
        for place in places(count * SQUARES, BIT_CHANGES, chance) {
            let heads = (chance.random::<u32>() & 3).count_ones();
            self.set_bit(place / SQUARES, place % SQUARES, heads);
        }
    }

    fn change_weight(&mut self, component: usize, table: usize, step: i32) {
        let weight = &mut self.factors.weights[component][table];
        let changed = (*weight + step).clamp(*RANGE.start(), *RANGE.end());
        let step = changed - *weight;
        *weight = changed;
        for (errors, mask) in self.errors.iter_mut().zip(&self.factors.masks) {
            errors[table] += step * (mask >> component & 1) as i32;
        }
    }

    /// 0 clears the bit, 2 sets it, 1 leaves it.
    fn set_bit(&mut self, component: usize, square: usize, to: u32) {
        let mask = &mut self.factors.masks[square];
        let is_set = *mask >> component & 1 == 1;
        let sign = match (to, is_set) {
            (0, true) => -1,
            (2, false) => 1,
            _ => return,
        };
        *mask ^= 1 << component;
        let weights = &self.factors.weights[component];
        self.errors[square].iter_mut().zip(weights).for_each(|(error, w)| *error += sign * w);
    }
}

/// Indices below `count`, each drawn with the same probability.
fn places(count: usize, probability: f64, chance: &mut Chance) -> Vec<usize> {
    let mut drawn = Vec::new();
    let mut place = 0;
    loop {
        // Indices passed over until the next one.
        let passed = (1.0 - chance.random::<f64>()).ln() / (1.0 - probability).ln();
        place += passed as usize;
        if place >= count {
            return drawn;
        }
        drawn.push(place);
        place += 1;
    }
}

/// The best one, and mutated copies. The best comes first.
fn next(target: &FactorTarget, generation: &[Specimen], chance: &mut Chance) -> Vec<Specimen> {
    let least = generation.iter().map(|specimen| specimen.error).fold(f64::INFINITY, f64::min);
    let shares: Vec<f64> = generation.iter().map(|one| (least - one.error).exp()).collect();
    let whole: f64 = shares.iter().sum();
    let best = generation.iter().position(|one| one.error == least).unwrap_or(0);
    let mut children = vec![generation[best].clone()];
    for _ in 1..GENERATION {
        let mut lot = chance.random::<f64>() * whole;
        let drawn = shares.iter().position(|share| {
            lot -= share;
            lot < 0.0
        });
        let mut child = generation[drawn.unwrap_or(best)].clone();
        child.mutate(chance);
        child.judge(target);
        if child.error < children[0].error {
            children.insert(0, child);
        } else {
            children.push(child);
        }
    }
    children
}
