//! One puzzle.

use crate::chess::{Move, Position};

/// A position and the line that must be found.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// Its name in the file it came from.
    pub id: String,
    /// The position *before* the opponent's first move.
    pub start: Position,
    /// Opponent's move, solution, reply, solution, …; at least two.
    pub moves: Vec<Move>,
    /// Glicko-2 rating against human solvers (Lichess: about 400 to 3300).
    pub rating: Option<u32>,
    /// Theme keys such as `fork` or `mateIn2`.
    pub themes: Vec<String>,
}

impl Puzzle {
    /// How many moves the solver has to find.
    pub fn solver_moves(&self) -> usize {
        self.moves.len() / 2
    }
}
