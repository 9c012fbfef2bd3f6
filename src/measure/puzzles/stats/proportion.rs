//! A share of successes and Wilson's interval for it.

use std::fmt;

use super::Z_95;

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Successes of a number of trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proportion {
    /// Successes, at most as many as trials.
    pub successes: u64,
    pub trials: u64,
}

impl Proportion {
    pub fn add(&mut self, success: bool) {
        self.successes += u64::from(success);
        self.trials += 1;
    }

    /// The share of successes, 0 to 1; `None` without trials.
    pub fn share(self) -> Option<f64> {
        (self.trials > 0).then(|| self.successes as f64 / self.trials as f64)
    }

    /// Wilson's score interval for the share (E. B. Wilson, 1927); everything
    /// without trials. Unlike the textbook interval it is right near 0 and 1.
    pub fn interval(self) -> Interval {
        let Some(share) = self.share() else { return Interval { low: 0.0, high: 1.0 } };
        let n = self.trials as f64;
        let z2 = Z_95 * Z_95;
        let center = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z_95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        Interval { low: (center - half).max(0.0), high: (center + half).min(1.0) }
    }
}

/// `88.2 % (86.1 – 90.1, 882 of 1000)`.
impl fmt::Display for Proportion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(share) = self.share() else { return f.write_str("none tried") };
        let Interval { low, high } = self.interval();
        write!(
            f,
            "{:.1} % ({:.1} – {:.1}, {} of {})",
            100.0 * share,
            100.0 * low,
            100.0 * high,
            self.successes,
            self.trials
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_agrees_with_statsmodels() {
        // statsmodels 0.15 proportion_confint(k, n, method="wilson").
        for (successes, trials, low, high) in [
            (0, 10, 0.0, 0.277_532_799_863),
            (1, 10, 0.017_876_213_095, 0.404_150_026_795),
            (5, 10, 0.236_593_090_513, 0.763_406_909_487),
            (10, 10, 0.722_467_200_137, 1.0),
            (882, 1_000, 0.860_527_914_918, 0.900_548_441_599),
            (4_876, 5_500, 0.877_892_619_952, 0.894_658_702_940),
        ] {
            let interval = Proportion { successes, trials }.interval();
            assert!((interval.low - low).abs() < 1e-11, "{interval:?}");
            assert!((interval.high - high).abs() < 1e-11, "{interval:?}");
        }
    }

    #[test]
    fn nothing_tried_nothing_known() {
        let none = Proportion::default();
        assert_eq!((none.share(), none.interval()), (None, Interval { low: 0.0, high: 1.0 }));
        assert_eq!(none.to_string(), "none tried");
        let some = Proportion { successes: 882, trials: 1_000 };
        assert_eq!(some.to_string(), "88.2 % (86.1 – 90.1, 882 of 1000)");
    }
}
