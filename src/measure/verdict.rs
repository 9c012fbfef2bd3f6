//! Does it pay?

use std::fmt;

use crate::NodeTimes;
use arena::{Pentanomial, TooManyForfeits};
use base::Estimate;
use report::Mark;

/// Most games that a remedy proposes.
const HOPELESS: f64 = 1e6;

/// Elo of twice the nodes, assumed where the experiment does not measure it; it widens intervals only.
const USUAL_DOUBLING: f64 = 120.0;

/// Elo over the reference under one limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Score {
    /// Over all seeds.
    pub elo: Estimate,
    /// Finished pairs of all seeds.
    pub pairs: Pentanomial,
    /// Half width that remains with any number of games.
    pub seed_margin: f64,
    /// Forfeits, if they are too many for a verdict.
    pub too_many_forfeits: Option<TooManyForfeits>,
}

impl Score {
    pub(crate) fn games(&self) -> u64 {
        2 * self.pairs.pairs()
    }

    /// With the error of the timing that gave out the nodes: a node that takes longer than it was
    /// timed has won games with time that it does not have.
    pub(crate) fn with_error_of(self, times: &NodeTimes, doubling: Option<&Self>) -> Self {
        let ratio = times.ratio();
        if !ratio.is_bounded() {
            return Self { elo: Estimate::of_unknown_spread(self.elo.value), ..self };
        }
        let doublings = (ratio.high / ratio.low).log2() / 2.0;
        let per_doubling = doubling.map_or(USUAL_DOUBLING, |score| score.elo.value.abs());
        let (down, up) = (self.elo.value - self.elo.low, self.elo.high - self.elo.value);
        let widened = |margin: f64| margin.hypot(doublings * per_doubling);
        let (value, low, high) =
            (self.elo.value, self.elo.value - widened(down), self.elo.value + widened(up));
        match self.elo.is_bounded() {
            true => Self { elo: Estimate::new(value, low, high), ..self },
            false => self,
        }
    }
}

/// Verdict on a set from its result at equal time or on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is stronger in the same time.
    Pays,
    /// It is weaker in the same time.
    DoesNotPay,
    /// The interval holds both.
    Undecided(Remedy),
    /// Too many of the games were lost otherwise than by chess.
    Withheld(TooManyForfeits),
    /// Nothing was played at equal time or on the clock.
    Unknown,
}

/// Remedy for an open verdict, if the value stays where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    MoreGames(u64),
    /// The nets of different seeds lie too far apart for any number of games.
    MoreSeeds,
    /// Too few games for an estimate of the number.
    FarMoreGames,
    /// Too close to 0 for any practical number of games.
    Nothing,
}

impl Verdict {
    /// Remedy for games that are lost on the clock.
    pub const REMEDY: &str = "play them anew on a quieter machine, with fewer games at once \
                              (--time-concurrency) or more time a move: `oplus runs rm KEY` removes \
                              their result";

    /// From a result at equal time or on the clock.
    pub(crate) fn of(score: Option<&Score>) -> Self {
        match score {
            None => Self::Unknown,
            Some(Score { too_many_forfeits: Some(forfeits), .. }) => Self::Withheld(*forfeits),
            Some(score) if score.elo.low > 0.0 => Self::Pays,
            Some(score) if score.elo.high < 0.0 => Self::DoesNotPay,
            Some(score) => Self::Undecided(Remedy::of(score)),
        }
    }

    /// Better, worse, not separable, or no verdict.
    pub fn mark(&self) -> Mark {
        match self {
            Self::Pays => Mark::Better,
            Self::DoesNotPay => Mark::Worse,
            Self::Undecided(_) => Mark::NotSeparable,
            Self::Withheld(_) | Self::Unknown => Mark::NoVerdict,
        }
    }
}

impl Remedy {
    /// The part of the interval that games make shrinks with their root, the
    /// part that seeds make does not.
    fn of(score: &Score) -> Self {
        let Score { elo, seed_margin, .. } = score;
        if !elo.is_bounded() {
            return Self::FarMoreGames;
        }
        let (lead, games) = (elo.value.abs(), score.games() as f64);
        let towards_zero = if elo.value > 0.0 { elo.value - elo.low } else { elo.high - elo.value };
        if lead <= *seed_margin {
            return if *seed_margin > 0.0 { Self::MoreSeeds } else { Self::Nothing };
        }
        let of_games = towards_zero.powi(2) - seed_margin.powi(2);
        let more = games * of_games / (lead.powi(2) - seed_margin.powi(2)) - games;
        match more <= HOPELESS {
            true => Self::MoreGames((more / 2.0).ceil().max(1.0) as u64 * 2),
            false => Self::Nothing,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pays => f.write_str("pays"),
            Self::DoesNotPay => f.write_str("does not pay"),
            Self::Undecided(remedy) => write!(f, "undecided, {remedy}"),
            Self::Withheld(forfeits) => write!(f, "no verdict, since {forfeits}"),
            Self::Unknown => f.write_str("not played at equal time"),
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoreGames(games) => write!(f, "{games} more games would tell"),
            Self::MoreSeeds => f.write_str("its seeds lie too far apart, more of them would tell"),
            Self::FarMoreGames => f.write_str("far too few games"),
            Self::Nothing => f.write_str("too close to tell"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(value: f64, margin: f64, seed_margin: f64) -> Verdict {
        let elo = Estimate::symmetric(value, margin);
        let pairs = Pentanomial { counts: [0, 0, 200, 0, 0] };
        Verdict::of(Some(&Score { elo, pairs, seed_margin, too_many_forfeits: None }))
    }

    #[test]
    fn games_lost_on_the_clock_leave_no_verdict() {
        let pairs = Pentanomial { counts: [0, 0, 0, 0, 20] };
        let elo = Estimate::symmetric(200.0, 10.0);
        let of = |forfeits| {
            let too_many_forfeits = TooManyForfeits::of(forfeits, 40);
            Verdict::of(Some(&Score { elo, pairs, seed_margin: 0.0, too_many_forfeits }))
        };
        assert_eq!(of(0), Verdict::Pays);
        let text = of(13).to_string();
        assert!(text.starts_with("no verdict, since 13 of 40 games"), "{text}");
        assert_eq!(of(13).mark(), Mark::NoVerdict);
    }

    #[test]
    fn intervals_decide() {
        use Remedy::{FarMoreGames, MoreGames, MoreSeeds, Nothing};
        assert_eq!(verdict(30.0, 20.0, 0.0), Verdict::Pays);
        assert_eq!(verdict(-30.0, 20.0, 0.0), Verdict::DoesNotPay);
        // Twice as wide as it should be: four times the games.
        assert_eq!(verdict(10.0, 20.0, 0.0), Verdict::Undecided(MoreGames(1200)));
        assert_eq!(verdict(-10.0, 20.0, 0.0), Verdict::Undecided(MoreGames(1200)));
        // Seeds alone make 8 of the 20: (400 − 64) / (100 − 64) times the games.
        assert_eq!(verdict(10.0, 20.0, 8.0), Verdict::Undecided(MoreGames(3334)));
        assert_eq!(verdict(10.0, 20.0, 12.0), Verdict::Undecided(MoreSeeds));
        assert_eq!(verdict(0.0, 20.0, 0.0), Verdict::Undecided(Nothing));
        assert_eq!(verdict(0.1, 20.0, 0.0), Verdict::Undecided(Nothing));
        assert_eq!(verdict(9.0, f64::INFINITY, 0.0), Verdict::Undecided(FarMoreGames));
        assert_eq!(Verdict::of(None), Verdict::Unknown);
    }
}
