//! What came of many candidates, with what each costs.

use base::Estimate;
use serde::{Deserialize, Serialize};

use crate::discoveries::is_discovery;
use crate::gain::Gain;
use crate::screen::Screened;

/// A candidate with all that is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is called; an expression or a name of one.
    pub candidate: String,
    pub features: usize,
    /// How many of them are active, on average, for one perspective.
    pub active: f64,
    /// By how much the loss falls, in per cent of it.
    pub gain: f64,
    /// Where its 95 % interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// The chance of so large a gain where there is none.
    pub p: f64,
    /// The share of false findings among all that are at least as sure.
    pub q: f64,
    /// What it costs an engine; see [`ns_of_a_move`](crate::ns_of_a_move).
    pub ns_per_move: f64,
}

impl Finding {
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

    /// Whether it is to be believed.
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

/// Per cent of the loss that a net's own features have left, above which it is far from trained:
/// trained nets leave less than 1 %.
const FAR_FROM_TRAINED: f64 = 5.0;

/// A gain in per cent of the loss that the net has, which is all that can be gained.
fn percent(gain: &Gain, loss: f64) -> Estimate {
    let Estimate { value, low, high } = gain.loss.scaled(100.0 / loss);
    Estimate::new(value, low, high.min(100.0).max(value))
}

/// What candidates are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    #[default]
    Gain,
    /// Their gains by what they cost; those that are no discoveries come last.
    Pay,
}

impl By {
    fn of(self, finding: &Finding) -> (bool, f64) {
        match self {
            Self::Gain => (true, finding.gain),
            Self::Pay => (finding.is_discovery(), finding.pay()),
        }
    }
}

/// All candidates of a screening.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Mean loss of the net on the games that told, as it was trained.
    pub loss: f64,
    /// What one more weight for each of the net's own features gains, in per cent of that loss:
    /// what is left of its training.
    pub own_gain: Estimate,
    /// The candidates.
    pub all: Vec<Finding>,
}

impl Findings {
    /// From what a screening said of candidates and what each costs, in their order. `corrected`
    /// is the loss that is left with the net's own features corrected.
    pub fn of(corrected: f64, own_gain: &Gain, screened: Vec<Screened>, costs: &[f64]) -> Self {
        let loss = corrected + own_gain.loss.value;
        let own_gain = percent(own_gain, loss);
        let all = screened.into_iter().zip(costs);
        let all = all.map(|(screened, ns)| Finding::of(screened, loss, *ns)).collect();
        Self { loss, own_gain, all }
    }

    /// The same, the best first.
    pub fn sorted(mut self, by: By) -> Self {
        self.all.sort_by(|a, b| {
            let ((a_first, a), (b_first, b)) = (by.of(a), by.of(b));
            b_first.cmp(&a_first).then(b.total_cmp(&a))
        });
        self
    }

    /// A word on a net whose own features have much left to learn: what candidates gain beside it
    /// they may gain in their stead.
    pub fn untrained(&self, net: &str) -> Option<String> {
        (self.own_gain.low > FAR_FROM_TRAINED).then(|| {
            format!(
                "{net} is far from trained: one more weight for each of its own features lowers \
                 its loss by {} %, of a trained net by less than 1 %. Train it longer before \
                 believing what candidates gain beside it.",
                self.own_gain.plain()
            )
        })
    }

    /// How many are to be believed.
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

    /// A net whose own features could say five sixths of its loss.
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
        let told = findings.untrained("small").unwrap_or_default();
        assert!(told.contains("small is far from trained"), "{told}");
        let trained = Findings::of(0.01, &gain(0.000_004), Vec::new(), &[]);
        assert_eq!(trained.untrained("bundled"), None);
        let nothing_left = Findings::of(0.0, &gain(0.05), Vec::new(), &[]);
        assert_eq!((nothing_left.own_gain.value, nothing_left.own_gain.high), (100.0, 100.0));
    }
}
