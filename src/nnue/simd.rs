//! Instruction sets, chosen at run time.
//!
//! A `Kernel` is a loop written once, in safe Rust and a handful of operations that differ between
//! the sets (`Simd`). [`Dispatch`] compiles it for every set and runs it with the one chosen when
//! the net was loaded, so that nothing is detected per evaluation. The compiler vectorises plain
//! loops in a kernel with the registers of the set.
//!
//! All arithmetic is integer and wraps, and every operation is exactly specified, so every set
//! gives the same bits. The only `unsafe` of this room is below here: instructions of sets that the
//! processor has.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod operations;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

use std::fmt;

/// An instruction set of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Isa {
    /// Plain Rust, vectorised by the compiler.
    Portable,
    /// 128 bits, on every x86-64.
    Sse2,
    /// 256 bits: x86-64 since about 2013.
    Avx2,
    /// 512 bits with VNNI: Cascade Lake, Zen 4 and later.
    Avx512,
    /// 128 bits, on every AArch64.
    Neon,
}

impl Isa {
    /// All of them, the best of each kind of processor last.
    pub const ALL: [Isa; 5] = [Isa::Portable, Isa::Sse2, Isa::Avx2, Isa::Avx512, Isa::Neon];

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Sse2 => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::is_available(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::is_available(),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => true,
            #[allow(unreachable_patterns, reason = "sets of other kinds of processors")]
            _ => false,
        }
    }

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Sse2 => "sse2",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch(Isa);

impl Dispatch {
    /// Kernels for a set; `None` if the machine does not have it.
    pub fn new(isa: Isa) -> Option<Self> {
        isa.is_available().then_some(Self(isa))
    }

    /// The best that the machine has.
    pub fn best() -> Self {
        Isa::ALL.into_iter().rev().find_map(Self::new).unwrap_or(Self(Isa::Portable))
    }

    /// The instruction set.
    pub fn isa(self) -> Isa {
        self.0
    }

    /// The best set up to this one whose registers are filled by `neurons`, a
    /// multiple of 8.
    pub(super) fn for_neurons(self, neurons: usize) -> Self {
        match self.0 {
            Isa::Avx512 if !neurons.is_multiple_of(16) => Self(Isa::Avx2),
            _ => self,
        }
    }

    /// Runs a kernel with the instructions of the set.
    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            // SAFETY: a `Dispatch` is made for sets that the machine has only,
            // and each of these sets includes those below it.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { avx512::run(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::run(kernel) },
            #[cfg(target_arch = "x86_64")]
            Isa::Sse2 => kernel.run(sse2::Sse2),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => kernel.run(neon::Neon),
            _ => kernel.run(portable::Portable),
        }
    }
}

/// Work that is compiled for every instruction set.
pub(super) trait Kernel {
    type Output;

    /// Runs the kernel. Implementations and all functions that they call are `#[inline(always)]`,
    /// or they are compiled without the set.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// The operations in which instruction sets differ. A value is a proof that the
/// machine has the set.
pub(super) trait Simd: Copy {
    /// Weights of a block for the neurons of a register, four of each.
    type Weights: 'static;
    /// 32-bit sums of as many neurons.
    type Sums: Copy;
    const NEURONS: usize;

    /// A register of 16-bit numbers.
    type Words: Copy;
    /// An array of as many in memory.
    type Memory: 'static;
    /// Whether there are 32 registers instead of 16.
    const HAS_MANY_REGISTERS: bool;

    /// Numbers cut into registers, and the rest.
    fn words(numbers: &[i16]) -> (&[Self::Memory], &[i16]);

    /// Mutable numbers, cut the same way.
    fn words_mut(numbers: &mut [i16]) -> (&mut [Self::Memory], &mut [i16]);

    /// Reads a register.
    fn load(self, from: &Self::Memory) -> Self::Words;

    /// Writes a register.
    fn save(self, words: Self::Words, to: &mut Self::Memory);

    /// The sums, modulo 2¹⁶.
    fn plus(self, a: Self::Words, b: Self::Words) -> Self::Words;

    /// The differences, modulo 2¹⁶.
    fn minus(self, a: Self::Words, b: Self::Words) -> Self::Words;

    /// Clips numbers and squares them.
    fn squares(self, numbers: Self::Words, squaring: Squaring) -> Self::Words;

    /// The same by one rounded product, in sets with such an instruction.
    #[inline(always)]
    fn rounded_squares(self, numbers: Self::Words, squaring: RoundedSquaring) -> Self::Words {
        self.squares(numbers, squaring.exact)
    }

    /// Weights cut into registers; a rest is left out.
    fn weights(weights: &[i8]) -> &[Self::Weights];

    fn zero(self) -> Self::Sums;

    /// Adds the products of a block: of each neuron four weights, which are
    /// above −128, times the four inputs, which are at most 128.
    fn add(self, sums: Self::Sums, weights: &Self::Weights, inputs: Block) -> Self::Sums;

