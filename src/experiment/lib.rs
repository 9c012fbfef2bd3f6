//! An experiment: one TOML file, a grid of nets, and their measurements.
//!
//! `config` is the file as types, `read` turns text into it with pointed errors, `grid`
//! expands it to nets, and `planning` turns these into a plan of jobs and an evaluation plan.
//! Results are files below the folder of [`Runs`], and pages are made from them alone. An
//! experiment is one kind of [`Study`], as are comparisons of given nets (`compare`), searches for
//! sets (`discover`) and ablations of the search (`ablate`): the [`Driver`] runs any of them,
//! `cluster` hands its jobs to a scheduler, and `watch` shows it while it runs.

pub mod ablate;
pub mod axes;
mod book_names;
pub mod cluster;
pub mod compare;
pub mod config;
pub mod contents;
pub mod define;
mod difference;
pub mod discover;
pub mod draft;
mod driver;
mod error;
pub mod forecast;
pub mod games_file;
pub mod generations;
pub mod grid;
mod kind;
pub mod lints;
mod named;
mod nets;
mod one_net;
mod overview;
pub mod planning;
pub mod preflight;
pub mod publish;
pub mod read;
pub mod run;
mod runs;
pub mod stages;
mod study;
pub mod summary;
#[cfg(test)]
mod tests;
mod validate;
pub mod watch;
mod workspace;

pub use config::Experiment;
pub use driver::{Collected, Driver};
pub use error::ExperimentError;
pub use grid::RunSpec;
pub use kind::FileKind;
pub use named::Named;
pub use nets::nets;
pub use publish::{Earlier, Published, publish};
pub use run::EXPERIMENT;
pub use runs::{NetRecord, Noted, Removal, Runs};
pub use study::{Chapter, Files, Note, ReadStudy, Standing, Study, StudyKind, StudyPlan};
pub use workspace::Workspace;
