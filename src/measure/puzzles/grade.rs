//! The grading rule.
//!
//! Lichess and DeepMind's `searchless_chess` agree: every move of the solver
//! must be the one of the solution, except that any move that mates is right.
//! Solved puzzles are counted by that rule. Single *moves* found (as the thesis
//! counts) need the rest of the puzzle as well, so after a wrong move the
//! solution is played and the puzzle goes on.

use super::Puzzle;
use chess::{Move, Position, PositionKey};

/// Outcome of one puzzle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptOutcome {
    /// Solver moves. Fewer than in the solution if another mate ends the puzzle early.
    pub solver_moves: u32,
    pub right_moves: u32,
    /// Whether all were right.
    pub solved: bool,
    /// The first wrong move.
    pub miss: Option<Miss>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Index of the solver move, from 0.
    pub question: u32,
    /// The answer; not always a legal move.
    pub played: Option<Move>,
}

/// Plays through a puzzle with the solver's moves.
///
/// `ask` receives the position and the keys of all earlier positions of the puzzle, oldest first,
/// without the present one. No answer, or an illegal one, is wrong.
pub fn grade(
    puzzle: &Puzzle,
    ask: &mut dyn FnMut(&Position, &[PositionKey]) -> Option<Move>,
) -> AttemptOutcome {
    let mut position = puzzle.start.clone();
    let mut history = Vec::with_capacity(puzzle.moves.len());
    let mut outcome = AttemptOutcome { solved: true, ..AttemptOutcome::default() };
    for (i, &expected) in puzzle.moves.iter().enumerate() {
        if i % 2 == 1 {
            let answer = ask(&position, &history);
            let mates = answer.is_some_and(|m| is_mate(&position, m));
            let right = mates || answer == Some(expected);
            if !right {
                let question = outcome.solver_moves;
                outcome.miss.get_or_insert(Miss { question, played: answer });
            }
            outcome.solver_moves += 1;
            outcome.right_moves += u32::from(right);
            outcome.solved &= right;
            if mates {
                break;
            }
        }
        history.push(position.key());
        position.play(expected);
    }
    outcome
}

fn is_mate(position: &Position, m: Move) -> bool {
    position.is_legal(m) && position.after(m).is_checkmate()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn puzzle(fen: &str, moves: &str) -> Puzzle {
        crate::puzzles::puzzle::tests::puzzle("", fen, moves)
    }

    /// Grades a solver that gives these answers, `-` for none.
    fn graded(puzzle: &Puzzle, answers: &str) -> AttemptOutcome {
        let mut answers = answers.split(' ');
        grade(puzzle, &mut |position, _| position.parse_uci(answers.next()?).ok())
    }

    /// Three solver moves; the first has a mating alternative, d1d8.
    fn long() -> Puzzle {
        puzzle("6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1", "a7a6 g1h1 a6a5 d1d3 a5a4 d3d8")
    }

    #[test]
    fn all_right() {
        let expected = AttemptOutcome { solver_moves: 3, right_moves: 3, solved: true, miss: None };
        assert_eq!(graded(&long(), "g1h1 d1d3 d3d8"), expected);
    }

    #[test]
    fn any_mate_is_right_and_ends_it() {
        let early = AttemptOutcome { solver_moves: 1, right_moves: 1, solved: true, miss: None };
        assert_eq!(graded(&long(), "d1d8"), early);
        let two = puzzle("7k/8/6K1/8/8/8/8/RR6 b - - 0 1", "h8g8 a1a8");
        assert_eq!(graded(&two, "b1b8"), early);
    }

    #[test]
    fn a_puzzle_continues_after_a_wrong_move() {
        let counts = |answers| {
            let outcome = graded(&long(), answers);
            let question = outcome.miss.map(|miss| miss.question);
            (outcome.right_moves, outcome.solver_moves, outcome.solved, question)
        };
        assert_eq!(counts("h2h3 d1d3 d3d8"), (2, 3, false, Some(0)));
        assert_eq!(counts("g1h1 d1d2 d3d2"), (1, 3, false, Some(1)));
        assert_eq!(counts("- - -"), (0, 3, false, Some(0)));
        // A mate found later does not make good for it.
        assert_eq!(counts("h2h3 d1d8"), (1, 2, false, Some(0)));
    }

    #[test]
    fn the_first_wrong_answer_is_kept() {
        let puzzle = long();
        let outcome = graded(&puzzle, "g1h1 d1d2 d3d2");
        let (position, _) = puzzle.questions().nth(1).unwrap();
        let played = outcome.miss.and_then(|miss| miss.played);
        assert_eq!(played.map(|m| position.uci(m)).as_deref(), Some("d1d2"));
    }

    #[test]
    fn illegal_answers_are_wrong() {
        let elsewhere = Position::default().parse_uci("e2e4").unwrap();
        let outcome = grade(&long(), &mut |_, _| Some(elsewhere));
        assert_eq!((outcome.right_moves, outcome.solved), (0, false));
    }

    #[test]
    fn the_history_is_what_went_before() {
        let puzzle = long();
        let mut seen = Vec::new();
        grade(&puzzle, &mut |position, history| {
            seen.push((position.key(), history.to_vec()));
            None
        });
        let mut position = puzzle.start.clone();
        let mut keys = Vec::new();
        for (i, &m) in puzzle.moves.iter().enumerate() {
            if i % 2 == 1 {
                assert_eq!(seen[i / 2], (position.key(), keys.clone()));
            }
            keys.push(position.key());
            position.play(m);
        }
        assert_eq!(seen.len(), 3);
    }

    #[test]
    fn castling_is_understood_either_way() {
        let fen = "5k2/8/8/8/8/8/8/4K2R b K - 0 1";
        for written in ["e1g1", "e1h1"] {
            let puzzle = puzzle(fen, &format!("f8e7 {written}"));
            assert!(graded(&puzzle, "e1g1").solved);
        }
    }
}
