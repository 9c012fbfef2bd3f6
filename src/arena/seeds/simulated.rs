//! Simulated grids of nets: sets, seeds, games.

use rand::Rng;
use rand_distr::{Distribution, Normal};

use super::{Opponent, SeedEstimate, pool};

/// Standard error in Elo that 400 games of a seed leave.
const OF_GAMES: f64 = 14.0;

/// Share of the sets with an interval that does not contain 0, where sets are `lead` Elo above the
/// reference and nets scatter by `spread`.
pub(super) fn share_found(
    rng: &mut impl Rng,
    [sets, seeds]: [usize; 2],
    spread: f64,
    lead: f64,
    grids: usize,
) -> f64 {
    let mut found = 0;
    for _ in 0..grids {
        let grid = grid(rng, [sets, seeds], spread, lead);
        let pooled = pool(&grid).into_iter().flatten();
        found += pooled.filter(|set| !set.elo.covers(0.0)).count();
    }
    found as f64 / (grids * sets) as f64
}

fn grid(
    rng: &mut impl Rng,
    [sets, seeds]: [usize; 2],
    spread: f64,
    lead: f64,
) -> Vec<Vec<SeedEstimate>> {
    let reference: Vec<f64> = (0..seeds).map(|_| normal(rng, spread)).collect();
    let mut set = || {
        let estimate = |(net, luck): (usize, &f64)| {
            let elo = lead + normal(rng, spread) - luck + normal(rng, OF_GAMES);
            SeedEstimate::new(elo, OF_GAMES, Opponent { variant: 0, net })
        };
        reference.iter().enumerate().filter_map(estimate).collect()
    };
    (0..sets).map(|_| set()).collect()
}

fn normal(rng: &mut impl Rng, deviation: f64) -> f64 {
    // A deviation that is finite and not negative is valid.
    Normal::new(0.0, deviation).map_or(0.0, |normal| normal.sample(rng))
}
