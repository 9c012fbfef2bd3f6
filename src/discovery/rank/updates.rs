//! Updates of each row by moves.

use chess::{Color, Scene};
use data::Sample;
use features::{Delta, FeatureSet, Step, Update, Weighted};

/// Positions whose moves are counted, evenly spread.
const SAMPLES: usize = 2_000;

/// Updates of each feature per legal move and perspective; a refresh counts all active ones.
pub(super) fn per_move(set: &FeatureSet, samples: &[Sample]) -> Vec<f64> {
    let mut changes = vec![0.0; set.size()];
    let mut moves = 0u64;
    let mut delta = Delta::<Weighted>::default();
    let step = (samples.len() / SAMPLES).max(1);
    for position in samples.iter().step_by(step).filter_map(|sample| sample.position.unpack()) {
        let before = Scene::from(&position);
        for played in position.legal_moves() {
            let after = Scene::from(&position.after(played));
            let change = position.change(played);
            let step = Step { before: &before, after: &after, change: &change };
            for perspective in Color::ALL {
                moves += 1;
                let mut count = |of: &[Weighted]| {
                    of.iter().for_each(|it| changes[it.feature.0 as usize] += 1.0);
                };
                delta.clear();
                if set.delta(step, perspective, &mut delta) == Update::Rows {
                    count(&delta.removed);
                    count(&delta.added);
                } else {
                    let mut active: Vec<Weighted> = Vec::new();
                    set.active(&after, perspective, &mut active);
                    count(&active);
                }
            }
        }
    }
    changes.iter_mut().for_each(|changes| *changes /= moves.max(1) as f64);
    changes
}
