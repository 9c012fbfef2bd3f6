//! Lists of active features that a graphics card finds by itself.
//!
//! Where a set is a sum over pieces, its tables (of the room `features`) say which features a
//! piece makes true beside the own king. They are copied to the card once; a batch brings packed
//! positions, an eighth of what its lists take, and a kernel looks its pieces up.
#![allow(unsafe_code, reason = "kernels launched without bounds checks of their indices")]

use burn::tensor::{Device, Int, Tensor, TensorData};
use burn_cubecl::CubeBackend;
use cubecl::prelude::*;

use super::ActiveFeatures;
use crate::cube::units;

/// 32-bit words of a packed position as a sample has it: two of occupancy, four of pieces, one
/// that begins with turn and en passant, and one that is not read.
pub const POSITION_WORDS: usize = 8;

/// The tables of a set on a card.
#[derive(Clone, Debug)]
pub struct PieceLookup {
    tables: Tensor<1, Int>,
    planes: usize,
    width: usize,
}

impl PieceLookup {
    /// Entries `[planes][king 64][piece 12][square 64]`, `u32::MAX` for none; lists take `width`
    /// features.
    pub fn new(entries: &[u32], planes: usize, width: usize, device: &Device) -> Self {
        let entries: Vec<i32> = entries.iter().map(|&entry| entry as i32).collect();
        let len = entries.len();
        let tables = Tensor::from_data(TensorData::new(entries, [len]), device);
        Self { tables, planes, width }
    }

    /// The active features of positions of [`POSITION_WORDS`] each: of the side to move, then of
    /// the other.
    ///
    /// # Panics
    /// If the tables are not on a graphics card.
    pub fn find(&self, positions: Vec<i32>) -> ActiveFeatures {
        let device = self.tables.device();
        let (rows, words) = (2 * positions.len() / POSITION_WORDS, positions.len());
        let positions = Tensor::<1, Int>::from_data(TensorData::new(positions, [words]), &device);
        let out = Tensor::<2, Int>::empty([rows, self.width], &device);
        let on_card = "the tables are on a graphics card";
        let [positions, tables] = [positions, self.tables.clone()]
            .map(|tensor| tensor.try_into_primitive::<CubeBackend>().expect(on_card));
        let out = out.try_into_primitive::<CubeBackend>().expect(on_card);
        let (count, dim) = units(&out, rows);
        // SAFETY: a unit stays within its row; entries are looked up by square, piece and king.
        unsafe {
            kernels::find::launch_unchecked(
                &out.client,
                count,
                dim,
                positions.into_buffer_arg(),
                tables.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                rows,
                self.width,
                self.planes,
            );
        }
        ActiveFeatures::new(Tensor::from_primitive::<CubeBackend>(out), None)
    }
}

mod kernels {
    //! The kernel.

    #![allow(
        unreachable_pub,
        missing_docs,
        reason = "what the macro makes of a kernel is as public as the kernel, and has no words"
    )]

    use super::*;

    /// The nibble of a white king; a black piece has another 8.
    const KING: u32 = 5;

    /// The nibble of a rook that may castle, and that of another.
    const CASTLING_ROOK: u32 = 6;
    const ROOK: u32 = 3;

    /// A unit per row.
    #[cube(launch_unchecked)]
    pub fn find(
        positions: &[u32],
        tables: &[i32],
        out: &mut [i32],
        rows: usize,
        width: usize,
        planes: usize,
    ) {
        if ABSOLUTE_POS >= rows {
            terminate!();
        }
        let position = ABSOLUTE_POS / 2 * POSITION_WORDS;
        let turn = (positions[position + 6] >> 7) & 1;
        let perspective = turn ^ (ABSOLUTE_POS % 2) as u32;
        let flip = perspective * 56;
        let own_king = KING + 8 * perspective;
        let mut king = 0u32;
        let mut piece = 0u32;
        for square in 0..64u32 {
            if is_occupied(positions, position, square) {
                if nibble(positions, position, piece) == own_king {
                    king = square ^ flip;
                }
                piece += 1;
            }
        }
        let start = ABSOLUTE_POS * width;
        let mut count = 0usize;
        for plane in 0..planes {
            let mut piece = 0u32;
            for square in 0..64u32 {
                if is_occupied(positions, position, square) {
                    let nibble = nibble(positions, position, piece);
                    let role = select(nibble & 7 == CASTLING_ROOK, ROOK, nibble & 7);
                    let kind = role + 6 * ((nibble >> 3) ^ perspective);
                    let at = ((plane as u32 * 64 + king) * 12 + kind) * 64 + (square ^ flip);
                    let entry = tables[at as usize];
                    if entry >= 0 && count < width {
                        out[start + count] = entry;
                        count += 1;
                    }
                    piece += 1;
                }
            }
        }
        for place in count..width {
            out[start + place] = -1;
        }
    }

    #[cube]
    fn is_occupied(positions: &[u32], position: usize, square: u32) -> bool {
        (positions[position + (square / 32) as usize] >> (square % 32)) & 1 == 1
    }

    #[cube]
    fn nibble(positions: &[u32], position: usize, piece: u32) -> u32 {
        (positions[position + 2 + (piece / 8) as usize] >> (4 * (piece % 8))) & 15
    }
}
