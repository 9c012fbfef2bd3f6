//! AVX2.

use std::arch::x86_64::{
    __m256i, _mm_add_epi16, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_set1_epi16, _mm_storeu_si128,
    _mm256_add_epi16, _mm256_add_epi32, _mm256_castsi256_ps, _mm256_cmpeq_epi32,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_movemask_ps, _mm256_mulhi_epi16, _mm256_mulhrs_epi16,
    _mm256_mullo_epi16, _mm256_packs_epi32, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_sll_epi16, _mm256_srl_epi32, _mm256_storeu_si256,
    _mm256_sub_epi16, _mm256_unpackhi_epi16, _mm256_unpacklo_epi16,
};

use super::operations::{memory, words, x86_squares, x86_sums};
use super::{ActiveBlocks, Block, Kernel, Pair, RoundedSquaring, Simd, Squaring, pair_bits};

/// Registers of eight sums.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

/// Blocks that are collected together.
const GROUP: usize = 8;

/// The places of each set of eight, then zeros.
static PLACES: [[u16; GROUP]; 256] = places();

const fn places() -> [[u16; GROUP]; 256] {
    let mut table = [[0; GROUP]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut place, mut count) = (0, 0);
        while place < GROUP {
            if set >> place & 1 == 1 {
                table[set][count] = place as u16;
                count += 1;
            }
            place += 1;
        }
        set += 1;
    }
    table
}

impl Simd for Avx2 {
    const HAS_MANY_REGISTERS: bool = false;

    memory!(words: 16, bytes: 32);

    words!(
        __m256i,
        load: _mm256_loadu_si256, save: _mm256_storeu_si256,
        pointer: __m256i,
        plus: _mm256_add_epi16, minus: _mm256_sub_epi16
    );

    x86_squares!(
        zero: _mm256_setzero_si256, spread: _mm256_set1_epi16, spread_long: _mm256_set1_epi32,
        min: _mm256_min_epi16, max: _mm256_max_epi16,
        low: _mm256_mullo_epi16, high: _mm256_mulhi_epi16,
        front: _mm256_unpacklo_epi16, back: _mm256_unpackhi_epi16,
        add: _mm256_add_epi32, shift: _mm256_srl_epi32, pack: _mm256_packs_epi32,
        rounded: _mm256_mulhrs_epi16, left: _mm256_sll_epi16
    );

    x86_sums!(
        __m256i, neurons: 8,
        zero: _mm256_setzero_si256, load: _mm256_loadu_si256, save: _mm256_storeu_si256,
        spread: _mm256_set1_epi32,
        add_products: |sums, a, b| _mm256_add_epi32(sums, _mm256_madd_epi16(a, b))
    );

    #[inline(always)]
    fn add(self, sums: Self::Sums, weights: &Self::Weights, inputs: Block) -> Self::Sums {
        // SAFETY: AVX2 is there; the array has the 32 bytes that are read, and
        // any alignment does.
        unsafe {
            let weights = _mm256_loadu_si256(weights.as_ptr().cast());
            let inputs = _mm256_set1_epi32(i32::from_ne_bytes(inputs));
            // Saturates beyond 16 bits, which two such products do not reach.
            let pairs = _mm256_maddubs_epi16(inputs, weights);
            _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
    }

    #[inline(always)]
    fn collect(self, inputs: &[Block], active: &mut ActiveBlocks) {
        for (group, blocks) in inputs.as_chunks::<GROUP>().0.iter().enumerate() {
            let ActiveBlocks { places, len, .. } = active;
            let places = &mut places[*len..][..GROUP];
            // SAFETY: AVX2 is there and with it what came before; 32 and 16 bytes
            // are read from arrays, 16 written to a slice of eight numbers.
            let set = unsafe {
                let blocks = _mm256_loadu_si256(blocks.as_ptr().cast());
                let zeros = _mm256_cmpeq_epi32(blocks, _mm256_setzero_si256());
                let set = !_mm256_movemask_ps(_mm256_castsi256_ps(zeros)) as usize & 0xff;
                let within = _mm_loadu_si128(PLACES[set].as_ptr().cast());
                let first = _mm_set1_epi16((group * GROUP) as i16);
                _mm_storeu_si128(places.as_mut_ptr().cast(), _mm_add_epi16(within, first));
                set
            };
            *len += set.count_ones() as usize;
        }
    }
}
