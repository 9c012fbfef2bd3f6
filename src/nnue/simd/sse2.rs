//! SSE2, which every x86-64 has.

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_loadu_si128, _mm_madd_epi16, _mm_set1_epi32, _mm_setzero_si128,
    _mm_storeu_si128, _mm_unpackhi_epi16, _mm_unpacklo_epi16,
};

use super::{Inputs, Simd, portable};

/// Registers of eight 16-bit numbers.
#[derive(Clone, Copy)]
pub struct Sse2;

impl Simd for Sse2 {
    type Weights = [i16; 8];
    type Sums = [__m128i; 2];
    const NEURONS: usize = 8;

    #[inline(always)]
    fn weights(weights: &[i16]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: every x86-64 has SSE2.
        [unsafe { _mm_setzero_si128() }; 2]
    }

    #[inline(always)]
    fn add(
        self,
        [low, high]: Self::Sums,
        weights: [&Self::Weights; 2],
        values: [i16; 2],
    ) -> Self::Sums {
        // SAFETY: SSE2 is there; the arrays have the 16 bytes that are read, and
        // any alignment does.
        unsafe {
            let [a, b] = weights.map(|row| _mm_loadu_si128(row.as_ptr().cast()));
            let values = _mm_set1_epi32(super::pair(values));
            [
                _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), values)),
                _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(a, b), values)),
            ]
        }
    }

    #[inline(always)]
    fn store(self, sums: Self::Sums, out: &mut [i32]) {
        for (out, sums) in out.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
            // SAFETY: the array has the 16 bytes that are written.
            unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), sums) }
        }
    }

    #[inline(always)]
    fn collect(self, activations: &[i16], inputs: &mut Inputs) {
        portable::collect(activations, inputs);
    }
}
