//! The learning rate range test.
//!
//! A throwaway net takes some hundred steps, and the rate rises by the same factor
//! from each to the next (Smith, *Cyclical learning rates for training neural networks*,
//! WACV 2017). While it is too low nothing happens, then the loss falls, and when the rate
//! is too high the loss flies up again. The good rates are those at which it falls fastest.

use std::fmt;
use std::str::FromStr;

/// Weight of a loss in the exponential moving average: the last ten weigh most.
const SMOOTHING: f64 = 0.1;

/// Multiple of the lowest smoothed loss at which the test ends.
const BLOWN_UP: f64 = 4.0;

/// Losses at the start, where rates are too low to have an effect: they show the spread between
/// batches.
const START: usize = 30;

/// Least fall of the loss, in standard deviations of the loss of a batch. Smoothed losses
/// that do not fall vary by a quarter of one.
const LEAST_FALL: f64 = 2.0;

/// A geometric sequence of learning rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateRange {
    lowest: f64,
    highest: f64,
    steps: u32,
}

impl Default for RateRange {
    /// Six decades, fifty steps each.
    fn default() -> Self {
        Self { lowest: 1e-6, highest: 1.0, steps: Self::STEPS }
    }
}

impl RateRange {
    const STEPS: u32 = 300;

    pub fn steps(self) -> u32 {
        self.steps
    }

    /// The rate of the step that is taken after `step` others.
    pub(crate) fn rate(self, step: u32) -> f64 {
        let share = f64::from(step) / f64::from(self.steps - 1);
        self.lowest * (self.highest / self.lowest).powf(share)
    }
}

/// A text that is no range of rates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no range of learning rates: write the lowest and the highest, both above 0, such as \
     1e-6..1"
)]
pub struct WrongRateRange(String);

/// Reads the form of the command line: `1e-6..1`.
impl FromStr for RateRange {
    type Err = WrongRateRange;

    fn from_str(text: &str) -> Result<Self, WrongRateRange> {
        let wrong = || WrongRateRange(text.to_owned());
        let (lowest, highest) = text.split_once("..").ok_or_else(wrong)?;
        let number = |part: &str| part.trim().parse::<f64>().map_err(|_| wrong());
        let (lowest, highest) = (number(lowest)?, number(highest)?);
        let is_range = lowest > 0.0 && lowest < highest && highest.is_finite();
        is_range.then_some(Self { lowest, highest, steps: Self::STEPS }).ok_or_else(wrong)
    }
}

/// A step at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Try {
    /// The learning rate of the step.
    pub rate: f64,
    /// The loss before it.
    pub loss: f64,
    /// Exponential moving average.
    pub smoothed: f64,
}

/// The results of a range test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateTest {
    tries: Vec<Try>,
    blew_up: bool,
}

impl RateTest {
    /// Records the loss before a step; `false` at the end of the test.
    pub(crate) fn take(&mut self, rate: f64, loss: f64) -> bool {
        if !loss.is_finite() {
            self.blew_up = true;
            return false;
        }
        let smoothed = self.smoothed_with(loss);
        self.tries.push(Try { rate, loss, smoothed });
        let lowest = self.lowest().map_or(f64::INFINITY, |lowest| lowest.smoothed);
        self.blew_up = smoothed > BLOWN_UP * lowest;
        !self.blew_up
    }

    /// The running mean, as if there had been nothing before the first loss.
    fn smoothed_with(&self, loss: f64) -> f64 {
        let weight = |count: usize| 1.0 - (1.0 - SMOOTHING).powi(count as i32);
        let before = self.tries.last().map_or(0.0, |last| last.smoothed * weight(self.tries.len()));
        ((1.0 - SMOOTHING) * before + SMOOTHING * loss) / weight(self.tries.len() + 1)
    }

    pub fn tries(&self) -> &[Try] {
        &self.tries
    }

    /// Whether the loss diverged before the highest rate.
    pub fn blew_up(&self) -> bool {
        self.blew_up
    }

    /// The step with the lowest smoothed loss.
    pub fn lowest(&self) -> Option<&Try> {
        self.tries.iter().min_by(|a, b| a.smoothed.total_cmp(&b.smoothed))
    }

    /// The recommended rate, to one digit; `None` if the loss never really fell.
    pub fn recommended(&self) -> Option<f64> {
        let start = &self.tries[..START.min(self.tries.len())];
        let (first, lowest) = (start.last()?, self.lowest()?);
        // Rounding errors of a constant loss are no fall either.
        let deviation = deviation(start).max(1e-9 * first.smoothed);
        let has_fallen =
            lowest.rate > first.rate && first.smoothed - lowest.smoothed > LEAST_FALL * deviation;
        has_fallen.then(|| one_digit(lowest.rate / 10.0))
    }
}

