//! Tapered piece-square tables, and the evaluation by them.
//!
//! The value of a piece depends on its square, with one table for the middlegame and one for the
//! endgame; the game phase interpolates between the two.

mod sheet;

use std::sync::Arc;

use chess::{BoardChange, Color, FULL_PHASE, Move, Orientation, Piece, Position, Square};

use super::Evaluator;

pub use sheet::TablesError;

/// Largest value of a cell, in centipawns either way.
pub const MOST: i32 = 10_000;

/// Value of a white piece in centipawns, by role, pawn to king, and square, a1 first.
pub type ByRoleAndSquare = [[i32; 64]; 6];

/// Tables of middlegame and endgame.
#[derive(Clone, Debug)]
pub struct PieceTables {
    middlegame: ByRoleAndSquare,
    endgame: ByRoleAndSquare,
    /// Summand of each piece: White's and Black's, by role and square.
    of_pieces: [[[PhaseSums; 64]; 6]; 2],
}

impl PartialEq for PieceTables {
    fn eq(&self, other: &Self) -> bool {
        (self.middlegame, self.endgame) == (other.middlegame, other.endgame)
    }
}

impl PieceTables {
    /// From whole values, piece values included, each within ±[`MOST`].
    pub fn new(middlegame: ByRoleAndSquare, endgame: ByRoleAndSquare) -> Self {
        let of = |role: usize, seen: usize, sign: i32| {
            PhaseSums::new(sign * middlegame[role][seen], sign * endgame[role][seen], PHASE[role])
        };
        let of_color = |color: Color, sign: i32| {
            let seen = Orientation::of(color);
            let seen = Square::ALL.map(|square| seen.square(square).to_usize());
            std::array::from_fn(|role| seen.map(|square| of(role, square, sign)))
        };
        let of_pieces = [of_color(Color::White, 1), of_color(Color::Black, -1)];
        Self { middlegame, endgame, of_pieces }
    }

    /// Of the middlegame.
    pub fn middlegame(&self) -> &ByRoleAndSquare {
        &self.middlegame
    }

    /// Of the endgame.
    pub fn endgame(&self) -> &ByRoleAndSquare {
        &self.endgame
    }

    /// Identifies the tables.
    pub fn fingerprint(&self) -> String {
        blake3::hash(self.sheet().as_bytes()).to_hex().to_string()
    }

    #[inline]
    fn of(&self, square: Square, piece: Piece) -> PhaseSums {
        let of_color = &self.of_pieces[usize::from(piece.color.is_black())];
        of_color[piece.role as usize - 1][square.to_usize()]
    }
}

/// Sums over the pieces, from White's side: centipawns of middlegame and endgame, and the phase.
/// All three are one number, so that a piece is one addition.
///
/// ```text
/// bits 42–63  21–41       0–20
///      phase  middlegame  endgame
/// ```
///
/// Even 64 pieces of [`MOST`] stay within a million centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PhaseSums(i64);

/// Bits of each sum.
const WIDTH: u32 = 21;

/// Phase points of each role.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

impl PhaseSums {
    const fn new(middlegame: i32, endgame: i32, phase: i32) -> Self {
        Self(((phase as i64) << WIDTH << WIDTH) + ((middlegame as i64) << WIDTH) + endgame as i64)
    }

    fn of(tables: &PieceTables, position: &Position) -> Self {
        let placed = position.board().iter();
        Self(placed.map(|(square, piece)| tables.of(square, piece).0).sum())
    }

    #[inline]
    fn add(&mut self, PhaseSums(more): PhaseSums) {
        self.0 += more;
    }

    #[inline]
    fn take(&mut self, PhaseSums(less): PhaseSums) {
        self.0 -= less;
    }

