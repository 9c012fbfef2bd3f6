//! SSE2, which every x86-64 has.

use std::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_add_epi32, _mm_castps_si128, _mm_castsi128_ps, _mm_cmpgt_epi8,
    _mm_cvtsi32_si128, _mm_loadu_si128, _mm_madd_epi16, _mm_max_epi16, _mm_min_epi16,
    _mm_mulhi_epi16, _mm_mullo_epi16, _mm_packs_epi32, _mm_set1_epi16, _mm_set1_epi32,
    _mm_setzero_si128, _mm_shuffle_ps, _mm_srl_epi32, _mm_storeu_si128, _mm_sub_epi16,
    _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpacklo_epi8, _mm_unpacklo_epi16,
};

use super::operations::{memory, words, x86_squares, x86_sums};
use super::{ActiveBlocks, Block, Pair, Simd, Squaring, pair_bits, portable};

/// Registers of four sums.
#[derive(Clone, Copy)]
pub(super) struct Sse2;

impl Simd for Sse2 {
    const HAS_MANY_REGISTERS: bool = false;

    memory!(words: 8, bytes: 16);

    words!(
        __m128i,
        load: _mm_loadu_si128, save: _mm_storeu_si128,
        pointer: __m128i,
        plus: _mm_add_epi16, minus: _mm_sub_epi16
    );

    x86_squares!(
        zero: _mm_setzero_si128, spread: _mm_set1_epi16, spread_long: _mm_set1_epi32,
        min: _mm_min_epi16, max: _mm_max_epi16,
        low: _mm_mullo_epi16, high: _mm_mulhi_epi16,
        front: _mm_unpacklo_epi16, back: _mm_unpackhi_epi16,
        add: _mm_add_epi32, shift: _mm_srl_epi32, pack: _mm_packs_epi32
    );

    x86_sums!(
        __m128i, neurons: 4,
        zero: _mm_setzero_si128, load: _mm_loadu_si128, save: _mm_storeu_si128,
        spread: _mm_set1_epi32,
        add_products: |sums, a, b| _mm_add_epi32(sums, _mm_madd_epi16(a, b))
    );

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
    fn collect(self, inputs: &[Block], active: &mut ActiveBlocks) {
        portable::collect(inputs, active);
    }
}
