//! Adaptive models: bits and numbers whose probabilities are learnt while they are coded.
//!
//! Encoder and decoder count alike, so no probabilities have to be stored.

use super::channel::{CERTAIN, Channel};

/// A bit in one context: how often it was set so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bit {
    /// Odds of being set, of 65,536.
    odds: u16,
    /// Bits seen so far, up to [`MEMORY`].
    seen: u8,
}

/// Window of the running average, in bits.
const MEMORY: u8 = 160;

/// Odds stay away from certainty by this much.
const DOUBT: u16 = 48;

impl Default for Bit {
    fn default() -> Self {
        Self { odds: 1 << 15, seen: 0 }
    }
}

impl Bit {
    /// Odds learnt elsewhere, of 65,536, open to be learnt anew.
    pub(crate) fn expecting(odds: u16) -> Self {
        Self { odds, seen: MEMORY / 4 }
    }

    /// Odds of being set, of 65,536.
    pub(crate) fn odds(self) -> u16 {
        self.odds
    }

    /// Passes a bit and learns from it.
    #[inline]
    pub(crate) fn pass<C: Channel>(&mut self, channel: &mut C, known: C::Known<bool>) -> bool {
        let odds = self.odds.clamp(DOUBT, u16::MAX - DOUBT);
        let bit = channel.bit(u32::from(odds), known);
        let target = if bit { CERTAIN as i32 - 1 } else { 0 };
        let step = (target - i32::from(self.odds)) * 2 / (2 * i32::from(self.seen) + 3);
        self.odds = (i32::from(self.odds) + step) as u16;
        self.seen = (self.seen + 1).min(MEMORY);
        bit
    }
}

/// A model made of adaptive bits.
pub(crate) trait Adaptive {
    /// Visits all of them, always in the same order.
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit));
}

impl Adaptive for Bit {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        visit(self);
    }
}

impl<T: Adaptive> Adaptive for [T] {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        self.iter_mut().for_each(|part| part.each(visit));
    }
}

impl<T: Adaptive, const N: usize> Adaptive for [T; N] {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        self.as_mut_slice().each(visit);
    }
}

/// One of up to 2^`DEPTH` symbols, coded bit by bit from the highest; `NODES` is 2^`DEPTH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tree<const NODES: usize> {
    nodes: [Bit; NODES],
}

impl<const NODES: usize> Default for Tree<NODES> {
    fn default() -> Self {
        Self { nodes: [Bit::default(); NODES] }
    }
}

impl<const NODES: usize> Tree<NODES> {
    const DEPTH: u32 = NODES.ilog2();

    /// Passes a symbol below `NODES`.
    #[inline]
    pub(crate) fn pass<C: Channel>(&mut self, channel: &mut C, known: C::Known<usize>) -> usize {
        let mut node = 1;
        for level in (0..Self::DEPTH).rev() {
            let bit = C::known(known, |symbol| symbol >> level & 1 == 1);
            node = node << 1 | usize::from(self.nodes[node].pass(channel, bit));
        }
        node - NODES
    }
}

/// A number from 0 to 2^18 or so: the number of its digits adapts, and so do the first two
/// digits after the leading one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Number {
    /// Digits of the number plus one, less one.
    length: Tree<32>,
    second: [Bit; 32],
    third: [[Bit; 2]; 32],
}

impl Number {
    pub(crate) fn pass<C: Channel>(&mut self, channel: &mut C, known: C::Known<u32>) -> u32 {
        let raised = C::known(known, |number| number + 1);
        let length = C::known(raised, |raised| raised.ilog2() as usize);
        let length = self.length.pass(channel, length);
        let mut value = 1;
        let mut left = length as u32;
        for digit in 0..2 {
            if left == 0 {
                return value - 1;
            }
            left -= 1;
            let bit = C::known(raised, |raised| raised >> left & 1 == 1);
            let model = match digit {
                0 => &mut self.second[length],
                _ => &mut self.third[length][value as usize & 1],
            };
            value = value << 1 | u32::from(model.pass(channel, bit));
        }
        while left > 0 {
            let count = left.min(16);
            left -= count;
            let bits = C::known(raised, |raised| raised >> left & ((1 << count) - 1));
            value = value << count | channel.bits(count, bits);
        }
        value - 1
    }
}

impl<const NODES: usize> Adaptive for Tree<NODES> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        // The first has no meaning: the root is the second.
        self.nodes[1..].each(visit);
    }
}

impl Adaptive for Number {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        self.length.each(visit);
        self.second.each(visit);
        self.third.each(visit);
    }
}
