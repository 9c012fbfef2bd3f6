//! Number of random moves in an opening.

use std::fmt;
use std::str::FromStr;

use rand::Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::switch::{read_worded, write_worded};

/// Number of random moves in an opening: fixed, or uniform from the least to the most. In files, a
/// number stands without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomPlies {
    least: u32,
    most: u32,
}

/// A text that is no number of random moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a range of random plies; write LEAST-MOST such as 6-9, or one number, \
     from 1 to {MOST_PLIES}: beyond that most games are over"
)]
pub struct RandomPliesError(String);

const MOST_PLIES: u32 = 100;

impl RandomPlies {
    /// Default of games.
    pub const USUAL: Self = Self::exactly(8);

    /// A fixed number.
    pub const fn exactly(plies: u32) -> Self {
        Self { least: plies, most: plies }
    }

    /// Uniform from the least to the most.
    pub const fn between(least: u32, most: u32) -> Self {
        Self { least, most }
    }

    /// A number from the range. A fixed one leaves the generator as it is.
    pub(super) fn draw(self, rng: &mut impl Rng) -> u32 {
        match self {
            Self { least, most } if least == most => least,
            Self { least, most } => rng.random_range(least..=most),
        }
    }
}

impl FromStr for RandomPlies {
    type Err = RandomPliesError;

    /// `6-9`, or `8` alone.
    fn from_str(text: &str) -> Result<Self, RandomPliesError> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let (least, most) = text.split_once('-').unwrap_or((text, text));
        match (number(least), number(most)) {
            (Some(least), Some(most)) if 1 <= least && least <= most && most <= MOST_PLIES => {
                Ok(Self { least, most })
            }
            _ => Err(RandomPliesError(text.to_owned())),
        }
    }
}

impl fmt::Display for RandomPlies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { least, most } if least == most => write!(f, "{least}"),
            Self { least, most } => write!(f, "{least}-{most}"),
        }
    }
}

impl Serialize for RandomPlies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_worded(self, serializer)
    }
}

impl<'de> Deserialize<'de> for RandomPlies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_worded(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_shown_as_they_are_read_and_empty_ones_refused() {
        for text in ["6-9", "8", "1-100"] {
            assert_eq!(text.parse::<RandomPlies>().unwrap().to_string(), text);
        }
        for nonsense in ["9-6", "0", "0-4", "8-101", "-", "6-", "", "six"] {
            assert!(nonsense.parse::<RandomPlies>().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn files_hold_numbers_and_ranges() {
        for (written, plies) in
            [("8", RandomPlies::exactly(8)), ("\"6-9\"", RandomPlies::between(6, 9))]
        {
            assert_eq!(serde_json::from_str::<RandomPlies>(written).unwrap(), plies);
            assert_eq!(serde_json::to_string(&plies).unwrap(), written);
        }
        assert_eq!(serde_json::from_str::<RandomPlies>("\"8\"").unwrap(), RandomPlies::exactly(8));
        assert!(serde_json::from_str::<RandomPlies>("-8").is_err());
    }
}
