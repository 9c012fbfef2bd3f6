//! Shares with their uncertainty, and the comparison of two solvers.

mod crossed;
#[cfg(test)]
mod null;
mod paired;
mod proportion;
mod rating;
mod summary;

pub use crossed::{Crossed, Lead, leads};
pub use paired::Paired;
pub use proportion::{Interval, Proportion};
pub use rating::PuzzleRating;
pub use summary::{PuzzleSummary, RatingBucket};

/// 97.5 % quantile of the standard normal distribution: half of a 95 % interval.
pub(super) const Z_95: f64 = 1.959_963_984_540_054;
