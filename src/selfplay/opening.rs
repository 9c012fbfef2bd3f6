//! Random balanced openings.

use std::fmt;
use std::str::FromStr;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use chess::{GameMove, Key, Position};

/// How many random moves open a game: any number from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RandomPlies {
    least: u32,
    most: u32,
}

/// A text that is no number of random moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no range of random plies; write LEAST-MOST such as 6-9, or one number, \
     from 1 to {MOST_PLIES}"
)]
pub struct RandomPliesError(String);

/// More moves leave nothing of the opening.
const MOST_PLIES: u32 = 100;

impl Default for RandomPlies {
    fn default() -> Self {
        Self { least: 6, most: 9 }
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

impl TryFrom<String> for RandomPlies {
    type Error = RandomPliesError;

    fn try_from(text: String) -> Result<Self, RandomPliesError> {
        text.parse()
    }
}

impl From<RandomPlies> for String {
    fn from(plies: RandomPlies) -> Self {
        plies.to_string()
    }
}

/// Random moves from the start position.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The moves; nobody has judged the positions before them.
    pub moves: Vec<GameMove>,
    /// Where the players take over.
    pub position: Position,
    /// Keys of the positions before, oldest first.
    pub history: Vec<Key>,
}

/// Plays a random number of random legal moves from the start position.
/// `None` if the game ended on the way.
pub fn random(rng: &mut ChaCha8Rng, plies: RandomPlies) -> Option<Opening> {
    let plies = rng.random_range(plies.least..=plies.most);
    let mut position = Position::default();
    let (mut moves, mut history) = (Vec::new(), Vec::new());
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return None;
        }
        let played = legal[rng.random_range(0..legal.len())];
        moves.push(GameMove { played, white_score: None });
        history.push(position.key());
        position.play(played);
    }
    position.end().is_none().then_some(Opening { moves, position, history })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn openings_have_the_plies_asked_for_and_differ() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let openings: Vec<Opening> =
            (0..200).filter_map(|_| random(&mut rng, RandomPlies::default())).collect();
        let mut plies: Vec<u32> = openings.iter().map(|opening| opening.position.ply()).collect();
        plies.sort_unstable();
        plies.dedup();
        assert_eq!(plies, [6, 7, 8, 9]);
        let mut keys: Vec<Key> = openings.iter().map(|opening| opening.position.key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert!(keys.len() > 190, "{}", keys.len());
    }

    #[test]
    fn ranges_are_told_as_they_are_read_and_empty_ones_refused() {
        for text in ["6-9", "8", "1-100"] {
            assert_eq!(text.parse::<RandomPlies>().unwrap().to_string(), text);
        }
        for nonsense in ["9-6", "0", "0-4", "8-101", "-", "6-", "", "six"] {
            assert!(nonsense.parse::<RandomPlies>().is_err(), "{nonsense}");
        }
    }
}
