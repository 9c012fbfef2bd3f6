//! Neurons of a dense layer that are computed together, with their sums in registers.

use super::super::simd::Simd;

/// Largest group with all sums in registers that divides the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Eight = 8,
    Sixteen = 16,
    ThirtyTwo = 32,
}

impl Group {
    /// The group for a layer of `neurons` neurons, a multiple of 8.
    pub(super) fn of(neurons: usize) -> Self {
        match neurons {
            n if n.is_multiple_of(32) => Self::ThirtyTwo,
            n if n.is_multiple_of(16) => Self::Sixteen,
            _ => Self::Eight,
        }
    }

    pub(super) fn neurons(self) -> usize {
        self as usize
    }
}

/// Adds the registers of several chains to `sums`.
#[inline(always)]
pub(super) fn write_out<S: Simd, const N: usize, const CHAINS: usize>(
    simd: S,
    chains: [[S::Sums; N]; CHAINS],
    sums: &mut [i32],
) {
    let mut written = [0; Group::ThirtyTwo as usize];
    let written = &mut written[..S::NEURONS];
    for chain in chains {
        for (sums, register) in sums.chunks_exact_mut(S::NEURONS).zip(chain) {
            simd.store(register, written);
            sums.iter_mut().zip(&*written).for_each(|(sum, more)| *sum = sum.wrapping_add(*more));
        }
    }
}