/// Standard deviation of the losses, from the differences of neighbours, in which a slope does
/// not show.
fn deviation(tries: &[Try]) -> f64 {
    let squares = tries.windows(2).map(|pair| (pair[1].loss - pair[0].loss).powi(2));
    (squares.sum::<f64>() / (2.0 * (tries.len() as f64 - 1.0)).max(1.0)).sqrt()
}

/// `0.00237` as `0.002`.
fn one_digit(number: f64) -> f64 {
    // By way of text, whose digits are decimal.
    format!("{number:.0e}").parse().unwrap_or(number)
}

/// For a live line: `rate 2.1e-4  loss 0.012345`.
impl fmt::Display for Try {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rate {:.1e}  loss {}", self.rate, crate::metrics::Shown(self.smoothed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loss that falls by half around 1e-3 and flies up from 1e-2 on.
    fn falling(rate: f64) -> f64 {
        match rate {
            _ if rate > 1e-2 => 0.01 + 10.0 * rate,
            _ => 0.02 - 0.01 * (rate / 3e-3).min(1.0),
        }
    }

    fn test(loss: impl Fn(f64) -> f64) -> RateTest {
        let (range, mut test) = (RateRange::default(), RateTest::default());
        let rates = (0..range.steps()).map(|step| range.rate(step));
        // All but the last are taken while it makes sense.
        let _ = rates.take_while(|&rate| test.take(rate, loss(rate))).count();
        test
    }

    #[test]
    fn rates_rise_by_one_factor_from_the_lowest_to_the_highest() {
        let range: RateRange = "1e-5..10".parse().unwrap();
        assert!((range.rate(0) - 1e-5).abs() < 1e-18);
        assert!((range.rate(range.steps() - 1) - 10.0).abs() < 1e-9);
        let factor = |step| range.rate(step + 1) / range.rate(step);
        assert!((0..298).all(|step| (factor(step) / factor(0) - 1.0).abs() < 1e-9));
        for wrong in ["1e-3", "1..1e-3", "0..1", "-1..1", "1..inf", "a..b", "nan..1", ""] {
            let text = wrong.parse::<RateRange>().unwrap_err().to_string();
            assert!(text.contains("such as 1e-6..1"), "{wrong}: {text}");
        }
    }

    #[test]
    fn a_tenth_of_the_rate_of_the_lowest_loss_is_recommended() {
        let test = test(falling);
        assert!(test.blew_up());
        let lowest = test.lowest().unwrap().rate;
        assert!((3e-3..2e-2).contains(&lowest), "{lowest}");
        assert_eq!(test.recommended(), Some(1e-3));
        assert!(test.tries().last().unwrap().rate < 0.1, "it ends when there is nothing to see");
    }

    #[test]
    fn a_loss_that_does_not_fall_recommends_nothing() {
        // Numbers that look drawn, 0 to 1, one for each rate.
        let noise = |rate: f64| ((rate.ln() * 12.9898).sin() * 43_758.545).fract().abs();
        for flat in [
            test(|_| 0.02),
            test(|rate| 0.02 + rate),
            test(|_| f64::NAN),
            test(|rate| 0.02 + 0.01 * noise(rate)),
        ] {
            assert_eq!(flat.recommended(), None);
        }
        // A ranking's loss falls by little, but far enough.
        let ranking = test(|rate| 2.0 + 4.0 * falling(rate) + 0.005 * noise(rate));
        assert!(ranking.recommended().is_some());
        assert!(test(|_| f64::NAN).blew_up() && !test(|_| 0.02).blew_up());
    }

    #[test]
    fn the_running_mean_begins_with_the_first_loss_and_follows() {
        let mut test = RateTest::default();
        [1.0, 1.0, 3.0].into_iter().for_each(|loss| assert!(test.take(1e-3, loss)));
        let smoothed: Vec<f64> = test.tries().iter().map(|at| at.smoothed).collect();
        assert!((smoothed[0] - 1.0).abs() < 1e-12 && (smoothed[1] - 1.0).abs() < 1e-12);
        // Weights 0.081, 0.09 and 0.1.
        assert!((smoothed[2] - (0.171 + 0.3) / 0.271).abs() < 1e-12, "{smoothed:?}");
    }

    #[test]
    fn recommended_rates_have_one_digit() {
        for (number, expected) in [(0.00237, 0.002), (9.7e-5, 1e-4), (0.3, 0.3), (6.4e-7, 6e-7)] {
            assert_eq!(one_digit(number), expected);
        }
    }
}
