//! The page of an experiment while it goes on, for a browser on this machine.
//!
//! Whoever carries an experiment out leaves files: results of jobs, metrics of trainings, and
//! beside every lease what its holder tells of itself. [`Subject`] makes of them the page that
//! `oplus run` writes at the end, with what is under way on top ([`View`]); [`Server`] hands
//! both out on the loopback interface. Nothing is asked of the process that works, so it may be
//! another one, on another machine that shares the folder, or gone.

mod error;
mod http;
mod server;
mod subject;
mod tally;
mod version;
mod view;

pub use error::WatchError;
pub use server::Server;
pub use subject::Subject;
pub use view::View;
