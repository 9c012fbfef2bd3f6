//! Training samples: which positions are kept, on which side of the split, and where they lie.

pub(crate) mod by_game;
pub mod cache;
pub(crate) mod candidate;
pub(crate) mod choice;
pub mod dataset;
pub mod filter;
mod spill;
pub(crate) mod inventory;
pub(crate) mod mixture;
pub(crate) mod positions;
pub(crate) mod sample;
pub(crate) mod share;
pub mod split;
pub(crate) mod store;
