//! A trained net as an evaluation.

use std::sync::Arc;

use chess::{Move, Position};
use nnue::{AccumulatorStack, Dispatch, Net, UpdateCounts};

use super::Evaluator;
use super::scale::ScoreScale;

/// A net whose accumulators follow the search, on the scale that all
/// evaluations share (`scale.rs`).
pub struct NetEvaluator {
    accumulators: AccumulatorStack,
    scale: ScoreScale,
}

impl NetEvaluator {
    /// Evaluates with `net`, which many searchers may share.
    pub fn new(net: Arc<Net>) -> Self {
        Self::with(net, Dispatch::best())
    }

    /// The same with chosen instructions, which do not change evaluations.
    pub fn with(net: Arc<Net>, dispatch: Dispatch) -> Self {
        let on =
            |scale| Self { accumulators: AccumulatorStack::with(net.clone(), dispatch), scale };
        // Measured with accumulators of its own, so that the counts are the search's alone.
        let scale = ScoreScale::of(&mut on(ScoreScale::ONE));
        on(scale)
    }

    /// Evaluates in the centipawns of the net's data.
    pub fn unscaled(net: Arc<Net>) -> Self {
        Self { accumulators: AccumulatorStack::new(net), scale: ScoreScale::ONE }
    }

    /// Factor of the net's centipawns, in 1,024ths: brings their average size to that of PeSTO's
    /// tables, for which the margins of the search are made.
    pub fn scale(&self) -> i32 {
        self.scale.factor()
    }
}

impl Evaluator for NetEvaluator {
    fn reset(&mut self, root: &Position) {
        self.accumulators.reset(root);
    }

    fn push(&mut self, before: &Position, played: Move, after: &Position) {
        self.accumulators.push(before.change(played), after);
    }

    fn push_null(&mut self, after: &Position) {
        self.accumulators.push_null(after);
    }

    fn pop(&mut self) {
        self.accumulators.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.scale.apply(self.accumulators.evaluate(position.turn()))
    }

    fn update_counts(&self) -> UpdateCounts {
        self.accumulators.counts()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{Limits, Searcher};
    use features::FeatureSet;
    use nnue::quantise;
    use nnue::testing::{Kind, all_kinds, random_weights};

    fn net(expression: &str, kind: Kind) -> Arc<Net> {
        let features = FeatureSet::parse(expression).unwrap();
        let weights = random_weights(&features, kind, 1);
        Arc::new(quantise(&weights, &features, serde_json::Value::Null).unwrap())
    }

    /// Compares with a net that starts afresh at every position.
    struct Checked {
        following: NetEvaluator,
        fresh: NetEvaluator,
    }

    impl Evaluator for Checked {
        fn reset(&mut self, root: &Position) {
            self.following.reset(root);
        }
        fn push(&mut self, before: &Position, played: Move, after: &Position) {
            self.following.push(before, played, after);
        }
        fn push_null(&mut self, after: &Position) {
            self.following.push_null(after);
        }
        fn pop(&mut self) {
            self.following.pop();
        }
        fn evaluate(&mut self, position: &Position) -> i32 {
            self.fresh.reset(position);
            let fresh = self.fresh.evaluate(position);
            assert_eq!(self.following.evaluate(position), fresh, "{position}");
            fresh
        }
    }

    #[test]
    fn the_accumulators_never_lose_the_search() {
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let root = Position::from_fen(kiwipete).unwrap();
        let sets = ["ALL", "KING-ALL", "ALL + PH", "HALF-KA-HM + EN-PASSANT + CASTLING"];
        for (expression, kind) in sets.into_iter().cycle().zip(all_kinds()) {
            let net = net(expression, kind);
            let following = NetEvaluator::new(Arc::clone(&net));
            let checked = Checked { following, fresh: NetEvaluator::new(net) };
            let mut searcher = Searcher::new(Box::new(checked), 1);
            let stop = AtomicBool::new(false);
            let found = searcher.search(&root, &[], &Limits::nodes(4_000), &stop, &mut |_| {});
            assert!(found.evaluations > 1_000);
        }
    }
}
