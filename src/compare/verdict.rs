//! Does it pay?

use std::fmt;

use crate::arena::Estimate;

/// More games than anybody will play.
const HOPELESS: f64 = 1e6;

/// What the result at fixed time says of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is stronger in the same time.
    Pays,
    /// It is weaker in the same time.
    DoesNotPay,
    /// The interval holds both.
    Undecided {
        /// So many more games would decide if the value stays; `None` if no
        /// sensible number would.
        more_games: Option<u64>,
    },
    /// Nothing was played at fixed time.
    Unknown,
}

impl Verdict {
    /// From Elo at fixed time after so many games. An interval shrinks with the
    /// root of the games.
    pub fn of(elo: Option<&Estimate>, games: u64) -> Self {
        let Some(elo) = elo else { return Self::Unknown };
        if elo.low > 0.0 {
            Self::Pays
        } else if elo.high < 0.0 {
            Self::DoesNotPay
        } else {
            Self::Undecided { more_games: games_to_decide(elo, games) }
        }
    }
}

/// To whole pairs; `None` if there is no sensible number, as from an interval
/// that is open or centred on 0.
fn games_to_decide(elo: &Estimate, games: u64) -> Option<u64> {
    let needed = games as f64 * (elo.margin() / elo.value.abs()).powi(2);
    let more = needed - games as f64;
    (elo.is_bounded() && more <= HOPELESS).then(|| (more / 2.0).ceil().max(1.0) as u64 * 2)
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pays => f.write_str("pays"),
            Self::DoesNotPay => f.write_str("does not pay"),
            Self::Undecided { more_games: Some(games) } => {
                write!(f, "undecided: {games} more games would tell")
            }
            Self::Undecided { more_games: None } => {
                f.write_str("undecided: no sensible number of games would tell")
            }
            Self::Unknown => f.write_str("not played at fixed time"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_decide() {
        let verdict = |value, margin| Verdict::of(Some(&Estimate::symmetric(value, margin)), 400);
        assert_eq!(verdict(30.0, 20.0), Verdict::Pays);
        assert_eq!(verdict(-30.0, 20.0), Verdict::DoesNotPay);
        // Twice as wide as it should be: four times the games.
        assert_eq!(verdict(10.0, 20.0), Verdict::Undecided { more_games: Some(1200) });
        assert_eq!(verdict(-10.0, 20.0), Verdict::Undecided { more_games: Some(1200) });
        assert_eq!(verdict(0.0, 20.0), Verdict::Undecided { more_games: None });
        assert_eq!(Verdict::of(None, 0), Verdict::Unknown);
        let open = Estimate { value: f64::INFINITY, low: -10.0, high: f64::INFINITY };
        assert_eq!(Verdict::of(Some(&open), 2), Verdict::Undecided { more_games: None });
    }
}
