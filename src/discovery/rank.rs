//! Importance of blocks and rows of a net: loss without them, gradient norms, frequency, cost.

mod reaction;
#[cfg(test)]
mod tests;
mod updates;

use chess::{PieceKind, Scene};
use data::SamplesByGame;
use features::picture::{Subject, subjects};
use features::{Feature, FeatureSet, Weighted};
use measure::LossTarget;
use nnue::{FloatWeights, Sums};
use rayon::prelude::*;
use serde::Serialize;

use crate::gain::Gain;

/// Rise of the loss without a block or row.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Without {
    /// Rise of the mean loss with its rows at zero.
    pub zero: Gain,
    /// Rise of the mean loss with its rows replaced by their mean contribution.
    pub mean: Gain,
}

/// A summand of the net's features.
#[derive(Clone, Debug, Serialize)]
pub struct BlockRank {
    /// As written.
    pub name: String,
    /// Features.
    pub size: usize,
    /// Mean number of active features of one perspective.
    pub active: f64,
    /// Mean number of rows changed by a move, of one perspective.
    pub updates: f64,
    /// Rise of the loss without it.
    pub without: Without,
    /// Share of the gradient norm, 0 to 1.
    pub pull: f64,
}

/// A feature of the net.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RowRank {
    pub feature: u32,
    /// Share of positions and perspectives in which it is active.
    pub frequency: f64,
    /// Changes per move and perspective.
    pub updates: f64,
    /// Rise of the mean loss with its row at zero.
    pub zero: f64,
    /// Rise with its row replaced by its mean contribution, over positions with and without it; for
    /// rare features over positions with it.
    pub mean: f64,
    /// Mean rise of the loss of two changes: the row's deviation from its mean removed, and doubled.
    /// The slope of the loss cancels; for rare rows it is mostly noise. The rest is half the curvature
    /// times the squared deviation (the saliency of Le Cun's optimal brain damage).
    pub saliency: f64,
    /// Share of the gradient norm.
    pub pull: f64,
}

/// Blocks and rows of a net.
#[derive(Clone, Debug, Serialize)]
pub struct Ranking {
    /// Mean loss of the whole net.
    pub loss: f64,
    /// By summand, as written.
    pub blocks: Vec<BlockRank>,
    /// By feature.
    pub rows: Vec<RowRank>,
}

/// Importance by kind of piece and square, from the perspective: a row's importance is divided
/// equally among the pieces and squares of its feature. Rows without a piece on a square are left
/// out.
pub fn by_square(
    set: &FeatureSet,
    rows: &[RowRank],
    worth: impl Fn(&RowRank) -> f64,
) -> [[f64; 64]; PieceKind::COUNT] {
    let mut boards = [[0.0; 64]; PieceKind::COUNT];
    for row in rows {
        let subjects = subjects_of(set, row.feature);
        let of = |subject: &Subject| subject.kinds.len() * subject.squares.count();
        let places: usize = subjects.iter().map(of).sum();
        for subject in &subjects {
            for kind in &subject.kinds {
                for square in subject.squares {
                    boards[kind.index()][square as usize] += worth(row) / places as f64;
                }
            }
        }
    }
    boards
}

fn subjects_of(set: &FeatureSet, feature: u32) -> Vec<Subject> {
    let at = feature as usize;
    let summands = set.summands().iter();
    let summand = summands.rev().find(|summand| summand.offset <= at);
    summand.map_or(Vec::new(), |it| subjects(&it.expr, (at - it.offset) as u64))
}

/// A net in floating point with its training target.
struct RankedNet<'a> {
    weights: &'a FloatWeights,
    set: &'a FeatureSet,
    loss_target: &'a LossTarget,
}

/// First-layer input of a position.
struct Seen {
    /// Both perspectives, the side to move first.
    active: [Vec<Weighted>; 2],
    sums: [Sums; 2],
    bucket: usize,
    target: f64,
}

