//! NEON, which every AArch64 has.

use std::arch::aarch64::{
    int16x8_t, int32x4_t, vaddq_s16, vaddq_s32, vcombine_s16, vdup_n_u32, vdupq_n_s16, vdupq_n_s32,
    vget_high_s8, vget_high_s16, vget_low_s8, vget_low_s16, vld1q_s8, vld1q_s16, vmaxq_s16,
    vminq_s16, vmlal_s16, vmovl_s8, vmovl_u8, vmovn_s32, vmull_s16, vmulq_s16, vpadalq_s16,
    vpaddq_s32, vreinterpret_s16_u32, vreinterpret_u8_u32, vreinterpretq_s16_s8,
    vreinterpretq_s16_u16, vshlq_s32, vst1q_s16, vst1q_s32, vsubq_s16,
};

use super::operations::{memory, words};
use super::{ActiveBlocks, Block, Pair, Simd, Squaring, pair_bits, portable};

/// Registers of four sums.
#[derive(Clone, Copy)]
pub(super) struct Neon;

impl Simd for Neon {
    /// Two halves of each sum, side by side.
    type Sums = [int32x4_t; 2];
    const NEURONS: usize = 4;
    const HAS_MANY_REGISTERS: bool = true;

    memory!(words: 8, bytes: 16);

    words!(
        int16x8_t,
        load: vld1q_s16, save: vst1q_s16,
        pointer: i16,
        plus: vaddq_s16, minus: vsubq_s16
    );

    #[inline(always)]
    fn squares(self, numbers: Self::Words, squaring: Squaring) -> Self::Words {
        let Squaring { top, shift, half } = squaring;
        // SAFETY: NEON is there.
        unsafe {
            let clipped = vminq_s16(vmaxq_s16(numbers, vdupq_n_s16(0)), vdupq_n_s16(top));
            let (front, back) = (vget_low_s16(clipped), vget_high_s16(clipped));
            let (half, right) = (vdupq_n_s32(half), vdupq_n_s32(-(shift as i32)));
            let front = vshlq_s32(vaddq_s32(vmull_s16(front, front), half), right);
            let back = vshlq_s32(vaddq_s32(vmull_s16(back, back), half), right);
            vcombine_s16(vmovn_s32(front), vmovn_s32(back))
        }
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: every AArch64 has NEON.
        [unsafe { vdupq_n_s32(0) }; 2]
    }

    #[inline(always)]
    fn add(self, [front, back]: Self::Sums, weights: &Self::Weights, inputs: Block) -> Self::Sums {
        // SAFETY: NEON is there; the array has the 16 bytes that are read.
        unsafe {
            let weights = vld1q_s8(weights.as_ptr());
            // The block twice. A product fits 16 bits, 128 · 127.
            let inputs = vreinterpret_u8_u32(vdup_n_u32(u32::from_ne_bytes(inputs)));
            let inputs = vreinterpretq_s16_u16(vmovl_u8(inputs));
            [
                vpadalq_s16(front, vmulq_s16(vmovl_s8(vget_low_s8(weights)), inputs)),
                vpadalq_s16(back, vmulq_s16(vmovl_s8(vget_high_s8(weights)), inputs)),
            ]
        }
    }

    #[inline(always)]
    fn add_pair(
        self,
        [front, back]: Self::Sums,
        weights: &Self::Weights,
        inputs: Pair,
    ) -> Self::Sums {
        // SAFETY: NEON is there; the array has the 16 bytes that are read.
        unsafe {
            let weights = vreinterpretq_s16_s8(vld1q_s8(weights.as_ptr()));
            let inputs = vreinterpret_s16_u32(vdup_n_u32(pair_bits(inputs) as u32));
            [
                vmlal_s16(front, vget_low_s16(weights), inputs),
                vmlal_s16(back, vget_high_s16(weights), inputs),
            ]
        }
    }

    #[inline(always)]
    fn add_products(self, [front, back]: Self::Sums, a: Self::Words, b: Self::Words) -> Self::Sums {
        // SAFETY: NEON is there.
        unsafe {
            [
                vmlal_s16(front, vget_low_s16(a), vget_low_s16(b)),
                vmlal_s16(back, vget_high_s16(a), vget_high_s16(b)),
            ]
        }
    }

    #[inline(always)]
    fn store(self, [front, back]: Self::Sums, out: &mut [i32]) {
        for out in out.as_chunks_mut::<4>().0 {
            // SAFETY: NEON is there; the array has the 16 bytes that are written.
            unsafe { vst1q_s32(out.as_mut_ptr(), vpaddq_s32(front, back)) }
        }
    }

    #[inline(always)]
    fn collect(self, inputs: &[Block], active: &mut ActiveBlocks) {
        portable::collect(inputs, active);
    }
}
