//! Results of screening with the cost of each candidate.

use base::Estimate;
use serde::{Deserialize, Serialize};

use crate::discoveries::is_discovery;
use crate::gain::Gain;
use crate::screen::Screened;

/// The result of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateGain {
    /// Its expression or name.
    pub candidate: String,
    pub features: usize,
    /// Mean number of active features of one perspective.
    pub active: f64,
    /// Loss reduction in per cent.
    pub gain: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// P-value against no gain.
    pub p: f64,
    /// Q-value, see [`q_values`](crate::q_values).
    pub q: f64,
    /// Cost per move; see [`ns_of_moves`](crate::ns_of_moves).
    pub ns_per_move: f64,
}

impl CandidateGain {
    fn of(screened: Screened, loss: f64, ns_per_move: f64) -> Self {
        let Estimate { value: gain, low, high } = percent(&screened.gain, loss);
        Self {
            candidate: screened.name,
            features: screened.size,
            active: screened.active,
            gain,
            low,
            high,
            p: screened.gain.p,
            q: screened.q,
            ns_per_move,
        }
    }

    /// Whether the gain is significant.
    pub fn is_discovery(&self) -> bool {
        is_discovery(self.q)
    }

    /// Per cent for every 100 nanoseconds.
    pub fn pay(&self) -> f64 {
        100.0 * self.gain / self.ns_per_move
    }

    /// The gain with its interval, in per cent.
    pub fn percent(&self) -> Estimate {
        Estimate::new(self.gain, self.low, self.high)
    }
}

/// Gain of own features, in per cent of the loss, above which a net counts as undertrained; trained
/// nets have less than 1 %.
const FAR_FROM_TRAINED: f64 = 5.0;

/// A gain in per cent of the loss of the net, 100 at most.
fn percent(gain: &Gain, loss: f64) -> Estimate {
    let Estimate { value, low, high } = gain.loss.scaled(100.0 / loss);
    Estimate::new(value, low, high.min(100.0).max(value))
}

/// Order of candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    #[default]
    Gain,
    /// By gain per cost; insignificant ones last.
    Pay,
}

impl By {
    fn of(self, finding: &CandidateGain) -> (bool, f64) {
        match self {
            Self::Gain => (true, finding.gain),
            Self::Pay => (finding.is_discovery(), finding.pay()),
        }
    }
}

/// All candidates of a screening.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Mean loss of the net on held-out games.
    pub loss: f64,
    /// Gain of one more weight for each of the net's own features, in per cent of that loss: the
    /// remainder of its training.
    pub own_gain: Estimate,
    /// The candidates.
    pub all: Vec<CandidateGain>,
}

impl Findings {
    /// From results and costs of candidates, in the same order. `corrected` is the loss with the
    /// net's own features corrected.
    pub fn of(corrected: f64, own_gain: &Gain, screened: Vec<Screened>, costs: &[f64]) -> Self {
        let loss = corrected + own_gain.loss.value;
        let own_gain = percent(own_gain, loss);
        let all = screened.into_iter().zip(costs);
        let all = all.map(|(screened, ns)| CandidateGain::of(screened, loss, *ns)).collect();
        Self { loss, own_gain, all }
    }

    /// Sorted, the best first.
    pub fn sorted(mut self, by: By) -> Self {
        self.all.sort_by(|a, b| {
            let ((a_first, a), (b_first, b)) = (by.of(a), by.of(b));
            b_first.cmp(&a_first).then(b.total_cmp(&a))
        });
        self
    }

    /// A warning about an undertrained net: candidates may gain in place of its own features.
    pub fn untrained(&self, net: &str) -> Option<String> {
        (self.own_gain.low > FAR_FROM_TRAINED).then(|| {
            format!(
                "{net} is far from trained: one more weight per feature of its own reduces \
                 its loss by {} %, that of a trained net by less than 1 %. Train it longer: the gains \
                 of candidates are not reliable.",
                self.own_gain.plain()
            )
        })
    }

    /// Number of significant candidates.
    pub fn discoveries(&self) -> usize {
        self.all.iter().filter(|finding| finding.is_discovery()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(value: f64) -> Gain {
        Gain { loss: Estimate::symmetric(value, value / 10.0), p: 0.0 }
    }

    /// A net whose own features could remove five sixths of its loss.
    #[test]
    fn percentages_are_of_the_loss_that_the_net_has() {
        let candidate = Screened {
            name: "PV".to_owned(),
            size: 1_152,
            active: 9.0,
            gain: gain(0.004),
            q: 0.01,
        };
        let findings = Findings::of(0.01, &gain(0.05), vec![candidate], &[200.0]);
        assert!((findings.loss - 0.06).abs() < 1e-12);
        assert!((findings.own_gain.value - 100.0 * 5.0 / 6.0).abs() < 1e-9);
        assert!((findings.all[0].gain - 100.0 * 4.0 / 60.0).abs() < 1e-9);
        let warning = findings.untrained("small").unwrap_or_default();
        assert!(warning.contains("small is far from trained"), "{warning}");
        let trained = Findings::of(0.01, &gain(0.000_004), Vec::new(), &[]);
        assert_eq!(trained.untrained("bundled"), None);
        let nothing_left = Findings::of(0.0, &gain(0.05), Vec::new(), &[]);
        assert_eq!((nothing_left.own_gain.value, nothing_left.own_gain.high), (100.0, 100.0));
    }
}
