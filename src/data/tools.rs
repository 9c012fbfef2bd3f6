//! Tools for files of games and positions: inspection, duplicates, shuffling, journals.

pub mod dedup;
pub mod inspect;
pub(crate) mod journal;
pub mod shuffle;
mod spool;
