//! Benchmarks of `oplus bench`, and the statistics of `oplus features`: repeatable figures.

pub mod engines;
pub mod eval;
pub mod features;
pub mod loader;
pub mod played;
pub mod statistics;
pub mod torch;
pub mod train;
