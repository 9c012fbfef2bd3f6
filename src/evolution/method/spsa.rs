//! Simultaneous perturbation stochastic approximation (SPSA).
//!
//! All genes move at once, each up or down at random; that point and its mirror image are judged,
//! and the start moves along the line between them in proportion to the difference (Spall, 1992). A
//! step takes two judgements in any number of dimensions. Differences are divided by their root
//! mean square so far, so that a step does not depend on the unit of the fitness (nor on the
//! distance of the points, by which Spall divides). The budget sets the step size: pure noise would
//! lead no further than `drift`.

use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{Check, Conditions, PointFitness, SearchMethod, SettingsError};
use crate::{Chance, SearchPoint, Space};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpsaSettings {
    /// Perturbation of each gene, in its steps.
    pub perturbation: f64,
    /// Distance over the whole budget under pure noise, in steps; it sets the length of a move. 2
    /// by default, and 6 where judgements have no noise.
    pub drift: Option<f64>,
    /// Exponent of the rate: it falls with (n + A) to this power, A a tenth of all rounds.
    pub rate_decay: f64,
    /// Exponent of the perturbation: it falls with n to this power.
    pub perturbation_decay: f64,
}

impl Default for SpsaSettings {
    /// Spall's exponents.
    fn default() -> Self {
        Self { perturbation: 2.0, drift: None, rate_decay: 0.602, perturbation_decay: 0.101 }
    }
}

impl SpsaSettings {
    pub(super) fn begin(
        &self,
        conditions: &Conditions,
        check: Check,
    ) -> Result<Spsa, SettingsError> {
        check.above_zero("perturbation", self.perturbation)?;
        let drift = conditions.drift(self.drift);
        check.above_zero("drift", drift)?;
        check.share("rate_decay", self.rate_decay)?;
        check.share("perturbation_decay", self.perturbation_decay)?;
        let rounds = (conditions.evaluations / 2).max(1);
        let squares = (1..=rounds).map(|round| self.fallen(round, rounds).powi(2)).sum::<f64>();
        Ok(Spsa {
            settings: self.clone(),
            space: conditions.space.clone(),
            chance: Chance::seed_from_u64(conditions.seed),
            rounds,
            rate: drift / squares.sqrt(),
            round: 0,
            place: conditions.beginning(),
            signs: Vec::new(),
            squares: 0.0,
        })
    }
}

impl SpsaSettings {
    /// Share of the first rate in a round; A is a tenth of all rounds.
    fn fallen(&self, round: u64, rounds: u64) -> f64 {
        let ahead = rounds as f64 / 10.0;
        ((1.0 + ahead) / (round as f64 + ahead)).powf(self.rate_decay)
    }
}

/// A running search.
pub(super) struct Spsa {
    settings: SpsaSettings,
    space: Space,
    chance: Chance,
    rounds: u64,
    /// Length of the first move for a difference of usual size, in steps.
    rate: f64,
    round: u64,
    /// In steps from the start.
    place: Vec<f64>,
    signs: Vec<f64>,
    /// Sum of squares of all differences so far.
    squares: f64,
}

impl SearchMethod for Spsa {
    fn ask(&mut self) -> Vec<SearchPoint> {
        self.round += 1;
        let sign = |_| if self.chance.random() { 1.0 } else { -1.0 };
        self.signs = (0..self.place.len()).map(sign).collect();
        vec![self.moved(1.0), self.moved(-1.0)]
    }

    fn tell(&mut self, judged: &[PointFitness]) {
        let [one, other] = judged else { return };
        let difference = one.fitness - other.fitness;
        self.squares += difference * difference;
        let usual = (self.squares / self.round as f64).sqrt();
        if usual > 0.0 {
            let rate = self.rate * self.settings.fallen(self.round, self.rounds);
            let step = rate * difference / usual;
            self.place.iter_mut().zip(&self.signs).for_each(|(place, sign)| *place += step * sign);
            self.space.bound(&mut self.place);
        }
    }

    fn answer(&self) -> SearchPoint {
        self.space.at(&self.place)
    }

    fn population(&self) -> Vec<SearchPoint> {
        vec![self.moved(1.0), self.moved(-1.0)]
    }
}

impl Spsa {
    fn moved(&self, side: f64) -> SearchPoint {
        let falls = (self.round.max(1) as f64).powf(self.settings.perturbation_decay);
        let width = side * self.settings.perturbation / falls;
        let moved = self.place.iter().zip(&self.signs).map(|(place, sign)| place + width * sign);
        self.space.at(&moved.collect::<Vec<_>>())
    }
}
