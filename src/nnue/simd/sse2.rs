//! SSE2, which every x86-64 has.

use std::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_add_epi32, _mm_castps_si128, _mm_castsi128_ps, _mm_cmpgt_epi8,
    _mm_cvtsi32_si128, _mm_loadu_si128, _mm_madd_epi16, _mm_max_epi16, _mm_min_epi16,
    _mm_mulhi_epi16, _mm_mullo_epi16, _mm_packs_epi32, _mm_set1_epi16, _mm_set1_epi32,
    _mm_setzero_si128, _mm_shuffle_ps, _mm_srl_epi32, _mm_storeu_si128, _mm_sub_epi16,
    _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpacklo_epi8, _mm_unpacklo_epi16,
};

use super::{ActiveBlocks, Block, Pair, Simd, Squaring, pair_bits, portable};

/// Registers of four sums.
#[derive(Clone, Copy)]
pub(super) struct Sse2;

impl Simd for Sse2 {
    type Weights = [i8; 16];
    type Sums = __m128i;
    const NEURONS: usize = 4;

    type Words = __m128i;
    type Memory = [i16; 8];
    const HAS_MANY_REGISTERS: bool = false;

    #[inline(always)]
    fn words(numbers: &[i16]) -> (&[Self::Memory], &[i16]) {
        numbers.as_chunks()
    }

    #[inline(always)]
    fn words_mut(numbers: &mut [i16]) -> (&mut [Self::Memory], &mut [i16]) {
        numbers.as_chunks_mut()
    }

    #[inline(always)]
    fn load(self, from: &Self::Memory) -> Self::Words {
        // SAFETY: SSE2 is there; the array has the 16 bytes that are read.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn save(self, words: Self::Words, to: &mut Self::Memory) {
        // SAFETY: SSE2 is there; the array has the 16 bytes that are written.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), words) }
    }

    #[inline(always)]
    fn plus(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: SSE2 is there.
        unsafe { _mm_add_epi16(a, b) }
    }

    #[inline(always)]
    fn minus(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: SSE2 is there.
        unsafe { _mm_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn squares(self, numbers: Self::Words, squaring: Squaring) -> Self::Words {
        let Squaring { top, shift, half } = squaring;
        // SAFETY: SSE2 is there.
        unsafe {
            let zero = _mm_setzero_si128();
            let clipped = _mm_min_epi16(_mm_max_epi16(numbers, zero), _mm_set1_epi16(top));
            let low = _mm_mullo_epi16(clipped, clipped);
            let high = _mm_mulhi_epi16(clipped, clipped);
            let (shift, half) = (_mm_cvtsi32_si128(shift as i32), _mm_set1_epi32(half));
            // Taken apart and put together within the same parts of a register.
            let front = _mm_add_epi32(_mm_unpacklo_epi16(low, high), half);
            let back = _mm_add_epi32(_mm_unpackhi_epi16(low, high), half);
            _mm_packs_epi32(_mm_srl_epi32(front, shift), _mm_srl_epi32(back, shift))
        }
    }

    #[inline(always)]
    fn weights(weights: &[i8]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: every x86-64 has SSE2.
        unsafe { _mm_setzero_si128() }
    }

    #[inline(always)]
    fn add(self, sums: Self::Sums, weights: &Self::Weights, inputs: Block) -> Self::Sums {
        // SAFETY: SSE2 is there; the array has the 16 bytes that are read, and
        // any alignment does.
        unsafe {
            let zero = _mm_setzero_si128();
            let weights = _mm_loadu_si128(weights.as_ptr().cast());
            let negative = _mm_cmpgt_epi8(zero, weights);
            let inputs = _mm_unpacklo_epi8(_mm_set1_epi32(i32::from_ne_bytes(inputs)), zero);
            // Each neuron has two halves of its sum here, side by side.
            let front = _mm_madd_epi16(_mm_unpacklo_epi8(weights, negative), inputs);
            let back = _mm_madd_epi16(_mm_unpackhi_epi8(weights, negative), inputs);
            let (front, back) = (_mm_castsi128_ps(front), _mm_castsi128_ps(back));
            let even = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(front, back));
            let odd = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(front, back));
            _mm_add_epi32(sums, _mm_add_epi32(even, odd))
        }
    }

    #[inline(always)]
    fn add_pair(self, sums: Self::Sums, weights: &Self::Weights, inputs: Pair) -> Self::Sums {
        // SAFETY: SSE2 is there; the array has the 16 bytes that are read, and any
        // alignment does.
        unsafe {
            let weights = _mm_loadu_si128(weights.as_ptr().cast());
            let inputs = _mm_set1_epi32(pair_bits(inputs));
            _mm_add_epi32(sums, _mm_madd_epi16(weights, inputs))
        }
    }

    #[inline(always)]
    fn add_products(self, sums: Self::Sums, a: Self::Words, b: Self::Words) -> Self::Sums {
        // SAFETY: SSE2 is there.
        unsafe { _mm_add_epi32(sums, _mm_madd_epi16(a, b)) }
    }

    #[inline(always)]
    fn store(self, sums: Self::Sums, out: &mut [i32]) {
        for out in out.as_chunks_mut::<4>().0 {
            // SAFETY: the array has the 16 bytes that are written.
            unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), sums) }
        }
    }

    #[inline(always)]
    fn collect(self, inputs: &[Block], active: &mut ActiveBlocks) {
        portable::collect(inputs, active);
    }
}
