//! Incremental against refreshed accumulators, along random games.

use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::chess::{Position, Scene};
use crate::nnue::accumulator::AccumulatorStack;
use crate::nnue::net::Net;

const GAMES: u64 = 16;
const MOST_PLIES: u32 = 120;
/// Chance that a position is evaluated: the stack is lazy, so that it must
/// follow one move as well as several.
const EVALUATED: f64 = 0.7;

/// A position of which the accumulators say something else than the net.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The position.
    pub fen: String,
    /// By rows added and removed, centipawns.
    pub incremental: i32,
    /// From scratch, centipawns.
    pub refreshed: i32,
}

/// What came of random games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Walk {
    /// Positions compared.
    pub positions: u64,
    /// The first that differs.
    pub mismatch: Option<Mismatch>,
}

impl Walk {
    /// Plays random games, the same ones every time.
    pub(super) fn random(net: &Arc<Net>) -> Self {
        let mut walk = Self { positions: 0, mismatch: None };
        let mut stack = AccumulatorStack::new(net.clone());
        for seed in 0..GAMES {
            walk.game(&mut stack, &mut ChaCha8Rng::seed_from_u64(seed));
            if walk.mismatch.is_some() {
                break;
            }
        }
        walk
    }

    fn game(&mut self, stack: &mut AccumulatorStack, rng: &mut ChaCha8Rng) {
        let mut position = Position::default();
        stack.reset(&position);
        for _ in 0..MOST_PLIES {
            let moves = position.legal_moves();
            if moves.is_empty() || self.mismatch.is_some() {
                return;
            }
            let chosen = moves[rng.random_range(0..moves.len())];
            let next = position.after(chosen);
            stack.push(position.change(chosen), &next);
            position = next;
            if rng.random_bool(EVALUATED) {
                self.compare(stack, &position);
            }
        }
    }

    fn compare(&mut self, stack: &mut AccumulatorStack, position: &Position) {
        let turn = position.turn();
        let refreshed = stack.net().evaluate(&Scene::from(position), turn);
        let incremental = stack.evaluate(turn);
        self.positions += 1;
        if incremental != refreshed {
            self.mismatch = Some(Mismatch { fen: position.fen(), incremental, refreshed });
        }
    }
}
