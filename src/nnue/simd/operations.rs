//! Operations of `Simd` in which instruction sets differ by names only.
//!
//! Each macro expands inside an `impl Simd`. Instructions are named where it is used, and the
//! value that has the operations proves that the machine has them.

/// Slices of numbers cut into arrays of a register's length: `$words` 16-bit numbers or `$bytes`
/// weights.
macro_rules! memory {
    (words: $words:literal, bytes: $bytes:literal) => {
        type Memory = [i16; $words];
        type Weights = [i8; $bytes];

        #[inline(always)]
        fn words(numbers: &[i16]) -> (&[Self::Memory], &[i16]) {
            numbers.as_chunks()
        }

        #[inline(always)]
        fn words_mut(numbers: &mut [i16]) -> (&mut [Self::Memory], &mut [i16]) {
            numbers.as_chunks_mut()
        }

        #[inline(always)]
        fn weights(weights: &[i8]) -> &[Self::Weights] {
            weights.as_chunks().0
        }
    };
}
pub(super) use memory;

/// Registers of 16-bit numbers.
macro_rules! words {
    (
        $register:ty,
        load: $load:ident, save: $save:ident,
        pointer: $pointer:ty,
        plus: $plus:ident, minus: $minus:ident
    ) => {
        type Words = $register;

        #[inline(always)]
        fn load(self, from: &Self::Memory) -> Self::Words {
            // SAFETY: the set is there; the array has as many bytes as are read, and any
            // alignment does.
            unsafe { $load(from.as_ptr().cast::<$pointer>()) }
        }

        #[inline(always)]
        fn save(self, words: Self::Words, to: &mut Self::Memory) {
            // SAFETY: the set is there; the array has as many bytes as are written.
            unsafe { $save(to.as_mut_ptr().cast::<$pointer>(), words) }
        }

        #[inline(always)]
        fn plus(self, a: Self::Words, b: Self::Words) -> Self::Words {
            // SAFETY: the set is there.
            unsafe { $plus(a, b) }
        }

        #[inline(always)]
        fn minus(self, a: Self::Words, b: Self::Words) -> Self::Words {
            // SAFETY: the set is there.
            unsafe { $minus(a, b) }
        }
    };
}
pub(super) use words;

/// Squares of clipped numbers on x86-64.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_squares {
    (
        zero: $zero:ident, spread: $spread:ident, spread_long: $spread_long:ident,
        min: $min:ident, max: $max:ident,
        low: $low:ident, high: $high:ident,
        front: $front:ident, back: $back:ident,
        add: $add:ident, shift: $shift:ident, pack: $pack:ident
        $(, rounded: $rounded:ident, left: $left:ident)?
    ) => {
        #[inline(always)]
        fn squares(self, numbers: Self::Words, squaring: Squaring) -> Self::Words {
            let Squaring { top, shift, half } = squaring;
            // SAFETY: the set is there.
            unsafe {
                let clipped = $min($max(numbers, $zero()), $spread(top));
                let low = $low(clipped, clipped);
                let high = $high(clipped, clipped);
                let (shift, half) = (_mm_cvtsi32_si128(shift as i32), $spread_long(half));
                // Taken apart and put together within the same parts of a register.
                let front = $add($front(low, high), half);
                let back = $add($back(low, high), half);
                $pack($shift(front, shift), $shift(back, shift))
            }
        }

        $(
            #[inline(always)]
            fn rounded_squares(
                self,
                numbers: Self::Words,
                squaring: RoundedSquaring,
            ) -> Self::Words {
                let RoundedSquaring { exact: Squaring { top, .. }, factors } = squaring;
                // SAFETY: the set is there.
                unsafe {
                    let clipped = $min($max(numbers, $zero()), $spread(top));
                    let [a, b] = factors.map(|bits| _mm_cvtsi32_si128(bits as i32));
                    $rounded($left(clipped, a), $left(clipped, b))
                }
            }
        )?
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use x86_squares;

/// Registers of 32-bit sums on x86-64.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_sums {
    (
        $register:ty, neurons: $neurons:literal,
        zero: $zero:ident, load: $load:ident, save: $save:ident, spread: $spread:ident,
        add_products: |$sums:ident, $a:ident, $b:ident| $products:expr
    ) => {
        type Sums = $register;
        const NEURONS: usize = $neurons;

        #[inline(always)]
        fn zero(self) -> Self::Sums {
            // SAFETY: the set is there.
            unsafe { $zero() }
        }

        #[inline(always)]
        fn add_pair(self, $sums: Self::Sums, weights: &Self::Weights, inputs: Pair) -> Self::Sums {
            // SAFETY: the set is there; the array has as many bytes as are read, and any
            // alignment does.
            unsafe {
                let $a = $load(weights.as_ptr().cast());
                let $b = $spread(pair_bits(inputs));
                $products
            }
        }

        #[inline(always)]
        fn add_products(self, $sums: Self::Sums, $a: Self::Words, $b: Self::Words) -> Self::Sums {
            // SAFETY: the set is there.
            unsafe { $products }
        }

        #[inline(always)]
        fn store(self, sums: Self::Sums, out: &mut [i32]) {
            for out in out.as_chunks_mut::<$neurons>().0 {
                // SAFETY: the set is there; the array has as many bytes as are written.
                unsafe { $save(out.as_mut_ptr().cast(), sums) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use x86_sums;
