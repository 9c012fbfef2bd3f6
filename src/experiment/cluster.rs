//! Jobs of a plan under a scheduler.
//!
//! Open jobs of a [plan](plan::Plan) become [`Stage`]s: tasks of one kind with the same stages as
//! dependencies. A [`Submission`] records the stages beside the results, so that a task finds its
//! job by stage and number even if the experiment's file changes meanwhile. [`slurm`] makes job
//! arrays of the stages, `hyperqueue` a job file; both see only the resources of a job
//! ([`Needs`]). Each task [runs](plan::run_one) its job under a lease, and results are files.

mod error;
mod hyperqueue;
mod needs;
mod attempts;
pub mod slurm;
mod stages;
mod submit;
mod submission;
mod work;

pub use attempts::{Attempt, Attempts};
pub use error::ClusterError;
pub use needs::{Kind, Needs};
pub use stages::{After, Stage, Task, stages};
pub use submission::{Submission, Submissions, Submitted};
pub use work::TaskOutcome;

/// Shards of games at most, unless the request says otherwise.
pub const SHARDS: u32 = 16;

/// The program, as machines with the same folders find it.
pub fn program() -> std::path::PathBuf {
    std::env::current_exe().unwrap_or_else(|_| "oplus".into())
}
