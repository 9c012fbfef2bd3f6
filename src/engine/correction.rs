//! Correction history: by how much deeper search has disagreed with the
//! evaluation in positions like this one.
//!
//! Errors are kept by pawn structure and by the non-pawn pieces of either side, and
//! added to the evaluation of later positions with the same key. That makes the
//! engine stronger and evaluations look better than they are, so it is left out
//! when nets are judged ([`Techniques::JUDGING`]).
//!
//! [`Techniques::JUDGING`]: super::technique::Techniques::JUDGING

use chess::{Bitboard, ByColor, Color, Position};

use super::value::Value;

/// Entries of each table and colour, a power of two.
const ENTRIES: usize = 1 << 14;
/// Table units per centipawn.
const GRAIN: i32 = 64;
const LIMIT: i32 = 128 * GRAIN;
const LARGEST_STEP: i32 = LIMIT / 4;

/// The table entries of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CorrectionKeys {
    turn: Color,
    pawns: usize,
    pieces: ByColor<usize>,
}

impl CorrectionKeys {
    #[inline]
    pub(crate) fn of(position: &Position) -> Self {
        let board = position.board();
        let pawns = board.pawns();
        let pieces = |color: Color| {
            let own = board.by_color(color);
            let minors = mix(own & board.knights(), own & board.bishops());
            let majors = mix(own & board.rooks(), own & board.queens());
            slot(minors ^ majors.rotate_left(21) ^ mix(own & board.kings(), Bitboard::EMPTY))
        };
        Self {
            turn: position.turn(),
            pawns: slot(mix(pawns & board.white(), pawns & board.black())),
            pieces: ByColor::new_with(pieces),
        }
    }
}

/// A number that is different for nearly all pairs of bitboards.
#[inline]
fn mix(a: Bitboard, b: Bitboard) -> u64 {
    // Odd constants from the digits of pi and e.
    let product = u64::from(a).wrapping_mul(0x2436_a885_a308_d313)
        ^ u64::from(b).wrapping_mul(0xadf8_5458_a2bb_4a9b).rotate_left(32);
    (product ^ product >> 29).wrapping_mul(0x1319_8a2e_0370_7345)
}

#[inline]
fn slot(hash: u64) -> usize {
    (hash >> 40) as usize % ENTRIES
}

/// The correction history; it persists through a game.
pub(crate) struct Corrections {
    pawns: ByColor<Vec<i16>>,
    /// By side to move, then by whose pieces.
    pieces: ByColor<ByColor<Vec<i16>>>,
}

impl Default for Corrections {
    fn default() -> Self {
        let table = || vec![0; ENTRIES];
        Self {
            pawns: ByColor::new_with(|_| table()),
            pieces: ByColor::new_with(|_| ByColor::new_with(|_| table())),
        }
    }
}

impl Corrections {
    pub(crate) fn clear(&mut self) {
        let pieces = self.pieces.iter_mut().flat_map(ByColor::iter_mut);
        self.pawns.iter_mut().chain(pieces).for_each(|table| table.fill(0));
    }

    /// Centipawns to add to the evaluation of a position.
    #[inline]
    pub(crate) fn of(&self, keys: &CorrectionKeys) -> Value {
        let pieces = self.pieces.get(keys.turn);
        let sum = i32::from(self.pawns.get(keys.turn)[keys.pawns])
            + i32::from(pieces.white[keys.pieces.white])
            + i32::from(pieces.black[keys.pieces.black]);
        sum / GRAIN
    }

    /// A search of so many plies found `error` more than the evaluation said.
    pub(crate) fn learn(&mut self, keys: &CorrectionKeys, depth: i32, error: Value) {
        let step = (error * depth * GRAIN / 16).clamp(-LARGEST_STEP, LARGEST_STEP);
        let pieces = self.pieces.get_mut(keys.turn);
        nudge(&mut self.pawns.get_mut(keys.turn)[keys.pawns], step);
        nudge(&mut pieces.white[keys.pieces.white], step);
        nudge(&mut pieces.black[keys.pieces.black], step);
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
    fn what_is_learnt_helps_like_positions_only() {
        let learnt = like("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 0 1");
        let same_pawns = like("3rk3/pp6/8/8/8/8/PP6/1N2K3 w - - 0 1");
        let other_turn = like("4k3/pp6/8/8/8/8/PP6/R3K3 b - - 0 1");
        let other = like("3rk3/p7/8/8/8/8/P7/1N2K3 w - - 0 1");
        let mut corrections = Corrections::default();
        for _ in 0..50 {
            corrections.learn(&learnt, 8, 40);
        }
        let (whole, part) = (corrections.of(&learnt), corrections.of(&same_pawns));
        assert!(whole > part && part > 0, "{whole} {part}");
        assert_eq!((corrections.of(&other_turn), corrections.of(&other)), (0, 0));
        corrections.clear();
        assert_eq!(corrections.of(&learnt), 0);
    }

    #[test]
    fn corrections_stay_small_whatever_is_learnt() {
        let at = like("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 0 1");
        let mut corrections = Corrections::default();
        for _ in 0..1_000 {
            corrections.learn(&at, 100, 20_000);
        }
        assert!(corrections.of(&at) <= 3 * LIMIT / GRAIN);
    }
}
