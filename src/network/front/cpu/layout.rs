//! Memory layout of the activations of a batch.
//!
//! The positions are taken in slices of [`SLICE`], the columns in tiles. A
//! slice holds its tiles one after the other; a tile holds the blocks of the
//! side to move, and then those of the other side. So the operands of one product
//! are one piece of a few kilobytes, where the plain order would spread them
//! over a row in every other page of memory.
//!
//! A block is one *strip* of columns of all positions. Where the activation
//! takes each sum by itself a tile has one strip; where it multiplies the
//! halves of a perspective's sums, it has one of either half, and the dense
//! layer reads their products. Every block has room for a whole slice,
//! whether its positions fill it or not.

use nnue::Activation;

/// Positions in a full slice.
pub(super) const SLICE: usize = 64;

/// The columns of a perspective.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub l1: usize,
    pub strips: usize,
}

impl Columns {
    pub(super) fn new(l1: usize, activation: Activation) -> Self {
        Self { l1, strips: l1 / activation.outputs(l1) }
    }

    /// Inputs of the dense layer from one perspective.
    pub(super) fn inputs(self) -> usize {
        self.l1 / self.strips
    }

    pub(super) fn slice_values(self) -> usize {
        2 * SLICE * self.l1
    }

    /// A tile of a slice: the strips of the side to move, then those of the other side.
    #[inline(always)]
    pub(super) fn tile<const T: usize>(self, slice: &[f32], tile: usize) -> [&[[f32; T]]; 2] {
        let rows = self.strips * SLICE;
        let (all, _) = slice[tile * 2 * rows * T..][..2 * rows * T].as_chunks::<T>();
        all.split_at(rows).into()
    }

    /// [`tile`](Self::tile), to be written.
    #[inline(always)]
    pub(super) fn tile_mut<const T: usize>(
        self,
        slice: &mut [f32],
        tile: usize,
    ) -> [&mut [[f32; T]]; 2] {
        let rows = self.strips * SLICE;
        let (all, _) = slice[tile * 2 * rows * T..][..2 * rows * T].as_chunks_mut::<T>();
        all.split_at_mut(rows).into()
    }
}
