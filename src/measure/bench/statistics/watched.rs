//! An evaluation that counts the moves the search shows it.

use std::sync::{Arc, Mutex, PoisonError};

use chess::{Move, Position, Scene};
use engine::{Evaluator, Tapered};
use features::{FeatureSet, MoveCounts, Step};

/// PeSTO's evaluation with counts of the accumulator updates of a feature set. Null moves move no
/// piece and are not counted.
pub struct Watched {
    evaluator: Tapered,
    /// The positions from the root to the current one.
    scenes: Vec<Scene>,
    counts: Arc<Mutex<MoveCounts>>,
}

/// Where the counts of a [`Watched`] evaluation can be read: the searcher
/// keeps the evaluation itself.
#[derive(Clone, Debug)]
pub struct WatchedCounts(Arc<Mutex<MoveCounts>>);

impl WatchedCounts {
    pub fn so_far(&self) -> MoveCounts {
        // Counting leaves no half-made state behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Watched {
    /// The evaluation, and where to read its counts.
    pub fn new(features: Arc<FeatureSet>) -> (Self, WatchedCounts) {
        let counts = Arc::new(Mutex::new(MoveCounts::new(features)));
        let watched = Self {
            evaluator: Tapered::pesto(),
            scenes: vec![Scene::from(&Position::default())],
            counts: counts.clone(),
        };
        (watched, WatchedCounts(counts))
    }
}

impl Evaluator for Watched {
    fn reset(&mut self, root: &Position) {
        self.evaluator.reset(root);
        self.scenes.clear();
        self.scenes.push(Scene::from(root));
    }

    fn push(&mut self, before: &Position, played: Move, after: &Position) {
        self.evaluator.push(before, played, after);
        let (change, after) = (before.change(played), Scene::from(after));
        if let Some(from) = self.scenes.last() {
            let step = Step { before: from, after: &after, change: &change };
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.record(step, before.turn());
        }
        self.scenes.push(after);
    }

    fn push_null(&mut self, after: &Position) {
        self.evaluator.push_null(after);
        self.scenes.push(Scene::from(after));
    }

    fn pop(&mut self) {
        self.evaluator.pop();
        self.scenes.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluator.evaluate(position)
    }
}
