//! One training position.

use bytemuck::{Pod, Zeroable};

use crate::chess::PackedPosition;

/// A position with its targets, in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Sample {
    /// The position.
    pub position: PackedPosition,
    /// Centipawns, seen by the side to move.
    pub score: i16,
    /// Seen by the side to move: 0 lost, 1 drawn, 2 won, 3 unknown.
    pub result: u8,
    /// Reserved, zero.
    pub reserved: u8,
}
