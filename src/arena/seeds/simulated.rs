//! Simulated grids of nets: sets, seeds, games.

use rand::Rng;
use rand_distr::{Distribution, Normal};

use super::{NullEstimate, Opponent, SeedEstimate, pool};

/// Standard error in Elo that 400 games of a seed leave.
const OF_GAMES: f64 = 14.0;

/// What grids have.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub sets: usize,
    pub seeds: usize,
    /// Whether the reference's nets play each other, in a ring.
    pub null: bool,
}

/// Leads of the seeds by set, and games of the reference's nets.
struct Grid {
    sets: Vec<Vec<SeedEstimate>>,
    null: Vec<NullEstimate>,
}

/// Share of the sets with an interval that does not contain 0, where sets are `lead` Elo above the
/// reference and nets scatter by `spread`.
pub(super) fn share_found(
    rng: &mut impl Rng,
    plan: Plan,
    spread: f64,
    lead: f64,
    grids: usize,
) -> f64 {
    let mut found = 0;
    for _ in 0..grids {
        let Grid { sets, null } = grid(rng, plan, spread, lead);
        let pooled = pool(&sets, &null).into_iter().flatten();
        found += pooled.filter(|set| !set.elo.covers(0.0)).count();
    }
    found as f64 / (grids * plan.sets) as f64
}

fn grid<R: Rng>(rng: &mut R, Plan { sets, seeds, null }: Plan, spread: f64, lead: f64) -> Grid {
    let reference: Vec<f64> = (0..seeds).map(|_| normal(rng, spread)).collect();
    let opponent = |net| Opponent { variant: 0, net };
    // A net that is `own` Elo above the reference's set, over one of the reference's nets.
    let over = |rng: &mut R, own: f64, net: usize| {
        let elo = own - reference[net] + normal(rng, OF_GAMES);
        SeedEstimate::new(elo, OF_GAMES, opponent(net))
    };
    let mut of_sets = vec![Vec::new(); sets];
    for set in &mut of_sets {
        for net in 0..seeds {
            let own = lead + normal(rng, spread);
            set.extend(over(rng, own, net));
        }
    }
    let ring = if null { 0..seeds } else { 0..0 };
    let null = ring.filter_map(|net| {
        let estimate = over(rng, reference[net], (net + 1) % seeds)?;
        Some(NullEstimate { net: opponent(net), estimate })
    });
    Grid { sets: of_sets, null: null.collect() }
}

fn normal(rng: &mut impl Rng, deviation: f64) -> f64 {
    // A deviation that is finite and not negative is valid.
    Normal::new(0.0, deviation).map_or(0.0, |normal| normal.sample(rng))
}
