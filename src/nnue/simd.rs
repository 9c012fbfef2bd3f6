//! The inner loops of inference, compiled for each instruction set and
//! chosen at run time.
//!
//! Each kernel is written once as plain Rust that the compiler vectorises;
//! the wrappers only compile the same body with AVX2 enabled. All arithmetic
//! is integer, so every path gives the same bits. The only `unsafe` of this
//! room is here: calling a function that needs instructions which the
//! processor was just found to have.

#![allow(unsafe_code)]

/// Neurons handled together, so that their sums stay in registers.
const TILE: usize = 64;

/// Compiles a kernel for AVX2 too and picks at run time.
macro_rules! kernel {
    ($(#[$doc:meta])* pub fn $name:ident / $portable:ident / $avx2:ident ($($arg:ident: $type:ty),*) $(-> $out:ty)? $body:block) => {
        $(#[$doc])*
        #[inline]
        pub fn $name($($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2, all that the callee asks for.
                return unsafe { $avx2($($arg),*) };
            }
            $portable($($arg),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $type),*) $(-> $out)? {
            $portable($($arg),*)
        }

        #[inline(always)]
        fn $portable($($arg: $type),*) $(-> $out)? $body
    };
}

kernel! {
    /// `out = from + Σ added − Σ removed`, element by element. All slices have
    /// the same length; sums wrap, so that the order of rows does not matter.
    pub fn update_rows / update_rows_portable / update_rows_avx2
        (out: &mut [i16], from: &[i16], added: &[&[i16]], removed: &[&[i16]]) {
        let mut start = 0;
        while start < out.len() {
            let width = TILE.min(out.len() - start);
            let range = start..start + width;
            if width == TILE {
                let mut sums = [0i16; TILE];
                sums.copy_from_slice(&from[range.clone()]);
                for row in added {
                    for (sum, x) in sums.iter_mut().zip(&row[range.clone()]) {
                        *sum = sum.wrapping_add(*x);
                    }
                }
                for row in removed {
                    for (sum, x) in sums.iter_mut().zip(&row[range.clone()]) {
                        *sum = sum.wrapping_sub(*x);
                    }
                }
                out[range].copy_from_slice(&sums);
            } else {
                for i in range {
                    let plus = added.iter().fold(from[i], |sum, row| sum.wrapping_add(row[i]));
                    out[i] = removed.iter().fold(plus, |sum, row| sum.wrapping_sub(row[i]));
                }
            }
            start += width;
        }
    }
}

kernel! {
    /// Clips accumulator values to `0..=top`.
    pub fn clip / clip_portable / clip_avx2 (out: &mut [i16], values: &[i16], top: i16) {
        for (out, &value) in out.iter_mut().zip(values) {
            *out = value.clamp(0, top);
        }
    }
}

kernel! {
    /// Clips accumulator values to `0..=top`, squares them and brings the
    /// squares down by `shift` bits, rounded to nearest. `top²` must then be an
    /// i16; `top` is at most 2¹⁵ − 1, so that squares are i32.
    pub fn clip_square / clip_square_portable / clip_square_avx2
        (out: &mut [i16], values: &[i16], top: i16, shift: u32) {
        let half = (1 << shift) >> 1;
        for (out, &value) in out.iter_mut().zip(values) {
            let clipped = i32::from(value.clamp(0, top));
            *out = ((clipped * clipped + half) >> shift) as i16;
        }
    }
}

kernel! {
    /// Dot product of two i16 vectors in i32. The quantiser guarantees that no
    /// partial sum overflows.
    pub fn dot / dot_portable / dot_avx2 (a: &[i16], b: &[i16]) -> i32 {
        a.iter().zip(b).fold(0i32, |sum, (&a, &b)| sum.wrapping_add(i32::from(a) * i32::from(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(width: usize) -> impl Strategy<Value = Vec<Vec<i16>>> {
        prop::collection::vec(prop::collection::vec(any::<i16>(), width), 0..5)
    }

    proptest! {
        #[test]
        fn rows_add_and_subtract(
            (from, added, removed) in (1usize..20).prop_flat_map(|eighths| {
                let width = eighths * 8;
                (prop::collection::vec(any::<i16>(), width), rows(width), rows(width))
            })
        ) {
            let refs = |rows: &[Vec<i16>]| -> Vec<Vec<i16>> { rows.to_vec() };
            let (a, r) = (refs(&added), refs(&removed));
            let a: Vec<&[i16]> = a.iter().map(Vec::as_slice).collect();
            let r: Vec<&[i16]> = r.iter().map(Vec::as_slice).collect();
            let expected: Vec<i16> = (0..from.len()).map(|i| {
                let plus: i64 = a.iter().map(|row| i64::from(row[i])).sum();
                let minus: i64 = r.iter().map(|row| i64::from(row[i])).sum();
                (i64::from(from[i]) + plus - minus) as i16
            }).collect();
            let mut chosen = vec![0; from.len()];
            update_rows(&mut chosen, &from, &a, &r);
            prop_assert_eq!(&chosen, &expected);
            let mut portable = vec![0; from.len()];
            update_rows_portable(&mut portable, &from, &a, &r);
            prop_assert_eq!(&portable, &expected);
        }

        #[test]
        fn squares_are_those_of_real_numbers(
            values in prop::collection::vec(any::<i16>(), 0..200),
            bits in 4u32..11,
        ) {
            let top = 1i16 << bits;
            let shift = (2 * bits).saturating_sub(12);
            let expected: Vec<i16> = values.iter().map(|&value| {
                let clipped = f64::from(value).clamp(0.0, f64::from(top));
                // Halves go up.
                (clipped * clipped / f64::from(1 << shift) + 0.5).floor() as i16
            }).collect();
            let mut chosen = vec![0; values.len()];
            clip_square(&mut chosen, &values, top, shift);
            prop_assert_eq!(&chosen, &expected);
            let mut portable = vec![0; values.len()];
            clip_square_portable(&mut portable, &values, top, shift);
            prop_assert_eq!(&portable, &expected);
        }

        #[test]
        fn dot_equals_wide_arithmetic(pairs in prop::collection::vec((-1024i16..1024, -1024i16..1024), 0..300)) {
            let (a, b): (Vec<i16>, Vec<i16>) = pairs.into_iter().unzip();
            let wide: i64 = a.iter().zip(&b).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum();
            prop_assert_eq!(i64::from(dot(&a, &b)), wide);
            prop_assert_eq!(i64::from(dot_portable(&a, &b)), wide);
        }
    }
}
