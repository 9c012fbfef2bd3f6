//! Test suites in EPD: one question a line, without a line to follow.
//!
//! Opcodes of suites: `bm` (any of these moves), `am` (none of these), `dm` (number of moves of a
//! mate to announce; some write `bm #7`), and points for moves, as in the Strategic Test Suite, in
//! `c8` and `c9`, or in `c0` as `f5=10, Be5+=2`. A move that mates is always right.

mod operations;
mod question;
mod reader;
mod result;

pub use question::{Points, Question};
pub use reader::{EpdDefect, EpdSuite, read_epd};
pub use result::{EpdOutcome, PointTotal, SuiteResult, run_epd};
