//! An experiment: one TOML file, a grid of nets, and their measurements.
//!
//! `config` is the file as types, `read` turns text into it with pointed errors, `grid`
//! expands it to nets, `planning` turns these into a plan of jobs and an evaluation plan, and
//! `run` runs the jobs. Results are files below the folder of [`Runs`], and `publish` makes the
//! page from them alone. `compare` does the same for given nets, `discover` for a search for
//! sets; `cluster` hands the jobs to a scheduler, and `watch` shows them while they run.

pub mod axes;
pub mod cluster;
pub mod compare;
pub mod config;
pub mod contents;
pub mod define;
mod difference;
pub mod discover;
pub mod draft;
mod error;
pub mod forecast;
pub mod generations;
pub mod grid;
mod kind;
pub mod lints;
mod named;
pub mod planning;
pub mod preflight;
pub mod publish;
pub mod read;
pub mod run;
mod runs;
pub mod stages;
pub mod summary;
#[cfg(test)]
mod tests;
mod validate;
pub mod watch;

pub use config::Experiment;
pub use error::ExperimentError;
pub use grid::RunSpec;
pub use kind::FileKind;
pub use named::Named;
pub use publish::{Earlier, Published};
pub use run::{Outcome, Workspace, run};
pub use runs::{NetRecord, Note, Removal, Runs};
