//! Lateness of moves.
//!
//! A clock charges more than a search has planned: a machine with other work takes the processor
//! away for tens of milliseconds, and the protocol takes its time. The clock shows the sum from one
//! move of a game to the next.

use std::time::{Duration, Instant};

use super::limits::Clock;

/// Time of moves beyond their plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lateness {
    /// Average, mostly of recent moves.
    pub usual: Duration,
    /// Largest, falling with its age.
    pub longest: Duration,
}

/// A longer delay is not the machine's: the interface counts time in another way.
const LONGEST: Duration = Duration::from_secs(1);

impl Lateness {
    /// Adds the lateness of a move.
    fn note(&mut self, late: Duration) {
        let late = late.min(LONGEST);
        self.usual = (self.usual * 7 + late) / 8;
        // It halves in thirty-five moves.
        self.longest = late.max(self.longest.mul_f64(0.98));
    }
}

/// Compares the time of moves with their plans.
#[derive(Clone, Debug, Default)]
pub(crate) struct Punctuality {
    lateness: Lateness,
    last: Option<PlannedMove>,
}

/// A move that was made on a clock.
#[derive(Clone, Copy, Debug)]
struct PlannedMove {
    clock: Clock,
    begun: Instant,
    /// Planned time, or the time taken if less.
    meant: Duration,
    /// Time by which its search ended late.
    overrun: Duration,
}

impl PlannedMove {
    /// Lateness of the move, from the clock at the next one. Where time was added, so that the
    /// clock shows nothing, it is the overrun of the search.
    fn late(&self, next: Clock, now: Instant) -> Duration {
        let before = self.clock.remaining + self.clock.increment;
        let charged = before.saturating_sub(next.remaining);
        // A clock of another game shows nothing either: no move costs more than has passed.
        let passed = now.saturating_duration_since(self.begun);
        match charged <= passed {
            true => charged.saturating_sub(self.meant).max(self.overrun),
            false => self.overrun,
        }
    }
}

impl Punctuality {
    /// Lateness so far.
    pub(crate) fn known(&self) -> Lateness {
        self.lateness
    }

    /// The same with the last move's lateness on this clock.
    pub(crate) fn at(&mut self, clock: Clock, now: Instant) -> Lateness {
        if let Some(last) = self.last.take() {
            self.lateness.note(last.late(clock, now));
        }
        self.lateness
    }

    /// Adds a move that began on this clock with a limit of `most`.
    pub(crate) fn moved(&mut self, clock: Clock, begun: Instant, most: Duration, now: Instant) {
        let took = now.saturating_duration_since(begun);
        let (meant, overrun) = (took.min(most), took.saturating_sub(most));
        self.last = Some(PlannedMove { clock, begun, meant, overrun });
    }

    /// The next clock is that of another game; the lateness of the machine is kept.
    pub(crate) fn new_game(&mut self) {
        if let Some(last) = self.last.take() {
            self.lateness.note(last.overrun);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(remaining: u64) -> Clock {
        Clock { remaining: MS(remaining), increment: MS(10), moves_to_go: None }
    }

    /// Lateness after a move on 500 ms with a limit of 20 ms that took `took` and left `left`.
    fn after(took: u64, left: u64) -> Lateness {
        let begun = Instant::now();
        let mut known = Punctuality::default();
        assert_eq!(known.at(clock(500), begun), Lateness::default());
        known.moved(clock(500), begun, MS(20), begun + MS(took));
        known.at(clock(left), begun + MS(300))
    }

    #[test]
    fn the_clock_shows_how_late_a_move_was() {
        // 12 ms more than the 20 that the search took.
        assert_eq!(after(20, 478).longest, MS(12));
        // The search ended late by itself, and the way to the clock took 2 ms.
        assert_eq!(after(50, 458).longest, MS(32));
        assert_eq!(after(15, 495), Lateness::default());
    }

    #[test]
    fn a_clock_that_cannot_be_right_is_ignored() {
        // Time was added, or the game is another one.
        for left in [5_000, 0] {
            assert_eq!(after(20, left).longest, MS(0), "{left}");
            assert_eq!(after(29, left).longest, MS(9), "{left}");
        }
    }

    #[test]
    fn old_delays_fade() {
        let mut lateness = Lateness::default();
        lateness.note(MS(80));
        assert_eq!(lateness, Lateness { usual: MS(10), longest: MS(80) });
        (0..35).for_each(|_| lateness.note(MS(0)));
        assert!(lateness.usual < MS(1) && lateness.longest < MS(40), "{lateness:?}");
        lateness.note(MS(60_000));
        assert_eq!(lateness.longest, LONGEST);
    }

    #[test]
    fn lateness_persists_to_the_next_game() {
        let begun = Instant::now();
        let mut known = Punctuality::default();
        known.moved(clock(500), begun, MS(20), begun + MS(60));
        known.new_game();
        assert_eq!(known.at(clock(400), begun + MS(900)).longest, MS(40));
    }
}
