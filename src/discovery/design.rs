//! Which features are active in positions, as the rows of a matrix.

use chess::Scene;
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
}

/// Positions looked at together by one thread.
const CHUNK: usize = 8_192;

impl Design {
    /// Of a set, on one thread.
    pub(crate) fn new(set: &FeatureSet, samples: &[Sample]) -> Self {
        let mut design = Self::empty(set.size());
        samples.iter().for_each(|sample| design.push(set, sample, &mut Vec::new()));
        design
    }

    /// The same on all threads, with one more column, in which every position has a 1: what it
    /// is worth to be on move.
    pub(crate) fn with_tempo(set: &FeatureSet, samples: &[Sample]) -> Self {
        let parts: Vec<Self> = samples
            .par_chunks(CHUNK)
            .map(|samples| {
                let mut part = Self::empty(set.size() + 1);
                let tempo = Weighted { feature: features::Feature(set.size() as u32), value: 1.0 };
                samples.iter().for_each(|sample| part.push(set, sample, &mut vec![tempo]));
                part
            })
            .collect();
        let mut design = Self::empty(set.size() + 1);
        for part in parts {
            let before = design.entries.len();
            design.entries.extend(part.entries);
            design.values.extend(part.values);
            design.ends.extend(part.ends.into_iter().map(|end| before + end));
        }
        design
    }

    fn empty(columns: usize) -> Self {
        Self { columns, ends: Vec::new(), entries: Vec::new(), values: Vec::new() }
    }

    /// Adds a row, of what is in `active` and of what the set has.
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
        self.entries[at].iter().enumerate().map(move |(i, &entry)| {
            let value = values.get(i).copied().unwrap_or(1.0);
            (entry as usize / 2, if entry % 2 == 0 { value } else { -value })
        })
    }

    /// A row times some weights.
    #[inline]
    pub(crate) fn times(&self, row: usize, weights: &[f32]) -> f32 {
        self.row(row).map(|(column, value)| value * weights[column]).sum()
    }

    /// Adds a row, so many times, to a sum of rows.
    #[inline]
    pub(crate) fn add(&self, row: usize, times: f32, sums: &mut [f64]) {
        self.row(row).for_each(|(column, value)| sums[column] += f64::from(times * value));
    }
}
