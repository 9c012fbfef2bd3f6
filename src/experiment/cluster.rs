//! A plan of jobs under a scheduler that is there already.
//!
//! What is not done of a [plan](plan::Plan) becomes [`Stage`]s: tasks of one kind that wait for the
//! same stages before. A [`Submission`] is what was handed to a scheduler, written down beside the
//! results, so that a task finds its job by its stage and its number, whatever became of the
//! experiment's file meanwhile. [`slurm`] makes job arrays of the stages, [`hyperqueue`] a job
//! file. Neither knows more of a job than what it needs of a machine ([`Needs`]); the jobs know
//! nothing of either: they are [run](plan::run_one) one by one, under leases that processes on
//! several machines keep from one another, and their results are files.

mod error;
pub mod hyperqueue;
mod needs;
mod progress;
pub mod slurm;
mod stages;
mod submission;
mod work;

pub use error::ClusterError;
pub use needs::{Kind, Needs, memory_to_train};
pub use progress::{Sitting, Sittings};
pub use stages::{After, Stage, Task, stages};
pub use submission::{Submission, Submissions, Submitted};
pub use work::Worked;
