//! Tools for files of games and positions: inspection, duplicates, shuffling, joining, journals.

pub mod dedup;
pub mod inspect;
mod join;
pub(crate) mod journal;
pub mod shuffle;
mod spool;

pub use join::join;
