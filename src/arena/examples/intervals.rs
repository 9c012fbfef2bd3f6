//! Verdicts of simulated grids: `cargo run --release --package oplus-arena --example intervals`.
//!
//! A verdict is an interval of 95 % that does not contain 0. Each row has some sets with some seeds
//! and 400 games a seed; columns are false verdicts on equal sets by the spread between nets, and the
//! power to find 25 Elo where seeds do not matter; with the null, the reference's nets play each other.

use oplus_arena::{NullEstimate, Opponent, SeedEstimate, pool};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[path = "../seeds/simulated.rs"]
mod simulated;

const SETS: usize = 20_000;

fn main() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    println!("| seeds | sets | null | false, spread 0 | 10 | 30 Elo | 25 Elo found, spread 0 |");
    println!("|---|---|---|---|---|---|---|");
    for (seeds, null) in [(2, false), (3, false), (3, true), (5, false), (5, true)] {
        for sets in [1, 5, 15] {
            let plan = simulated::Plan { sets, seeds, null };
            let mut share = |spread, lead| {
                100.0 * simulated::share_found(&mut rng, plan, spread, lead, SETS / sets)
            };
            let [alike, near, far] = [0.0, 10.0, 30.0].map(|spread| share(spread, 0.0));
            let power = share(0.0, 25.0);
            let null = if null { "yes" } else { "no" };
            println!(
                "| {seeds} | {sets} | {null} | {alike:.1} % | {near:.1} % | {far:.1} % | {power:.0} % |"
            );
        }
    }
}