    /// Adds the products of a pair: of each neuron two weights of 16 bits, which stand in
    /// the room of four bytes, times the two inputs. Sums and products fit 32 bits.
    fn add_pair(self, sums: Self::Sums, weights: &Self::Weights, inputs: Pair) -> Self::Sums;

    /// Adds the products of two registers, in any lanes of the sums.
    fn add_products(self, sums: Self::Sums, a: Self::Words, b: Self::Words) -> Self::Sums;

    /// Writes [`NEURONS`](Self::NEURONS) sums.
    fn store(self, sums: Self::Sums, out: &mut [i32]);

    /// Appends the places of blocks that are not all zero. The length of
    /// `inputs` is a multiple of [`LINE`]; `active` has room for all of them.
    fn collect(self, inputs: &[Block], active: &mut ActiveBlocks);
}

/// Clipping and squaring of 16-bit numbers: `(clip(x)² + half) >> shift`, which fits 16 bits again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Squaring {
    /// Numbers are clipped to `0..=top`.
    pub top: i16,
    /// Bits shifted out.
    pub shift: u32,
    /// Added before the shift.
    pub half: i32,
}

impl Squaring {
    /// Of one number.
    #[inline(always)]
    pub(super) fn of(self, number: i16) -> i32 {
        let clipped = i32::from(number.clamp(0, self.top));
        (clipped * clipped + self.half) >> self.shift
    }

    /// The same as one rounded product, if it is one.
    ///
    /// `(2ᵃx · 2ᵇx + 2¹⁴) >> 15` is `(x² + 2ˢ⁻¹) >> s` where a + b = 15 − s.
    pub(super) fn rounded(self) -> Option<RoundedSquaring> {
        let both = 15_u32.checked_sub(self.shift)?;
        let rounds = self.shift > 0 && self.half == 1 << (self.shift - 1);
        let longer = both.div_ceil(2);
        let fits = i32::from(self.top) << longer <= i32::from(i16::MAX);
        (rounds && fits)
            .then_some(RoundedSquaring { exact: self, factors: [both - longer, longer] })
    }
}

/// A squaring that is a rounded product of 16 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundedSquaring {
    exact: Squaring,
    /// Bits by which clipped numbers are shifted to be the factors.
    factors: [u32; 2],
}

/// Inputs of the dense layer that an instruction multiplies together.
pub(super) type Block = [u8; 4];

/// The same of 16 bits.
pub(super) type Pair = [i16; 2];

/// A pair as one number.
#[inline(always)]
fn pair_bits([a, b]: Pair) -> i32 {
    i32::from(b) << 16 | i32::from(a as u16)
}

/// Blocks that are collected together: a cache line of them.
pub(super) const LINE: usize = 16;

/// The blocks of inputs that are not all zero.
#[derive(Clone, Debug)]
pub(super) struct ActiveBlocks {
    /// The first `len` are valid and below `most`.
    places: Vec<u16>,
    len: usize,
    most: usize,
}

impl ActiveBlocks {
    /// Room for `most` blocks.
    pub(crate) fn new(most: usize) -> Self {
        assert!(most <= 1 << u16::BITS, "places are 16-bit numbers");
        // Collecting writes whole lines, also past the last place.
        Self { places: vec![0; most + LINE], len: 0, most }
    }

    /// Replaces the places by those of `inputs`.
    #[inline(always)]
    pub(crate) fn collect<S: Simd>(&mut self, simd: S, inputs: &[Block]) {
        assert_eq!(inputs.len(), self.most);
        self.len = 0;
        simd.collect(inputs, self);
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Distributes inputs and weights of the blocks over `CHAINS` chains in turn, and a rest too
    /// short for all chains to the first; `inputs` and `weights` are `[most]`.
    #[inline(always)]
    pub(crate) fn deal<const CHAINS: usize, W>(
        &self,
        inputs: &[Block],
        weights: &[W],
        mut add: impl FnMut(usize, Block, &W),
    ) {
        assert!(inputs.len() == self.most && weights.len() == self.most);
        let at = |place: u16| {
            let place = usize::from(place);
            // SAFETY: places are below `most`, which is both lengths.
            unsafe { (*inputs.get_unchecked(place), weights.get_unchecked(place)) }
        };
        let (rounds, rest) = self.places[..self.len].as_chunks::<CHAINS>();
        for places in rounds {
            for (chain, &place) in places.iter().enumerate() {
                let (block, weights) = at(place);
                add(chain, block, weights);
            }
        }
        for &place in rest {
            let (block, weights) = at(place);
            add(0, block, weights);
        }
    }

    /// Appends a place if it counts; branchless, since that is unpredictable.
    #[inline(always)]
    fn push_if(&mut self, counts: bool, place: usize) {
        self.places[self.len] = place as u16;
        self.len += usize::from(counts);
    }
}

#[cfg(test)]
mod tests;
