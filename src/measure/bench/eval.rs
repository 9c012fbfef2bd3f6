//! Cost of a net in the search.
//!
//! Nodes/s of two nets are not comparable: another evaluation gives another tree, with other
//! moves, other cut-offs and another share of evaluated nodes. So every contender searches the
//! *same* tree, that of PeSTO. A first search records PeSTO's values in the order of its
//! evaluations. A net then follows all moves and evaluates the same positions, but the search
//! receives the recorded values: node counts are PeSTO's, and times compare node for node.
//!
//! Contenders take turns, so that a machine that slows down for a while slows
//! all of them.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use arena::contender::Evaluation;
use chess::{Color, Move, Position, Scene};
use engine::{Evaluator, Limits, NetEvaluator, Searcher, Tapered, bench};
use features::{Feature, FeatureSet};
use nnue::{
    Architecture, DenseWeights, Dispatch, FloatWeights, Layers, Net, QuantiseError, UpdateCounts,
    quantise,
};

/// An evaluator whose values pass through a function.
struct Through<E, F> {
    evaluator: E,
    pass: F,
}

impl<E: Evaluator, F: FnMut(i32) -> i32 + Send> Evaluator for Through<E, F> {
    fn reset(&mut self, root: &Position) {
        self.evaluator.reset(root);
    }

    fn push(&mut self, before: &Position, played: Move, after: &Position) {
        self.evaluator.push(before, played, after);
    }

    fn push_null(&mut self, after: &Position) {
        self.evaluator.push_null(after);
    }

    fn pop(&mut self) {
        self.evaluator.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        let value = self.evaluator.evaluate(position);
        (self.pass)(value)
    }

    fn update_counts(&self) -> UpdateCounts {
        self.evaluator.update_counts()
    }
}

/// The searches that all contenders repeat.
#[derive(Clone, Debug)]
pub struct Course {
    depth: u32,
    values: Arc<[i32]>,
}

impl Course {
    /// The bench positions to `depth`, as PeSTO searches them. `None` if stopped.
    pub fn new(depth: u32, stop: &AtomicBool) -> Option<Self> {
        let values = Arc::new(Mutex::new(Vec::new()));
        let written = values.clone();
        let record = move |value| {
            written.lock().unwrap_or_else(PoisonError::into_inner).push(value);
            value
        };
        let evaluator = Through { evaluator: Tapered::pesto(), pass: record };
        TimedEvaluator::of(Box::new(evaluator)).round(depth, stop)?;
        let values = std::mem::take(&mut *values.lock().unwrap_or_else(PoisonError::into_inner));
        Some(Self { depth, values: values.into() })
    }

    /// PeSTO itself.
    pub fn pesto(&self) -> TimedEvaluator {
        TimedEvaluator::of(Box::new(Tapered::pesto()))
    }

    /// PeSTO's tree by any evaluation; of those that are no nets, PeSTO's own.
    pub fn evaluation(&self, evaluation: &Evaluation) -> TimedEvaluator {
        match evaluation {
            Evaluation::Net(net) => self.net(net.clone(), Dispatch::best()),
            _ => self.pesto(),
        }
    }

    /// PeSTO's tree, every move of it followed by `net`.
    pub fn net(&self, net: Arc<Net>, dispatch: Dispatch) -> TimedEvaluator {
        let (values, mut next) = (self.values.clone(), 0);
        let recorded = move |own| {
            black_box(own);
            let value = values.get(next).copied().unwrap_or_default();
            next = if next + 1 < values.len() { next + 1 } else { 0 };
            value
        };
        let evaluator = NetEvaluator::with(net, dispatch);
        TimedEvaluator::of(Box::new(Through { evaluator, pass: recorded }))
    }

    /// Repeats all searches of a contender. `None` if stopped.
    pub fn round(&self, contender: &mut TimedEvaluator, stop: &AtomicBool) -> Option<()> {
        contender.round(self.depth, stop)
    }
}

/// A timed evaluation: PeSTO, or a net on PeSTO's tree.
pub struct TimedEvaluator {
    searcher: Searcher,
    cost: SearchCost,
}

/// Cost of a contender.
#[derive(Clone, Debug, Default)]
pub struct SearchCost {
    /// Positions visited, all rounds together.
    pub nodes: u64,
    /// Evaluations in all rounds.
    pub evaluations: u64,
    /// Nanoseconds per node, one for each round.
    pub ns_per_node: Vec<f64>,
    /// Accumulator updates in all rounds.
    pub counts: UpdateCounts,
}

impl SearchCost {
    /// Median nanoseconds per node over the rounds.
    pub fn median_ns(&self) -> f64 {
        median(self.ns_per_node.clone())
    }

