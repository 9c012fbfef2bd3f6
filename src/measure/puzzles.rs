//! Puzzle suites and their grading.
//!
//! Puzzles are the cheapest strength test: a few thousand positions with known solutions, and no
//! opponent. This room has the grading rule of Lichess and of DeepMind's `searchless_chess` (any
//! mate is right), an interval with every share, and the *paired* comparison of two nets on the
//! same puzzles, which resolves differences that two separate intervals hide.
//!
//! [`source`] reads puzzles from files of any size, by a [`Selection`] or a frozen
//! [`PuzzleList`]; [`run_suite`] solves them under a [`SolvingMode`]; `stats` summarises. [`epd`]
//! holds suites in EPD, one question a line.

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
