//! The hashes of a file of Stockfish: words made of kinds and sizes of layers, not of weights.
//! Readers recognise the layers of a file by them.

use super::Sizes;

/// Hash of the feature set `HalfKAv2_hm`.
const FEATURE_SET: u32 = 0x7f23_4cb8;
/// Initial hash of a stack, before the feature transformer.
const INPUT: u32 = 0xec42_e90d;
/// Summand of a dense layer.
const AFFINE: u32 = 0xcc03_dae4;
/// Summand of a clipped ReLU. The squared one beside the first of them is in no hash.
const CLIPPED_RELU: u32 = 0x538d_24c7;

/// The hash of a whole file.
pub(super) fn network(sizes: Sizes) -> u32 {
    transformer(sizes) ^ stack(sizes)
}

/// The hash of the feature transformer.
pub(super) fn transformer(sizes: Sizes) -> u32 {
    FEATURE_SET ^ both_perspectives(sizes)
}

/// The hash of the dense layers of a bucket; each layer works on that of the
/// one before.
pub(super) fn stack(sizes: Sizes) -> u32 {
    let first = clipped(affine(INPUT ^ both_perspectives(sizes), sizes.sums()));
    affine(clipped(affine(first, sizes.l3)), 1)
}

fn both_perspectives(sizes: Sizes) -> u32 {
    2 * sizes.l1 as u32
}

fn affine(before: u32, outputs: usize) -> u32 {
    AFFINE.wrapping_add(outputs as u32) ^ (before >> 1) ^ (before << 31)
}

fn clipped(before: u32) -> u32 {
    CLIPPED_RELU.wrapping_add(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::stockfish::SIZES;

    /// The hashes in the file of Stockfish 15.1.
    #[test]
    fn hashes_are_those_of_the_released_net() {
        assert_eq!(network(SIZES), 0x1c10_2ef2);
        assert_eq!(transformer(SIZES), 0x7f23_44b8);
        assert_eq!(stack(SIZES), 0x6333_6a4a);
    }

    #[test]
    fn every_size_but_the_number_of_buckets_changes_them() {
        let wider = Sizes { l1: 1536, ..SIZES };
        assert!(transformer(wider) != transformer(SIZES) && stack(wider) != stack(SIZES));
        assert_ne!(stack(Sizes { l2: 7, ..SIZES }), stack(SIZES));
        assert_ne!(stack(Sizes { l3: 16, ..SIZES }), stack(SIZES));
        assert_eq!(network(Sizes { buckets: 1, ..SIZES }), network(SIZES));
    }
}
