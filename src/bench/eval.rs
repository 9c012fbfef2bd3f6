//! What a net costs the search.
//!
//! Nodes/s of two nets cannot be compared: another evaluation is another tree,
//! with other moves, other cut-offs and another share of evaluated nodes. So
//! every contender here searches the *same* tree. Its net follows all moves
//! and evaluates whatever is to be evaluated, but the search is told what
//! PeSTO says; node counts are PeSTO's, and times can be compared node for
//! node. Keeping PeSTO beside the net costs a little, which counts against the
//! net.
//!
//! Contenders take turns, so that a machine that slows down for a while slows
//! all of them.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::chess::{Color, Move, Position, Scene};
use crate::engine::{Evaluator, Limits, NetEvaluator, Pesto, Searcher, bench};
use crate::features::{Feature, FeatureSet};
use crate::nnue::{Architecture, FloatWeights, Layers, Net, QuantiseError, UpdateCounts, quantise};

/// A net that does its work and is not listened to.
struct Shadow {
    net: NetEvaluator,
    pesto: Pesto,
}

impl Evaluator for Shadow {
    fn reset(&mut self, root: &Position) {
        self.net.reset(root);
        self.pesto.reset(root);
    }

    fn push(&mut self, before: &Position, played: Move, after: &Position) {
        self.net.push(before, played, after);
        self.pesto.push(before, played, after);
    }

    fn push_null(&mut self, after: &Position) {
        self.net.push_null(after);
        self.pesto.push_null(after);
    }

    fn pop(&mut self) {
        self.net.pop();
        self.pesto.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        black_box(self.net.evaluate(position));
        self.pesto.evaluate(position)
    }

    fn update_counts(&self) -> UpdateCounts {
        self.net.update_counts()
    }
}

/// What is timed: PeSTO alone, or PeSTO's tree with a net beside it.
pub struct Contender {
    searcher: Searcher,
    cost: SearchCost,
}

/// What a contender has spent.
#[derive(Clone, Debug, Default)]
pub struct SearchCost {
    /// Positions visited, all rounds together.
    pub nodes: u64,
    /// How often the evaluation was asked, all rounds together.
    pub evaluations: u64,
    /// Nanoseconds per node, one for each round.
    pub ns_per_node: Vec<f64>,
    /// What the accumulators have cost, all rounds together.
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

impl Contender {
    /// PeSTO alone.
    pub fn pesto() -> Self {
        Self::of(Box::new(Pesto::new()))
    }

    /// PeSTO's tree, every move of it followed by `net`.
    pub fn net(net: Arc<Net>) -> Self {
        Self::of(Box::new(Shadow { net: NetEvaluator::new(net), pesto: Pesto::new() }))
    }

    fn of(evaluator: Box<dyn Evaluator>) -> Self {
        let searcher = Searcher::new(evaluator, bench::HASH_MB);
        Self { searcher, cost: SearchCost::default() }
    }

    /// What was spent so far.
    pub fn cost(&self) -> &SearchCost {
        &self.cost
    }

    /// Searches all bench positions to `depth` once more. `None` if stopped.
    pub fn round(&mut self, depth: u32, stop: &AtomicBool) -> Option<()> {
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

/// A net that was never trained, with weights whose sums spread over the range
/// of the activation about as those of trained nets do: two of five neurons of
/// the feature transformer are active, whatever the set.
///
/// # Errors
/// Those of [`quantise()`].
pub fn random_net(features: &Arc<FeatureSet>, layers: Layers) -> Result<Net, QuantiseError> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut values = |count: usize, middle: f32, size: f32| -> Vec<f32> {
        (0..count).map(|_| middle + rng.random_range(-size..size)).collect()
    };
    let (width, buckets) = (layers.width(), layers.buckets().count());
    let outputs = layers.dense_outputs() * buckets;
    let is_linear = layers == Layers::Linear;
    let row = if is_linear { 100.0 } else { 0.8 / mean_active(features).sqrt() };
    let dense = if layers.l2() > 0 { 0.25 } else { 40.0 };
    let out_bias = if layers.l2() > 0 { values(buckets, 0.0, 10.0) } else { Vec::new() };
    let weights = FloatWeights {
        architecture: Architecture { features: features.size(), layers },
        ft_weights: values(features.size() * width, 0.0, row),
        ft_bias: if is_linear { vec![0.0] } else { values(width, -0.12, 0.1) },
        dense_weights: values(outputs * 2 * width, 0.0, dense),
        dense_bias: values(outputs, 0.0, dense),
        out_weights: values(layers.l2() * buckets, 0.0, 150.0),
        out_bias,
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
    use crate::nnue::HiddenActivation;

    #[test]
    fn a_net_searches_the_tree_of_pesto() {
        let features = FeatureSet::parse("ALL + KING * H").unwrap();
        let layers = Layers::new(16, 8, HiddenActivation::default(), 1).unwrap();
        let net = Arc::new(random_net(&features, layers).unwrap());
        let stop = AtomicBool::new(false);
        let mut contenders = [Contender::pesto(), Contender::net(net)];
        for contender in &mut contenders {
            contender.round(4, &stop).unwrap();
        }
        let [pesto, net] = contenders.each_ref().map(Contender::cost);
        assert_eq!((pesto.nodes, pesto.evaluations), (net.nodes, net.evaluations));
        assert_eq!(pesto.counts, UpdateCounts::default());
        assert!(net.per_node(|counts| counts.rows) > 1.0);
        assert!(net.counts.refreshes > 0);
    }
}
