//! `oplus`: from one line of algebra to a trained chess network, an engine
//! that plays it, and a report that says whether the features pay.
//!
//! The rooms stand in the order in which a position travels through them; a
//! room imports only rooms above it. `ARCHITECTURE.md` draws the whole.

#![warn(missing_docs)]

pub mod memory;
pub mod chess;
pub mod features;
pub mod archive;
pub mod data;
pub mod nnue;
pub mod network;
pub mod training;
pub mod engine;
pub mod puzzles;
pub mod report;
pub mod arena;
pub mod selfplay;
pub mod bench;
pub mod experiment;
pub mod compare;
pub mod cli;
