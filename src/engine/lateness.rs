//! How late moves come.
//!
//! A clock charges more than a search has planned: a machine with other work takes the processor
//! away for tens of milliseconds, and the way to the clock and back takes its time. What that
//! comes to shows in the clock itself, from one move of a game to the next.

use std::time::{Duration, Instant};

use super::limits::Clock;

/// What moves take beyond their plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lateness {
    /// On average, recent moves above all.
    pub usual: Duration,
    /// At most, as far as it is not long ago.
    pub longest: Duration,
}

/// More is no delay of the machine but an interface that counts in a way of its own.
const LONGEST: Duration = Duration::from_secs(1);

impl Lateness {
    /// Takes in how late a move was.
    fn note(&mut self, late: Duration) {
        let late = late.min(LONGEST);
        self.usual = (self.usual * 7 + late) / 8;
        // Half is forgotten in thirty-five moves.
        self.longest = late.max(self.longest.mul_f64(0.98));
    }
}

/// Holds what moves cost against their plans.
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
    /// How long it took, as far as that was meant.
    meant: Duration,
    /// By how much its search came late to its end.
    overrun: Duration,
}

impl PlannedMove {
    /// How late the move was, as the clock shows it at the next one. Where the clock shows
    /// nothing, because time was added, it is what the search saw itself.
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
    /// How late moves come as far as is known.
    pub(crate) fn known(&self) -> Lateness {
        self.lateness
    }

    /// The same with this clock's lateness of the last move.
    pub(crate) fn at(&mut self, clock: Clock, now: Instant) -> Lateness {
        if let Some(last) = self.last.take() {
            self.lateness.note(last.late(clock, now));
        }
        self.lateness
    }

    /// Takes in a move that began on this clock and was to take no more than `most`.
    pub(crate) fn moved(&mut self, clock: Clock, begun: Instant, most: Duration, now: Instant) {
        let took = now.saturating_duration_since(begun);
        let (meant, overrun) = (took.min(most), took.saturating_sub(most));
        self.last = Some(PlannedMove { clock, begun, meant, overrun });
    }

    /// The next clock is that of another game. How busy the machine is stays known.
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

    /// What is known after a move on 500 ms that was to take 20 ms, took `took` and left `left`.
    fn after(took: u64, left: u64) -> Lateness {
        let begun = Instant::now();
        let mut known = Punctuality::default();
        assert_eq!(known.at(clock(500), begun), Lateness::default());
        known.moved(clock(500), begun, MS(20), begun + MS(took));
        known.at(clock(left), begun + MS(300))
    }

    #[test]
    fn the_clock_tells_how_late_a_move_was() {
        // 12 ms more than the 20 that the search took.
        assert_eq!(after(20, 478).longest, MS(12));
        // The search ended late by itself, and the way to the clock took 2 ms.
        assert_eq!(after(50, 458).longest, MS(32));
        assert_eq!(after(15, 495), Lateness::default());
    }

    #[test]
    fn a_clock_that_tells_nothing_is_not_believed() {
        // Time was added, or the game is another one.
        for left in [5_000, 0] {
            assert_eq!(after(20, left).longest, MS(0), "{left}");
            assert_eq!(after(29, left).longest, MS(9), "{left}");
        }
    }

    #[test]
    fn what_is_long_ago_is_forgotten() {
        let mut lateness = Lateness::default();
        lateness.note(MS(80));
        assert_eq!(lateness, Lateness { usual: MS(10), longest: MS(80) });
        (0..35).for_each(|_| lateness.note(MS(0)));
        assert!(lateness.usual < MS(1) && lateness.longest < MS(40), "{lateness:?}");
        lateness.note(MS(60_000));
        assert_eq!(lateness.longest, LONGEST);
    }

    #[test]
    fn the_next_game_knows_the_machine_and_not_the_clock() {
        let begun = Instant::now();
        let mut known = Punctuality::default();
        known.moved(clock(500), begun, MS(20), begun + MS(60));
        known.new_game();
        assert_eq!(known.at(clock(400), begun + MS(900)).longest, MS(40));
    }
}
