//! A number with its uncertainty, and how it is written down.
//!
//! A comparison is an [`Estimate`], which cannot be made without an interval;
//! that is how "a comparison without its uncertainty is not printed" is kept.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::format::{ascii_signed, decimals_of_five, fixed, signed};

/// The 97.5 % quantile of the normal distribution: half of a 95 % interval in
/// standard errors.
pub const Z95: f64 = 1.959963984540054;

/// Seeds from which on the own variance of a set is used instead of the pooled one: two to four
/// seeds give too imprecise a variance.
pub const SEEDS_FOR_OWN_SPREAD: usize = 5;

/// A variance between seeds, with the degrees of freedom of its estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    pub value: f64,
    pub freedom: f64,
}

impl Variance {
    /// The mean of several, weighted by degrees of freedom; `None` without any.
    pub fn pooled(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        let sums = all.into_iter().fold((0.0, 0.0), |(sum, freedom), one| {
            (sum + one.freedom * one.value, freedom + one.freedom)
        });
        let (sum, freedom) = sums;
        (freedom > 0.0).then(|| Self { value: sum / freedom, freedom })
    }

    /// Variance of a set with this number of seeds: its own, or the pooled one where seeds are few.
    pub fn of_set(own: Option<Self>, seeds: usize, pooled: Option<Self>) -> Option<Self> {
        own.filter(|_| seeds >= SEEDS_FOR_OWN_SPREAD).or(pooled)
    }
}

/// A value and its 95 % interval. The interval may be lopsided, and open to one
/// side (a match won to the last game bounds the Elo from below only). Nothing is ever NaN.
/// JSON has no infinity, so an unbounded side is written as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Best guess; infinite when the interval is open on that side.
    pub value: f64,
    /// Lower end, possibly −∞.
    pub low: f64,
    /// Upper end, possibly +∞.
    pub high: f64,
}

/// Where an interval lies with respect to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separation {
    /// Wholly above.
    Better,
    /// Wholly below.
    Worse,
    /// Contains zero: not separable.
    #[default]
    Open,
}

impl Estimate {
    /// `value` with the interval from `low` to `high`.
    pub fn new(value: f64, low: f64, high: f64) -> Self {
        Estimate { value, low, high }
    }

    /// A value with an interval of `margin` to either side.
    pub fn symmetric(value: f64, margin: f64) -> Self {
        Estimate { value, low: value - margin, high: value + margin }
    }

    /// Half the width of the interval, behind the ± sign. Infinite when a side is unbounded.
    pub fn margin(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The interval's half width in standard errors of a normal distribution;
    /// `None` when a side is unbounded.
    pub fn standard_error(&self) -> Option<f64> {
        self.is_bounded().then(|| self.margin() / Z95)
    }

    /// A value of unknown spread, such as the loss of a single seed. It is never apart from
    /// anything.
    pub fn of_unknown_spread(value: f64) -> Self {
        Estimate::new(value, f64::NEG_INFINITY, f64::INFINITY)
    }

    /// Whether nothing is known of the interval.
    pub fn is_of_unknown_spread(&self) -> bool {
        self.value.is_finite() && self.low == f64::NEG_INFINITY && self.high == f64::INFINITY
    }

    /// A lopsided interval needs both ends, not one half-width.
    fn is_even(&self) -> bool {
        let (down, up) = (self.value - self.low, self.high - self.value);
        down.is_finite() && up.is_finite() && (up - down).abs() <= 0.15 * (up + down)
    }

    /// Whether the value and both ends are numbers with a place on an axis.
    pub fn is_bounded(&self) -> bool {
        self.value.is_finite() && self.low.is_finite() && self.high.is_finite()
    }

    /// Better, worse or not separable from zero.
    pub fn verdict(&self) -> Separation {
        match () {
            () if self.low > 0.0 => Separation::Better,
            () if self.high < 0.0 => Separation::Worse,
            () => Separation::Open,
        }
    }

    /// Whether the interval contains a value.
    pub fn covers(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether the intervals share no point.
    pub fn is_apart_from(&self, other: &Estimate) -> bool {
        self.low > other.high || self.high < other.low
    }

    /// Everything multiplied by a positive factor (shares to per cent).
    pub fn scaled(&self, factor: f64) -> Estimate {
        Estimate::new(self.value * factor, self.low * factor, self.high * factor)
    }

    /// Difference from an independent estimate: the margins add in quadrature. For bounded estimates only:
    /// an end at infinity makes the margin infinite.
    pub fn minus(&self, other: &Estimate) -> Estimate {
        let margin = self.margin().hypot(other.margin());
        Estimate::symmetric(self.value - other.value, margin)
    }

    /// Seen from the other side: of A over B, B over A.
    pub fn negated(&self) -> Estimate {
        Estimate::new(-self.value, -self.high, -self.low)
    }

    /// With a sign, for differences: `+43 ± 29`, `+43 (+14 to +77)`, `> +320`.
    pub fn signed(&self) -> String {
        self.written(signed)
    }

    /// Without a plus sign: `0.00313 ± 0.00012`.
    pub fn plain(&self) -> String {
        self.written(fixed)
    }

    fn written(&self, number: fn(f64, usize) -> String) -> String {
        if self.value.is_nan() {
            return "?".to_owned();
        }
        let decimals = self.decimals();
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) if !self.value.is_finite() => {
                format!("{} to {}", number(self.low, decimals), number(self.high, decimals))
            }
            (true, true) if self.is_even() => format!(
                "{} ± {}",
                number(self.value, decimals),
                fixed((self.high - self.low) / 2.0, decimals)
            ),
            (true, true) => format!(
                "{} ({} to {})",
                number(self.value, decimals),
                number(self.low, decimals),
                number(self.high, decimals)
            ),
            (true, false) => format!("> {}", number(self.low, decimals)),
            (false, true) => format!("< {}", number(self.high, decimals)),
            (false, false) if self.value.is_finite() => {
                format!("{} ± ?", number(self.value, decimals_of_five(self.value)))
            }
            (false, false) => "unbounded".to_owned(),
        }
    }

