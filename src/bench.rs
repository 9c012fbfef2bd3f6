//! What `oplus bench` runs: benchmarks that a reader can repeat.

pub mod features;
