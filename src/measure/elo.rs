//! Elo over a reference under one limit, which forfeits may make invalid.

use arena::{Limit, TooManyForfeits};
use base::estimate::{Estimate, Separation};
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

    /// From the view of the reference.
    pub(crate) fn negated(self) -> Self {
        Self { estimate: self.estimate.negated(), ..self }
    }

    /// `beats ALL by 43 ± 29 Elo at 1,000 nodes`, or without the reference's name `wins 43 ± 29 Elo …`.
    pub(crate) fn clause(&self, reference: Option<&str>) -> String {
        let Self { limit, estimate: elo, .. } = self;
        let verb = |word: &str, link: &str| match reference {
            Some(name) => format!("{word} {link}{name}"),
            None => word.to_owned(),
        };
        let size = |elo: &Estimate| elo.plain();
        match elo.verdict() {
            Separation::Better if !elo.high.is_finite() => {
                format!("{} by more than {:.0} Elo at {limit}", verb("beats", ""), elo.low)
            }
            Separation::Worse if !elo.low.is_finite() => {
                format!("{} by more than {:.0} Elo at {limit}", verb("loses", "to "), -elo.high)
            }
            Separation::Better => match reference {
                Some(name) => format!("beats {name} by {} Elo at {limit}", size(elo)),
                None => format!("wins {} Elo at {limit}", size(elo)),
            },
            Separation::Worse => match reference {
                Some(name) => format!("loses to {name} by {} Elo at {limit}", size(&elo.negated())),
                None => format!("loses {} Elo at {limit}", size(&elo.negated())),
            },
            Separation::Open => {
                let whom = reference.map_or("not separable".to_owned(), |name| {
                    format!("not separable from {name}")
                });
                format!("is {whom} at {limit} ({} Elo)", elo.signed())
            }
        }
    }
}
