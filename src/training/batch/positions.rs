//! Batches of positions, for a graphics card that finds active features by itself: the loader copies
//! samples, computes their targets, and sorts their rows by group of the own king.

use std::ops::Range;

use rayon::prelude::*;

use super::{Active, Batch, BatchPositions, Encoder, TASK_SAMPLES};
use chess::Scene;
use data::Sample;
use features::KingGroups;
use network::front::{POSITION_WORDS, RowOrder};

/// A sample as a card reads it.
type Words = [i32; POSITION_WORDS];

impl Encoder<'_> {
    /// The batch at a range of places, without lists.
    pub(super) fn positions(
        &self,
        places: Range<u64>,
        pick: impl Fn(u64) -> Sample + Sync,
        groups: KingGroups,
    ) -> Batch {
        let count = (places.end - places.start) as usize;
        let (mut words, mut targets) = (vec![0; count * POSITION_WORDS], vec![0.0; count]);
        let (mut buckets, mut of_rows) = (vec![0; count], vec![0; 2 * count]);
        let tasks = words
            .par_chunks_mut(TASK_SAMPLES * POSITION_WORDS)
            .zip(targets.par_chunks_mut(TASK_SAMPLES))
            .zip(buckets.par_chunks_mut(TASK_SAMPLES))
            .zip(of_rows.par_chunks_mut(2 * TASK_SAMPLES));
        tasks.enumerate().for_each(|(task, (((words, targets), buckets), of_rows))| {
            let first = places.start + (task * TASK_SAMPLES) as u64;
            let (words, of_rows) = (words.as_chunks_mut().0, of_rows.as_chunks_mut().0);
            let slots = words.iter_mut().zip(targets).zip(buckets).zip(of_rows);
            for (place, (((words, target), bucket), of_rows)) in (first..).zip(slots) {
                let sample = pick(place);
                *words = bytemuck::cast::<Sample, Words>(sample);
                *target = self.target.of(&sample);
                *bucket = self.bucket(&sample);
                if groups.count() > 1 {
                    let turn = sample.position.turn();
                    let of = |color| groups.of_perspective(&sample.position, color);
                    *of_rows = [turn, !turn].map(of);
                }
            }
        });
        if self.buckets.count() == 1 {
            buckets.clear();
        }
        let order = (groups.count() > 1).then(|| RowOrder::new(&of_rows, groups.count()));
        Batch { active: Active::Positions(BatchPositions { words, order }), buckets, targets }
    }

    fn bucket(&self, sample: &Sample) -> i32 {
        if self.buckets.count() == 1 {
            return 0;
        }
        let Sample { position, .. } = sample;
        self.buckets.of(&Scene::from(position), position.turn()) as i32
    }
}
