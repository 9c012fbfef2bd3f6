//! One description of the format for encoding and decoding.
//!
//! Writing and reading must agree in every bit, in all versions. So each
//! part of the format is described once, as symbols that pass over a [`Channel`]: an
//! [`Encoder`] writes them, a [`Decoder`] reads them.

use super::range_coder::{Decoder, Encoder, Share};

/// Even odds of a bit are half of this.
pub(crate) const CERTAIN: u32 = 1 << 16;

/// Either side of the coding.
pub(crate) trait Channel {
    /// The value when writing, nothing when reading.
    type Known<T: Copy>: Copy;

    /// A value computed from a known one.
    fn known<T: Copy, U: Copy>(known: Self::Known<T>, of: impl FnOnce(T) -> U) -> Self::Known<U>;

    /// A symbol out of several with these frequencies.
    fn symbol(&mut self, odds: &Odds, known: Self::Known<usize>) -> usize;

    /// A bit that is set in `odds` of 65,536 cases; never in none or in all.
    fn bit(&mut self, odds: u32, known: Self::Known<bool>) -> bool;

    /// The lowest `count` bits of a number, at most 16, all equally likely.
    fn bits(&mut self, count: u32, known: Self::Known<u32>) -> u32;
}

/// Frequencies of several symbols.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odds {
    frequencies: Vec<u32>,
    total: u32,
}

impl Odds {
    /// Replaces the frequencies. Each must be at least 1, and their sum must
    /// fit 32 bits.
    #[inline]
    pub(crate) fn set(&mut self, frequencies: impl Iterator<Item = u32>) {
        self.frequencies.clear();
        self.frequencies.extend(frequencies);
        self.total = self.frequencies.iter().sum();
    }

    /// The share of a symbol.
    #[inline]
    pub(crate) fn share(&self, symbol: usize) -> Share {
        let before = self.frequencies[..symbol].iter().sum();
        Share { before, own: self.frequencies[symbol], total: self.total }
    }

    /// The symbol at a position of the total.
    #[inline]
    fn at(&self, target: u32) -> (usize, Share) {
        let (mut symbol, mut before) = (0, 0);
        while target - before >= self.frequencies[symbol] {
            before += self.frequencies[symbol];
            symbol += 1;
        }
        (symbol, Share { before, own: self.frequencies[symbol], total: self.total })
    }
}

#[inline]
fn share_of_bit(odds: u32, bit: bool) -> Share {
    match bit {
        true => Share { before: 0, own: odds, total: CERTAIN },
        false => Share { before: odds, own: CERTAIN - odds, total: CERTAIN },
    }
}

impl Channel for Encoder {
    type Known<T: Copy> = T;

    #[inline]
    fn known<T: Copy, U: Copy>(known: T, of: impl FnOnce(T) -> U) -> U {
        of(known)
    }

    #[inline]
    fn symbol(&mut self, odds: &Odds, known: usize) -> usize {
        self.encode(odds.share(known));
        known
    }

    #[inline]
    fn bit(&mut self, odds: u32, known: bool) -> bool {
        self.encode(share_of_bit(odds, known));
        known
    }

    fn bits(&mut self, count: u32, known: u32) -> u32 {
        let before = known & ((1 << count) - 1);
        self.encode(Share { before, own: 1, total: 1 << count });
        before
    }
}

impl Channel for Decoder<'_> {
    type Known<T: Copy> = ();

    #[inline]
    fn known<T: Copy, U: Copy>((): (), _: impl FnOnce(T) -> U) {}

    #[inline]
    fn symbol(&mut self, odds: &Odds, (): ()) -> usize {
        let (symbol, share) = odds.at(self.target(odds.total));
        self.take(share);
        symbol
    }

    #[inline]
    fn bit(&mut self, odds: u32, (): ()) -> bool {
        let bit = self.target(CERTAIN) < odds;
        self.take(share_of_bit(odds, bit));
        bit
    }

    fn bits(&mut self, count: u32, (): ()) -> u32 {
        let total = 1 << count;
        let before = self.target(total);
        self.take(Share { before, own: 1, total });
        before
    }
}
