//! Test suites in EPD: one question a line, without a line to follow.
//!
//! What suites ask: `bm` (any of these moves), `am` (none of these), `dm` (a mate
//! in so many moves has to be announced; some write `bm #7`), and points for
//! moves, as the Strategic Test Suite gives them, in `c8` and `c9`, or in `c0` as
//! `f5=10, Be5+=2`. A move that mates is right, whatever is listed.

mod operations;
mod question;
mod reader;
mod result;

pub use question::{Points, Question};
pub use reader::{EpdDefect, EpdSuite, read_epd};
pub use result::{EpdOutcome, PointTotal, SuiteResult, run_epd};
