//! What it costs to read features off the board and to follow a move.

use std::hint::black_box;
use std::time::Instant;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::chess::{BoardChange, Color, Position};
use crate::features::{Delta, FeatureSet, Step};

/// Nanoseconds per operation of one feature set, one core.
#[derive(Clone, Copy, Debug)]
pub struct FeatureCost {
    /// Active features of one perspective, from scratch.
    pub active_ns: f64,
    /// Rows to add and remove for one move and one perspective.
    pub delta_ns: f64,
    /// Mean number of active features.
    pub active: f64,
    /// Mean number of rows changed by a move.
    pub rows: f64,
}

/// A move of a random game.
struct Ply {
    before: Position,
    after: Position,
    change: BoardChange,
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
        plies.push(Ply { change: position.change(m), before: position, after: after.clone() });
        position = after;
    }
    plies
}

const PLIES: usize = 4_096;
const ROUNDS: usize = 25;

/// Measures one set: the best of several rounds, since noise only adds.
pub fn measure(set: &FeatureSet) -> FeatureCost {
    let plies = plies(PLIES);
    let operations = (2 * PLIES) as f64;
    let (mut features, mut delta) = (Vec::new(), Delta::default());
    let (mut active_ns, mut delta_ns) = (f64::MAX, f64::MAX);
    let (mut active, mut rows) = (0, 0);
    for _ in 0..ROUNDS {
        (active, rows) = (0, 0);
        let start = Instant::now();
        for ply in &plies {
            for perspective in Color::ALL {
                features.clear();
                set.active(black_box(ply.before.board()), perspective, &mut features);
                active += black_box(&features).len();
            }
        }
        active_ns = active_ns.min(start.elapsed().as_nanos() as f64 / operations);
        let start = Instant::now();
        for ply in &plies {
            let step =
                Step { before: ply.before.board(), after: ply.after.board(), change: &ply.change };
            for perspective in Color::ALL {
                set.delta(black_box(step), perspective, &mut delta);
                rows += black_box(&delta).added.len() + delta.removed.len();
            }
        }
        delta_ns = delta_ns.min(start.elapsed().as_nanos() as f64 / operations);
    }
    FeatureCost {
        active_ns,
        delta_ns,
        active: active as f64 / operations,
        rows: rows as f64 / operations,
    }
}
