//! Batches of positions, for a graphics card that finds what is active by itself: the loader copies
//! samples and computes their targets.

use std::ops::Range;

use rayon::prelude::*;

use super::{Active, Batch, Encoder, TASK_SAMPLES};
use chess::Scene;
use data::Sample;
use network::front::POSITION_WORDS;

/// A sample as a card reads it.
type Words = [i32; POSITION_WORDS];

impl Encoder<'_> {
    /// The batch at a range of places, without lists.
    pub(super) fn positions(
        &self,
        places: Range<u64>,
        pick: impl Fn(u64) -> Sample + Sync,
    ) -> Batch {
        let count = (places.end - places.start) as usize;
        let (mut words, mut targets) = (vec![0; count * POSITION_WORDS], vec![0.0; count]);
        let mut buckets = vec![0; count];
        let tasks = words
            .par_chunks_mut(TASK_SAMPLES * POSITION_WORDS)
            .zip(targets.par_chunks_mut(TASK_SAMPLES))
            .zip(buckets.par_chunks_mut(TASK_SAMPLES));
        tasks.enumerate().for_each(|(task, ((words, targets), buckets))| {
            let first = places.start + (task * TASK_SAMPLES) as u64;
            let slots = words.chunks_exact_mut(POSITION_WORDS).zip(targets).zip(buckets);
            for (place, ((words, target), bucket)) in (first..).zip(slots) {
                let sample = pick(place);
                words.copy_from_slice(&bytemuck::cast::<Sample, Words>(sample));
                *target = self.target.of(&sample);
                *bucket = self.bucket(&sample);
            }
        });
        if self.buckets.count() == 1 {
            buckets.clear();
        }
        Batch { active: Active::Positions(words), buckets, targets }
    }

    fn bucket(&self, sample: &Sample) -> i32 {
        if self.buckets.count() == 1 {
            return 0;
        }
        let Sample { position, .. } = sample;
        self.buckets.of(&Scene::from(position), position.turn()) as i32
    }
}