    /// Two significant digits of the interval's half-width; what lies below is
    /// noise. Whole numbers once the half-width reaches 10.
    fn decimals(&self) -> usize {
        let half = (self.high - self.low) / 2.0;
        if !half.is_finite() {
            return 0;
        }
        if half <= 0.0 {
            return 1;
        }
        (1.0 - half.log10().floor()).clamp(0.0, 12.0) as usize
    }
}

impl fmt::Display for Estimate {
    /// `+12.3 [-4.1, +28.7]`; an unbounded side shows as `-inf` or `+inf`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [value, low, high] =
            [self.value, self.low, self.high].map(|number| ascii_signed(number, 1));
        write!(f, "{value} [{low}, {high}]")
    }
}

/// A share as `88.5 ± 0.6 %`.
pub fn per_cent(share: Estimate) -> String {
    format!("{} %", share.scaled(100.0).plain())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_follows_the_interval() {
        assert_eq!(Estimate::new(42.63, 13.9, 71.6).signed(), "+43 ± 29");
        assert_eq!(Estimate::new(-8.4, -13.4, -3.4).signed(), "−8.4 ± 5.0");
        assert_eq!(Estimate::of_unknown_spread(0.001_084).plain(), "0.0010840 ± ?");
        assert_eq!(Estimate::new(0.003134, 0.003121, 0.003147).plain(), "0.003134 ± 0.000013");
        assert_eq!(
            Estimate::new(1_234_567.0, 1_200_000.0, 1_269_134.0).plain(),
            "1,234,567 ± 34,567"
        );
    }

    #[test]
    fn lopsided_and_open_intervals_show_their_ends() {
        assert_eq!(Estimate::new(408.0, 350.0, 520.0).signed(), "+408 (+350 to +520)");
        let won_all = Estimate::new(f64::INFINITY, 320.4, f64::INFINITY);
        assert_eq!(won_all.signed(), "> +320");
        assert_eq!(won_all.negated().signed(), "< −320");
        assert_eq!(won_all.verdict(), Separation::Better);
        assert_eq!(won_all.negated().verdict(), Separation::Worse);
    }

    #[test]
    fn estimates_print_with_their_interval() {
        let estimate = Estimate { value: 12.34, low: -4.06, high: f64::INFINITY };
        assert_eq!(estimate.to_string(), "+12.3 [-4.1, +inf]");
        assert_eq!(estimate.standard_error(), None);
    }

    #[test]
    fn an_interval_touching_zero_settles_nothing() {
        assert_eq!(Estimate::new(5.0, 0.0, 10.0).verdict(), Separation::Open);
        assert_eq!(Estimate::new(-5.0, -25.0, 15.0).verdict(), Separation::Open);
        let (low, high) = (Estimate::new(1.0, 0.5, 1.5), Estimate::new(2.0, 1.5, 2.5));
        assert!(!low.is_apart_from(&high));
        assert!(low.is_apart_from(&high.scaled(2.0)));
    }
}
