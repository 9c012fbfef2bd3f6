//! How fast a search is, as it was timed.

use super::estimate::Estimate;
use base::format::fixed;

/// Nodes per second over some rounds. Slowest and fastest say how far rounds lie apart; they
/// are no interval of confidence, so this is no [`Estimate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedRange {
    /// The median round.
    pub median: f64,
    /// The slowest.
    pub slowest: f64,
    /// The fastest.
    pub fastest: f64,
}

impl SpeedRange {
    /// Of rounds in any order; `None` of none.
    pub fn of(mut rounds: Vec<f64>) -> Option<Self> {
        rounds.sort_unstable_by(f64::total_cmp);
        let (&slowest, &fastest) = (rounds.first()?, rounds.last()?);
        let n = rounds.len();
        Some(Self { median: (rounds[(n - 1) / 2] + rounds[n / 2]) / 2.0, slowest, fastest })
    }

    /// In thousands: `1,180 (1,150 to 1,210)`.
    pub fn thousands(&self) -> String {
        let [median, slowest, fastest] =
            [self.median, self.slowest, self.fastest].map(|speed| fixed(speed / 1e3, 0));
        format!("{median} ({slowest} to {fastest})")
    }

    /// The median and how far a line across it reaches in a plot.
    pub fn reach(&self) -> Estimate {
        Estimate::new(self.median, self.slowest, self.fastest)
    }

    /// The columns of a sheet that hold it.
    pub fn columns() -> [String; 3] {
        ["", "_slowest", "_fastest"].map(|end| format!("nodes_per_second{end}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_between_the_slowest_and_the_fastest() {
        let range = SpeedRange::of(vec![1.2e6, 0.9e6, 1e6]).unwrap();
        assert_eq!(range, SpeedRange { median: 1e6, slowest: 0.9e6, fastest: 1.2e6 });
        assert_eq!(range.thousands(), "1,000 (900 to 1,200)");
        assert_eq!(SpeedRange::of(vec![3.0, 1.0, 2.0, 5.0]).unwrap().median, 2.5);
        assert_eq!(SpeedRange::of(Vec::new()), None);
    }
}
