//! AVX2.

use std::arch::x86_64::{
    __m256i, _mm_add_epi16, _mm_cmpgt_epi16, _mm_loadu_si128, _mm_movemask_epi8, _mm_packs_epi16,
    _mm_set1_epi16, _mm_setr_epi16, _mm_setzero_si128, _mm_shuffle_epi8, _mm_storeu_si128,
    _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_permute2x128_si256,
    _mm256_set1_epi32, _mm256_setzero_si256, _mm256_storeu_si256, _mm256_unpackhi_epi16,
    _mm256_unpacklo_epi16,
};

use super::{Inputs, Kernel, Simd};

/// Registers of sixteen 16-bit numbers.
#[derive(Clone, Copy)]
pub struct Avx2(());

/// Whether the machine has what [`run`] asks for.
pub fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Runs a kernel with AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

/// Numbers that are collected together.
const GROUP: usize = 8;

/// For each set of eight 16-bit numbers, the bytes that bring those in it to
/// the front.
static TO_THE_FRONT: [[u8; 16]; 256] = to_the_front();

const fn to_the_front() -> [[u8; 16]; 256] {
    let mut table = [[0; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut from, mut to) = (0, 0);
        while from < GROUP {
            if set >> from & 1 == 1 {
                table[set][2 * to] = 2 * from as u8;
                table[set][2 * to + 1] = 2 * from as u8 + 1;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    table
}

impl Simd for Avx2 {
    type Weights = [i16; 16];
    type Sums = [__m256i; 2];
    const NEURONS: usize = 16;

    #[inline(always)]
    fn weights(weights: &[i16]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: this value proves that the machine has AVX2.
        [unsafe { _mm256_setzero_si256() }; 2]
    }

    #[inline(always)]
    fn add(
        self,
        [low, high]: Self::Sums,
        weights: [&Self::Weights; 2],
        values: [i16; 2],
    ) -> Self::Sums {
        // SAFETY: AVX2 is there; the arrays have the 32 bytes that are read,
        // and any alignment does.
        unsafe {
            let [a, b] = weights.map(|row| _mm256_loadu_si256(row.as_ptr().cast()));
            let values = _mm256_set1_epi32(super::pair(values));
            [
                _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), values)),
                _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), values)),
            ]
        }
    }

    #[inline(always)]
    fn store(self, [low, high]: Self::Sums, out: &mut [i32]) {
        // Unpacking worked within halves: neurons 0–3 and 8–11 are low.
        // SAFETY: AVX2 is there.
        let sums = unsafe {
            [
                _mm256_permute2x128_si256::<0x20>(low, high),
                _mm256_permute2x128_si256::<0x31>(low, high),
            ]
        };
        for (out, sums) in out.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
            // SAFETY: the array has the 32 bytes that are written.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), sums) }
        }
    }

    #[inline(always)]
    fn collect(self, activations: &[i16], inputs: &mut Inputs) {
        for (group, values) in activations.as_chunks::<GROUP>().0.iter().enumerate() {
            let Inputs { places, values: kept, len, .. } = inputs;
            let (places, kept) = (&mut places[*len..][..GROUP], &mut kept[*len..][..GROUP]);
            // SAFETY: AVX2 is there and with it what came before; 16 bytes are
            // read from an array and written to slices of eight numbers.
            let above = unsafe {
                let values = _mm_loadu_si128(values.as_ptr().cast());
                let above = _mm_cmpgt_epi16(values, _mm_setzero_si128());
                let above = _mm_movemask_epi8(_mm_packs_epi16(above, _mm_setzero_si128()));
                let shuffle = _mm_loadu_si128(TO_THE_FRONT[above as usize & 0xff].as_ptr().cast());
                let first = _mm_set1_epi16((group * GROUP) as i16);
                let here = _mm_add_epi16(first, _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7));
                _mm_storeu_si128(kept.as_mut_ptr().cast(), _mm_shuffle_epi8(values, shuffle));
                _mm_storeu_si128(places.as_mut_ptr().cast(), _mm_shuffle_epi8(here, shuffle));
                above
            };
            *len += above.count_ones() as usize;
        }
    }
}
