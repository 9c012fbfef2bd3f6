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
    type Weights = [i8; 64];
    type Sums = __m512i;
    const NEURONS: usize = 16;

    type Words = __m512i;
    type Memory = [i16; 32];
    const HAS_MANY_REGISTERS: bool = true;

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
        // SAFETY: AVX-512 is there; the array has the 64 bytes that are read.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn save(self, words: Self::Words, to: &mut Self::Memory) {
        // SAFETY: AVX-512 is there; the array has the 64 bytes that are written.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), words) }
    }

    #[inline(always)]
    fn plus(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: AVX-512 is there.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    fn minus(self, a: Self::Words, b: Self::Words) -> Self::Words {
        // SAFETY: AVX-512 is there.
        unsafe { _mm512_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn squares(self, numbers: Self::Words, squaring: Squaring) -> Self::Words {
        let Squaring { top, shift, half } = squaring;
        // SAFETY: AVX-512 is there.
        unsafe {
            let zero = _mm512_setzero_si512();
            let clipped = _mm512_min_epi16(_mm512_max_epi16(numbers, zero), _mm512_set1_epi16(top));
            let low = _mm512_mullo_epi16(clipped, clipped);
            let high = _mm512_mulhi_epi16(clipped, clipped);
            let (shift, half) = (_mm_cvtsi32_si128(shift as i32), _mm512_set1_epi32(half));
            // Taken apart and put together within the same parts of a register.
            let front = _mm512_add_epi32(_mm512_unpacklo_epi16(low, high), half);
            let back = _mm512_add_epi32(_mm512_unpackhi_epi16(low, high), half);
            _mm512_packs_epi32(_mm512_srl_epi32(front, shift), _mm512_srl_epi32(back, shift))
        }
    }

    #[inline(always)]
    fn rounded_squares(self, numbers: Self::Words, squaring: RoundedSquaring) -> Self::Words {
        let RoundedSquaring { exact: Squaring { top, .. }, factors } = squaring;
        // SAFETY: AVX-512 is there.
        unsafe {
            let zero = _mm512_setzero_si512();
            let clipped = _mm512_min_epi16(_mm512_max_epi16(numbers, zero), _mm512_set1_epi16(top));
            let [a, b] = factors.map(|bits| _mm_cvtsi32_si128(bits as i32));
            _mm512_mulhrs_epi16(_mm512_sll_epi16(clipped, a), _mm512_sll_epi16(clipped, b))
        }
    }

    #[inline(always)]
    fn weights(weights: &[i8]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: this value proves that the machine has AVX-512.
        unsafe { _mm512_setzero_si512() }
    }

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
    fn add_pair(self, sums: Self::Sums, weights: &Self::Weights, inputs: Pair) -> Self::Sums {
        // SAFETY: AVX-512 is there; the array has the 64 bytes that are read, and any
        // alignment does.
        unsafe {
            let weights = _mm512_loadu_si512(weights.as_ptr().cast());
            let inputs = _mm512_set1_epi32(pair_bits(inputs));
            _mm512_dpwssd_epi32(sums, weights, inputs)
        }
    }

    #[inline(always)]
    fn add_products(self, sums: Self::Sums, a: Self::Words, b: Self::Words) -> Self::Sums {
        // SAFETY: AVX-512 is there.
        unsafe { _mm512_dpwssd_epi32(sums, a, b) }
    }

    #[inline(always)]
    fn store(self, sums: Self::Sums, out: &mut [i32]) {
        for out in out.as_chunks_mut::<16>().0 {
            // SAFETY: the array has the 64 bytes that are written.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), sums) }
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
