//! A population of expressions over its time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use evolution::method::{Judgement, Method, crowding};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::breeding::{Bred, Breeding};
use crate::screen::{Screening, ScreeningError, ns_of_a_move};

/// What a population may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breed {
    /// Individuals alive at a time.
    pub population: usize,
    /// Different sets that are asked at most.
    pub asked: usize,
    /// Another seed, other children.
    pub seed: u64,
}

/// What an individual is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    /// The set, as an expression.
    pub expression: String,
    /// The lower end of its gain, in per cent of the loss.
    pub gain: f64,
    /// What it costs, in nanoseconds a move.
    pub ns: f64,
}

impl Worth {
    /// Per cent that are sure, for every 100 nanoseconds.
    pub fn fitness(&self) -> f64 {
        100.0 * self.gain / self.ns
    }
}

/// A population asks the same sets again and again; rounds in which nothing is new count for
/// nothing, up to so many for every set that may be asked.
const IDLE: usize = 20;

impl Breed {
    /// Breeds; all that were asked, the fittest first. What is `known` from before is not asked
    /// again, and `told` hears of everything that is.
    ///
    /// # Errors
    /// The stop flag.
    pub fn run(
        &self,
        screening: &Screening<'_>,
        breeding: Breeding,
        width: usize,
        known: Vec<Worth>,
        told: &mut dyn FnMut(&Worth),
        stop: &AtomicBool,
    ) -> Result<Vec<Worth>, ScreeningError> {
        let settings = crowding::Settings { population: self.population, ..Default::default() };
        let mut method = settings.breed(breeding, false, self.seed);
        let mut memory: BTreeMap<String, Worth> =
            known.into_iter().map(|worth| (worth.expression.clone(), worth)).collect();
        let mut met: BTreeMap<String, Worth> = BTreeMap::new();
        for _ in 0..IDLE * self.asked {
            if met.len() >= self.asked {
                break;
            }
            let asked = method.ask();
            for (bred, gain) in gains(screening, &asked, &met, &memory) {
                if stop.load(Ordering::Relaxed) {
                    return Err(ScreeningError::Stopped);
                }
                let name = &bred.candidate.name;
                let ns = ns_of_a_move(&bred.candidate.set, width);
                let worth = Worth { expression: name.clone(), gain, ns };
                told(&worth);
                memory.insert(name.clone(), worth);
            }
            let judged = asked.iter().map(|bred| {
                let name = &bred.candidate.name;
                let worth = memory.get(name);
                met.extend(worth.map(|worth| (name.clone(), worth.clone())));
                Judgement::of(worth.map_or(f64::NEG_INFINITY, Worth::fitness))
            });
            let judged: Vec<Judgement> = judged.collect();
            method.tell(&judged);
        }
        let mut all: Vec<Worth> = met.into_values().collect();
        all.sort_by(|a, b| b.fitness().total_cmp(&a.fitness()));
        Ok(all)
    }
}

/// The sure gains of those that nobody has asked before, in per cent.
fn gains<'b>(
    screening: &Screening<'_>,
    asked: &'b [Bred],
    met: &BTreeMap<String, Worth>,
    memory: &BTreeMap<String, Worth>,
) -> Vec<(&'b Bred, f64)> {
    let mut new: Vec<&Bred> = Vec::new();
    for bred in asked {
        let name = &bred.candidate.name;
        let is_known = met.contains_key(name) || memory.contains_key(name);
        if !is_known && !new.iter().any(|other| other.candidate.name == *name) {
            new.push(bred);
        }
    }
    let percent = 100.0 / screening.loss();
    let gain = |bred: &&'b Bred| (*bred, percent * screening.gain_of(&bred.candidate.set).loss.low);
    new.par_iter().with_max_len(1).map(gain).collect()
}
