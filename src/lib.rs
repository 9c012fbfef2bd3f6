//! `oplus`: from one line of algebra to a trained chess network, an engine
//! that plays it, and a report that says whether the features pay.
//!
//! Every room is a crate of its own, in the folder of its name; they stand here in the
//! order in which a position travels through them, and each imports only those above it.
//! `ARCHITECTURE.md` draws the whole.

pub use ::{
    arena, base, chess, data, discovery, engine, evolution, experiment, features, measure, network,
    nnue, nnue_tools, plan, report, selfplay, training,
};

pub mod cli;
