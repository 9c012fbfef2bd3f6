//! The look-up on a graphics card.
#![allow(unsafe_code, reason = "kernels launched without bounds checks of their indices")]

use burn::tensor::{Int, Tensor};
use burn_wgpu::CubeBackend;

use super::{POSITION_WORDS, PieceLookup, RowOrder};
use crate::cube::{launch, units};
use crate::device::list;
use crate::front::ActiveFeatures;
use crate::front::active::GroupLayout;

pub(super) fn find(
    lookup: &PieceLookup,
    positions: Vec<i32>,
    order: Option<RowOrder>,
) -> ActiveFeatures {
    let PieceLookup { tables, planes, width, slots, most, differentiates } = lookup;
    let device = tables.device();
    let rows = 2 * positions.len() / POSITION_WORDS;
    let positions = list(positions, &device);
    let out = Tensor::<2, Int>::empty([rows, *width], &device);
    let on_card = "the tables are on a graphics card";
    let [positions, tables] = [positions, tables.clone()]
        .map(|tensor| tensor.try_into_primitive::<CubeBackend>().expect(on_card));
    let out = out.try_into_primitive::<CubeBackend>().expect(on_card);
    // SAFETY: a unit stays within its row; entries are looked up by square, piece and king.
    unsafe {
        launch!(kernels::find[out, units(&out, rows)]
            positions.into_buffer_arg(), tables.into_buffer_arg(), out.clone().into_buffer_arg(),
            rows, *width, *planes
        );
    }
    let lists = Tensor::<2, Int>::from_primitive::<CubeBackend>(out);
    let active = ActiveFeatures::new(outer(lists, *differentiates), None);
    let Some(slots) = slots else { return active };
    let order = order.expect("a batch of a set with groups brings the order of its rows");
    let layout = GroupLayout { most: *most, order: order.layout };
    let [slots, order] =
        [slots.clone(), list(order.list, &device)].map(|tensor| outer(tensor, *differentiates));
    active.with_groups(slots, order, layout)
}

/// A tensor for a device that differentiates or does not.
fn outer<const D: usize>(tensor: Tensor<D, Int>, differentiates: bool) -> Tensor<D, Int> {
    if differentiates { Tensor::from_inner(tensor) } else { tensor }
}

mod kernels {
    use super::super::POSITION_WORDS;
    use cubecl::prelude::*;

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
