//! The laws of training: same job, same bits; stopped or not; and it learns.

mod gradient;
mod keeping;
mod rates;
mod refusals;
mod resumption;
mod quantisation_aware;
mod runs;
mod starting;
mod small;
mod health;

use chess::{Color, Move, PackedPosition, Position, Role};
use data::Sample;
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

/// Positions from random games, scored by material: something to learn.
pub(crate) fn random_samples(count: usize, seed: u64) -> Vec<Sample> {
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

/// Such positions with a choice, the move played being the one that wins most
/// material at once, the first of several.
pub(crate) fn random_choices(count: usize, seed: u64) -> Vec<Sample> {
    let mut choices = Vec::with_capacity(count);
    let mut more = seed;
    while choices.len() < count {
        let samples = random_samples(2 * count, more);
        choices.extend(samples.into_iter().filter_map(with_best_move));
        more = more.wrapping_add(1);
    }
    choices.truncate(count);
    choices
}

fn with_best_move(sample: Sample) -> Option<Sample> {
    let position = sample.position.unpack()?;
    let moves = position.legal_moves();
    let value = |&&m: &&Move| self::sample(&position.after(m), 1).score;
    sample.with_choice(&position, *moves.iter().min_by_key(value)?)
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
    Sample { position: PackedPosition::pack(position).unwrap(), score, result, played: 0 }
}
