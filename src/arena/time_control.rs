//! Time controls in the notation of match programs.
//!
//! `1+0.02` is a second for the game and 20 ms more for each move, `40/60` a
//! minute for every forty moves, `0.1/move` a tenth of a second for each.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Time for a player's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TimeControl {
    /// No clock: nodes, depth or the player itself decide.
    #[default]
    Untimed,
    /// Time for each move, not saved up.
    PerMove(Duration),
    Clock {
        /// Moves after which the base time is added again; `None` for once only.
        moves: Option<NonZeroU32>,
        base: Duration,
        /// Added for each move.
        increment: Duration,
    },
}

/// A text that is no time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time control; write seconds, as in `1+0.02` (1 s and 20 ms per move), \
     `40/60` (60 s per 40 moves) or `0.1/move`"
)]
pub struct TimeControlError {
    text: String,
}

/// Longer than any game, and far below overflow of durations: 100 days.
const LONGEST_SECONDS: f64 = 8_640_000.0;

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        parse(text.trim()).ok_or_else(|| TimeControlError { text: text.to_owned() })
    }
}

fn parse(text: &str) -> Option<TimeControl> {
    if text == "-" {
        return Some(TimeControl::Untimed);
    }
    if let Some(time) = text.strip_suffix("/move") {
        return Some(TimeControl::PerMove(seconds(time)?)).filter(|control| control.is_playable());
    }
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse().ok()?), rest),
        None => (None, text),
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let control =
        TimeControl::Clock { moves, base: seconds(base)?, increment: seconds(increment)? };
    Some(control).filter(|control| control.is_playable())
}

fn seconds(text: &str) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    (0.0..=LONGEST_SECONDS).contains(&value).then(|| Duration::from_secs_f64(value))
}

impl TimeControl {
    /// Whether a move can have any time.
    fn is_playable(&self) -> bool {
        match *self {
            Self::Untimed => true,
            Self::PerMove(time) => time > Duration::ZERO,
            Self::Clock { base, increment, .. } => base + increment > Duration::ZERO,
        }
    }

    /// Whether a clock runs.
    pub fn is_timed(self) -> bool {
        self != Self::Untimed
    }
}

impl fmt::Display for TimeControl {
    /// As [`TimeControl::from_str`] reads it; `-`, as in PGN, if there is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Untimed => f.write_str("-"),
            Self::PerMove(time) => write!(f, "{}/move", time.as_secs_f64()),
            Self::Clock { moves, base, increment } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}", base.as_secs_f64())?;
                if increment > Duration::ZERO {
                    write!(f, "+{}", increment.as_secs_f64())?;
                }
                Ok(())
            }
        }
    }
}

impl TryFrom<String> for TimeControl {
    type Error = TimeControlError;

    fn try_from(text: String) -> Result<Self, TimeControlError> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> Self {
        control.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn the_usual_notations_are_read() {
        let ms = Duration::from_millis;
        let clock = |moves, base, increment| TimeControl::Clock {
            moves: NonZeroU32::new(moves),
            base: ms(base),
            increment: ms(increment),
        };
        assert_eq!(read("1+0.02"), clock(0, 1_000, 20));
        assert_eq!(read("40/60"), clock(40, 60_000, 0));
        assert_eq!(read("40/2.5+.1"), clock(40, 2_500, 100));
        assert_eq!(read("0+1"), clock(0, 0, 1_000));
        assert_eq!(read("0.01/move"), TimeControl::PerMove(ms(10)));
        assert_eq!(read("-"), TimeControl::Untimed);
    }

    #[test]
    fn invalid_notations_are_refused() {
        for text in ["", "0", "0/move", "0/60", "1+", "-1", "nan", "inf", "1e300", "x/1", "1+-1"] {
            let error = text.parse::<TimeControl>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("`{text}` is not")), "{error}");
        }
    }

    proptest! {
        #[test]
        fn time_controls_read_back(
            moves in 0u32..100,
            base in 1u64..100_000,
            increment in 0u64..10_000,
            per_move: bool,
        ) {
            let base = Duration::from_millis(base);
            let control = if per_move {
                TimeControl::PerMove(base)
            } else {
                let increment = Duration::from_millis(increment);
                TimeControl::Clock { moves: NonZeroU32::new(moves), base, increment }
            };
            prop_assert_eq!(read(&control.to_string()), control);
        }

        #[test]
        fn any_text_is_answered(text: String) {
            let _ = text.parse::<TimeControl>();
        }
    }
}
