//! Jobs as values: definitions, keys, dependencies, results as files, leases, executors.
//!
//! A room implements [`Work`] for each thing that it computes as a job: training a net, playing a
//! match, preparing positions. This room knows none of them. The key of a [`Job`] is the hash of
//! its definition and version, so that a job has one name on every machine and its result is
//! found again. A [`Plan`] lists jobs in an order in which each follows its dependencies. The
//! result of a job is one file, written atomically ([`Results`]); there is no other state, so a
//! process may be killed at any time, and several processes may share the jobs of one
//! [`RunDir`]: the holder of a job's lease runs it, and stale leases are reclaimed.

mod context;
mod error;
mod executor;
mod job;
mod lease;
mod machine_lock;
mod plan;
mod results;
mod run_dir;
mod state;
mod status;
#[cfg(test)]
mod testing;

pub use context::{Context, Control};
pub use error::{JobError, PlanError};
pub use executor::{
    Ending, record_failure, run_all, run_in_order, run_one, run_shard, run_unrecorded,
};
pub use job::{Job, Traits, Work};
pub use plan::{Inputs, Plan, Planned};
pub use results::{JobOutcome, JobResult, ResultProvenance, Results};
pub use run_dir::RunDir;
pub use state::{KindCount, State, by_kind, states};
pub use status::{RunningJob, Status, running};
