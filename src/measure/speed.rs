//! Cost of a node.
//!
//! Nodes/s of two nets cannot be compared on their own trees. So each net follows PeSTO's
//! tree ([`bench::eval`]), in the same rounds as PeSTO itself: results are relative to
//! PeSTO, and a later net needs no new measurement of others.

use serde::{Deserialize, Serialize};

use crate::bench::eval::{self, TimedEvaluator};
use arena::NetId;
use base::{Estimate, Key};
use engine::bench::SIGNATURE;
use plan::{Context, JobError, Traits, Work};
use report::Format::Fixed;
use report::{Cell, Column};

/// Depth in plies of the searches that time a node. One number for all commands: it is part of the
/// keys of results.
pub const SPEED_DEPTH: u32 = 8;

/// Rounds of timing a node by default, the fewest with a closed interval.
pub const SPEED_ROUNDS: u32 = 6;

/// Time per node on one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    pub net: NetId,
    #[serde(flatten)]
    pub question: SpeedQuestion,
}

/// Searches that time a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpeedQuestion {
    /// Plies.
    pub depth: u32,
    /// Repetitions; of fewer than six the interval is open.
    pub rounds: u32,
}

impl Default for SpeedQuestion {
    fn default() -> Self {
        Self { depth: SPEED_DEPTH, rounds: SPEED_ROUNDS }
    }
}

/// Measured speed of a net.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Nanoseconds per node, one for each round.
    pub ns_per_node: Vec<f64>,
    /// Those of PeSTO in the same rounds.
    pub pesto_ns_per_node: Vec<f64>,
    /// First-layer rows added or removed per node, both perspectives.
    pub rows_per_node: f64,
    /// Rows added in refreshes, per node.
    pub refreshed_rows_per_node: f64,
}

impl Work for Speed {
    const KIND: &'static str = "speed";
    const STAGE: &'static str = "timing";
    const VERSION: u32 = 1;
    type Output = Pace;

    fn signature(&self) -> Option<u64> {
        Some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        self.net.job().into_iter().collect()
    }

    fn traits(&self) -> Traits {
        Traits { timed: true, ..Traits::default() }
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Pace, JobError> {
        let evaluation = self.net.load(context)?;
        let (SpeedQuestion { depth, rounds }, stop) = (self.question, context.stop);
        let course = eval::Course::new(depth, stop).ok_or(JobError::Stopped)?;
        let mut both = [course.evaluation(&evaluation), course.pesto()];
        context.observer.begin(context.title(), rounds.into(), "rounds");
        for round in 1..=rounds.max(1) {
            for contender in &mut both {
                course.round(contender, stop).ok_or(JobError::Stopped)?;
            }
            context.observer.advance(round.into(), "");
        }
        let [net, pesto] = both.each_ref().map(TimedEvaluator::cost);
        let pace = Pace {
            ns_per_node: net.ns_per_node.clone(),
            pesto_ns_per_node: pesto.ns_per_node.clone(),
            rows_per_node: net.per_node(|counts| counts.rows),
            refreshed_rows_per_node: net.per_node(|counts| counts.refreshed_rows),
        };
        context
            .observer
            .end(&format!("{} times the time per node of PeSTO", pace.relative().plain()));
        Ok(pace)
    }
}

impl Pace {
    /// Its counts as columns of the results, whether measured or not.
    pub(crate) fn figures(pace: Option<&Self>) -> Vec<(Column, Cell)> {
        let updates =
            Column::new("accumulator_updates_per_node", "accumulator updates/node", Fixed(2))
                .means("Rows added or removed per node of a search, both perspectives");
        let refreshed = Column::new("rows_refreshed_per_node", "refreshed rows/node", Fixed(2))
            .means("Rows summed again by refreshes, per node");
        let refreshed = match pace.is_some_and(|pace| pace.refreshed_rows_per_node > 0.0) {
            true => refreshed,
            false => refreshed.for_programs(),
        };
        vec![
            (updates, pace.map(|pace| pace.rows_per_node).into()),
            (refreshed, pace.map(|pace| pace.refreshed_rows_per_node).into()),
        ]
    }