    /// Median over the rounds of this cost per node, divided by another's in
    /// the same round.
    pub fn relative_to(&self, other: &SearchCost) -> f64 {
        median(self.ns_per_node.iter().zip(&other.ns_per_node).map(|(a, b)| a / b).collect())
    }

    /// A count of the accumulators, per node.
    pub fn per_node(&self, count: impl Fn(&UpdateCounts) -> u64) -> f64 {
        count(&self.counts) as f64 / self.nodes.max(1) as f64
    }
}

impl TimedEvaluator {
    fn of(evaluator: Box<dyn Evaluator>) -> Self {
        let searcher = Searcher::new(evaluator, bench::HASH_MB);
        Self { searcher, cost: SearchCost::default() }
    }

    /// Cost so far.
    pub fn cost(&self) -> &SearchCost {
        &self.cost
    }

    /// Searches all bench positions to `depth` once more. `None` if stopped.
    fn round(&mut self, depth: u32, stop: &AtomicBool) -> Option<()> {
        let (mut nodes, mut elapsed) = (0, Duration::ZERO);
        for root in bench::POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok()) {
            self.searcher.new_game();
            let started = Instant::now();
            let found = self.searcher.search(&root, &[], &Limits::depth(depth), stop, &mut |_| {});
            elapsed += started.elapsed();
            nodes += found.nodes;
            self.cost.evaluations += found.evaluations;
            if stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        self.cost.nodes += nodes;
        self.cost.ns_per_node.push(elapsed.as_nanos() as f64 / nodes.max(1) as f64);
        self.cost.counts = self.searcher.evaluator().update_counts();
        Some(())
    }
}

/// The middle one; NaN of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Seed of the random weights.
const SEED: u64 = 1;

/// Untrained net with the activity of trained nets: two of five neurons of the feature
/// transformer are active, with any set.
///
/// # Errors
/// Those of [`quantise()`].
pub fn random_net(features: &Arc<FeatureSet>, layers: Layers) -> Result<Net, QuantiseError> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut values = |count: usize, middle: f32, size: f32| -> Vec<f32> {
        (0..count).map(|_| middle + rng.random_range(-size..size)).collect()
    };
    let (width, buckets) = (layers.width(), layers.buckets().count());
    let row = 0.8 / mean_active(features).sqrt();
    let ft_weights = values(features.size() * width, 0.0, row);
    let ft_bias = values(width, -0.12, 0.1);
    let shapes = layers.dense();
    let dense = shapes.iter().enumerate().map(|(place, shape)| {
        // The output is in centipawns.
        let size = match (place, place + 1 == shapes.len()) {
            (0, true) => 40.0,
            (_, true) => 150.0,
            (_, false) => 0.25,
        };
        DenseWeights {
            weights: values(shape.inputs * shape.sums * buckets, 0.0, size),
            bias: values(shape.sums * buckets, 0.0, size.min(10.0)),
        }
    });
    let weights = FloatWeights {
        dense: dense.collect(),
        ft_weights,
        ft_bias,
        psqt: values(features.size() * layers.psqt_columns(), 0.0, 100.0),
        skip: if layers.addition().is_some() { 100.0 } else { 0.0 },
        architecture: Architecture { features: features.size(), layers },
    };
    quantise(&weights, features, serde_json::Value::Null)
}

/// Active features of a bench position, at least one.
fn mean_active(features: &FeatureSet) -> f32 {
    let mut active: Vec<Feature> = Vec::new();
    let positions = bench::POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok());
    positions.for_each(|root| features.active(&Scene::from(&root), Color::White, &mut active));
    active.len().max(bench::POSITIONS.len()) as f32 / bench::POSITIONS.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_net_searches_the_tree_of_pesto() {
        let features = FeatureSet::parse("ALL + KING * H").unwrap();
        let layers = "16 -> 8 -> 1".parse().unwrap();
        let net = Arc::new(random_net(&features, layers).unwrap());
        let stop = AtomicBool::new(false);
        let course = Course::new(4, &stop).unwrap();
        let mut contenders = [course.pesto(), course.net(net, Dispatch::best())];
        for _ in 0..2 {
            for contender in &mut contenders {
                course.round(contender, &stop).unwrap();
            }
        }
        let [pesto, net] = contenders.each_ref().map(TimedEvaluator::cost);
        assert_eq!((pesto.nodes, pesto.evaluations), (net.nodes, net.evaluations));
        assert_eq!(pesto.counts, UpdateCounts::default());
        assert!(net.per_node(|counts| counts.rows) > 1.0);
        assert!(net.counts.refreshes > 0);
        // Two of five inputs are active, so of nine blocks out of ten one at least.
        let active = net.counts.active_blocks as f64 / net.counts.evaluations as f64 / 8.0;
        assert!((0.75..0.97).contains(&active), "{active}");
    }
}
