//! The laws of the algebra over random expressions and random games, and the
//! sizes and indices of the thesis.

mod advice;
mod each;
mod errors;
mod expressions;
mod factors;
mod fuzz;
pub(super) mod laws;
mod lints;
pub(super) mod oracle;
mod piece_tables;
mod possible;
mod python_chess;
mod statistics;
mod thesis;
mod threat;
mod values;
