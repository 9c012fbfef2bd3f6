//! Lists of active features that a graphics card finds by itself.
//!
//! Where a set is a sum over pieces, its tables (of the room `features`) say which features a
//! piece makes true beside the own king. They are copied to the card once; a batch brings packed
//! positions, an eighth of what its lists take, and a kernel looks its pieces up.

#[cfg(feature = "wgpu")]
mod cube;

use burn::tensor::{Device, Int, Tensor, TensorData};

use super::ActiveFeatures;

/// 32-bit words of a packed position as a sample has it: two of occupancy, four of pieces, one
/// that begins with turn and en passant, and one that is not read.
pub const POSITION_WORDS: usize = 8;

/// The tables of a set on a card.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "wgpu"),
    expect(dead_code, reason = "no card is compiled in to read them")
)]
pub struct PieceLookup {
    tables: Tensor<1, Int>,
    planes: usize,
    width: usize,
    /// Whether lists are for a device that differentiates.
    differentiates: bool,
}

impl PieceLookup {
    /// Entries `[planes][king 64][piece 12][square 64]`, `u32::MAX` for none; lists take `width`
    /// features.
    pub fn new(entries: &[u32], planes: usize, width: usize, device: &Device) -> Self {
        let entries: Vec<i32> = entries.iter().map(|&entry| entry as i32).collect();
        let len = entries.len();
        let tables = TensorData::new(entries, [len]);
        let differentiates = device.is_autodiff();
        let tables = Tensor::from_data(tables, &device.clone().inner());
        Self { tables, planes, width, differentiates }
    }

    /// The active features of positions of [`POSITION_WORDS`] each: of the side to move, then of
    /// the other.
    ///
    /// # Panics
    /// If the tables are not on a graphics card.
    pub fn find(&self, positions: Vec<i32>) -> ActiveFeatures {
        #[cfg(feature = "wgpu")]
        return cube::find(self, positions);
        #[cfg(not(feature = "wgpu"))]
        panic!("no card is compiled in that finds the features of {} words", positions.len())
    }
}
