//! An experiment: one TOML file, a grid of runs, and what was measured.
//!
//! `config` is the file as types, `read` turns text into it with pointed
//! errors, `grid` expands it to runs that are named by what defines them,
//! `runner` carries them out stage by stage, and the `registry` (SQLite)
//! remembers every result, so that whatever was finished is never done again
//! and a report can be made from it alone (`publish`).

pub mod config;
pub mod contents;
pub mod data;
pub mod define;
pub mod difference;
pub mod error;
pub mod generations;
pub mod grid;
pub mod measure;
pub mod misfit;
pub mod preflight;
pub mod publish;
pub mod read;
pub mod registry;
pub mod runner;
pub mod selfplay;
pub mod summary;

pub use config::Experiment;
pub use error::ExperimentError;
pub use grid::RunSpec;
pub use publish::{Earlier, Page};
pub use registry::Registry;
pub use runner::{Outcome, run};
