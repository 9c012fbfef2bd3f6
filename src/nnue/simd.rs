//! Instruction sets, chosen at run time.
//!
//! A `Kernel` is a piece of work written once, in safe Rust and a handful of
//! operations that the sets do differently (`Simd`). [`Dispatch`] compiles it
//! for every set and runs it with the one that was chosen when the net was
//! made ready, so that nothing is detected on the way. Plain loops in a kernel
//! are vectorised by the compiler with the registers of the set.
//!
//! All arithmetic is integer and wraps, and every operation is exactly
//! specified, so every set gives the same bits. The only `unsafe` of this room
//! is below here: instructions that the processor was found to have.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

use std::fmt;

/// An instruction set that kernels are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Isa {
    /// What the compiler makes of plain Rust.
    Portable,
    /// 128 bits, on every x86-64.
    Sse2,
    /// 256 bits: x86-64 since about 2013.
    Avx2,
    /// 512 bits with VNNI and VBMI2: Ice Lake, Zen 4 and later.
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

/// An instruction set that this machine was found to have.
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

    /// Which it is.
    pub fn isa(self) -> Isa {
        self.0
    }

    /// The best set up to this one whose registers are filled by `neurons`, a
    /// multiple of 8.
    pub(super) fn for_neurons(self, neurons: usize) -> Self {
        let narrower = match self.0 {
            Isa::Avx512 if !neurons.is_multiple_of(32) => Self(Isa::Avx2),
            _ => self,
        };
        match narrower.0 {
            Isa::Avx2 if !neurons.is_multiple_of(16) => Self(Isa::Sse2),
            _ => narrower,
        }
    }

    /// Runs a kernel with the instructions of the set.
    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            // SAFETY: a `Dispatch` is made for sets that the machine has only,
            // and whoever has one of these has those below it.
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
    /// What comes out.
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`, and so is all
    /// that they call, or it is not compiled for the set.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// What instruction sets do differently. A value is a proof that the machine
/// has the set.
pub(super) trait Simd: Copy {
    /// Weights of one input for the neurons of a register.
    type Weights: 'static;
    /// 32-bit sums of as many neurons, in an order of their own.
    type Sums: Copy;
    /// How many they are.
    const NEURONS: usize;

    /// Weights cut into registers; a rest is left out.
    fn weights(weights: &[i16]) -> &[Self::Weights];

    /// Sums of nothing.
    fn zero(self) -> Self::Sums;

    /// Adds two inputs' weights, each times its value.
    fn add(self, sums: Self::Sums, weights: [&Self::Weights; 2], values: [i16; 2]) -> Self::Sums;

    /// Writes [`NEURONS`](Self::NEURONS) sums in the order of the neurons.
    fn store(self, sums: Self::Sums, out: &mut [i32]);

    /// Appends places and values of what is above zero. The length of
    /// `activations` is a multiple of [`LINE`]; `inputs` has room for all of them.
    fn collect(self, activations: &[i16], inputs: &mut Inputs);
}

/// Numbers that are collected together.
pub(super) const LINE: usize = 32;

/// Inputs of the dense layer that are not zero.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    /// Which; the first `len` count, and are below `most`.
    places: Vec<u16>,
    /// Their values.
    values: Vec<i16>,
    len: usize,
    most: usize,
}

impl Inputs {
    /// Room for `most` inputs.
    pub fn new(most: usize) -> Self {
        assert!(most <= 1 << u16::BITS, "places are 16-bit numbers");
        // What is behind the last is written too.
        let room = most + LINE;
        Self { places: vec![0; room], values: vec![0; room], len: 0, most }
    }

    /// Collects what is above zero, and forgets what was there before.
    #[inline(always)]
    pub fn collect<S: Simd>(&mut self, simd: S, activations: &[i16]) {
        assert_eq!(activations.len(), self.most);
        self.len = 0;
        simd.collect(activations, self);
    }

    /// How many.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The inputs, two by two, each with its row of `rows`: `[most]`.
    #[inline(always)]
    pub fn pairs<'a, R>(&'a mut self, rows: &'a [R]) -> Pairs<'a, R> {
        assert_eq!(rows.len(), self.most);
        // Perhaps the last has no partner but nothing.
        (self.places[self.len], self.values[self.len]) = (0, 0);
        let even = self.len.next_multiple_of(2);
        let places = self.places[..even].as_chunks().0;
        let values = self.values[..even].as_chunks().0;
        Pairs { places, values, rows }
    }

    /// One more if it is above zero, without a branch.
    #[inline(always)]
    fn push(&mut self, place: usize, value: i16) {
        self.places[self.len] = place as u16;
        self.values[self.len] = value;
        self.len += usize::from(value > 0);
    }
}

/// Inputs of the dense layer, two by two.
pub(super) struct Pairs<'a, R> {
    /// All of them have a row.
    places: &'a [[u16; 2]],
    values: &'a [[i16; 2]],
    rows: &'a [R],
}

impl<R> Pairs<'_, R> {
    /// Gives rows and values of each pair to the next of `CHAINS` chains, or to
    /// the first if not enough are left for all chains.
    #[inline(always)]
    pub fn deal<const CHAINS: usize>(&self, mut add: impl FnMut(usize, [&R; 2], [i16; 2])) {
        // SAFETY: `Inputs` holds places below `most`, of which `pairs` has
        // checked that there are rows; an empty list has no pairs.
        let row = |place: u16| unsafe { self.rows.get_unchecked(usize::from(place)) };
        let (places, last_places) = self.places.as_chunks::<CHAINS>();
        let (values, last_values) = self.values.as_chunks::<CHAINS>();
        for (places, values) in places.iter().zip(values) {
            for chain in 0..CHAINS {
                add(chain, places[chain].map(row), values[chain]);
            }
        }
        for (places, values) in last_places.iter().zip(last_values) {
            add(0, places.map(row), *values);
        }
    }
}

/// Two 16-bit numbers as the halves of one of 32 bits, the first one low.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn pair([low, high]: [i16; 2]) -> i32 {
    i32::from(low as u16) | i32::from(high) << 16
}

#[cfg(test)]
mod tests;