    /// After a legal move.
    #[inline]
    fn after(mut self, tables: &PieceTables, before: &Position, played: Move) -> Self {
        let mover = before.turn();
        if played.is_castle() || played.is_en_passant() {
            return self.changed(tables, &before.change(played));
        }
        let (from, to) = (played.from(), played.to());
        self.take(tables.of(from, played.role().of(mover)));
        self.add(tables.of(to, played.lands_as().of(mover)));
        if let Some(captured) = played.capture() {
            self.take(tables.of(to, captured.of(!mover)));
        }
        self
    }

    #[cold]
    fn changed(mut self, tables: &PieceTables, change: &BoardChange) -> Self {
        change.removed.iter().for_each(|gone| self.take(tables.of(gone.square, gone.piece)));
        change.added.iter().for_each(|come| self.add(tables.of(come.square, come.piece)));
        self
    }

    /// The lowest sum, with its sign spread, and the sums above it.
    fn split(self) -> (i32, Self) {
        let lowest = self.0 << (i64::BITS - WIDTH) >> (i64::BITS - WIDTH);
        (lowest as i32, Self((self.0 - lowest) >> WIDTH))
    }

    fn white_centipawns(self) -> i32 {
        let (endgame, above) = self.split();
        let (middlegame, Self(phase)) = above.split();
        let all = FULL_PHASE as i32;
        // Early promotion can push the phase beyond the start's.
        let opening = (phase as i32).min(all);
        (middlegame * opening + endgame * (all - opening)) / all
    }
}

/// The evaluation by tables, kept up to date move by move.
#[derive(Clone, Debug)]
pub struct Tapered {
    tables: Arc<PieceTables>,
    stack: Vec<PhaseSums>,
}

impl Tapered {
    /// At the start position.
    pub fn new(tables: Arc<PieceTables>) -> Self {
        let stack = vec![PhaseSums::of(&tables, &Position::default())];
        Self { tables, stack }
    }

    fn top(&self) -> PhaseSums {
        self.stack.last().copied().unwrap_or_default()
    }
}

impl Default for Tapered {
    fn default() -> Self {
        Self::pesto()
    }
}

impl Evaluator for Tapered {
    fn reset(&mut self, root: &Position) {
        self.stack.clear();
        self.stack.push(PhaseSums::of(&self.tables, root));
    }

    fn push(&mut self, before: &Position, played: Move, _after: &Position) {
        let next = self.top().after(&self.tables, before, played);
        self.stack.push(next);
    }

    fn push_null(&mut self, _after: &Position) {
        self.stack.push(self.top());
    }

    fn pop(&mut self) {
        self.stack.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        let white = self.top().white_centipawns();
        match position.turn() {
            Color::White => white,
            Color::Black => -white,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_is_level_and_colours_are_alike() {
        let mut pesto = Tapered::pesto();
        assert_eq!(pesto.evaluate(&Position::default()), 0);
        let white = Position::from_fen("4k3/8/3q4/8/2N5/8/PP6/4K3 w - - 0 1").unwrap();
        let black = Position::from_fen("4k3/pp6/8/2n5/8/3Q4/8/4K3 b - - 0 1").unwrap();
        pesto.reset(&white);
        let seen_by_white = pesto.evaluate(&white);
        pesto.reset(&black);
        assert_eq!(pesto.evaluate(&black), seen_by_white);
    }

    /// Follows every line to `depth` and compares with a fresh sum.
    fn follow(tapered: &mut Tapered, position: &Position, depth: u32) {
        assert_eq!(tapered.top(), PhaseSums::of(&tapered.tables, position), "{position}");
        if depth == 0 {
            return;
        }
        for m in position.legal_moves() {
            let next = position.after(m);
            tapered.push(position, m, &next);
            follow(tapered, &next, depth - 1);
            tapered.pop();
        }
    }

    #[test]
    fn incremental_sums_equal_fresh_ones() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let mut pesto = Tapered::pesto();
            pesto.reset(&position);
            follow(&mut pesto, &position, 2);
        }
    }
}
