//! The referee's clock of one player.
//!
//! The rules are those of fastchess, so that results compare: a game begins with base time and one
//! increment, and the time of each move is subtracted. A player below zero by more than the margin
//! has lost; one within the margin goes on from zero. The margin covers a busy machine, and players
//! do not see it.

use std::time::Duration;

use super::time_control::TimeControl;

#[derive(Clone, Copy, Debug)]
pub struct GameClock {
    control: TimeControl,
    margin: Duration,
    /// Time left for this move; meaningless without a clock.
    left: Duration,
    /// Moves until the base time is added again.
    moves_to_go: Option<u32>,
}

/// The flag fell: the player has used more time than it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagFell;

impl GameClock {
    /// A clock before the first move.
    pub fn new(control: TimeControl, margin: Duration) -> Self {
        let (left, moves_to_go) = match control {
            TimeControl::Untimed => (Duration::ZERO, None),
            TimeControl::PerMove(time) => (time, None),
            TimeControl::Clock { moves, base, increment } => {
                (base + increment, moves.map(|moves| moves.get()))
            }
        };
        Self { control, margin, left, moves_to_go }
    }

    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// The fixed time for each move; `None` for other time controls.
    pub fn per_move(&self) -> Option<Duration> {
        match self.control {
            TimeControl::PerMove(time) => Some(time),
            TimeControl::Untimed | TimeControl::Clock { .. } => None,
        }
    }

    /// The chess clock as the player sees it; `None` without one.
    pub fn reading(&self) -> Option<engine::Clock> {
        match self.control {
            TimeControl::Clock { increment, .. } => Some(engine::Clock {
                remaining: self.left,
                increment,
                moves_to_go: self.moves_to_go,
            }),
            TimeControl::Untimed | TimeControl::PerMove(_) => None,
        }
    }

    /// Time after which the next move is too late; `None` without a clock.
    pub fn latest(&self) -> Option<Duration> {
        self.control.is_timed().then_some(self.left + self.margin)
    }

    /// Ends a move that took `elapsed`.
    pub fn press(&mut self, elapsed: Duration) -> Result<(), FlagFell> {
        if self.latest().is_some_and(|latest| elapsed > latest) {
            return Err(FlagFell);
        }
        if let TimeControl::Clock { moves, base, increment } = self.control {
            self.left = self.left.saturating_sub(elapsed) + increment;
            self.moves_to_go = self.moves_to_go.map(|moves| moves - 1);
            if let (Some(0), Some(moves)) = (self.moves_to_go, moves) {
                self.left += base;
                self.moves_to_go = Some(moves.get());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(control: &str, margin: u64) -> GameClock {
        GameClock::new(control.parse().unwrap(), MS(margin))
    }

    fn left(clock: &GameClock) -> Duration {
        clock.reading().unwrap().remaining
    }

    #[test]
    fn time_runs_and_increments_are_added() {
        let mut clock = clock("1+0.02", 0);
        assert_eq!(left(&clock), MS(1_020));
        clock.press(MS(300)).unwrap();
        assert_eq!(left(&clock), MS(740));
        clock.press(MS(740)).unwrap();
        assert_eq!(left(&clock), MS(20));
        assert_eq!(clock.press(MS(21)), Err(FlagFell));
    }

    #[test]
    fn the_margin_adds_no_time() {
        let mut clock = clock("1+0.02", 50);
        clock.press(MS(1_070)).unwrap();
        assert_eq!(left(&clock), MS(20));
        assert_eq!(clock.press(MS(71)), Err(FlagFell));
    }

    #[test]
    fn the_base_time_comes_anew() {
        let mut clock = clock("3/1", 0);
        let to_go = |clock: &GameClock| clock.reading().unwrap().moves_to_go;
        assert_eq!(to_go(&clock), Some(3));
        for expected in [2, 1] {
            clock.press(MS(100)).unwrap();
            assert_eq!(to_go(&clock), Some(expected));
        }
        clock.press(MS(100)).unwrap();
        assert_eq!((to_go(&clock), left(&clock)), (Some(3), MS(1_700)));
    }

    #[test]
    fn a_fixed_time_is_the_same_for_every_move() {
        let mut clock = clock("0.01/move", 5);
        assert_eq!((clock.per_move(), clock.reading()), (Some(MS(10)), None));
        for _ in 0..3 {
            clock.press(MS(15)).unwrap();
        }
        assert_eq!(clock.press(MS(16)), Err(FlagFell));
    }

    #[test]
    fn without_a_clock_no_flag_falls() {
        let mut clock = clock("-", 0);
        assert_eq!((clock.latest(), clock.reading(), clock.per_move()), (None, None, None));
        clock.press(MS(1_000_000)).unwrap();
    }
}
