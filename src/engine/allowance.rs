//! Time allowance of a move.

use std::time::Duration;

use super::lateness::Lateness;
use super::limits::{Clock, Limits};

/// Time for one move: a soft limit for new iterations, and a hard one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// Target for a move of average difficulty; `None` to use the hard limit.
    pub soft: Option<Duration>,
    /// Upper bound for any move.
    pub hard: Duration,
}

/// Moves for which a clock must last while delays exceed its increment.
const MOVES_TO_OUTLAST: u32 = 45;
/// Largest share of a clock that is kept back.
const MOST_KEPT: f64 = 0.95;
/// Shortest time of a search: the first iterations take less.
const LEAST: Duration = Duration::from_micros(500);

impl Allowance {
    /// The allowance within limits at a measured lateness; `None` without a clock.
    pub(crate) fn of(limits: &Limits, lateness: Lateness) -> Option<Self> {
        let fixed = limits.movetime.map(|time| {
            // Otherwise an overhead as long as the time itself would leave nothing to think in.
            let least = (time / 2).max(Duration::from_millis(1));
            Self { soft: None, hard: time.saturating_sub(limits.overhead).max(least) }
        });
        let clock = limits.clock.map(|clock| Self::of_clock(clock, limits.overhead, lateness));
        match (fixed, clock) {
            (Some(fixed), Some(clock)) => {
                Some(Self { soft: clock.soft, hard: clock.hard.min(fixed.hard) })
            }
            (one, other) => one.or(other),
        }
    }

    /// A slice of the remaining time plus most of the increment; on a hard move up to five times
    /// the slice, as far as the reserve allows.
    ///
    /// Delays reduce the increment, by half an overhead at least. Close to the reserve moves come
    /// faster than the increment comes in.
    fn of_clock(clock: Clock, overhead: Duration, lateness: Lateness) -> Self {
        let usable = clock.remaining.saturating_sub(overhead).max(Duration::from_millis(1));
        let reserve = reserve(clock, usable, overhead, lateness);
        let free = usable - reserve;
        let moves = clock.moves_to_go.map_or(21, |moves| moves.clamp(1, 25));
        let ease = (free.as_secs_f64() / reserve.as_secs_f64().max(1e-3)).min(1.0);
        let income = clock.increment.saturating_sub(lateness.usual.max(overhead / 2));
        let slice = free / moves + income.mul_f64(0.9 * ease);
        let most = if moves == 1 { 0.9 } else { 0.35 };
        let hard = (slice * 5).min(free.mul_f64(most)).max(LEAST);
        Self { soft: Some(slice.min(hard)), hard }
    }
}

/// Time kept for late moves: seven overheads, or half of a clock that is shorter than twice that.
/// Measured delays raise it to twice the longest of them and their sum beyond the increment, up to
/// nearly the whole clock.
fn reserve(clock: Clock, usable: Duration, overhead: Duration, lateness: Lateness) -> Duration {
    let moves = clock.moves_to_go.map_or(MOVES_TO_OUTLAST, |moves| moves.min(MOVES_TO_OUTLAST));
    let drain = lateness.usual.saturating_sub(clock.increment) * moves;
    let seen = (lateness.longest * 2 + drain).min(usable.mul_f64(MOST_KEPT));
    seen.max((overhead * 7).min(usable / 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;
    const OVERHEAD: Duration = Duration::from_millis(10);

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Clock {
        Clock { remaining: MS(remaining), increment: MS(increment), moves_to_go }
    }

    fn punctual(clock: Clock) -> Allowance {
        Allowance::of_clock(clock, OVERHEAD, Lateness::default())
    }

    proptest! {
        /// The reserve holds at any lateness.
        #[test]
        fn no_move_takes_of_the_reserve(
            remaining in prop_oneof![0u64..200, 200u64..7_200_000],
            increment in prop_oneof![Just(0u64), 0u64..30_000],
            moves in prop::option::of(0u32..1_000),
            usual in 0u64..1_000,
            longest in 0u64..1_000,
        ) {
            let (clock, left) = (clock(remaining, increment, moves), MS(remaining));
            let lateness = Lateness { usual: MS(usual), longest: MS(longest) };
            let Allowance { soft, hard } = Allowance::of_clock(clock, OVERHEAD, lateness);
            prop_assert!(soft.is_some_and(|soft| soft <= hard));
            let usable = left.saturating_sub(OVERHEAD).max(MS(1));
            let reserve = reserve(clock, usable, OVERHEAD, lateness);
            prop_assert!(hard <= (usable - reserve).max(LEAST), "{hard:?}");
            // Another delay as long as the longest is survived, unless the clock is all but up.
            let survived = hard + MS(longest) <= left || reserve >= usable.mul_f64(MOST_KEPT);
            prop_assert!(survived, "{hard:?} of {left:?}");
        }
    }

    /// A game of any length, each move 5 ms late.
    #[test]
    fn delays_do_not_empty_the_clock() {
        for (time, increment) in [(1_000, 10), (1_000, 20), (2_000, 20), (10_000, 100)] {
            let (mut left, mut least) = (time, time);
            for _ in 0..500 {
                let Allowance { soft, hard } = punctual(clock(left, increment, None));
                let [hard, soft] = [hard, soft.unwrap()].map(|time| time.as_millis() as u64);
                // Every fifth move is a hard one.
                left = left.saturating_sub((hard + 4 * soft) / 5 + 5) + increment;
                least = least.min(left);
            }
            assert!(least > 60, "{time} + {increment}: {least} ms");
        }
    }

    #[test]
    fn overhead_leaves_half_of_a_fixed_time() {
        let hard = |ms: u64| {
            let limits = Limits { overhead: OVERHEAD, ..Limits::movetime(MS(ms)) };
            Allowance::of(&limits, Lateness::default()).map(|allowance| allowance.hard)
        };
        for (time, left) in [(1, 1), (10, 5), (20, 10), (100, 90)] {
            assert_eq!(hard(time), Some(MS(left)), "{time} ms");
        }
    }
}
