//! Does it pay?

use std::fmt;

use crate::NodeTimes;
use statrs::function::erf::erfc;

use arena::{Pentanomial, TooManyForfeits};
use base::Estimate;
use base::estimate::Z95;
use base::format::grouped;
use report::Mark;

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
    /// Looks at the games that the experiment allows.
    pub looks: Looks,
}

/// Looks at the verdict of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Looks {
    /// One, after all games.
    #[default]
    One,
    /// Any number while games are added, up to the planned ones.
    Many {
        /// Share of the planned games.
        played: f64,
    },
}

impl Score {
    pub(crate) fn games(&self) -> u64 {
        2 * self.pairs.pairs()
    }

    /// With the error of the timing that gave out the nodes: a node that takes longer than it was
    /// timed has won games with time that it does not have.
    pub(crate) fn with_error_of(self, times: &NodeTimes, doubling: Option<&Self>) -> Self {
        Self { elo: with_timing_error(self.elo, times, doubling), ..self }
    }
}

/// An Elo with the error of the timing that gave out the nodes.
pub(crate) fn with_timing_error(
    elo: Estimate,
    times: &NodeTimes,
    doubling: Option<&Score>,
) -> Estimate {
    let ratio = times.ratio();
    if !ratio.is_bounded() {
        return Estimate::of_unknown_spread(elo.value);
    }
    if !elo.is_bounded() {
        return elo;
    }
    let doublings = (ratio.high / ratio.low).log2() / 2.0;
    let per_doubling = doubling.map_or(USUAL_DOUBLING, |score| score.elo.value.abs());
    let widened = |margin: f64| margin.hypot(doublings * per_doubling);
    let (down, up) = (widened(elo.value - elo.low), widened(elo.high - elo.value));
    Estimate::new(elo.value, elo.value - down, elo.value + up)
}

/// Verdict on a set from its result at equal time or on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is stronger in the same time.
    Pays,
    /// It is weaker in the same time.
    DoesNotPay,
    /// The interval contains both.
    Undecided(Remedy),
    /// Too many of the games were lost otherwise than by chess.
    Withheld(TooManyForfeits),
    /// Nothing was played at equal time or on the clock.
    Unknown,
}

/// Remedy for an open verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// More games of the same nets, and the chance, in per cent, that they decide.
    MoreGames { games: u64, chance: u8 },
    /// The nets of different seeds lie too far apart for any number of games.
    MoreSeeds,
    /// Too few games for an estimate of the number.
    FarMoreGames,
    /// Too close to 0: not even these games are likely to decide.
    Nothing { games: u64, chance: u8 },
}

impl Verdict {
    /// Remedy for games that are lost on the clock.
    pub const REMEDY: &str = "play them again on an idle machine, with fewer simultaneous games \
                              (--time-concurrency) or more time per move: `oplus runs rm KEY` removes \
                              their result";