impl RankedNet<'_> {
    fn see(&self, sample: &data::Sample) -> Seen {
        let (scene, turn) = (Scene::from(&sample.position), sample.position.turn());
        let active = [turn, !turn].map(|perspective| {
            let mut active: Vec<Weighted> = Vec::new();
            self.set.active(&scene, perspective, &mut active);
            active
        });
        let sums = active.each_ref().map(|active| self.weights.sums(active));
        let bucket = self.weights.architecture.layers.buckets().of(&scene, turn);
        Seen { active, sums, bucket, target: self.loss_target.target(sample) }
    }

    fn loss(&self, seen: &Seen, sums: [&Sums; 2]) -> f64 {
        let centipawns = f64::from(self.weights.evaluate_sums(sums, seen.bucket));
        self.loss_target.loss(self.loss_target.logits(centipawns), seen.target)
    }

    fn loss_now(&self, seen: &Seen) -> f64 {
        self.loss(seen, seen.sums.each_ref())
    }

    /// The loss with added contributions of rows of both perspectives.
    fn loss_with(&self, seen: &Seen, more: [&[Weighted]; 2]) -> f64 {
        let mut sums = seen.sums.clone();
        for (sums, more) in sums.iter_mut().zip(more) {
            more.iter().for_each(|it| self.weights.add(sums, it.feature, it.value));
        }
        self.loss(seen, sums.each_ref())
    }
}

/// Ranks the blocks and rows of a net over the positions of some games.
pub fn rank(
    weights: &FloatWeights,
    set: &FeatureSet,
    games: &SamplesByGame,
    loss_target: &LossTarget,
    observer: &mut dyn base::Observer,
) -> Ranking {
    let net = RankedNet { weights, set, loss_target };
    observer.begin("evaluating positions", 0, "positions");
    let seen: Vec<Seen> = games.samples().par_iter().map(|sample| net.see(sample)).collect();
    let losses: Vec<f64> = seen.par_iter().map(|seen| net.loss_now(seen)).collect();
    observer.end("");
    observer.begin("rows", 0, "rows");
    let reaction = reaction::pulls(&net, &seen);
    let updates = updates::per_move(set, games.samples());
    let rows = RankedRows::of(&net, &seen, &losses).ranked(&reaction, &updates);
    observer.end("");
    observer.begin("blocks", set.summands().len() as u64, "blocks");
    let blocks = set.summands().iter().enumerate().map(|(i, summand)| {
        observer.advance(i as u64, &summand.text);
        let features = summand.offset as u32..(summand.offset + summand.size) as u32;
        let of_rows = |of: fn(&RowRank) -> f64| -> f64 {
            rows[summand.offset..summand.offset + summand.size].iter().map(of).sum()
        };
        BlockRank {
            name: summand.text.clone(),
            size: summand.size,
            active: of_rows(|row| row.frequency),
            updates: of_rows(|row| row.updates),
            pull: of_rows(|row| row.pull),
            without: without(&net, &seen, &losses, games, features),
        }
    });
    let blocks = blocks.collect();
    observer.end("");
    Ranking { loss: losses.iter().sum::<f64>() / losses.len().max(1) as f64, blocks, rows }
}

/// Rise of the loss without a block.
fn without(
    net: &RankedNet<'_>,
    seen: &[Seen],
    losses: &[f64],
    games: &SamplesByGame,
    features: std::ops::Range<u32>,
) -> Without {
    let of_block = |active: &[Weighted], times: f32| -> Vec<Weighted> {
        let block = active.iter().filter(|it| features.contains(&it.feature.0));
        block.map(|it| Weighted { value: it.value * times, ..*it }).collect()
    };
    let mean = mean_of(net, seen, &features);
    let rise = |rest: &(dyn Fn(&Seen) -> f64 + Sync)| {
        let risen: Vec<f64> = seen.par_iter().map(rest).collect();
        Gain::of(games, 0.0, |row| risen[row] - losses[row])
    };
    Without {
        zero: rise(&|seen| {
            let [own, other] = seen.active.each_ref().map(|active| of_block(active, -1.0));
            net.loss_with(seen, [&own, &other])
        }),
        mean: rise(&|seen| {
            let mut sums = seen.sums.clone();
            for ((sums, active), mean) in sums.iter_mut().zip(&seen.active).zip(&mean) {
                let block = of_block(active, -1.0);
                block.iter().for_each(|it| net.weights.add(sums, it.feature, it.value));
                add(sums, mean);
            }
            net.loss(seen, sums.each_ref())
        }),
    }
}

