//! Search for feature sets.
//!
//! ```text
//! a net and games ──► screen: loss reduction by each candidate ──► the best few are trained
//!                 └─► rank: importance of rows and blocks      ──► the others are pruned
//! ```
//!
//! The unit of statistics is the *game*: positions of one game are correlated. Fits and gains use
//! disjoint games.

mod contrast;
mod design;
mod discoveries;
mod findings;
mod gain;
mod grammar;
pub mod jobs;
mod least_squares;
mod predictions;
mod purpose;
mod rank;
mod screen;
pub mod tables;

pub use contrast::Contrast;
pub use discoveries::q_values;
pub use findings::{By, Finding, Findings};
pub use gain::Gain;
pub use grammar::{GRAMMARS, Grammar};
pub use predictions::Predictions;
pub use purpose::Purpose;
pub use rank::{BlockRank, Ranking, RowRank, Without, by_square, rank};
pub use screen::{
    Candidate, CandidateError, Parts, ScreenResult, Screened, Screener, Screening, ScreeningError,
    ns_of_moves,
};

#[cfg(test)]
mod tests;
