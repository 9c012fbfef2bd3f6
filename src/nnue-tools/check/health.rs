//! Health of a net during training: whether its evaluations and neurons vary.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::activity::{LayerActivity, NetActivity};
use super::evaluations::constant;
use chess::{PackedPosition, Scene};
use features::FeatureSet;
use nnue::FloatWeights;

/// Activity of the neurons and range of the output on some positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    pub positions: usize,
    /// Hidden layers, the one nearest to the features first.
    pub layers: Vec<LayerActivity>,
    /// Lowest and highest evaluation of them, in centipawns.
    pub range: [i32; 2],
}

struct Seen {
    activity: NetActivity,
    range: [i32; 2],
}

impl Health {
    pub fn of(weights: &FloatWeights, features: &FeatureSet, positions: &[PackedPosition]) -> Self {
        let nothing = || Seen {
            activity: NetActivity::new(&weights.architecture.layers),
            range: [i32::MAX, i32::MIN],
        };
        let look = |mut seen: Seen, position: &PackedPosition| {
            let (scene, turn) = (Scene::from(position), position.turn());
            seen.activity.add(weights, features, &scene, turn);
            let centipawns = weights.evaluate(features, &scene, turn).round() as i32;
            seen.widen([centipawns; 2]);
            seen
        };
        let merge = |mut seen: Seen, more: Seen| {
            seen.activity.merge(&more.activity);
            seen.widen(more.range);
            seen
        };
        let Seen { activity, range } =
            positions.par_iter().fold(nothing, look).reduce(nothing, merge);
        Self { positions: positions.len(), layers: activity.layers(), range }
    }

    /// The evaluation of every position, if all of several are equal.
    pub fn constant(&self) -> Option<i32> {
        constant(self.positions, self.range)
    }

    /// Neurons whose output never changes, dead or stuck.
    pub fn lost(&self) -> usize {
        self.layers.iter().map(LayerActivity::lost).sum()
    }

    /// Oddities, a sentence each.
    pub fn odd(&self) -> Vec<String> {
        let constant = self.constant().map(|only| format!("it says {only} cp of every position"));
        constant.into_iter().chain(self.layers.iter().flat_map(LayerActivity::odd)).collect()
    }
}

impl Seen {
    fn widen(&mut self, [least, most]: [i32; 2]) {
        self.range = [self.range[0].min(least), self.range[1].max(most)];
    }
}
