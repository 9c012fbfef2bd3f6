//! Legal moves by move of the game.

use chess::{ByColor, Color};

/// Moves of a game beyond this one are not counted.
const LAST_MOVE: usize = 100;

/// The most legal moves of a position that chess allows.
const MOST: usize = 218;

/// Positions by move of the game and number of legal moves, of each colour to move.
#[derive(Clone, Debug)]
pub struct LegalMoves(ByColor<Vec<Vec<u64>>>);

impl Default for LegalMoves {
    fn default() -> Self {
        Self(ByColor::new_with(|_| vec![vec![0; MOST + 1]; LAST_MOVE]))
    }
}

impl LegalMoves {
    pub(super) fn add(&mut self, turn: Color, fullmove: u32, moves: usize) {
        let place = (fullmove as usize).checked_sub(1);
        let counts = place.and_then(|place| self.0.get_mut(turn).get_mut(place));
        if let Some(count) = counts.and_then(|counts| counts.get_mut(moves)) {
            *count += 1;
        }
    }

    /// Positions by number of legal moves, from none on, for each move of the game up to the last
    /// that occurs.
    pub fn by_move(&self, turn: Color) -> &[Vec<u64>] {
        let all = self.0.get(turn);
        let last = all.iter().rposition(|counts| counts.iter().any(|&count| count > 0));
        &all[..last.map_or(0, |last| last + 1)]
    }
}
