//! What `oplus bench` runs, and the statistics of `oplus features`: figures
//! that a reader can repeat.

pub mod engines;
pub mod eval;
pub mod features;
pub mod loader;
pub mod statistics;
pub mod torch;
pub mod train;
