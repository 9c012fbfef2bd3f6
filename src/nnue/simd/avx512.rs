//! AVX-512 with the dot products of VNNI.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm256_storeu_si256, _mm512_add_epi16, _mm512_add_epi32,
    _mm512_cmpneq_epi32_mask, _mm512_cvtepi32_epi16, _mm512_dpbusd_epi32, _mm512_dpwssd_epi32,
    _mm512_loadu_si512, _mm512_maskz_compress_epi32, _mm512_max_epi16, _mm512_min_epi16,
    _mm512_mulhi_epi16, _mm512_mulhrs_epi16, _mm512_mullo_epi16, _mm512_packs_epi32,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setr_epi32, _mm512_setzero_si512,
    _mm512_sll_epi16, _mm512_srl_epi32, _mm512_storeu_si512, _mm512_sub_epi16,
    _mm512_unpackhi_epi16, _mm512_unpacklo_epi16,
};

use super::operations::{memory, words, x86_squares, x86_sums};
use super::{ActiveBlocks, Block, Kernel, LINE, Pair, RoundedSquaring, Simd, Squaring, pair_bits};

/// Registers of sixteen sums.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

pub(super) fn is_available() -> bool {
    super::avx2::is_available()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

impl Simd for Avx512 {
    const HAS_MANY_REGISTERS: bool = true;

    memory!(words: 32, bytes: 64);

    words!(
        __m512i,
        load: _mm512_loadu_si512, save: _mm512_storeu_si512,
        pointer: __m512i,
        plus: _mm512_add_epi16, minus: _mm512_sub_epi16
    );

    x86_squares!(
        zero: _mm512_setzero_si512, spread: _mm512_set1_epi16, spread_long: _mm512_set1_epi32,
        min: _mm512_min_epi16, max: _mm512_max_epi16,
        low: _mm512_mullo_epi16, high: _mm512_mulhi_epi16,
        front: _mm512_unpacklo_epi16, back: _mm512_unpackhi_epi16,
        add: _mm512_add_epi32, shift: _mm512_srl_epi32, pack: _mm512_packs_epi32,
        rounded: _mm512_mulhrs_epi16, left: _mm512_sll_epi16
    );

    x86_sums!(
        __m512i, neurons: 16,
        zero: _mm512_setzero_si512, load: _mm512_loadu_si512, save: _mm512_storeu_si512,
        spread: _mm512_set1_epi32,
        add_products: |sums, a, b| _mm512_dpwssd_epi32(sums, a, b)
    );

    #[inline(always)]
    fn add(self, sums: Self::Sums, weights: &Self::Weights, inputs: Block) -> Self::Sums {
        // SAFETY: AVX-512 is there; the array has the 64 bytes that are read,
        // and any alignment does.
        unsafe {
            let weights = _mm512_loadu_si512(weights.as_ptr().cast());
            let inputs = _mm512_set1_epi32(i32::from_ne_bytes(inputs));
            _mm512_dpbusd_epi32(sums, inputs, weights)
        }
    }

    #[inline(always)]
    fn collect(self, inputs: &[Block], active: &mut ActiveBlocks) {
        let ActiveBlocks { places, len, .. } = active;
        for (line, blocks) in inputs.as_chunks::<LINE>().0.iter().enumerate() {
            let places = &mut places[*len..][..LINE];
            // SAFETY: AVX-512 is there; 64 bytes are read from an array, 32
            // written to a slice of sixteen numbers.
            let set = unsafe {
                let blocks = _mm512_loadu_si512(blocks.as_ptr().cast());
                let set = _mm512_cmpneq_epi32_mask(blocks, _mm512_setzero_si512());
                let within =
                    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                let here = _mm512_add_epi32(within, _mm512_set1_epi32((line * LINE) as i32));
                let front = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(set, here));
                _mm256_storeu_si256(places.as_mut_ptr().cast(), front);
                set
            };
            *len += set.count_ones() as usize;
        }
    }
}
