//! Plain Rust, for processors without a set of their own. It is what the
//! others are tested against.

use super::{Inputs, Simd};

/// What the compiler makes of it.
#[derive(Clone, Copy)]
pub struct Portable;

const NEURONS: usize = 8;

impl Simd for Portable {
    type Weights = [i16; NEURONS];
    type Sums = [i32; NEURONS];
    const NEURONS: usize = NEURONS;

    #[inline(always)]
    fn weights(weights: &[i16]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        [0; NEURONS]
    }

    #[inline(always)]
    fn add(self, sums: Self::Sums, [a, b]: [&Self::Weights; 2], values: [i16; 2]) -> Self::Sums {
        let [x, y] = values.map(i32::from);
        std::array::from_fn(|i| {
            sums[i].wrapping_add(i32::from(a[i]) * x).wrapping_add(i32::from(b[i]) * y)
        })
    }

    #[inline(always)]
    fn store(self, sums: Self::Sums, out: &mut [i32]) {
        out.copy_from_slice(&sums);
    }

    #[inline(always)]
    fn collect(self, activations: &[i16], inputs: &mut Inputs) {
        collect(activations, inputs);
    }
}

/// Looks at every number, but for runs of zeros.
#[inline(always)]
pub fn collect(activations: &[i16], inputs: &mut Inputs) {
    const RUN: usize = 8;
    for (run, values) in activations.as_chunks::<RUN>().0.iter().enumerate() {
        if values.iter().fold(0, |any, value| any | value) == 0 {
            continue;
        }
        for (i, &value) in values.iter().enumerate() {
            inputs.push(run * RUN + i, value);
        }
    }
}
