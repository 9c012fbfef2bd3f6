//! Correction history: differences between search scores and the static evaluation of similar
//! positions.
//!
//! Errors are kept by pawn structure and by the non-pawn pieces of either side, and added to the
//! evaluation of later positions with the same key. That makes the engine stronger and hides errors
//! of evaluations, so matches that judge nets leave it out ([`Techniques::JUDGING`]).
//!
//! [`Techniques::JUDGING`]: super::technique::Techniques::JUDGING

use chess::{ByColor, Color, PartKeys, Position, PositionKey};

use super::value::Value;

/// Entries of each table and colour, a power of two.
const ENTRIES: usize = 1 << 14;
/// Table units per centipawn.
const GRAIN: i32 = 64;
const LIMIT: i32 = 128 * GRAIN;
const LARGEST_STEP: i32 = LIMIT / 4;

/// Features by which positions are alike.
const KINDS: usize = 3;

/// The table entries of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CorrectionKeys {
    turn: Color,
    /// By pawns, White's pieces, Black's pieces.
    slots: [usize; KINDS],
}

impl CorrectionKeys {
    #[inline]
    pub(crate) fn of(position: &Position) -> Self {
        let PartKeys { pawns, pieces } = *position.part_keys();
        let slots = [pawns, pieces.white, pieces.black].map(slot);
        Self { turn: position.turn(), slots }
    }
}

#[inline]
fn slot(key: PositionKey) -> usize {
    key as usize % ENTRIES
}

/// The correction history; it persists through a game.
#[derive(Default)]
pub(crate) struct Corrections {
    /// By side to move, then by kind.
    tables: ByColor<[CorrectionTable; KINDS]>,
}

struct CorrectionTable(Box<[i16; ENTRIES]>);

impl Default for CorrectionTable {
    fn default() -> Self {
        Self(Box::new([0; ENTRIES]))
    }
}

impl Corrections {
    pub(crate) fn clear(&mut self) {
        self.tables.iter_mut().flatten().for_each(|CorrectionTable(entries)| entries.fill(0));
    }

    /// Centipawns to add to the evaluation of a position.
    #[inline]
    pub(crate) fn of(&self, keys: &CorrectionKeys) -> Value {
        let tables = self.tables.get(keys.turn).iter().zip(keys.slots);
        tables.map(|(CorrectionTable(entries), slot)| i32::from(entries[slot])).sum::<i32>() / GRAIN
    }

    /// Moves the entries by `share` 1,024ths of `error`, the score of a search above its
    /// evaluation.
    pub(crate) fn learn(&mut self, keys: &CorrectionKeys, share: i32, error: Value) {
        let step = (error * share / (1_024 / GRAIN)).clamp(-LARGEST_STEP, LARGEST_STEP);
        for (CorrectionTable(entries), slot) in
            self.tables.get_mut(keys.turn).iter_mut().zip(keys.slots)
        {
            nudge(&mut entries[slot], step);
        }
    }
}

/// Moves a value by `step`, less the nearer it is to the limit.
#[inline]
fn nudge(value: &mut i16, step: i32) {
    let old = i32::from(*value);
    *value = (old + step - old * step.abs() / LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(fen: &str) -> CorrectionKeys {
        CorrectionKeys::of(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn corrections_apply_to_similar_positions_only() {
        let learnt = like("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 0 1");
        let same_pawns = like("3rk3/pp6/8/8/8/8/PP6/1N2K3 w - - 0 1");
        let other_turn = like("4k3/pp6/8/8/8/8/PP6/R3K3 b - - 0 1");
        let other = like("3rk3/p7/8/8/8/8/P7/1N2K3 w - - 0 1");
        let mut corrections = Corrections::default();
        for _ in 0..50 {
            corrections.learn(&learnt, 512, 40);
        }
        let (whole, part) = (corrections.of(&learnt), corrections.of(&same_pawns));
        assert!(whole > part && part > 0, "{whole} {part}");
        assert_eq!((corrections.of(&other_turn), corrections.of(&other)), (0, 0));
        corrections.clear();
        assert_eq!(corrections.of(&learnt), 0);
    }

    #[test]
    fn corrections_are_bounded() {
        let at = like("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 0 1");
        let mut corrections = Corrections::default();
        for _ in 0..1_000 {
            corrections.learn(&at, 1_600, 20_000);
        }
        assert!(corrections.of(&at) <= KINDS as i32 * LIMIT / GRAIN);
    }
}
