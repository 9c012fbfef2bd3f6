//! What came of many candidates, with what each costs.

use base::Estimate;
use serde::{Deserialize, Serialize};

use crate::discoveries::is_discovery;
use crate::gain::Gain;
use crate::screen::Screened;

/// A candidate with all that is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is called; an expression or a name of one.
    pub candidate: String,
    /// Features.
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
        let Estimate { value: gain, low, high } = screened.gain.loss.scaled(100.0 / loss);
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

/// What candidates are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Their gains.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Mean loss of the net on the games that told.
    pub loss: f64,
    /// What one more weight for each of the net's own features gains, in per cent of the loss:
    /// what is left of its training.
    pub own_gain: Estimate,
    /// The candidates.
    pub all: Vec<Finding>,
}

impl Findings {
    /// From what a screening said of candidates and what each costs, in their order.
    pub fn of(loss: f64, own_gain: &Gain, screened: Vec<Screened>, costs: &[f64]) -> Self {
        let own_gain = own_gain.loss.scaled(100.0 / loss);
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

    /// How many are to be believed.
    pub fn discoveries(&self) -> usize {
        self.all.iter().filter(|finding| finding.is_discovery()).count()
    }
}