    /// From a result at equal time or on the clock.
    pub(crate) fn of(score: Option<&Score>) -> Self {
        match score {
            None => Self::Unknown,
            Some(Score { too_many_forfeits: Some(forfeits), .. }) => Self::Withheld(*forfeits),
            Some(score) if score.clears_zero() && score.elo.value > 0.0 => Self::Pays,
            Some(score) if score.clears_zero() => Self::DoesNotPay,
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

/// Games that are tried as remedies, in multiples of those that were played.
const MULTIPLES: [u64; 4] = [1, 3, 9, 29];

/// Least chance of a decision, in per cent, of a remedy.
const LIKELY: u8 = 50;

impl Remedy {
    fn of(score: &Score) -> Self {
        if !score.elo.is_bounded() {
            return Self::FarMoreGames;
        }
        let remedies = MULTIPLES.map(|times| {
            let games = times * score.games();
            Self::MoreGames { games, chance: chance_to_decide(score, games) }
        });
        let is_likely =
            |remedy: &Self| matches!(remedy, Self::MoreGames { chance, .. } if *chance >= LIKELY);
        match remedies.iter().find(|remedy| is_likely(remedy)) {
            Some(remedy) => *remedy,
            None if score.seeds_dominate() => Self::MoreSeeds,
            None => Self::Nothing {
                games: MULTIPLES[3] * score.games(),
                chance: chance_to_decide(score, MULTIPLES[3] * score.games()),
            },
        }
    }
}

/// Bound of a Brownian motion on [0, 1] that stays within it with a probability of 95 %: looks at
/// any share of the planned games have that error together (P. O'Brien, T. Fleming, 1979, in
/// continuous time; 2 P(|Z| > bound) = 5 %).
const BOUND: f64 = 2.241_402_727_604_947;

impl Score {
    /// Whether the interval excludes 0; before all planned games are played, one whose part from the
    /// games is as much wider as the looks in between need.
    fn clears_zero(&self) -> bool {
        let elo = self.elo;
        if self.looks_factor() == 1.0 || !elo.is_bounded() {
            return elo.low > 0.0 || elo.high < 0.0;
        }
        elo.value.abs() > self.margin_needed(self.game_variance())
    }

    /// Half width of the interval that decides, with a variance of the games.
    fn margin_needed(&self, of_games: f64) -> f64 {
        (self.seed_margin.powi(2) + of_games * self.looks_factor().powi(2)).sqrt()
    }

    /// Factor of the games' part of the interval that looks before the end need.
    fn looks_factor(&self) -> f64 {
        match self.looks {
            Looks::One => 1.0,
            Looks::Many { played } => BOUND / (Z95 * played.sqrt()),
        }
    }

    /// Half width of the interval that the games alone leave, squared.
    fn game_variance(&self) -> f64 {
        (self.elo.margin().powi(2) - self.seed_margin.powi(2)).max(0.0)
    }

    /// Whether the spread between seeds makes most of the interval.
    fn seeds_dominate(&self) -> bool {
        self.seed_margin.powi(2) > self.game_variance()
    }
}

/// Chance, in per cent, that the interval excludes 0 after `more` games of the same nets: the
/// predictive probability with a flat prior for the lead of these nets. The mean of all games is
/// normal around today's, with the variance that today's games have and all games will not have.
fn chance_to_decide(score: &Score, more: u64) -> u8 {
    let kept = score.games() as f64 / (score.games() + more) as f64;
    let of_games = score.game_variance();
    let looks = match score.looks {
        Looks::One => Looks::One,
        Looks::Many { played } => Looks::Many { played: (played / kept).min(1.0) },
    };
    let margin = Score { looks, ..*score }.margin_needed(of_games * kept);
    let deviation = (of_games * (1.0 - kept)).sqrt() / Z95;
    let above = |bound: f64, mean: f64| match deviation > 0.0 {
        true => erfc((bound - mean) / (deviation * std::f64::consts::SQRT_2)) / 2.0,
        false => 0.0,
    };
    let chance = above(margin, score.elo.value) + above(margin, -score.elo.value);
    (100.0 * chance).round() as u8
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pays => f.write_str("pays"),
            Self::DoesNotPay => f.write_str("does not pay"),
            Self::Undecided(remedy) => write!(f, "undecided, {remedy}"),
            Self::Withheld(forfeits) => write!(f, "no verdict: {forfeits}"),
            Self::Unknown => f.write_str("not played at equal time"),
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoreGames { games, chance } => {
                write!(f, "{} more games decide with a probability of {chance} %", grouped(*games))
            }
            Self::MoreSeeds => {
                f.write_str("spread between seeds too large: more seeds, not more games")
            }
            Self::FarMoreGames => f.write_str("far too few games"),
            Self::Nothing { games, chance } => {
                write!(
                    f,
                    "too close: {} more games decide with a probability of only {chance} %",
                    grouped(*games)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(value: f64, margin: f64, seed_margin: f64) -> Verdict {
        let elo = Estimate::symmetric(value, margin);
        let pairs = Pentanomial { counts: [0, 0, 200, 0, 0] };
        Verdict::of(Some(&Score {
            elo,
            pairs,
            seed_margin,
            too_many_forfeits: None,
            looks: Looks::One,
        }))
    }

    #[test]
    fn games_lost_on_the_clock_leave_no_verdict() {
        let pairs = Pentanomial { counts: [0, 0, 0, 0, 20] };
        let elo = Estimate::symmetric(200.0, 10.0);
        let of = |forfeits| {
            let too_many_forfeits = TooManyForfeits::of(forfeits, 40);
            Verdict::of(Some(&Score {
                elo,
                pairs,
                seed_margin: 0.0,
                too_many_forfeits,
                looks: Looks::One,
            }))
        };
        assert_eq!(of(0), Verdict::Pays);
        let text = of(13).to_string();
        assert!(text.starts_with("no verdict: 13 of 40 games"), "{text}");
        assert_eq!(of(13).mark(), Mark::NoVerdict);
    }

    #[test]
    fn intervals_decide() {
        assert_eq!(verdict(30.0, 20.0, 0.0), Verdict::Pays);
        assert_eq!(verdict(-30.0, 20.0, 0.0), Verdict::DoesNotPay);
        let far = Verdict::Undecided(Remedy::FarMoreGames);
        assert_eq!(verdict(9.0, f64::INFINITY, 0.0), far);
        assert_eq!(Verdict::of(None), Verdict::Unknown);
    }

    /// As many games again, from half of a clear lead: N(10, (20 / 1.96)² / 2) beyond 20 / √2.
    #[test]
    fn remedies_say_how_likely_they_are() {
        let remedy = |value, margin, seeds| match verdict(value, margin, seeds) {
            Verdict::Undecided(remedy) => remedy,
            decided => panic!("{decided}"),
        };
        let score = |value, margin| {
            let pairs = Pentanomial { counts: [0, 0, 200, 0, 0] };
            let elo = Estimate::symmetric(value, margin);
            Score { elo, pairs, seed_margin: 0.0, too_many_forfeits: None, looks: Looks::One }
        };
        assert_eq!(chance_to_decide(&score(10.0, 20.0), 400), 28);
        assert_eq!(chance_to_decide(&score(-10.0, 20.0), 400), 28);
        assert_eq!(chance_to_decide(&score(10.0, 20.0), 0), 0);
        assert_eq!(remedy(19.0, 20.0, 0.0), Remedy::MoreGames { games: 400, chance: 75 });
        let Remedy::MoreGames { games, chance } = remedy(10.0, 20.0, 0.0) else { panic!() };
        assert!(games > 400 && chance >= LIKELY, "{games} {chance}");
        assert_eq!(remedy(-10.0, 20.0, 0.0), remedy(10.0, 20.0, 0.0));
        // Seeds alone make 16 of the 20, and no number of games narrows that.
        assert_eq!(remedy(10.0, 20.0, 16.0), Remedy::MoreSeeds);
    }

    /// The share of simulated continuations that decide is the predicted one.
    #[test]
    fn chances_come_true() {
        use rand::{Rng, SeedableRng};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let mut normal = || -> f64 {
            let (u, v): (f64, f64) = (random.random(), random.random());
            (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
        };
        // Leads from a wide prior whose first 400 games show about 10 ± 20.
        let (error, mut decided, mut all) = (20.0 / Z95, 0, 0);
        while all < 4_000 {
            let lead = 60.0 * normal();
            let first = lead + error * normal();
            if (first - 10.0).abs() > 2.0 {
                continue;
            }
            let mean = (first + lead + error * normal()) / 2.0;
            all += 1;
            decided += usize::from(mean.abs() > 20.0 / 2f64.sqrt());
        }
        let share = decided as f64 / f64::from(all);
        assert!((share - 0.28).abs() < 0.035, "{share}");
    }
}
