//! Figures of the ranking equal those of nets without the rows.

use std::sync::atomic::AtomicBool;

use super::*;
use base::Silent;
use data::Filter;
use nnue::testing::{layers, random_weights};

const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/bootstrap.oarc");

fn games(positions: usize) -> SamplesByGame {
    let (paths, none) = ([BUNDLED.into()], AtomicBool::new(false));
    SamplesByGame::read(&paths, &Filter::default(), positions, &mut Silent, &none).unwrap()
}

/// The mean loss of a net.
fn loss(weights: &FloatWeights, set: &FeatureSet, games: &SamplesByGame) -> f64 {
    let loss_target = LossTarget::default();
    let of = |sample: &data::Sample| {
        let (scene, turn) = (Scene::from(&sample.position), sample.position.turn());
        let cp = f64::from(weights.evaluate(set, &scene, turn));
        loss_target.loss(loss_target.logits(cp), loss_target.target(sample))
    };
    games.samples().iter().map(of).sum::<f64>() / games.samples().len() as f64
}

/// The same with some rows of nothing.
fn emptied(weights: &FloatWeights, features: std::ops::Range<usize>) -> FloatWeights {
    let mut weights = weights.clone();
    let width = weights.architecture.layers.width();
    let head = weights.architecture.layers.psqt_columns();
    weights.ft_weights[features.start * width..features.end * width].fill(0.0);
    weights.psqt[features.start * head..features.end * head].fill(0.0);
    weights
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()))
}

#[test]
fn what_a_net_loses_is_what_one_without_these_rows_has_lost() {
    let games = games(600);
    for line in ["16 -> 1", "16 screlu -> 8 -> 1", "16 pairwise -> 1, psqt", "1"] {
        let set = FeatureSet::parse("H + piece({bishop} * COLORS * COUNTS(2))").unwrap();
        let weights = random_weights(&set, layers(line), 7);
        let loss_target = LossTarget::default();
        let ranking = rank(&weights, &set, &games, &loss_target, &mut Silent);
        let whole = loss(&weights, &set, &games);
        assert!(near(ranking.loss, whole), "{line}");
        for (block, summand) in ranking.blocks.iter().zip(set.summands()) {
            let rows = summand.offset..summand.offset + summand.size;
            let without = loss(&emptied(&weights, rows), &set, &games);
            assert!(near(block.without.zero.loss.value, without - whole), "{line}: {}", block.name);
        }
        for at in [0, 5, 40, 95, 96, 101] {
            let without = loss(&emptied(&weights, at..at + 1), &set, &games);
            let row = &ranking.rows[at];
            assert!(near(row.zero, without - whole), "{line}: row {at}");
        }
        let pull: f64 = ranking.rows.iter().map(|row| row.pull).sum();
        assert!((pull - 1.0).abs() < 1e-9, "{line}");
    }
}

/// The part of a row's gain by the slope of the loss grows with the row, the rest with its square.
#[test]
fn saliency_is_without_the_slope_of_the_loss() {
    let games = games(600);
    let set = FeatureSet::parse("H").unwrap();
    let weights = random_weights(&set, layers("16 -> 1"), 7);
    let loss_target = LossTarget::default();
    let whole = rank(&weights, &set, &games, &loss_target, &mut Silent);
    let is_steep = |row: &RowRank| row.mean.abs() > 3.0 * row.saliency.abs();
    assert!(whole.rows.iter().any(is_steep), "no slope to be left out");
    let mut rows = whole.rows.clone();
    rows.sort_by(|a, b| b.saliency.total_cmp(&a.saliency));
    let width = weights.architecture.layers.width();
    for row in &rows[..5] {
        let at = row.feature as usize;
        let mut halved = weights.clone();
        let weights = &mut halved.ft_weights[at * width..(at + 1) * width];
        weights.iter_mut().for_each(|weight| *weight *= 0.5);
        let halved = rank(&halved, &set, &games, &loss_target, &mut Silent).rows[at];
        let ratio = row.saliency / halved.saliency;
        assert!((3.0..5.0).contains(&ratio), "{ratio}: {row:?}, {halved:?}");
    }
}

/// Replacing a constant feature by its mean costs nothing.
#[test]
fn constant_features_cost_nothing_at_their_mean() {
    let games = games(600);
    let set = FeatureSet::parse("H + ONE").unwrap();
    let weights = random_weights(&set, layers("16 -> 1"), 7);
    let ranking = rank(&weights, &set, &games, &LossTarget::default(), &mut Silent);
    let one = &ranking.blocks[1];
    assert!(one.without.zero.loss.value.abs() > 1e-9);
    assert!(one.without.mean.loss.value.abs() < 1e-7, "{:?}", one.without.mean);
    assert!(ranking.rows[96].mean.abs() < 1e-7);
    assert_eq!((ranking.rows[96].frequency, ranking.rows[96].updates), (1.0, 0.0));
}
