//! Jobs as values, what they wait for, and who carries them out.
//!
//! A [`Job`] is a definition: make games, prepare positions, train a net, take one
//! measurement. Its [key](base::Key) is the hash of that definition and of the version of
//! what carries it out, so that a job has one name on every machine, and whatever was done
//! is found again. A [`Plan`] is jobs in an order in which each comes after what it needs.
//! What a job came to is one file, written whole or not at all ([`Results`]); nothing else
//! is remembered, so that a process may be killed anywhere, and several may share the work
//! of one folder: whoever holds the lease (`lease.rs`) of a job does it, and the dead hold none.

pub mod discovery;
mod error;
pub mod evolution;
mod job;
mod kept;
mod lease;
mod local;
mod plan;
pub mod positions;
mod results;
pub mod selfplay;
mod state;
mod telling;
mod worker;

pub use error::PlanError;
pub use job::{Begin, Games, Job, Positions, Source, Train};
pub use local::{Ending, carry_out, fail, in_turn, one, shard};
pub use plan::{Plan, Planned, Supplies};
pub use results::{Done, Made, Outcome, Prepared, Results};
pub use state::{OfKind, State, by_kind, states};
pub use telling::{Telling, UnderWay, under_way};
pub use worker::{NET_FILE, Workplace};
