//! Several players on the same puzzles.

use std::cmp::Reverse;

use super::{AttemptOutcome, Puzzle};

/// A player's results on a suite.
#[derive(Clone, Debug)]
pub struct PuzzleAttempt {
    pub player: String,
    /// In the order of the puzzles.
    pub outcomes: Vec<AttemptOutcome>,
    /// Wall-clock time, on all threads.
    pub seconds: f64,
}

/// Indices of the puzzles that some player failed: those failed by most players first,
/// of these the highest rated. Unrated ones come last.
pub fn hardest_failures(puzzles: &[Puzzle], attempts: &[PuzzleAttempt], most: usize) -> Vec<usize> {
    let rating = |puzzle: &Puzzle| (puzzle.rating.is_none(), Reverse(puzzle.rating));
    failures(puzzles, attempts, most, rating)
}

/// The same with the lowest rated first: the failures on easy puzzles.
pub fn easiest_failures(puzzles: &[Puzzle], attempts: &[PuzzleAttempt], most: usize) -> Vec<usize> {
    failures(puzzles, attempts, most, |puzzle| (puzzle.rating.is_none(), puzzle.rating))
}

fn failures<K: Ord>(
    puzzles: &[Puzzle],
    attempts: &[PuzzleAttempt],
    most: usize,
    key: impl Fn(&Puzzle) -> K,
) -> Vec<usize> {
    let failed_by = |place: usize| {
        let is_failed =
            |attempt: &&PuzzleAttempt| attempt.outcomes.get(place).is_some_and(|o| !o.solved);
        attempts.iter().filter(is_failed).count()
    };
    let mut failed: Vec<(Reverse<usize>, K, usize)> = puzzles
        .iter()
        .enumerate()
        .map(|(place, puzzle)| (Reverse(failed_by(place)), key(puzzle), place))
        .filter(|(Reverse(players), ..)| *players > 0)
        .collect();
    failed.sort_unstable();
    failed.into_iter().take(most).map(|(.., place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn failures_are_sorted_by_players_then_rating() {
        let ratings = [Some(1_000), Some(2_000), None, Some(1_500), Some(3_000)];
        let puzzles: Vec<Puzzle> = ratings
            .iter()
            .map(|&rating| Puzzle { rating, ..Puzzle::new("", Position::default(), Vec::new()) })
            .collect();
        let attempt = |solved: [bool; 5]| PuzzleAttempt {
            player: String::new(),
            outcomes: solved
                .map(|solved| AttemptOutcome { solved, ..AttemptOutcome::default() })
                .to_vec(),
            seconds: 0.0,
        };
        let attempts = [
            attempt([false, false, false, true, true]),
            attempt([false, false, false, false, true]),
        ];
        assert_eq!(hardest_failures(&puzzles, &attempts, 9), [1, 0, 2, 3]);
        assert_eq!(easiest_failures(&puzzles, &attempts, 9), [0, 1, 2, 3]);
        assert_eq!(hardest_failures(&puzzles, &attempts, 1), [1]);
        assert!(hardest_failures(&puzzles, &[], 9).is_empty());
    }
}
