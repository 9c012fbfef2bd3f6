//! Active rows of each feature of a set in groups, found on the card.
//!
//! As in [`marks`](super::marks), a bit for every feature and row; but a group has bits for its own
//! rows alone, which the batch brings in order ([`RowOrder`](crate::front::RowOrder)). So the table
//! is as large as that of a set with as many features as the largest group.

use burn::backend::TensorMetadata;
use burn_wgpu::CubeTensor;
use cubecl::prelude::*;

use super::Lists;
use super::marks::kernels::{clear, list_bits, sum_rows};
use crate::cube::{cubes, empty, launch, units, vector_size};
use crate::front::active::GroupLayout;
use crate::front::found::{OF_GROUP, SEGMENT, WORD};
use crate::front::{IndexForm, MOST_MARKED};

/// The groups of a batch on the card.
pub(super) struct Groups {
    pub(super) slots: CubeTensor,
    pub(super) order: CubeTensor,
    pub(super) layout: GroupLayout,
}

/// The gradient of the weights, `[features, l1]`, from that of the sums, `[rows, l1]`.
pub(super) fn by_feature(
    gradient: CubeTensor,
    lists: Lists,
    features: usize,
    groups: Groups,
) -> CubeTensor {
    let [_, l1] = gradient.shape().dims();
    let vector = vector_size(l1);
    let lanes = l1 / vector;
    let marks = marked(&gradient, lists, features, &groups);
    let Groups { slots, order, layout: GroupLayout { most, order: layout } } = groups;
    let sums = empty(&gradient, [layout.segments * most, l1]);
    // SAFETY: words stay within the table; rows of set bits are those of the lists.
    unsafe {
        launch!(kernels::sum[sums, cubes([most, layout.segments, 1], SEGMENT)]
            vector, marks.into_buffer_arg(), gradient.into_buffer_arg(),
            order.clone().into_buffer_arg(), sums.clone().into_buffer_arg(), most, lanes,
            layout.rows_at(), layout.groups_at(), layout.segments_at()
        );
    }
    let out = empty(&sums, [features, l1]);
    // SAFETY: a unit stays within its vector; segments are those of the order.
    unsafe {
        launch!(kernels::add_segments[out, units(&out, features * lanes)]
            vector, sums.into_buffer_arg(), slots.into_buffer_arg(), order.into_buffer_arg(),
            out.clone().into_buffer_arg(), features, most, lanes, layout.groups_at()
        );
    }
    out
}

/// The table: for each group `[most, words of the group]`.
fn marked(on: &CubeTensor, lists: Lists, features: usize, groups: &Groups) -> CubeTensor {
    let Lists { indices, form, rows, width, .. } = lists;
    let GroupLayout { most, order: layout } = groups.layout;
    let words = most * layout.words();
    let marks = empty(on, [words]);
    // SAFETY: a unit stays within its word.
    unsafe {
        launch!(clear[on, units(&marks, words)] marks.clone().into_buffer_arg(), words);
    }
    // SAFETY: features are held below their number; places of rows are those of the order.
    unsafe {
        launch!(kernels::mark[marks, units(&marks, rows * width)]
            indices.into_buffer_arg(), groups.slots.clone().into_buffer_arg(),
            groups.order.clone().into_buffer_arg(), marks.clone().into_buffer_arg(), rows * width,
            width, features, most, layout.groups_at(), form
        );
    }
    marks
}

mod kernels {
    use super::*;
    use crate::front::cube::kernels::feature_at;

    /// A unit per entry of the lists.
    #[cube(launch_unchecked)]
    pub fn mark(
        indices: &[i32],
        slots: &[i32],
        order: &[i32],
        marks: &[Atomic<u32>],
        entries: usize,
        width: usize,
        features: usize,
        most: usize,
        groups_at: usize,
        #[comptime] form: IndexForm,
    ) {
        if ABSOLUTE_POS >= entries {
            terminate!();
        }
        let feature = feature_at(indices, ABSOLUTE_POS, form);
        if feature >= 0 && (feature as usize) < features {
            let slot = slots[feature as usize];
            if slot >= 0 {
                let place = order[ABSOLUTE_POS / width] as usize;
                let group = groups_at + slot as usize / MOST_MARKED * OF_GROUP;
                let (first, words) = (order[group] as usize, order[group + 1] as usize);
                let in_group = slot as usize % MOST_MARKED;
                let word = most * first + in_group * words + place / WORD - first;
                marks[word].fetch_or(1u32 << (place % WORD) as u32);
            }
        }
    }

    /// A cube per feature of a group and segment of the rows. `sums` are `[segments, most, lanes]`.
    #[cube(launch_unchecked)]
    pub fn sum<N: Size>(
        marks: &[u32],
        gradient: &[Vector<f32, N>],
        order: &[i32],
        sums: &mut [Vector<f32, N>],
        most: usize,
        lanes: usize,
        rows_at: usize,
        groups_at: usize,
        segments_at: usize,
    ) {
        let mut rows = Shared::<[u32]>::new_slice(comptime!(SEGMENT * WORD));
        let mut counts = Shared::<[u32]>::new_slice(SEGMENT);
        let (in_group, segment) = (CUBE_POS_X as usize, CUBE_POS_Y as usize);
        let unit = UNIT_POS as usize;
        let group = groups_at + order[segments_at + 2 * segment] as usize * OF_GROUP;
        let (first, words) = (order[group] as usize, order[group + 1] as usize);
        let word = order[segments_at + 2 * segment + 1] as usize + unit;
        let mut bits = 0u32;
        if word < first + words {
            bits = marks[most * first + in_group * words + word - first];
        }
        let total = list_bits(bits, (word * WORD) as u32, &mut rows, &mut counts, SEGMENT);
        for place in range_stepped(unit, total, SEGMENT) {
            rows[place] = order[rows_at + rows[place] as usize] as u32;
        }
        sync_cube();
        for lane in range_stepped(unit, lanes, SEGMENT) {
            let sum = sum_rows::<N>(gradient, &rows, total, lane, lanes);
            sums[(segment * most + in_group) * lanes + lane] = sum;
        }
    }

    /// Adds up the segments of a feature, in order. A unit per vector of `out`,
    /// `[features, lanes]`.
    #[cube(launch_unchecked)]
    pub fn add_segments<N: Size>(
        sums: &[Vector<f32, N>],
        slots: &[i32],
        order: &[i32],
        out: &mut [Vector<f32, N>],
        features: usize,
        most: usize,
        lanes: usize,
        groups_at: usize,
    ) {
        let feature = ABSOLUTE_POS / lanes;
        let lane = ABSOLUTE_POS % lanes;
        if feature >= features {
            terminate!();
        }
        let mut sum = Vector::<f32, N>::new(0.0);
        let slot = slots[feature];
        if slot >= 0 {
            let group = groups_at + slot as usize / MOST_MARKED * OF_GROUP;
            let in_group = slot as usize % MOST_MARKED;
            for segment in order[group + 2] as usize..order[group + OF_GROUP + 2] as usize {
                sum += sums[(segment * most + in_group) * lanes + lane];
            }
        }
        out[ABSOLUTE_POS] = sum;
    }
}
