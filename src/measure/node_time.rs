//! Time of a node relative to the reference's, as matches at equal time need it.
//!
//! Both nets search the positions of games ([`bench::played`](crate::bench::played)), each its own
//! tree, in the same rounds, on as many threads at once as games will run. Half of the threads begin
//! a round with the other net, so that both are timed beside both, as in a match. Every round has
//! other games, copies both nets and makes new tables, at other places of the memory: by the place
//! alone the time of a node differs by 2 %.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::bench::played::{PlayedPositions, TIMED_NODES, searcher};
use arena::contender::Evaluation;
use arena::{Limit, NetId, student_mean};
use base::{Estimate, Key};
use engine::bench::SIGNATURE;
use nnue::Net;
use plan::{Context, JobError, Traits, Work};
use report::{Cell, Column, Format};

/// Rounds by default: every game twice on two cores.
pub const TIMING_ROUNDS: u32 = 16;

/// Timing of a net beside the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeTime {
    pub net: NetId,
    pub reference: NetId,
    /// Nodes of a search.
    pub nodes: u64,
    /// Games of every thread.
    pub rounds: u32,
}

/// Measured times of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeTimes {
    /// Nanoseconds per node of the net and of the reference, for every round of every thread.
    pub rounds: Vec<[f64; 2]>,
    /// Threads that searched at once.
    pub threads: usize,
}

impl NodeTime {
    pub fn new(net: NetId, reference: NetId, rounds: u32) -> Self {
        Self { net, reference, nodes: TIMED_NODES, rounds }
    }

    /// Nodes of the net that take as long as these of the reference.
    ///
    /// # Errors
    /// A timing without a result.
    pub(crate) fn nodes(
        &self,
        of_reference: NonZeroU64,
        context: &Context<'_>,
    ) -> Result<NonZeroU64, JobError> {
        Ok(context.output::<Self>(self.key()?)?.nodes(of_reference))
    }
}

impl NodeTimes {
    /// Time of a node relative to the reference's: the geometric mean over games, whose ratios differ
    /// by some 4 %.
    pub fn ratio(&self) -> Estimate {
        let ratios = self.rounds.iter().map(|[net, reference]| (net / reference).ln());
        match student_mean(&ratios.collect::<Vec<_>>()) {
            Some(Estimate { value, low, high }) if low.is_finite() => {
                Estimate::new(value.exp(), low.exp(), high.exp())
            }
            mean => Estimate::of_unknown_spread(mean.map_or(f64::NAN, |mean| mean.value.exp())),
        }
    }

    /// Nodes of the net that take as long as these of the reference.
    pub fn nodes(&self, of_reference: NonZeroU64) -> NonZeroU64 {
        let nodes = (of_reference.get() as f64 / self.ratio().value).round();
        NonZeroU64::new(nodes as u64).unwrap_or(NonZeroU64::MIN)
    }

    /// Its nodes at equal time as a column of the results, whether measured or not; `None` of another
    /// limit.
    pub(crate) fn figure(times: Option<&Self>, limit: Limit) -> Option<(Column, Cell)> {
        let Limit::EqualTime(nodes) = limit else { return None };
        let title = format!("nodes at {limit}");
        let column = Column::new(format!("nodes_{}", limit.slug()), title, Format::Count)
            .means("Nodes per move of the set in the time of the reference's nodes");
        Some((column, times.map(|times| times.nodes(nodes).get()).into()))
    }
}

/// Two nets on the same positions.
struct Timing<'a> {
    /// The net and the reference.
    evaluations: [Evaluation; 2],
    positions: &'a PlayedPositions,
    /// Nodes of a search.
    nodes: u64,
    stop: &'a AtomicBool,
}

impl Timing<'_> {
    /// A game for each of some threads at once: nanoseconds per node of either net. `None` if
    /// stopped.
    fn round(&self, games: Range<usize>) -> Option<Vec<[f64; 2]>> {
        std::thread::scope(|scope| {
            let spawn = |game| scope.spawn(move || self.game(game));
            let threads: Vec<_> = games.map(spawn).collect();
            // A panic of a thread is a bug: this thread panics with it.
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        })
    }

    /// The moves of a game with one net and then with the other; the next game begins with the
    /// other.
    fn game(&self, game: usize) -> Option<[f64; 2]> {
        let first = (game + game / PlayedPositions::GAMES) % 2;
        let mut times = [0.0; 2];
        for i in [first, 1 - first] {
            let mut searcher = searcher(&self.evaluations[i]);
            times[i] = self.positions.time(game, &mut searcher, self.nodes, self.stop)?;
        }
        Some(times)
    }
}

/// Copies of a net at other places of the memory than before.
struct Places {
    random: ChaCha8Rng,
    /// Between one copy and the next.
    gaps: Vec<Vec<u8>>,
}

impl Places {
    /// The largest gap in bytes: a huge page.
    const LARGEST: usize = 2 << 20;

    fn new() -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(1), gaps: Vec::new() }
    }

    fn copy(&mut self, evaluation: &Evaluation) -> Evaluation {
        self.gaps.push(Vec::with_capacity(self.random.random_range(1..Self::LARGEST)));
        match evaluation {
            Evaluation::Net(net) => Evaluation::Net(Arc::new(Net::clone(net))),
            other => other.clone(),
        }
    }
}

impl Work for NodeTime {
    const KIND: &'static str = "node-time";
    const STAGE: &'static str = "timing";
    const VERSION: u32 = 3;
    type Output = NodeTimes;

    fn signature(&self) -> Option<u64> {
        Some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        [&self.net, &self.reference].into_iter().filter_map(NetId::job).collect()
    }

    fn traits(&self) -> Traits {
        Traits { timed: true, ..Traits::default() }
    }

    fn run(&self, context: &mut Context<'_>) -> Result<NodeTimes, JobError> {
        let loaded = [self.net.load(context)?, self.reference.load(context)?];
        let (threads, stop) = (base::cores(), context.stop);
        let positions = PlayedPositions::new(stop).ok_or(JobError::Stopped)?;
        let (mut places, mut times) = (Places::new(), NodeTimes { rounds: Vec::new(), threads });
        context.observer.begin(context.title(), self.rounds.into(), "rounds");
        for round in 0..self.rounds.max(1) {
            let evaluations = loaded.each_ref().map(|one| places.copy(one));
            let timing = Timing { evaluations, positions: &positions, nodes: self.nodes, stop };
            let first = round as usize * threads;
            times.rounds.extend(timing.round(first..first + threads).ok_or(JobError::Stopped)?);
            context
                .observer
                .advance((round + 1).into(), &format!("{} times", times.ratio().plain()));
        }
        context
            .observer
            .end(&format!("{} times the time per node of the reference", times.ratio().plain()));
        Ok(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(ratios: &[f64]) -> NodeTimes {
        let rounds = ratios.iter().map(|ratio| [500.0 * ratio, 500.0]).collect();
        NodeTimes { rounds, threads: 1 }
    }

    #[test]
    fn nodes_are_those_that_take_as_long() {
        let of =
            |ratio: f64, nodes| times(&[ratio; 8]).nodes(NonZeroU64::new(nodes).unwrap()).get();
        assert_eq!(of(1.0, 5_000), 5_000);
        assert_eq!(of(2.0, 5_000), 2_500);
        assert_eq!(of(0.8, 5_000), 6_250);
        assert_eq!(of(9.0, 1), 1, "a player searches one node at least");
    }
}