/// Mean contribution of a block, for the side to move and for the other.
fn mean_of(net: &RankedNet<'_>, seen: &[Seen], features: &std::ops::Range<u32>) -> [Sums; 2] {
    let size = features.len();
    let mut values = [vec![0.0f64; size], vec![0.0; size]];
    for seen in seen {
        for (values, active) in values.iter_mut().zip(&seen.active) {
            for it in active.iter().filter(|it| features.contains(&it.feature.0)) {
                values[(it.feature.0 - features.start) as usize] += f64::from(it.value);
            }
        }
    }
    values.map(|values| {
        let mut sums = net.weights.sums(&[]);
        sums.neurons.fill(0.0);
        for (feature, value) in (features.start..).zip(values) {
            let mean = value / seen.len().max(1) as f64;
            net.weights.add(&mut sums, Feature(feature), mean as f32);
        }
        sums
    })
}

fn add(sums: &mut Sums, other: &Sums) {
    sums.neurons.iter_mut().zip(&other.neurons).for_each(|(sum, other)| *sum += other);
    sums.head.iter_mut().zip(&other.head).for_each(|(sum, other)| *sum += other);
}

/// Sums over positions, by feature.
#[derive(Clone)]
struct RankedRows {
    positions: usize,
    /// Perspectives in which it is active.
    active: Vec<u64>,
    zero: Vec<f64>,
    mean: Vec<f64>,
    saliency: Vec<f64>,
}

/// Frequency above which a feature is measured in positions without it too.
const FREQUENT: f64 = 0.01;

/// Positions of these measurements.
const FREQUENT_SAMPLES: usize = 4_000;

impl RankedRows {
    fn nothing(features: usize) -> Self {
        let nothing = vec![0.0; features];
        Self {
            positions: 0,
            active: vec![0; features],
            zero: nothing.clone(),
            mean: nothing.clone(),
            saliency: nothing,
        }
    }

    fn of(net: &RankedNet<'_>, seen: &[Seen], losses: &[f64]) -> Self {
        let size = net.set.size();
        let means = value_means(seen, size);
        let chunks = seen.par_chunks(1_024).zip(losses.par_chunks(1_024));
        let parts: Vec<Self> = chunks
            .map(|(seen, losses)| {
                let mut part = Self::nothing(size);
                seen.iter()
                    .zip(losses)
                    .for_each(|(seen, loss)| part.measure(net, seen, *loss, &means));
                part
            })
            .collect();
        let mut all = Self::nothing(size);
        parts.iter().for_each(|part| all.merge(part));
        all.measure_absent(net, seen, losses, &means);
        all
    }

    /// Measures each active feature of a position.
    fn measure(&mut self, net: &RankedNet<'_>, seen: &Seen, loss: f64, means: &[[f32; 2]]) {
        self.positions += 1;
        for (feature, [own, other]) in distinct(seen) {
            let at = feature.0 as usize;
            self.active[at] += u64::from(own != 0.0) + u64::from(other != 0.0);
            let rise = |own: f32, other: f32| {
                let more = [own, other].map(|value| [Weighted { feature, value }]);
                net.loss_with(seen, [&more[0], &more[1]]) - loss
            };
            self.zero[at] += rise(-own, -other);
            let beyond = [own - means[at][0], other - means[at][1]];
            let without = rise(-beyond[0], -beyond[1]);
            self.mean[at] += without;
            self.saliency[at] += (without + rise(beyond[0], beyond[1])) / 2.0;
        }
    }

