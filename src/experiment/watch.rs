//! The live page of an experiment, for a browser on this machine.
//!
//! A run leaves files: results of jobs, metrics of trainings, and the status of each job beside its
//! lease. [`WatchView`] makes of them the page that `oplus run` writes at the end, with the running jobs
//! on top, for one [`WatchSubject`]; [`Server`] serves it on the loopback interface. It only reads files,
//! so the run may be in another process or on another machine that shares the folder.

mod error;
mod http;
mod server;
mod subject;
mod counts;
mod version;
mod view;

pub use error::WatchError;
pub use server::Server;
pub use subject::WatchSubject;
pub use view::WatchView;
