//! From judging feature sets to finding them.
//!
//! ```text
//! a net and games ──► screen: what would each candidate still explain? ──► the best few are trained
//!                 └─► rank: which rows and blocks does the net live on?  ──► the others are pruned
//! ```
//!
//! Everything here counts *games*, not positions: those of one game are too much alike. What
//! chooses a set is fitted on some games and told by others.

mod contrast;
mod design;
mod discoveries;
mod findings;
mod gain;
mod grammar;
pub mod jobs;
mod least_squares;
mod outlook;
mod purpose;
mod rank;
mod screen;
pub mod tables;

pub use contrast::Contrast;
pub use discoveries::q_values;
pub use findings::{By, Finding, Findings};
pub use gain::Gain;
pub use grammar::{GRAMMARS, Grammar};
pub use outlook::Outlook;
pub use purpose::Purpose;
pub use rank::{BlockRank, Ranking, RowRank, Without, by_square, rank};
pub use screen::{
    Candidate, CandidateError, Parts, Screened, Screening, ScreeningError, ns_of_a_move,
};

#[cfg(test)]
mod tests;
