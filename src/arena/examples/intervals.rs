//! Verdicts of simulated grids: `cargo run --release --package oplus-arena --example intervals`.
//!
//! A verdict is an interval of 95 % that does not contain 0. Each row has some sets with some seeds
//! and 400 games a seed; columns are false verdicts on equal sets by the spread between nets, and the
//! power to find 25 Elo where seeds do not matter.

use oplus_arena::{Opponent, SeedEstimate, pool};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[path = "../seeds/simulated.rs"]
mod simulated;

const SETS: usize = 20_000;

fn main() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    println!("| seeds | sets | false, spread 0 | 10 | 30 Elo | 25 Elo found, spread 0 |");
    println!("|---|---|---|---|---|---|");
    for seeds in [2, 3, 5] {
        for sets in [1, 5, 15] {
            let mut share = |spread, lead| {
                let grids = SETS / sets;
                100.0 * simulated::share_found(&mut rng, [sets, seeds], spread, lead, grids)
            };
            let [alike, near, far] = [0.0, 10.0, 30.0].map(|spread| share(spread, 0.0));
            let power = share(0.0, 25.0);
            println!(
                "| {seeds} | {sets} | {alike:.1} % | {near:.1} % | {far:.1} % | {power:.0} % |"
            );
        }
    }
}
