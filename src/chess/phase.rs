//! Game phase, by the pieces that are gone.

use super::{Board, Role};

/// Phase points at the start: knights and bishops 1, rooks 2, queens 4.
pub const FULL_PHASE: u32 = 24;

/// Phase points gone: 0 at the start, [`FULL_PHASE`] with kings and pawns only.
#[inline]
pub fn phase(board: &Board) -> u32 {
    let count = |role: Role| board.by_role(role).count() as u32;
    let left =
        count(Role::Knight) + count(Role::Bishop) + 2 * count(Role::Rook) + 4 * count(Role::Queen);
    FULL_PHASE.saturating_sub(left)
}

/// The band of some phase points gone among `bands` equal ones, the first at the start.
#[inline]
pub fn phase_band(gone: u32, bands: usize) -> usize {
    gone.min(FULL_PHASE) as usize * bands / (FULL_PHASE as usize + 1)
}
