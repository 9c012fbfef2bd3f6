//! NEON, which every AArch64 has.

use std::arch::aarch64::{
    int32x4_t, vdupq_n_s32, vget_high_s16, vget_low_s16, vld1q_s16, vmlal_n_s16, vst1q_s32,
};

use super::{Inputs, Simd, portable};

/// Registers of eight 16-bit numbers.
#[derive(Clone, Copy)]
pub struct Neon;

impl Simd for Neon {
    type Weights = [i16; 8];
    type Sums = [int32x4_t; 2];
    const NEURONS: usize = 8;

    #[inline(always)]
    fn weights(weights: &[i16]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: every AArch64 has NEON.
        [unsafe { vdupq_n_s32(0) }; 2]
    }

    #[inline(always)]
    fn add(self, sums: Self::Sums, weights: [&Self::Weights; 2], values: [i16; 2]) -> Self::Sums {
        let of_one = |[low, high]: Self::Sums, (row, value): (&Self::Weights, i16)| {
            // SAFETY: NEON is there; the array has the 16 bytes that are read.
            unsafe {
                let row = vld1q_s16(row.as_ptr());
                [
                    vmlal_n_s16(low, vget_low_s16(row), value),
                    vmlal_n_s16(high, vget_high_s16(row), value),
                ]
            }
        };
        weights.into_iter().zip(values).fold(sums, of_one)
    }

    #[inline(always)]
    fn store(self, sums: Self::Sums, out: &mut [i32]) {
        for (out, sums) in out.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
            // SAFETY: NEON is there; the array has the 16 bytes that are written.
            unsafe { vst1q_s32(out.as_mut_ptr(), sums) }
        }
    }

    #[inline(always)]
    fn collect(self, activations: &[i16], inputs: &mut Inputs) {
        portable::collect(activations, inputs);
    }
}
