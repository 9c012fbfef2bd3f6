//! Elo over a reference under one limit, which forfeits may make invalid.

use arena::{Limit, TooManyForfeits};
use base::estimate::Estimate;
use report::Mark;

/// Strength against the reference under one limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloResult {
    /// Limit of a move.
    pub limit: Limit,
    /// Logistic Elo above the reference. A set that won (lost) every game has
    /// an infinite `high` (`low`).
    pub estimate: Estimate,
    /// Games over all seeds.
    pub games: u32,
    /// Forfeits, if they are too many for a verdict.
    pub too_many_forfeits: Option<TooManyForfeits>,
}

impl EloResult {
    /// Better, worse or not separable from the reference; no verdict if too much was forfeited.
    pub fn mark(&self) -> Mark {
        self.too_many_forfeits.map_or_else(|| self.estimate.verdict().into(), |_| Mark::NoVerdict)
    }
}
