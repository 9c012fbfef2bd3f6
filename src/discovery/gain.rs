//! Loss reductions with intervals over games.

use base::Estimate;
use base::estimate::Z95;
use data::SamplesByGame;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// Reduction of the mean loss of positions, with its uncertainty over games.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Gain {
    /// Mean over positions, with its interval over games.
    pub loss: Estimate,
    /// P-value against no gain.
    pub p: f64,
}

impl Gain {
    /// From the gain of each position; the interval includes the `bias` of the method.
    pub(crate) fn of(games: &SamplesByGame, bias: f64, gain: impl Fn(usize) -> f64) -> Self {
        let positions = games.samples().len().max(1) as f64;
        let by_game: Vec<(f64, f64)> = (0..games.games())
            .map(|game| {
                let range = games.range(game);
                (range.clone().map(&gain).sum(), range.len() as f64)
            })
            .collect();
        let mean = by_game.iter().map(|(gain, _)| gain).sum::<f64>() / positions;
        let spread = |(gain, of): &(f64, f64)| (gain - of * mean).powi(2);
        let count = by_game.len() as f64;
        let correction = count / (count - 1.0).max(1.0);
        let error = (by_game.iter().map(spread).sum::<f64>() * correction).sqrt() / positions;
        Self { loss: Estimate::symmetric(mean, Z95 * error + bias), p: chance(mean - bias, error) }
    }
}

fn chance(mean: f64, error: f64) -> f64 {
    if error > 0.0 {
        return Normal::standard().sf(mean / error);
    }
    // Without variance the sign decides.
    if mean > 0.0 { 0.0 } else { 1.0 }
}
