//! Training order of samples: endless, shuffled, resumable.
//!
//! Each pass over the data visits every sample once in an order of its own.
//! The order is not stored (a hundred million indices would be 400 MB) but
//! computed: a small Feistel network is a keyed permutation of the numbers
//! below a power of four, and walking along its cycle until the number is
//! small enough makes it one of the numbers below *any* bound (Black and
//! Rogaway, *Ciphers with arbitrary finite domains*, 2002). So the sample at
//! any place of the stream is known at once, by any thread, and the place in
//! the stream is all there is to resume from.

/// Rounds of the Feistel network. Four already make a pseudorandom permutation
/// from a pseudorandom round function (Luby and Rackoff, 1988); two more for a
/// round function that is merely good.
const ROUNDS: u64 = 6;

/// A seeded endless stream of indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shuffle {
    len: u64,
    /// Bits in each half of the Feistel network.
    half: u32,
    seed: u64,
}

impl Shuffle {
    /// Over indices below `len`, which is at least 1.
    pub(crate) fn new(len: usize, seed: u64) -> Self {
        assert!(len > 0, "nothing to shuffle");
        let bits = u64::BITS - (len as u64 - 1).leading_zeros();
        Self { len: len as u64, half: bits.div_ceil(2).max(1), seed }
    }

    /// Places of a pass: how many indices there are.
    pub(crate) fn pass(&self) -> u64 {
        self.len
    }

    /// The index at a place of the stream.
    #[inline]
    pub(crate) fn at(&self, place: u64) -> usize {
        let (pass, mut value) = (place / self.len, place % self.len);
        let key = mix(self.seed ^ mix(pass));
        loop {
            value = self.permute(key, value);
            if value < self.len {
                return value as usize;
            }
        }
    }

    #[inline]
    fn permute(&self, key: u64, value: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let (mut left, mut right) = (value >> self.half, value & mask);
        for round in 0..ROUNDS {
            let scrambled = mix(key.wrapping_add(round) ^ (right << 8)) & mask;
            (left, right) = (right, left ^ scrambled);
        }
        left << self.half | right
    }
}

/// The output function of SplitMix64 (Steele, Lea and Flood, 2014).
#[inline]
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_pass_visits_every_sample_once(len in 1usize..2000, seed: u64, pass in 0u64..1000) {
            let shuffle = Shuffle::new(len, seed);
            let mut seen = vec![false; len];
            for offset in 0..len as u64 {
                let index = shuffle.at(pass * len as u64 + offset);
                prop_assert!(!seen[index]);
                seen[index] = true;
            }
        }
    }

    #[test]
    fn passes_and_seeds_differ() {
        let order = |seed, pass: u64| -> Vec<usize> {
            let shuffle = Shuffle::new(1000, seed);
            (pass * 1000..(pass + 1) * 1000).map(|place| shuffle.at(place)).collect()
        };
        assert_ne!(order(1, 0), order(1, 1));
        assert_ne!(order(1, 0), order(2, 0));
        assert_eq!(order(1, 7), order(1, 7));
    }

    /// χ² of where a sample lands over many passes, in 20 equal bins.
    #[test]
    fn samples_land_anywhere_equally_often() {
        const LEN: u64 = 1000;
        const PASSES: u64 = 400;
        let shuffle = Shuffle::new(LEN as usize, 42);
        for followed in [0, 1, 499, 999] {
            let mut bins = [0u32; 20];
            for pass in 0..PASSES {
                let place = (0..LEN).find(|o| shuffle.at(pass * LEN + o) == followed).unwrap();
                bins[(place * 20 / LEN) as usize] += 1;
            }
            let expected = PASSES as f64 / 20.0;
            let chi2: f64 =
                bins.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
            // 19 degrees of freedom: 43.8 is passed once in a thousand.
            assert!(chi2 < 43.8, "sample {followed}: {chi2}");
        }
    }

    #[test]
    fn neighbours_are_torn_apart() {
        let shuffle = Shuffle::new(100_000, 7);
        let neighbours =
            (0..99_999).filter(|&p| shuffle.at(p).abs_diff(shuffle.at(p + 1)) == 1).count();
        assert!(neighbours < 15, "{neighbours}; 2 are expected by chance");
    }
}
