//! Methods that find an approximation, and their clock.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};

use crate::Chance;

use super::factors::Factors;
use super::target::FactorTarget;
use super::{Occupancy, SQUARES, alternating, annealing, genetic, joint};

/// Method of a search.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum FactorMethod {
    /// The genetic algorithm of the document, with its own stopping rule.
    Genetic,
    /// Alternating exact steps from one random start, until convergence.
    Alternating,
    /// Repeated exact steps, with random changes of a few squares and weights.
    LocalSearch,
    /// Simulated annealing, with exact steps at the end.
    Annealing,
}

impl FactorMethod {
    pub fn name(self) -> &'static str {
        match self {
            FactorMethod::Genetic => "genetic",
            FactorMethod::Alternating => "alternating",
            FactorMethod::LocalSearch => "local-search",
            FactorMethod::Annealing => "annealing",
        }
    }
}

/// Budget of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FactorBudget {
    /// Wall-clock time: results depend on the machine.
    Time(Duration),
    /// Steps of the method: the same result everywhere.
    Steps(u64),
}

#[derive(Clone, Copy, Debug)]
pub struct FactorSettings {
    /// Components.
    pub count: usize,
    pub method: FactorMethod,
    /// Budget; the genetic algorithm and exact steps may end earlier.
    pub budget: FactorBudget,
    /// Seed of the start.
    pub seed: u64,
    /// Parallel searches; the best result counts.
    pub threads: usize,
}

/// Progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct FactorProgress {
    /// Share of the budget that is spent.
    pub share: f64,
    /// Least cost so far.
    pub cost: f64,
}

/// The clock of one search, or of a part of it.
pub(crate) struct SearchClock<'a> {
    budget: FactorBudget,
    /// Share of the budget at which this part ends.
    until: f64,
    started: Instant,
    steps: u64,
    stop: &'a AtomicBool,
    report: &'a (dyn Fn(FactorProgress) + Sync),
    least: f64,
}

impl SearchClock<'_> {
    /// Spent share of this part of the budget; `None` at its end or once the stop flag is set.
    pub(crate) fn share(&self) -> Option<f64> {
        let share = self.spent() / self.until;
        (share < 1.0 && !self.stop.load(Ordering::Relaxed)).then_some(share)
    }

    fn spent(&self) -> f64 {
        match self.budget {
            FactorBudget::Time(time) => self.started.elapsed().as_secs_f64() / time.as_secs_f64(),
            FactorBudget::Steps(steps) => self.steps as f64 / steps.max(1) as f64,
        }
    }

    /// Counts steps and reports the least cost.
    pub(crate) fn advance(&mut self, steps: u64, cost: f64) {
        self.steps += steps;
        self.least = self.least.min(cost);
        (self.report)(FactorProgress { share: self.spent().min(1.0), cost: self.least });
    }
}

/// Searches the best approximation. With an occupancy, the last steps follow the error of the
/// evaluation. The stop flag ends the search with the best so far.
pub fn factorise(
    target: &FactorTarget,
    occupancy: Option<&Occupancy>,
    settings: FactorSettings,
    stop: &AtomicBool,
    report: &mut (dyn FnMut(FactorProgress) + Send),
) -> Factors {
    let report = Mutex::new(report);
    let report_progress = |standing: FactorProgress| {
        if let Ok(mut report) = report.lock() {
            report(standing);
        }
    };
    let search = |thread: u64| {
        let mut watch = SearchClock {
            budget: settings.budget,
            until: 1.0,
            started: Instant::now(),
            steps: 0,
            stop,
            report: &report_progress,
            least: f64::INFINITY,
        };
        let mut chance = Chance::seed_from_u64(settings.seed);
        chance.set_stream(thread);
        one(target, occupancy, settings, &mut chance, &mut watch)
    };
    let found: Vec<Factors> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..settings.threads.max(1) as u64)
            .map(|thread| {
                let search = &search;
                scope.spawn(move || search(thread))
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let cost = |factors: &Factors| match occupancy {
        Some(occupancy) => occupancy.evaluation_error(&target.errors(factors)),
        None => target.cost(factors),
    };
    found.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or_else(|| target.start())
}

fn one(
    target: &FactorTarget,
    occupancy: Option<&Occupancy>,
    settings: FactorSettings,
    chance: &mut Chance,
    watch: &mut SearchClock<'_>,
) -> Factors {
    let count = settings.count;
    // The last part follows the evaluation.
    watch.until = if occupancy.is_some() { 0.7 } else { 1.0 };
    let mut factors = match settings.method {
        FactorMethod::Genetic => genetic::evolve(target, count, chance, watch),
        FactorMethod::Alternating => {
            let mut factors = annealing::random(target, count, chance);
            alternating::descend(target, &mut factors);
            factors
        }
        FactorMethod::LocalSearch => local_search(target, count, chance, watch),
        FactorMethod::Annealing => annealing::anneal(target, count, chance, watch),
    };
    if let Some(occupancy) = occupancy {
        watch.until = 1.0;
        joint::descend(target, occupancy, &mut factors, watch);
    }
    factors
}

/// Exact steps, then again and again from a place near the best.
fn local_search(
    target: &FactorTarget,
    count: usize,
    chance: &mut Chance,
    watch: &mut SearchClock<'_>,
) -> Factors {
    let mut best = annealing::random(target, count, chance);
    let mut least = alternating::descend(target, &mut best);
    while watch.share().is_some() {
        let mut other = best.clone();
        perturb(&mut other, chance);
        let cost = alternating::descend(target, &mut other);
        if cost < least {
            (best, least) = (other, cost);
        }
        watch.advance(1, least);
    }
    best
}

/// Toggles some squares in one or two components; a component may start anew.
fn perturb(factors: &mut Factors, chance: &mut Chance) {
    let count = factors.count();
    if chance.random_range(0..3) == 0 {
        let component = chance.random_range(0..count);
        let squares: u64 = chance.random();
        for (square, mask) in factors.masks.iter_mut().enumerate() {
            *mask = *mask & !(1 << component) | ((squares >> square & 1) as u32) << component;
        }
        factors.weights[component] = std::array::from_fn(|_| chance.random_range(-8..=8));
        return;
    }
    for _ in 0..chance.random_range(1..SQUARES / 4) {
        let square = chance.random_range(0..SQUARES);
        factors.masks[square] ^= 1 << chance.random_range(0..count);
    }
}
