//! Cost of reading features off a position and of following a move.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use chess::{BoardChange, Color, Position, Scene};
use features::{Delta, Feature, FeatureSet, Sink, Step, Update, Weighted};

/// Nanoseconds per operation of one feature set, one core. Attack and mobility
/// maps are computed afresh for every operation, as for a position never seen.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct FeatureCost {
    /// Active features of one perspective, from scratch.
    pub active_ns: f64,
    /// Rows to add and remove for one move and one perspective.
    pub delta_ns: f64,
    /// The same for both perspectives, which share maps.
    pub both_ns: f64,
    /// Mean number of active features.
    pub active: f64,
    /// Mean number of rows changed by a move that is no refresh.
    pub rows: f64,
    /// Share of moves that are a refresh, per perspective.
    pub refreshes: f64,
}

/// A move of a random game.
#[derive(Clone)]
struct Ply {
    before: Scene,
    after: Scene,
    change: BoardChange,
}

impl Ply {
    fn step(&self) -> Step<'_> {
        Step { before: &self.before, after: &self.after, change: &self.change }
    }

    fn forget(&mut self) {
        self.before.forget();
        self.after.forget();
    }
}

/// Moves of seeded random games from the start position.
fn plies(count: usize) -> Vec<Ply> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut position = Position::default();
    let mut plies = Vec::with_capacity(count);
    while plies.len() < count {
        let moves = position.legal_moves();
        if moves.is_empty() || position.ply() > 120 {
            position = Position::default();
            continue;
        }
        let m = moves[rng.random_range(0..moves.len())];
        let after = position.after(m);
        let change = position.change(m);
        plies.push(Ply { before: Scene::from(&position), after: Scene::from(&after), change });
        position = after;
    }
    plies
}

const PLIES: usize = 4_096;
const ROUNDS: usize = 25;

/// Moves timed together: many enough that reading the clock costs nothing, few
/// enough that making them forget their maps leaves them in the cache.
const CHUNK: usize = 1_024;

/// Nanoseconds per ply of `work`: the best of several rounds, since noise only adds.
fn best(plies: &mut [Ply], mut work: impl FnMut(&Ply)) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let mut spent = Duration::ZERO;
        for chunk in plies.chunks_mut(CHUNK) {
            chunk.iter_mut().for_each(Ply::forget);
            let start = Instant::now();
            chunk.iter().for_each(|ply| work(black_box(ply)));
            spent += start.elapsed();
        }
        best = best.min(spent);
    }
    best.as_nanos() as f64 / plies.len() as f64
}

pub fn measure(set: &FeatureSet) -> FeatureCost {
    if set.is_valued() { measure_as::<Weighted>(set) } else { measure_as::<Feature>(set) }
}

fn measure_as<E>(set: &FeatureSet) -> FeatureCost
where
    Vec<E>: Sink,
{
    let mut plies = plies(PLIES);
    let (mut features, mut delta) = (Vec::<E>::new(), Delta::<E>::default());
    let active_ns = best(&mut plies, |ply| {
        features.clear();
        set.active(&ply.before, Color::White, &mut features);
        black_box(&features);
    });
    let delta_ns = best(&mut plies, |ply| {
        set.delta(ply.step(), Color::Black, &mut delta);
        black_box(&delta);
    });
    let both_ns = best(&mut plies, |ply| {
        for perspective in Color::ALL {
            set.delta(ply.step(), perspective, &mut delta);
            black_box(&delta);
        }
    });
    let (mut active, mut rows, mut updates) = (0, 0, 0);
    for ply in &plies {
        for perspective in Color::ALL {
            features.clear();
            set.active(&ply.before, perspective, &mut features);
            active += features.len();
            if set.delta(ply.step(), perspective, &mut delta) == Update::Rows {
                updates += 1;
                rows += delta.added.len() + delta.removed.len();
            }
        }
    }
    let moves = (2 * PLIES) as f64;
    FeatureCost {
        active_ns,
        delta_ns,
        both_ns,
        active: active as f64 / moves,
        rows: rows as f64 / f64::from(updates.max(1)),
        refreshes: 1.0 - f64::from(updates) / moves,
    }
}
