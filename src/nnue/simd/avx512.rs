//! AVX-512 with the dot products of VNNI and the 16-bit compression of VBMI2.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_cmpgt_epi16_mask, _mm512_dpwssd_epi32, _mm512_loadu_si512,
    _mm512_maskz_compress_epi16, _mm512_permutex2var_epi64, _mm512_set1_epi16, _mm512_set1_epi32,
    _mm512_setr_epi64, _mm512_setzero_si512, _mm512_storeu_si512, _mm512_unpackhi_epi16,
    _mm512_unpacklo_epi16,
};

use super::{Inputs, Kernel, LINE, Simd};

/// Registers of thirty-two 16-bit numbers.
#[derive(Clone, Copy)]
pub struct Avx512(());

/// Whether the machine has what [`run`] asks for.
pub fn is_available() -> bool {
    super::avx2::is_available()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("avx512vbmi2")
}

/// Runs a kernel with AVX-512.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi2")]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

/// 0, 1, 2 …
static PLACES: [i16; LINE] = {
    let mut places = [0; LINE];
    let mut i = 0;
    while i < LINE {
        places[i] = i as i16;
        i += 1;
    }
    places
};

impl Simd for Avx512 {
    type Weights = [i16; 32];
    type Sums = [__m512i; 2];
    const NEURONS: usize = 32;

    #[inline(always)]
    fn weights(weights: &[i16]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: this value proves that the machine has AVX-512.
        [unsafe { _mm512_setzero_si512() }; 2]
    }

    #[inline(always)]
    fn add(
        self,
        [low, high]: Self::Sums,
        weights: [&Self::Weights; 2],
        values: [i16; 2],
    ) -> Self::Sums {
        // SAFETY: AVX-512 is there; the arrays have the 64 bytes that are
        // read, and any alignment does.
        unsafe {
            let [a, b] = weights.map(|row| _mm512_loadu_si512(row.as_ptr().cast()));
            let values = _mm512_set1_epi32(super::pair(values));
            [
                _mm512_dpwssd_epi32(low, _mm512_unpacklo_epi16(a, b), values),
                _mm512_dpwssd_epi32(high, _mm512_unpackhi_epi16(a, b), values),
            ]
        }
    }

    #[inline(always)]
    fn store(self, [low, high]: Self::Sums, out: &mut [i32]) {
        // Unpacking worked within quarters: neurons 0–3, 8–11 … are low. Their
        // halves are moved as pairs of 64 bits, those of `high` counted from 8.
        // SAFETY: AVX-512 is there.
        let sums = unsafe {
            let (front, back) = (
                _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15),
            );
            [front, back].map(|order| _mm512_permutex2var_epi64(low, order, high))
        };
        for (out, sums) in out.as_chunks_mut::<16>().0.iter_mut().zip(sums) {
            // SAFETY: the array has the 64 bytes that are written.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), sums) }
        }
    }

    #[inline(always)]
    fn collect(self, activations: &[i16], inputs: &mut Inputs) {
        let Inputs { places, values: kept, len, .. } = inputs;
        for (line, values) in activations.as_chunks::<LINE>().0.iter().enumerate() {
            let (places, kept) = (&mut places[*len..][..LINE], &mut kept[*len..][..LINE]);
            // SAFETY: AVX-512 is there; 64 bytes are read from arrays and
            // written to slices of 32 numbers.
            let above = unsafe {
                let values = _mm512_loadu_si512(values.as_ptr().cast());
                let here = _mm512_loadu_si512(PLACES.as_ptr().cast());
                let here = _mm512_add_epi16(here, _mm512_set1_epi16((line * LINE) as i16));
                let above = _mm512_cmpgt_epi16_mask(values, _mm512_setzero_si512());
                // Stored whole: storing under a mask is slow on some processors.
                let (front, order) = (
                    _mm512_maskz_compress_epi16(above, values),
                    _mm512_maskz_compress_epi16(above, here),
                );
                _mm512_storeu_si512(kept.as_mut_ptr().cast(), front);
                _mm512_storeu_si512(places.as_mut_ptr().cast(), order);
                above
            };
            *len += above.count_ones() as usize;
        }
    }
}
