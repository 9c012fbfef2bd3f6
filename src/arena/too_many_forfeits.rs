//! Forfeits that invalidate a result.

use std::fmt;

/// Largest share of forfeits in a valid result: at 1 % forfeits can move a result by three or four
/// Elo, and the forfeiting player need not be the weaker one.
const MOST_FORFEITS: f64 = 0.01;

/// More forfeits than a valid result allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyForfeits {
    /// Games forfeited by either player.
    pub forfeits: u64,
    pub games: u64,
}

impl TooManyForfeits {
    /// `None` if no more than 1 % of the games were forfeited.
    pub fn of(forfeits: u64, games: u64) -> Option<Self> {
        (forfeits as f64 > MOST_FORFEITS * games as f64).then_some(Self { forfeits, games })
    }
}

impl fmt::Display for TooManyForfeits {
    /// `13 of 40 games were forfeited (more than 1 %)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { forfeits, games } = self;
        let were = if *forfeits == 1 { "was" } else { "were" };
        let most = 100.0 * MOST_FORFEITS;
        write!(f, "{forfeits} of {games} games {were} forfeited (more than {most} %)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_one_in_a_hundred_is_too_many() {
        assert_eq!(TooManyForfeits::of(0, 0), None);
        assert_eq!(TooManyForfeits::of(4, 400), None);
        let text = "13 of 40 games were forfeited (more than 1 %)";
        assert_eq!(TooManyForfeits::of(13, 40).unwrap().to_string(), text);
        assert_eq!(TooManyForfeits::of(5, 400), Some(TooManyForfeits { forfeits: 5, games: 400 }));
    }
}
