//! Puzzles: each net of each contestant beside the reference's net of its seed.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::config::Puzzles;
use super::contestant::{Contestant, SeededNet};
use super::error::CompareError;
use arena::{Estimate, mean_of_seeds};
use base::Observer;
use engine::NetEvaluator;
use puzzles::{
    self, Crossed, Interval, Lead, Mode, Outcome, Proportion, Puzzle, read_puzzles, run_suite,
};

/// What the nets of a contestant did on a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Share of the puzzles solved, mean over its nets, in [0, 1].
    pub share: Option<Estimate>,
    /// Share above the reference's, net by net on the same puzzles, with the spread of
    /// seeds where there are several; `None` of the reference itself.
    pub lead: Option<Estimate>,
}

/// Puzzles and how they are asked.
pub struct Suite {
    /// Rows of the file that were no puzzles, in words; empty if none.
    pub skipped: String,
    puzzles: Vec<Puzzle>,
    mode: Mode,
}

impl Suite {
    /// Reads the file.
    pub fn read(config: &Puzzles) -> Result<Self, CompareError> {
        let set = read_puzzles(&config.file, None)?;
        let skipped = match set.skipped.total() {
            0 => String::new(),
            _ => format!("{}: {}", config.file.display(), set.skipped),
        };
        Ok(Self { skipped, puzzles: set.puzzles, mode: Mode::of_nodes(config.nodes) })
    }
}

/// Lets all nets solve the suite; nothing if there is none.
pub fn measure(
    contestants: &[Contestant],
    suite: Option<&Suite>,
    observer: &mut (dyn Observer + Send),
    stop: &AtomicBool,
) -> Result<Vec<Solved>, CompareError> {
    let Some(suite) = suite else { return Ok(Vec::new()) };
    let nets: usize = contestants.iter().map(|contestant| contestant.nets.len()).sum();
    observer.begin("puzzles", (nets * suite.puzzles.len()) as u64, "puzzles");
    let mut done = 0;
    let mut outcomes: Vec<Vec<Vec<Outcome>>> = Vec::new();
    for contestant in contestants {
        let mut of_nets = Vec::new();
        for seeded in &contestant.nets {
            of_nets.push(solve(suite, seeded, (done, &mut *observer), stop)?);
            done += suite.puzzles.len() as u64;
        }
        outcomes.push(of_nets);
    }
    observer.end(&format!("{} puzzles", suite.puzzles.len()));
    let leads = leads(contestants, &outcomes);
    let solved = outcomes.iter().zip(leads).map(|(own, lead)| Solved { share: share(own), lead });
    Ok(solved.collect())
}

fn solve(
    suite: &Suite,
    seeded: &SeededNet,
    (before, observer): (u64, &mut (dyn Observer + Send)),
    stop: &AtomicBool,
) -> Result<Vec<Outcome>, CompareError> {
    let make = || suite.mode.solver(Box::new(NetEvaluator::new(seeded.net.clone())), stop);
    let observer = Mutex::new(observer);
    let progress = |done: u64| {
        // A solver thread that panicked is a bug of ours, not of the display.
        if let Ok(mut observer) = observer.lock() {
            observer.advance(before + done, "");
        }
    };
    Ok(run_suite(&suite.puzzles, &make, &progress, stop)?)
}

/// Mean over the nets. Of one net the interval is of the puzzles; of several it
/// is of the nets, and no narrower than that of the puzzles.
fn share(of_nets: &[Vec<Outcome>]) -> Option<Estimate> {
    let of_net = |outcomes: &Vec<Outcome>| {
        let mut share = Proportion::default();
        outcomes.iter().for_each(|outcome| share.add(outcome.solved));
        share
    };
    let shares: Vec<Proportion> = of_nets.iter().map(of_net).collect();
    let values: Vec<f64> = shares.iter().filter_map(|share| share.share()).collect();
    let of_seeds = mean_of_seeds(&values)?;
    let mean = |end: fn(Interval) -> f64| {
        shares.iter().map(|share| end(share.interval())).sum::<f64>() / shares.len() as f64
    };
    let (low, high) = (mean(|interval| interval.low), mean(|interval| interval.high));
    Some(match of_seeds.is_bounded() {
        false => Estimate { value: of_seeds.value, low, high },
        true => Estimate {
            value: of_seeds.value,
            low: of_seeds.low.min(low).max(0.0),
            high: of_seeds.high.max(high).min(1.0),
        },
    })
}

/// Each contestant against the first, over its seeds and the puzzles.
fn leads(contestants: &[Contestant], outcomes: &[Vec<Vec<Outcome>>]) -> Vec<Option<Estimate>> {
    let Some((reference, of_reference)) = contestants.first().zip(outcomes.first()) else {
        return Vec::new();
    };
    let crossed: Vec<Option<Crossed>> = contestants
        .iter()
        .zip(outcomes)
        .enumerate()
        .map(|(i, (contestant, own))| match i {
            0 => None,
            _ => crossed(contestant, own, reference, of_reference),
        })
        .collect();
    let estimate = |lead: Lead| Estimate {
        value: lead.difference,
        low: lead.interval.low,
        high: lead.interval.high,
    };
    puzzles::leads(&crossed).into_iter().map(|lead| lead.map(estimate)).collect()
}

/// Answers of two contestants' nets to the same puzzles, for each meeting of their seeds.
fn crossed(
    contestant: &Contestant,
    own: &[Vec<Outcome>],
    reference: &Contestant,
    others: &[Vec<Outcome>],
) -> Option<Crossed> {
    let meetings = contestant.meetings(reference).into_iter();
    let nets: Vec<_> = meetings.map(|(net, other)| (&own[net][..], &others[other][..])).collect();
    Crossed::compare(&nets)
}
