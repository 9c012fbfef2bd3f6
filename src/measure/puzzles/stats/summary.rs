//! Results of a solver on a suite, as a whole and by kind of puzzle.

use std::collections::BTreeMap;

use super::{Proportion, PuzzleRating};
use crate::puzzles::{AttemptOutcome, Puzzle};

/// Puzzles rated from `from` to below `from + WIDTH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatingBucket {
    /// Lowest rating of the bucket.
    pub from: u32,
    /// Share of its puzzles that were solved.
    pub solved: Proportion,
}

impl RatingBucket {
    /// Rating points a bucket spans, as in DeepMind's figure.
    pub const WIDTH: u32 = 200;
}

/// A solver's result on a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PuzzleSummary {
    /// Puzzles solved, of all.
    pub solved: Proportion,
    /// Right moves, of all solver moves.
    pub moves: Proportion,
    /// Rating estimated from its results on rated puzzles.
    pub rating: Option<PuzzleRating>,
    /// Solved by rating, lowest first; buckets without puzzles are left out.
    pub by_rating: Vec<RatingBucket>,
    /// Solved of those without a rating.
    pub unrated: Proportion,
    /// Solved by theme, alphabetically; a puzzle counts under each of its themes.
    pub by_theme: Vec<(String, Proportion)>,
}

impl PuzzleSummary {
    /// Sums up outcomes, which stand in the order of their puzzles.
    pub fn new(puzzles: &[Puzzle], outcomes: &[AttemptOutcome]) -> Self {
        let mut summary = Self::default();
        let mut by_rating = BTreeMap::<u32, Proportion>::new();
        let mut by_theme = BTreeMap::<&str, Proportion>::new();
        for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
            summary.solved.add(outcome.solved);
            summary.moves.successes += u64::from(outcome.right_moves);
            summary.moves.trials += u64::from(outcome.solver_moves);
            match puzzle.rating {
                Some(rating) => {
                    let from = rating - rating % RatingBucket::WIDTH;
                    by_rating.entry(from).or_default().add(outcome.solved);
                }
                None => summary.unrated.add(outcome.solved),
            }
            for theme in &puzzle.themes {
                by_theme.entry(theme).or_default().add(outcome.solved);
            }
        }
        summary.rating = PuzzleRating::estimate(rated(puzzles, outcomes));
        summary.by_rating =
            by_rating.into_iter().map(|(from, solved)| RatingBucket { from, solved }).collect();
        summary.by_theme =
            by_theme.into_iter().map(|(theme, solved)| (theme.to_owned(), solved)).collect();
        summary
    }
}

/// Ratings of the puzzles that have one, and whether they were solved.
fn rated<'a>(
    puzzles: &'a [Puzzle],
    outcomes: &'a [AttemptOutcome],
) -> impl Iterator<Item = (u32, bool)> + 'a {
    let pairs = puzzles.iter().zip(outcomes);
    pairs.filter_map(|(puzzle, outcome)| Some((puzzle.rating?, outcome.solved)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn puzzles_fall_into_their_buckets() {
        let kinds = [
            (Some(400), "mate", 1, 1),
            (Some(599), "mate fork", 2, 1),
            (Some(600), "fork", 2, 2),
            (None, "", 1, 0),
        ];
        let puzzles: Vec<Puzzle> = kinds
            .iter()
            .map(|(rating, themes, ..)| Puzzle {
                rating: *rating,
                themes: themes.split_whitespace().map(str::to_owned).collect(),
                ..Puzzle::new("", Position::default(), Vec::new())
            })
            .collect();
        let outcomes: Vec<AttemptOutcome> = kinds
            .iter()
            .map(|&(_, _, solver_moves, right_moves)| AttemptOutcome {
                solver_moves,
                right_moves,
                solved: solver_moves == right_moves,
                miss: None,
            })
            .collect();
        let of = |successes, trials| Proportion { successes, trials };
        let expected = PuzzleSummary {
            solved: of(2, 4),
            moves: of(4, 6),
            rating: PuzzleRating::estimate([(400, true), (599, false), (600, true)]),
            by_rating: vec![
                RatingBucket { from: 400, solved: of(1, 2) },
                RatingBucket { from: 600, solved: of(1, 1) },
            ],
            unrated: of(0, 1),
            by_theme: vec![("fork".into(), of(1, 2)), ("mate".into(), of(1, 2))],
        };
        assert_eq!(PuzzleSummary::new(&puzzles, &outcomes), expected);
    }
}
