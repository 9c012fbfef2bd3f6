//! Cost and benefit: does a feature set pay for the time it takes?
//!
//! A set that sees more plays better at the same number of nodes and gets
//! fewer nodes in the same time. So each contestant meets the reference twice,
//! at fixed nodes and at fixed time; what it costs the search is measured node
//! for node; and what time is worth is measured too, by a match of the
//! reference against itself with half the time. Gain at fixed nodes less
//! price × log₂(cost) should then come to the result at fixed time: two ways to
//! one answer, and a reader sees whether they agree.

pub mod config;
pub mod contestant;
pub mod contests;
pub mod error;
pub mod findings;
pub mod page;
pub mod solved;
pub mod speed;
pub mod verdict;

pub use config::Config;
pub use contestant::{Contestant, SeededNet};
pub use error::CompareError;
pub use findings::{Comparison, Finding, compare};
pub use verdict::{Remedy, Verdict};
