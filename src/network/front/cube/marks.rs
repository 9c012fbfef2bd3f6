//! Active rows of each feature of a small set, found on the card.
//!
//! One kernel sets a bit for every entry of the lists, in a table of a bit per feature and row: set
//! bits have no order, so units may set them in any. Another sums the gradient along them: a cube
//! takes a feature and a segment of the rows, writes the rows of the set bits into shared memory,
//! in order, and sums the gradients of these. The segments are added up in order. So the lists of a
//! small set need no inverse from the loader, and the same batch gives the same bits.

use burn::backend::TensorMetadata;
use burn::tensor::Shape;
use burn_wgpu::CubeTensor;
use cubecl::prelude::*;

use super::Lists;
use crate::cube::{add_up, cubes, empty, launch, units, vector_size};
use crate::front::IndexForm;

/// Rows of a word of the table.
const WORD: usize = 32;

/// The gradient of the weights, `[features, l1]`, from that of the sums, `[rows, l1]`.
pub(super) fn by_feature(gradient: CubeTensor, lists: Lists, features: usize) -> CubeTensor {
    let [rows, l1] = gradient.shape().dims();
    let vector = vector_size(l1);
    let lanes = l1 / vector;
    let words = rows.div_ceil(WORD);
    let marks = marked(&gradient, lists, features, words);
    let segment = lanes.next_power_of_two().clamp(32, 128);
    let segments = words.div_ceil(segment);
    let sums = empty(&gradient, [segments, features * l1]);
    // SAFETY: words stay within the table; rows of set bits are those of the lists.
    unsafe {
        launch!(kernels::sum[sums, cubes([features, segments, 1], segment)]
            vector, marks.into_buffer_arg(), gradient.into_buffer_arg(),
            sums.clone().into_buffer_arg(), features, words, lanes, segment
        );
    }
    add_up(sums, segments, Shape::from([features, l1]))
}

/// The table, `[features, words]`.
fn marked(on: &CubeTensor, lists: Lists, features: usize, words: usize) -> CubeTensor {
    let Lists { indices, form, rows, width, .. } = lists;
    let marks = empty(on, [features, words]);
    // SAFETY: a unit stays within its word.
    unsafe {
        launch!(kernels::clear[on, units(&marks, features * words)]
            marks.clone().into_buffer_arg(), features * words
        );
    }
    // SAFETY: features are held below their number.
    unsafe {
        launch!(kernels::mark[marks, units(&marks, rows * width)]
            indices.into_buffer_arg(), marks.clone().into_buffer_arg(), rows * width, width, words,
            features, form
        );
    }
    marks
}

pub(super) mod kernels {
    use super::*;
    use crate::front::cube::kernels::feature_at;

    /// Rows of the gradient that are loaded before the first is added.
    const AHEAD: usize = 8;

    /// A unit per word.
    #[cube(launch_unchecked)]
    pub fn clear(marks: &mut [u32], words: usize) {
        if ABSOLUTE_POS >= words {
            terminate!();
        }
        marks[ABSOLUTE_POS] = 0;
    }

    /// A unit per entry of the lists.
    #[cube(launch_unchecked)]
    pub fn mark(
        indices: &[i32],
        marks: &[Atomic<u32>],
        entries: usize,
        width: usize,
        words: usize,
        features: usize,
        #[comptime] form: IndexForm,
    ) {
        if ABSOLUTE_POS >= entries {
            terminate!();
        }
        let feature = feature_at(indices, ABSOLUTE_POS, form);
        if feature >= 0 && (feature as usize) < features {
            let row = ABSOLUTE_POS / width;
            marks[feature as usize * words + row / WORD].fetch_or(1u32 << (row % WORD) as u32);
        }
    }

    /// A cube per feature and segment, with a unit per word. `sums` are
    /// `[segments, features, lanes]`.
    #[cube(launch_unchecked)]
    pub fn sum<N: Size>(
        marks: &[u32],
        gradient: &[Vector<f32, N>],
        sums: &mut [Vector<f32, N>],
        features: usize,
        words: usize,
        lanes: usize,
        #[comptime] segment: usize,
    ) {
        let mut rows = Shared::<[u32]>::new_slice(comptime!(segment * WORD));
        let mut counts = Shared::<[u32]>::new_slice(segment);
        let (feature, part) = (CUBE_POS_X as usize, CUBE_POS_Y as usize);
        let unit = UNIT_POS as usize;
        let word = part * segment + unit;
        let mut bits = 0u32;
        if word < words {
            bits = marks[feature * words + word];
        }
        let total = list_bits(bits, (word * WORD) as u32, &mut rows, &mut counts, segment);
        for lane in range_stepped(unit, lanes, segment) {
            let sum = sum_rows::<N>(gradient, &rows, total, lane, lanes);
            sums[(part * features + feature) * lanes + lane] = sum;
        }
    }

    /// Lists the set bits of the words of a cube, a word a unit, in order; how many there are.
    /// `first` is the number of the lowest bit of the unit's word.
    #[cube]
    pub fn list_bits(
        bits: u32,
        first: u32,
        list: &mut Shared<[u32]>,
        counts: &mut Shared<[u32]>,
        #[comptime] segment: usize,
    ) -> usize {
        let unit = UNIT_POS as usize;
        let own = bits.count_ones();
        counts[unit] = own;
        sync_cube();
        let steps = comptime!(segment.ilog2());
        #[unroll]
        for step in 0..steps {
            let before = comptime!(1usize << step);
            let mut add = 0u32;
            if unit >= before {
                add = counts[unit - before];
            }
            sync_cube();
            counts[unit] += add;
            sync_cube();
        }
        let mut rest = bits;
        for place in counts[unit] - own..counts[unit] {
            list[place as usize] = first + rest.trailing_zeros();
            rest &= rest - 1;
        }
        sync_cube();
        counts[comptime!(segment - 1)] as usize
    }

    /// The sum of a column of the listed rows, in order.
    #[cube]
    pub fn sum_rows<N: Size>(
        gradient: &[Vector<f32, N>],
        rows: &Shared<[u32]>,
        total: usize,
        lane: usize,
        lanes: usize,
    ) -> Vector<f32, N> {
        let mut sum = Vector::<f32, N>::new(0.0);
        for first in range_stepped(0, total, AHEAD) {
            #[unroll]
            for ahead in 0..AHEAD {
                let value = select(first + ahead < total, 1.0f32, 0.0f32);
                let row = rows[min(first + ahead, total - 1)] as usize;
                sum += gradient[row * lanes + lane] * Vector::new(value);
            }
        }
        sum
    }
}
