//! An experiment: one TOML file, a grid of nets, and what was measured.
//!
//! `config` is the file as types, `read` turns text into it with pointed errors, `grid`
//! expands it to nets, `planning` turns these into a plan of jobs and an inquiry about
//! their nets, and `run` has the plan carried out. What came of it are files below the
//! folder of [`Runs`], and `publish` makes the page from them alone.

pub mod axes;
pub mod config;
pub mod contents;
pub mod define;
mod difference;
pub mod compare;
pub mod cluster;
pub mod discover;
pub mod watch;
pub mod draft;
mod error;
pub mod cautions;
pub mod forecast;
pub mod generations;
pub mod grid;
mod kind;
mod named;
pub mod planning;
pub mod preflight;
pub mod publish;
pub mod read;
pub mod run;
mod runs;
pub mod stages;
pub mod summary;
mod validate;

pub use config::Experiment;
pub use error::ExperimentError;
pub use grid::RunSpec;
pub use kind::FileKind;
pub use named::Named;
pub use publish::{Earlier, Published};
pub use run::{Outcome, Workspace, run};
pub use runs::{NetRecord, Note, Removal, Runs};
