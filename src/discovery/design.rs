//! Design matrices: active features of positions.

use chess::{FULL_PHASE, Scene, phase};
use data::Sample;
use features::{FeatureSet, Weighted};
use rayon::prelude::*;

/// A row for each position, a column for each feature: +1 for the perspective of the side to move, -1
/// for the other. So a weight is in units of the output, and mirrored positions are equivalent.
#[derive(Debug)]
pub(crate) struct Design {
    columns: usize,
    /// End of the entries of each row.
    ends: Vec<usize>,
    /// Twice the column, plus 1 for a negative entry.
    entries: Vec<u32>,
    /// Values of the entries; empty for binary sets.
    values: Vec<f32>,
    /// Values of the last columns of each row; empty without such columns.
    dense: Vec<[f32; CALIBRATION]>,
}

/// Columns of the output of the net and the phase of the game.
const CALIBRATION: usize = 8;

/// Limit of outputs, in units of the logistic: beyond it games are won.
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

/// Positions of one task.
const CHUNK: usize = 8_192;

impl Design {
    /// The design of a set, on one thread.
    pub(crate) fn new(set: &FeatureSet, samples: &[Sample]) -> Self {
        let mut design = Self::empty(set.size());
        let mut active = Vec::new();
        samples.iter().for_each(|sample| design.push(set, sample, &mut active));
        design
    }

    /// The design of a net's own set, on all threads, with columns for errors of the net that no
    /// feature explains: tempo, and a wrong scale, in the whole game or towards its end. They are
    /// functions of `outputs` (in units of the logistic) and of the number of pieces.
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

    /// Adds a row; `active` is a buffer.
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

    /// Mean number of entries of a row, for one perspective.
    pub(crate) fn active(&self) -> f64 {
        self.entries.len() as f64 / (2 * self.rows().max(1)) as f64
    }

    pub(crate) fn rows(&self) -> usize {
        self.ends.len()
    }

    /// Non-zero entries of a row.
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

    /// Product of a row and weights.
    #[inline]
    pub(crate) fn times(&self, row: usize, weights: &[f32]) -> f32 {
        self.row(row).map(|(column, value)| value * weights[column]).sum()
    }

    #[inline]
    pub(crate) fn add(&self, row: usize, times: f32, sums: &mut [f64]) {
        self.row(row).for_each(|(column, value)| sums[column] += f64::from(times * value));
    }
}