    /// Measures frequent features in positions without them.
    fn measure_absent(
        &mut self,
        net: &RankedNet<'_>,
        seen: &[Seen],
        losses: &[f64],
        means: &[[f32; 2]],
    ) {
        let step = (seen.len() / FREQUENT_SAMPLES).max(1);
        let some: Vec<(&Seen, f64)> =
            seen.iter().zip(losses.iter().copied()).step_by(step).collect();
        let frequent =
            |feature: &usize| self.active[*feature] as f64 > FREQUENT * 2.0 * self.positions as f64;
        let frequent: Vec<usize> = (0..self.active.len()).filter(frequent).collect();
        let risen = frequent.par_iter().map(|&at| {
            let feature = Feature(at as u32);
            let is_active = |active: &[Weighted]| active.iter().any(|it| it.feature == feature);
            let absent = some.iter().filter(|(seen, _)| !seen.active.iter().any(|a| is_active(a)));
            let rise = |seen: &Seen, loss: f64, times: f32| {
                let more = means[at].map(|mean| [Weighted { feature, value: times * mean }]);
                net.loss_with(seen, [&more[0], &more[1]]) - loss
            };
            let (mut without, mut doubled) = (0.0, 0.0);
            for (seen, loss) in absent {
                without += rise(seen, *loss, 1.0);
                doubled += rise(seen, *loss, -1.0);
            }
            [without, (without + doubled) / 2.0].map(|rise| rise * step as f64)
        });
        let risen: Vec<[f64; 2]> = risen.collect();
        for (&at, [mean, saliency]) in frequent.iter().zip(risen) {
            self.mean[at] += mean;
            self.saliency[at] += saliency;
        }
    }

    fn merge(&mut self, other: &Self) {
        self.positions += other.positions;
        self.active.iter_mut().zip(&other.active).for_each(|(sum, other)| *sum += other);
        self.zero.iter_mut().zip(&other.zero).for_each(|(sum, other)| *sum += other);
        self.mean.iter_mut().zip(&other.mean).for_each(|(sum, other)| *sum += other);
        self.saliency.iter_mut().zip(&other.saliency).for_each(|(sum, other)| *sum += other);
    }

    fn ranked(&self, pulls: &[f64], updates: &[f64]) -> Vec<RowRank> {
        let positions = self.positions.max(1) as f64;
        let row = |at: usize| RowRank {
            feature: at as u32,
            frequency: self.active[at] as f64 / (2.0 * positions),
            updates: updates[at],
            zero: self.zero[at] / positions,
            mean: self.mean[at] / positions,
            saliency: self.saliency[at] / positions,
            pull: pulls[at],
        };
        (0..self.active.len()).map(row).collect()
    }
}

/// Distinct active features of a position, with values for both sides.
fn distinct(seen: &Seen) -> Vec<(Feature, [f32; 2])> {
    let mut all: Vec<(Feature, [f32; 2])> = Vec::new();
    for (side, active) in seen.active.iter().enumerate() {
        for it in active {
            let mut values = [0.0; 2];
            values[side] = it.value;
            all.push((it.feature, values));
        }
    }
    all.sort_unstable_by_key(|(feature, _)| feature.0);
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1.iter_mut().zip(next.1).for_each(|(kept, next)| *kept += next);
        }
        same
    });
    all
}

/// The mean value of each feature, for the side to move and for the other.
fn value_means(seen: &[Seen], features: usize) -> Vec<[f32; 2]> {
    let mut sums = vec![[0.0f64; 2]; features];
    for seen in seen {
        for (side, active) in seen.active.iter().enumerate() {
            active.iter().for_each(|it| sums[it.feature.0 as usize][side] += f64::from(it.value));
        }
    }
    sums.into_iter().map(|sum| sum.map(|sum| (sum / seen.len().max(1) as f64) as f32)).collect()
}
