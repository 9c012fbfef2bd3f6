//! Puzzle suites and their grading.
//!
//! Puzzles are the cheapest strength test there is: a net is asked a few
//! thousand questions with known answers and needs no opponent. What makes
//! the numbers worth having is done here once: the grading rule of Lichess
//! and of DeepMind's `searchless_chess` (any mate is right), an interval with
//! every share, and the *paired* comparison of two nets on the same puzzles,
//! which sees differences that two separate intervals hide.

pub mod error;
pub mod fixed_nodes;
pub mod grade;
pub mod one_ply;
pub mod puzzle;
pub mod reader;
pub mod stats;
pub mod suite;

pub use error::PuzzleError;
pub use fixed_nodes::FixedNodes;
pub use grade::{Outcome, grade};
pub use one_ply::{OnePly, choose_one_ply};
pub use puzzle::Puzzle;
pub use reader::{PuzzleDefect, PuzzleReader, PuzzleSet, read_puzzles};
pub use stats::{Interval, Paired, Proportion, RatingBucket, Summary};
pub use suite::{Solver, run_suite};
