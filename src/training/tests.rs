//! The laws of training: same job, same bits; stopped or not; and it learns.

mod gradient;
mod rounding;
mod runs;

use crate::chess::{Color, PackedPosition, Position, Role};
use crate::data::Sample;
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

/// Positions from random games, scored by material: something to learn.
pub fn random_samples(count: usize, seed: u64) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::default();
    std::iter::from_fn(|| {
        let moves = position.legal_moves();
        match moves.choose(&mut rng) {
            Some(&m) if position.ply() < 120 => position.play(m),
            _ => position = Position::default(),
        }
        Some(sample(&position, rng.random_range(0..3)))
    })
    .take(count)
    .collect()
}

fn sample(position: &Position, result: u8) -> Sample {
    let value = |color: Color| -> i16 {
        let side = position.board().by_color(color);
        [
            (Role::Pawn, 100),
            (Role::Knight, 300),
            (Role::Bishop, 300),
            (Role::Rook, 500),
            (Role::Queen, 900),
        ]
        .iter()
        .map(|&(role, value)| value * (position.board().by_role(role) & side).count() as i16)
        .sum()
    };
    let score = value(position.turn()) - value(!position.turn());
    Sample { position: PackedPosition::pack(position).unwrap(), score, result, reserved: 0 }
}
