//! Lists of active features, computed on a graphics card.
//!
//! Where a set is a sum over pieces, its tables (of the room `features`) list the features of a
//! piece beside the own king. They are copied to the card once; a batch brings packed positions,
//! an eighth of the size of its lists, and a kernel looks its pieces up. Where squares of
//! the own king have features of their own, the batch brings its rows in the order of these groups
//! too ([`RowOrder`]), and the card finds the rows of each feature among those of its group.

#[cfg(feature = "wgpu")]
mod cube;
mod order;

use burn::tensor::{Device, Int, Tensor};

use super::{ActiveFeatures, MOST_MARKED};
use crate::device::list;
pub(crate) use order::Layout;
pub use order::RowOrder;
#[cfg(feature = "wgpu")]
pub(crate) use order::{OF_GROUP, SEGMENT, WORD};

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
    /// Where the set has several groups: of each feature `group * MOST_MARKED + place`, −1 of
    /// those in none.
    slots: Option<Tensor<1, Int>>,
    /// Features of the largest group.
    most: usize,
    /// Whether lists are for a device that differentiates.
    differentiates: bool,
}

impl PieceLookup {
    /// Entries `[planes][king 64][piece 12][square 64]`, `u32::MAX` for none; lists take `width`
    /// features.
    pub fn new(entries: &[u32], planes: usize, width: usize, device: &Device) -> Self {
        let entries = entries.iter().map(|&entry| entry as i32).collect();
        let tables = list(entries, &device.clone().inner());
        let differentiates = device.is_autodiff();
        Self { tables, planes, width, slots: None, most: 0, differentiates }
    }

    /// The same of a set with several groups: of each feature its group and its place in it, below
    /// [`MOST_MARKED`].
    ///
    /// # Panics
    /// If a place is not below it.
    pub fn in_groups(self, slots: impl Iterator<Item = Option<(usize, usize)>>) -> Self {
        let mut most = 0;
        let number = |slot: Option<(usize, usize)>| {
            let Some((group, place)) = slot else { return -1 };
            assert!(place < MOST_MARKED, "place {place} of a group");
            most = most.max(place + 1);
            (group * MOST_MARKED + place) as i32
        };
        let slots = list(slots.map(number).collect(), &self.tables.device());
        Self { slots: Some(slots), most, ..self }
    }

    /// The active features of positions of [`POSITION_WORDS`] each: of the side to move, then of
    /// the other. `order`: that of these rows, where the set has several groups.
    ///
    /// # Panics
    /// If the tables are not on a graphics card, or the order of a set with groups is missing.
    pub fn find(&self, positions: Vec<i32>, order: Option<RowOrder>) -> ActiveFeatures {
        #[cfg(feature = "wgpu")]
        return cube::find(self, positions, order);
        #[cfg(not(feature = "wgpu"))]
        panic!("no card finds the features of {} words in order {order:?}", positions.len())
    }
}
