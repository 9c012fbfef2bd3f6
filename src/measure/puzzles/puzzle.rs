//! One puzzle.

use chess::{Move, Position};

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
    /// Standard deviation of the rating, in rating points.
    pub rating_deviation: Option<u32>,
    /// Votes of its solvers, −100 to 100.
    pub popularity: Option<i32>,
    pub plays: Option<u32>,
    /// Theme keys such as `fork` or `mateIn2`.
    pub themes: Vec<String>,
}

impl Puzzle {
    /// A puzzle without rating and themes.
    pub fn new(id: impl Into<String>, start: Position, moves: Vec<Move>) -> Self {
        Self {
            id: id.into(),
            start,
            moves,
            rating: None,
            rating_deviation: None,
            popularity: None,
            plays: None,
            themes: Vec::new(),
        }
    }

    /// Number of solver moves.
    pub fn solver_moves(&self) -> usize {
        self.moves.len() / 2
    }

    /// Positions with the solver to move, in order, each with the move of the solution.
    pub fn questions(&self) -> impl Iterator<Item = (Position, Move)> + '_ {
        let mut position = self.start.clone();
        let turns = self.moves.iter().enumerate().map(move |(ply, &m)| {
            let before = position.clone();
            position.play(m);
            (ply, before, m)
        });
        turns.filter(|(ply, ..)| ply % 2 == 1).map(|(_, before, m)| (before, m))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A puzzle from a FEN and UCI moves.
    pub(crate) fn puzzle(id: &str, fen: &str, moves: &str) -> Puzzle {
        let start = Position::from_fen(fen).unwrap();
        let mut position = start.clone();
        let moves = moves.split(' ').map(|uci| {
            let m = position.parse_uci(uci).unwrap();
            position.play(m);
            m
        });
        let moves = moves.collect();
        Puzzle::new(id, start, moves)
    }

    #[test]
    fn every_second_move_is_a_solver_move() {
        let fen = "6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1";
        let puzzle = puzzle("p", fen, "a7a6 g1h1 a6a5 d1d8");
        let questions: Vec<String> =
            puzzle.questions().map(|(position, m)| position.san(m)).collect();
        assert_eq!(questions, ["Kh1", "Rd8#"]);
    }
}
