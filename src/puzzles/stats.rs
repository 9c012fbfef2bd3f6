//! Shares with their uncertainty, and the comparison of two solvers.

mod paired;
mod proportion;
mod summary;

pub use paired::Paired;
pub use proportion::{Interval, Proportion};
pub use summary::{RatingBucket, Summary};

/// 97.5 % quantile of the standard normal distribution: half of a 95 % interval.
const Z_95: f64 = 1.959_963_984_540_054;
