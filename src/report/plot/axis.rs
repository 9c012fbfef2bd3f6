//! Where ticks stand, and axes that may be logarithmic.
//!
//! One [`PlotAxis`] serves the charts (it is a plotters coordinate) and the plots
//! laid out by hand.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use base::format::decimals_of_five;
use base::format::{compact, fixed};

/// A finite stretch of an axis with its ticks, in the units of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotAxis {
    pub low: f64,
    pub high: f64,
    /// Where labels and grid lines stand.
    pub ticks: Vec<f64>,
    is_log: bool,
}

impl PlotAxis {
    /// A linear axis over `values` (those that are finite), with a little room
    /// at both ends and about `ticks` ticks.
    pub fn linear(values: impl IntoIterator<Item = f64>, ticks: usize) -> PlotAxis {
        let (low, high) = padded(extent(values).unwrap_or((0.0, 1.0)), 0.05);
        PlotAxis { low, high, ticks: nice_ticks(low, high, ticks), is_log: false }
    }

    /// A logarithmic axis where the positive `values` span more than a factor
    /// of two, otherwise a linear one.
    pub fn log_if_wide(values: impl IntoIterator<Item = f64>, ticks: usize) -> PlotAxis {
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        match extent(values.iter().copied()) {
            Some((low, high)) if low > 0.0 && high > 2.0 * low => {
                let (from, to) = padded((low.log10(), high.log10()), 0.04);
                let (low, high) = (10f64.powf(from), 10f64.powf(to));
                PlotAxis { low, high, ticks: log_ticks(low, high, ticks), is_log: true }
            }
            _ => PlotAxis::linear(values, ticks),
        }
    }

    /// Cut to `low..=high`, which data cannot leave (shares, counts).
    pub fn within(mut self, low: f64, high: f64) -> PlotAxis {
        (self.low, self.high) = (self.low.max(low), self.high.min(high));
        self.ticks.retain(|&tick| (self.low..=self.high).contains(&tick));
        self
    }

    /// Only ticks at whole numbers (epochs).
    pub fn whole(mut self) -> PlotAxis {
        self.ticks.retain(|tick| (tick - tick.round()).abs() < 1e-9);
        if self.ticks.is_empty() {
            let middle = ((self.low + self.high) / 2.0).round();
            self.ticks.extend((self.low..=self.high).contains(&middle).then_some(middle));
        }
        self
    }

    /// A value's place between 0 (low end) and 1 (high end); what lies outside
    /// sticks to the end.
    pub fn share(&self, value: f64) -> f64 {
        let place = |value: f64| match self.is_log {
            true => value.max(f64::MIN_POSITIVE).log10(),
            false => value,
        };
        let (low, high) = (place(self.low), place(self.high));
        ((place(value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// The label of a tick: large numbers short, small ones with the digits
    /// that tell neighbours apart.
    pub fn label(&self, tick: f64) -> String {
        if self.is_log {
            return short(tick);
        }
        let step =
            self.ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        if step >= 1_000.0 {
            return compact(tick).replace('-', "−");
        }
        // Enough places to write the step itself: 0.25 needs two.
        let places = (0..8).find(|&p| {
            let scaled = step * 10f64.powi(p);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        });
        fixed(tick, places.unwrap_or(0) as usize)
    }
}

/// A tick of a logarithmic axis has few digits by construction.
fn short(value: f64) -> String {
    if value >= 1_000.0 {
        return compact(value);
    }
    let text = format!("{value:.0$}", decimals_of_five(value).max(6));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Smallest and largest of the finite values.
pub fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|value| value.is_finite()).fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

fn padded((low, high): (f64, f64), share: f64) -> (f64, f64) {
    let room = match high - low {
        width if width > 0.0 => width * share,
        // A single value: an axis of some width around it all the same.
        _ if low != 0.0 => low.abs() * 0.1,
        _ => 1.0,
    };
    (low - room, high + room)
}

/// Multiples of 1, 2 or 5 times a power of ten between `low` and `high`, about
/// `count` of them.
pub fn nice_ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let raw = (high - low) / count.max(1) as f64;
    if !raw.is_finite() || raw <= 0.0 {
        return Vec::new();
    }
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&step| step >= raw * 0.75)
        .unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

/// Ticks at round values: the densest of three patterns per decade that does
/// not crowd, or linear ticks where less than a decade is shown.
fn log_ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let patterns: [&[f64]; 3] = [&[1.0, 2.0, 3.0, 5.0, 7.0], &[1.0, 2.0, 5.0], &[1.0]];
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    for pattern in patterns {
        let ticks: Vec<f64> = decades
            .clone()
            .flat_map(|decade| pattern.iter().map(move |m| m * 10f64.powi(decade)))
            .filter(|tick| (low..=high).contains(tick))
            .collect();
        if ticks.len() < 3 {
            return nice_ticks(low, high, count).into_iter().filter(|&tick| tick > 0.0).collect();
        }
        if ticks.len() <= count + count / 2 {
            return ticks;
        }
    }
    // More decades than ticks: every second, third… decade.
    let decades: Vec<i32> = decades.filter(|&d| (low..=high).contains(&10f64.powi(d))).collect();
    let step = decades.len().div_ceil(count.max(1));
    decades.into_iter().step_by(step).map(|decade| 10f64.powi(decade)).collect()
}

impl Ranged for PlotAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + (self.share(*value) * f64::from(to - from)).round() as i32
    }

    /// plotters asks twice, for heavy and for light grid lines; all are heavy.
    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.ticks.clone(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for PlotAxis {
    fn format(tick: &f64) -> String {
        short(*tick)
    }

    fn format_ext(&self, tick: &f64) -> String {
        self.label(*tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(nice_ticks(-34.0, 52.0, 5), [-20.0, 0.0, 20.0, 40.0]);
        assert_eq!(nice_ticks(0.0, 1.0, 5).len(), 6);
        assert!(nice_ticks(1.0, 1.0, 5).is_empty());
        assert!(nice_ticks(0.0, f64::INFINITY, 5).is_empty());
    }

    #[test]
    fn labels_tell_neighbouring_ticks_apart() {
        let values = [
            vec![0.0028, 0.0031],
            vec![-340.0, 210.0],
            vec![210_000.0, 1_400_000.0],
            vec![0.6, 0.92],
            vec![7.0],
            vec![0.0028, 0.031],
            vec![1e-7, 3e5],
        ];
        for values in values {
            for axis in
                [PlotAxis::linear(values.clone(), 5), PlotAxis::log_if_wide(values.clone(), 5)]
            {
                let labels: Vec<String> = axis.ticks.iter().map(|&t| axis.label(t)).collect();
                assert!(labels.len() >= 2, "{values:?}: {labels:?}");
                let mut unique = labels.clone();
                unique.dedup();
                assert_eq!(unique, labels, "{values:?}");
            }
        }
    }

    #[test]
    fn values_that_are_not_finite_leave_the_axis_alone() {
        let with = PlotAxis::linear([1.0, f64::INFINITY, f64::NAN, 3.0], 5);
        assert_eq!(with, PlotAxis::linear([1.0, 3.0], 5));
        assert!(PlotAxis::linear([], 5).low.is_finite());
    }
}
