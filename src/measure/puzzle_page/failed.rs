//! A failed puzzle as a board.

use crate::puzzles::{Miss, Puzzle, PuzzleAttempt};
use chess::{Color, Move, Position};

/// A position in which a player did not find the move.
#[derive(Clone, Debug)]
pub struct FailedPuzzle {
    pub id: String,
    pub rating: Option<u32>,
    pub themes: Vec<String>,
    /// Index of the solver's move: the first that any player missed.
    pub question: u32,
    /// The position before it.
    pub position: Position,
    /// The opponent's move before.
    pub last: Option<Move>,
    /// The right move.
    pub solution: Move,
    /// Answers of all players.
    pub answers: Vec<BoardAnswer>,
}

/// Answer of a player in the position of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardAnswer {
    /// Solved the puzzle.
    Solved,
    /// Played this instead.
    Wrong(Move),
    /// Gave no legal move.
    Nothing,
    /// Went wrong later, at this move of the solver, from 0.
    Later(u32),
}

impl FailedPuzzle {
    /// The puzzle at a place of the suite; `None` if all players solved it.
    pub fn new(puzzle: &Puzzle, place: usize, attempts: &[PuzzleAttempt]) -> Option<Self> {
        let misses: Vec<Option<Miss>> =
            attempts.iter().map(|attempt| attempt.outcomes.get(place)?.miss).collect();
        let question = misses.iter().flatten().map(|miss| miss.question).min()?;
        let nth = usize::try_from(question).ok()?;
        let (position, solution) = puzzle.questions().nth(nth)?;
        let answer = |miss: &Option<Miss>| match miss {
            None => BoardAnswer::Solved,
            Some(miss) if miss.question > question => BoardAnswer::Later(miss.question),
            Some(miss) => {
                let legal = miss.played.filter(|&m| position.is_legal(m));
                legal.map_or(BoardAnswer::Nothing, BoardAnswer::Wrong)
            }
        };
        Some(Self {
            id: puzzle.id.clone(),
            rating: puzzle.rating,
            themes: puzzle.themes.clone(),
            question,
            last: puzzle.moves.get(2 * nth).copied(),
            solution,
            answers: misses.iter().map(answer).collect(),
            position,
        })
    }

    /// `00008 · 1736 · fork, pin`.
    pub(super) fn head(&self) -> String {
        let rating = self.rating.map_or("unrated".to_owned(), |rating| rating.to_string());
        let parts = [self.id.clone(), rating, self.themes.join(", ")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    /// `White to move: Rd8#`.
    pub fn task(&self) -> String {
        let side = match self.position.turn() {
            Color::White => "White",
            Color::Black => "Black",
        };
        let solution = self.position.san(self.solution);
        match self.question {
            0 => format!("{side} to move: {solution}"),
            later => format!("{side} to move, after {later} right: {solution}"),
        }
    }

    /// The answer of a player as text.
    pub fn text(&self, answer: &BoardAnswer) -> String {
        match answer {
            BoardAnswer::Solved => "solved".to_owned(),
            BoardAnswer::Wrong(played) => self.position.san(*played),
            BoardAnswer::Nothing => "no move".to_owned(),
            BoardAnswer::Later(question) => format!("wrong at move {}", question + 1),
        }
    }
}
