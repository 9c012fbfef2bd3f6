//! One description of the format for encoding and decoding.
//!
//! What is written and what is read must agree in every bit, in all versions. So each
//! part of the format is described once, as symbols that pass over a [`Channel`]: an
//! [`Encoder`] is given them and writes them, a [`Decoder`] reads them, and a [`Meter`]
//! is given them and only counts the bits they would take.

use super::range_coder::{Decoder, Encoder, Share};

/// Even odds of a bit are half of this.
pub(crate) const CERTAIN: u32 = 1 << 16;

/// Who takes part in the conversation.
pub(crate) trait Channel {
    /// What is known of a value beforehand: all of it to who writes, nothing to
    /// who reads.
    type Known<T: Copy>: Copy;

    /// What follows from what is known.
    fn known<T: Copy, U: Copy>(known: Self::Known<T>, of: impl FnOnce(T) -> U) -> Self::Known<U>;

    /// A symbol out of several with these frequencies.
    fn symbol(&mut self, odds: &Odds, known: Self::Known<usize>) -> usize;

    /// A bit that is set in `odds` of 65,536 cases; never in none or in all.
    fn bit(&mut self, odds: u32, known: Self::Known<bool>) -> bool;

    /// The lowest `count` bits of a number, at most 16, all equally likely.
    fn bits(&mut self, count: u32, known: Self::Known<u32>) -> u32;
}

/// How often each of several symbols is to be expected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odds {
    frequencies: Vec<u32>,
    total: u32,
}

impl Odds {
    /// Takes on new frequencies. Each must be at least 1, and their sum must
    /// fit 32 bits.
    #[inline]
    pub(crate) fn set(&mut self, frequencies: impl Iterator<Item = u32>) {
        self.frequencies.clear();
        self.frequencies.extend(frequencies);
        self.total = self.frequencies.iter().sum();
    }

    /// The part of the whole that a symbol has.
    #[inline]
    pub(crate) fn share(&self, symbol: usize) -> Share {
        let before = self.frequencies[..symbol].iter().sum();
        Share { before, own: self.frequencies[symbol], total: self.total }
    }

    /// The symbol at a place of the whole.
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

/// The share that a bit has.
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

/// Counts what a conversation takes, in bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    /// Bits so far.
    pub bits: f64,
}

impl Meter {
    fn count(&mut self, share: Share) {
        self.bits += (f64::from(share.total) / f64::from(share.own)).log2();
    }
}

impl Channel for Meter {
    type Known<T: Copy> = T;

    fn known<T: Copy, U: Copy>(known: T, of: impl FnOnce(T) -> U) -> U {
        of(known)
    }

    fn symbol(&mut self, odds: &Odds, known: usize) -> usize {
        self.count(odds.share(known));
        known
    }

    fn bit(&mut self, odds: u32, known: bool) -> bool {
        self.count(share_of_bit(odds, known));
        known
    }

    fn bits(&mut self, count: u32, known: u32) -> u32 {
        self.bits += f64::from(count);
        known
    }
}
