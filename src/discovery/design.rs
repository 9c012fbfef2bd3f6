//! Which features are active in positions, as the rows of a matrix.

use chess::{FULL_PHASE, Scene, phase};
use data::Sample;
use features::{FeatureSet, Weighted};
use rayon::prelude::*;

/// A row for each position, a column for each feature: what the side to move sees counts for
/// it, what the other side sees against it. So a weight is in units of the output, and a
/// position and its mirror image are as good as each other.
#[derive(Debug)]
pub(crate) struct Design {
    columns: usize,
    /// Where the entries of each row end.
    ends: Vec<usize>,
    /// Twice the column; one more if it counts against.
    entries: Vec<u32>,
    /// The number of each entry; none in a set of features that are there or not.
    values: Vec<f32>,
    /// What stands in the last columns of each row; none without such columns.
    dense: Vec<[f32; CALIBRATION]>,
}

/// Columns that depend on what the net says and on how far the game has come.
const CALIBRATION: usize = 8;

/// Beyond so many units of the logistic, games are won.
const CERTAIN: f32 = 6.0;

fn calibration(sample: &Sample, output: f32) -> [f32; CALIBRATION] {
    let output = output.clamp(-CERTAIN, CERTAIN);
    let gone = phase(&sample.position.board()) as f32 / FULL_PHASE as f32;
    let scale = [1.0, output, output * output.abs(), output.tanh()];
    std::array::from_fn(|column| match scale.get(column) {
        Some(value) => *value,
        None => gone * scale[column - scale.len()],
    })
}

/// Positions looked at together by one thread.
const CHUNK: usize = 8_192;

impl Design {
    /// Of a set, on one thread.
    pub(crate) fn new(set: &FeatureSet, samples: &[Sample]) -> Self {
        let mut design = Self::empty(set.size());
        let mut active = Vec::new();
        samples.iter().for_each(|sample| design.push(set, sample, &mut active));
        design
    }

    /// Of a net's own set, on all threads, with what the net can be wrong by without any feature:
    /// what it is worth to be on move, and a scale that is too flat or too steep, all of the game
    /// or towards its end. These are functions of what it says (`outputs`, in units of the
    /// logistic) and of the pieces that are gone.
    pub(crate) fn of_own(set: &FeatureSet, samples: &[Sample], outputs: &[f32]) -> Self {
        let parts: Vec<Self> = samples.par_chunks(CHUNK).map(|part| Self::new(set, part)).collect();
        let mut design = Self::empty(set.size() + CALIBRATION);
        for part in parts {
            let before = design.entries.len();
            design.entries.extend(part.entries);
            design.values.extend(part.values);
            design.ends.extend(part.ends.into_iter().map(|end| before + end));
        }
        design.dense = samples
            .par_iter()
            .zip(outputs)
            .map(|(sample, &output)| calibration(sample, output))
            .collect();
        design
    }

    fn empty(columns: usize) -> Self {
        Self {
            columns,
            ends: Vec::new(),
            entries: Vec::new(),
            values: Vec::new(),
            dense: Vec::new(),
        }
    }

    /// Adds a row; `active` is room for what is seen.
    fn push(&mut self, set: &FeatureSet, sample: &Sample, active: &mut Vec<Weighted>) {
        let scene = Scene::from(&sample.position);
        let turn = sample.position.turn();
        for (against, perspective) in [turn, !turn].into_iter().enumerate() {
            set.active(&scene, perspective, active);
            for &Weighted { feature, value } in active.iter() {
                self.entries.push(2 * feature.0 + against as u32);
                if set.is_valued() {
                    self.values.push(value);
                }
            }
            active.clear();
        }
        self.ends.push(self.entries.len());
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Entries of a row, on average, as one side sees them.
    pub(crate) fn active(&self) -> f64 {
        self.entries.len() as f64 / (2 * self.rows().max(1)) as f64
    }

    pub(crate) fn rows(&self) -> usize {
        self.ends.len()
    }

    /// The columns of a row that are not 0, with what is there.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let at = start..self.ends[row];
        let values = self.values.get(at.clone()).unwrap_or(&[]);
        let sparse = self.entries[at].iter().enumerate().map(move |(i, &entry)| {
            let value = values.get(i).copied().unwrap_or(1.0);
            (entry as usize / 2, if entry % 2 == 0 { value } else { -value })
        });
        let dense = self.dense.get(row).map_or(&[][..], |dense| &dense[..]);
        let first = self.columns - dense.len();
        sparse.chain((first..).zip(dense.iter().copied()))
    }

    /// A row times some weights.
    #[inline]
    pub(crate) fn times(&self, row: usize, weights: &[f32]) -> f32 {
        self.row(row).map(|(column, value)| value * weights[column]).sum()
    }

    #[inline]
    pub(crate) fn add(&self, row: usize, times: f32, sums: &mut [f64]) {
        self.row(row).for_each(|(column, value)| sums[column] += f64::from(times * value));
    }
}
