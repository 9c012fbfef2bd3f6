//! Puzzles: each net of each contestant beside the reference's net of its seed.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::config::{Config, Puzzles};
use super::contestant::{Contestant, SeededNet};
use super::error::CompareError;
use crate::arena::Estimate;
use crate::engine::NetEvaluator;
use crate::experiment::Observer;
use crate::puzzles::{Mode, Outcome, Paired, Proportion, Puzzle, read_puzzles, run_suite};

/// What the nets of a contestant did on a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Puzzles solved, of those tried by all its nets.
    pub share: Proportion,
    /// Share above the reference's, from the puzzles that only one of the two
    /// solved; `None` of the reference itself.
    pub lead: Option<Estimate>,
}

/// Lets all nets solve the suite; nothing if there is none.
pub fn measure(
    contestants: &[Contestant],
    config: &Config,
    observer: &mut (dyn Observer + Send),
    stop: &AtomicBool,
) -> Result<Vec<Solved>, CompareError> {
    let Some(Puzzles { file, nodes }) = &config.puzzles else { return Ok(Vec::new()) };
    let suite = read_puzzles(file, None)?.puzzles;
    let mode = Mode::of_nodes(*nodes);
    let nets: usize = contestants.iter().map(|contestant| contestant.nets.len()).sum();
    observer.begin("puzzles", (nets * suite.len()) as u64, "puzzles");
    let mut done = 0;
    let mut outcomes: Vec<Vec<Vec<Outcome>>> = Vec::new();
    for contestant in contestants {
        let mut of_nets = Vec::new();
        for seeded in &contestant.nets {
            of_nets.push(solve(&suite, seeded, mode, (done, &mut *observer), stop)?);
            done += suite.len() as u64;
        }
        outcomes.push(of_nets);
    }
    observer.end(&format!("{} puzzles", suite.len()));
    let solved = contestants.iter().enumerate().map(|(i, contestant)| Solved {
        share: share(&outcomes[i]),
        lead: (i > 0).then(|| lead(contestant, &outcomes[i], &contestants[0], &outcomes[0])),
    });
    Ok(solved.collect())
}

fn solve(
    suite: &[Puzzle],
    seeded: &SeededNet,
    mode: Mode,
    (before, observer): (u64, &mut (dyn Observer + Send)),
    stop: &AtomicBool,
) -> Result<Vec<Outcome>, CompareError> {
    let make = || mode.solver(Box::new(NetEvaluator::new(seeded.net.clone())), stop);
    let observer = Mutex::new(observer);
    let progress = |done: u64| {
        // A solver thread that panicked is a bug of ours, not of the display.
        if let Ok(mut observer) = observer.lock() {
            observer.advance(before + done, "");
        }
    };
    Ok(run_suite(suite, &make, &progress, stop)?)
}

fn share(of_nets: &[Vec<Outcome>]) -> Proportion {
    let mut share = Proportion::default();
    of_nets.iter().flatten().for_each(|outcome| share.add(outcome.solved));
    share
}

/// Pairs of answers to the same puzzle, over all seeds.
fn lead(
    contestant: &Contestant,
    own: &[Vec<Outcome>],
    reference: &Contestant,
    others: &[Vec<Outcome>],
) -> Estimate {
    let mut all = Paired::default();
    for (place, (seeded, own)) in contestant.nets.iter().zip(own).enumerate() {
        let opponent = &others[reference.opponent_of(seeded, place)];
        if let Some(paired) = Paired::compare(own, opponent) {
            all.both += paired.both;
            all.first_only += paired.first_only;
            all.second_only += paired.second_only;
            all.neither += paired.neither;
        }
    }
    let interval = all.interval();
    Estimate { value: all.difference(), low: interval.low, high: interval.high }
}
