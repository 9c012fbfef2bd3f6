//! Components and weights in as few words as possible.
//!
//! A component is a 64-bit word, a bit for each square. Its weights are twelve bytes, one for each
//! table, and fill a C# `decimal` (96 bits); the offsets, in steps of
//! [`OFFSET_STEP`](super::OFFSET_STEP), are one more word of weights, as if of a component with all
//! squares. So n components are 2n + 1 literals.

use super::{Factors, TABLES};

/// An approximation as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The squares of each component, bit 0 is a1.
    pub components: Vec<u64>,
    /// For each component the weights of its tables, a byte each in two's complement, the first
    /// table lowest; then the offsets. 96 bits each.
    pub weights: Vec<u128>,
}

impl Packed {
    /// Packs an approximation for [`unpack`](Self::unpack).
    pub fn pack(factors: &Factors) -> Self {
        let rows = factors.weights().into_iter().chain([factors.offsets()]);
        Self { components: factors.components(), weights: rows.map(word).collect() }
    }

    pub fn unpack(&self) -> Factors {
        let rows: Vec<[i8; TABLES]> = self.weights.iter().copied().map(bytes).collect();
        let (offsets, weights) = rows.split_last().map_or(([0; TABLES], &[][..]), |(o, w)| (*o, w));
        Factors::new(&self.components, weights, offsets)
    }

    /// Literals in a program: words of squares and words of weights.
    pub fn literals(&self) -> usize {
        self.components.len() + self.weights.len()
    }

    pub fn bytes(&self) -> usize {
        size_of::<u64>() * self.components.len() + TABLES * self.weights.len()
    }
}

fn word(row: [i8; TABLES]) -> u128 {
    let bytes = row.iter().enumerate();
    bytes.fold(0, |word, (table, &weight)| word | u128::from(weight as u8) << (8 * table))
}

fn bytes(word: u128) -> [i8; TABLES] {
    std::array::from_fn(|table| (word >> (8 * table)) as u8 as i8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unpacking_restores_the_factors(
            components in prop::collection::vec(any::<u64>(), 0..21),
            weights in prop::collection::vec(any::<[i8; TABLES]>(), 20),
            offsets in any::<[i8; TABLES]>(),
        ) {
            let factors = Factors::new(&components, &weights[..components.len()], offsets);
            let packed = Packed::pack(&factors);
            prop_assert_eq!(packed.literals(), 2 * components.len() + 1);
            prop_assert!(packed.weights.iter().all(|word| word >> 96 == 0));
            prop_assert_eq!(packed.unpack(), factors);
        }
    }
}
