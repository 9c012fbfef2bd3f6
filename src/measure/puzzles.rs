//! Puzzle suites and their grading.
//!
//! Puzzles are the cheapest strength test there is: a net is asked a few
//! thousand questions with known answers and needs no opponent. What makes
//! the numbers worth having is done here once: the grading rule of Lichess
//! and of DeepMind's `searchless_chess` (any mate is right), an interval with
//! every share, and the *paired* comparison of two nets on the same puzzles,
//! which sees differences that two separate intervals hide.
//!
//! [`source`] takes puzzles out of files of any size, by a
//! [`Selection`] or a frozen [`PuzzleList`]; [`run_suite`] asks them under a
//! [`SolvingMode`]; `stats` sums up. Suites in EPD, one question a line, are in
//! [`epd`].

mod attempt;
pub mod epd;
mod error;
mod grade;
mod list;
mod mode;
mod one_ply;
mod puzzle;
mod reader;
mod searching;
mod selection;
pub mod source;
mod stats;
mod suite;
mod theme;

pub use attempt::{PuzzleAttempt, easiest_failures, hardest_failures};
pub use error::PuzzleError;
pub use grade::{AttemptOutcome, Miss, grade};
pub use list::PuzzleList;
pub use mode::SolvingMode;
pub use puzzle::Puzzle;
pub use reader::{PuzzleDefect, PuzzleSet, read_puzzles};
pub use selection::{Criteria, Preset, Selection, SelectionCounts, Strata};
pub use source::{listed_puzzles, select_puzzles};
pub use stats::{
    Crossed, Interval, Lead, Paired, Proportion, PuzzleRating, PuzzleSummary, RatingBucket, leads,
};
pub use suite::{MakeSolver, Solver, SuiteAnswer, run_suite};