    pub fn nodes_per_second(&self) -> Estimate {
        median(self.ns_per_node.iter().map(|ns| 1e9 / ns).collect())
    }

    /// Time per node, relative to PeSTO's in the same rounds.
    pub fn relative(&self) -> Estimate {
        median(self.ns_per_node.iter().zip(&self.pesto_ns_per_node).map(|(a, b)| a / b).collect())
    }

    /// Time per node relative to another net's: both are relative to PeSTO, and the two
    /// uncertainties add up.
    pub fn cost(&self, other: &Pace) -> Estimate {
        let (own, other) = (self.relative(), other.relative());
        let value = own.value / other.value;
        let ln = |ratio: f64| ratio.ln().abs();
        let spread = |a: f64, b: f64| ln(a).hypot(ln(b));
        let down = spread(own.value / own.low, other.high / other.value);
        let up = spread(own.high / own.value, other.value / other.low);
        match own.is_bounded() && other.is_bounded() {
            true => Estimate::new(value, value * (-down).exp(), value * up.exp()),
            false => Estimate::of_unknown_spread(value),
        }
    }
}

/// The median of rounds, with a 95 % interval for it that supposes nothing of
/// their distribution: the order statistics that a fair coin leaves on either
/// side of the median. Fewer than six rounds leave it open.
fn median(mut rounds: Vec<f64>) -> Estimate {
    const FEWEST: usize = 6;
    rounds.sort_unstable_by(f64::total_cmp);
    let n = rounds.len();
    let Some(last) = n.checked_sub(1) else { return Estimate::of_unknown_spread(f64::NAN) };
    let value = (rounds[last / 2] + rounds[n / 2]) / 2.0;
    if n < FEWEST {
        return Estimate::of_unknown_spread(value);
    }
    let skipped = outer_rounds(n);
    Estimate::new(value, rounds[skipped], rounds[last - skipped])
}

/// The largest k such that at most 2.5 % of coin series of length n show k or
/// fewer heads; 0 if there is none.
fn outer_rounds(n: usize) -> usize {
    let (mut term, mut sum, mut k) = (0.5f64.powi(n as i32), 0.0, 0);
    loop {
        sum += term;
        if sum > 0.025 || k >= n {
            return k.saturating_sub(1).min((n - 1) / 2);
        }
        term *= (n - k) as f64 / (k + 1) as f64;
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks of the exact sign interval for a median (95 %), from tables: of 6
    /// rounds the smallest and largest, of 10 the second, of 20 the sixth.
    #[test]
    fn intervals_of_medians_are_the_known_ones() {
        assert_eq!([1, 3, 5, 6, 9, 10, 15, 20].map(outer_rounds), [0, 0, 0, 0, 1, 1, 3, 5]);
        let rounds = median(vec![9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0]);
        assert_eq!(rounds, Estimate { value: 5.5, low: 2.0, high: 9.0 });
        assert!(median(vec![3.0]).is_of_unknown_spread());
    }

    /// A machine that slows down slows PeSTO down too.
    #[test]
    fn cost_is_relative_to_pesto_in_the_same_rounds() {
        let pace = |factor: f64, slow: [f64; 6]| Pace {
            ns_per_node: slow.map(|s| 100.0 * factor * s).to_vec(),
            pesto_ns_per_node: slow.map(|s| 100.0 * s).to_vec(),
            rows_per_node: 0.0,
            refreshed_rows_per_node: 0.0,
        };
        let quiet = pace(2.0, [1.0; 6]);
        let noisy = pace(3.0, [1.0, 2.0, 1.5, 1.0, 3.0, 1.0]);
        let cost = noisy.cost(&quiet);
        assert!((cost.value - 1.5).abs() < 1e-12 && cost.margin() < 1e-9, "{cost:?}");
        assert!((quiet.cost(&quiet).value - 1.0).abs() < 1e-12);
    }
}
