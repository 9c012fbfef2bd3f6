//! Search, time, UCI.

pub mod evaluator;

pub use evaluator::Evaluator;
