//! Simultaneous perturbation stochastic approximation (SPSA).
//!
//! All genes are moved at once, each to one side or the other by chance; what is judged is that
//! point and its mirror image, and the start moves along the line between them by as much as the
//! one was better (Spall, 1992). Two judgements a step, however many genes. Differences are
//! counted in their own root mean square so far, so that a step does not depend on the unit of
//! the fitness (nor on how far the points were apart, by which Spall divides).

use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{Check, Conditions, Judgement, Method, SettingsError};
use crate::{Chance, Point, Space};

/// What can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How far each gene is moved to be judged, in its steps.
    pub perturbation: f64,
    /// How far it moves for a difference of usual size, in its steps.
    pub rate: f64,
    /// How fast the rate falls: with (n + A) to this power, A a tenth of all rounds.
    pub rate_decay: f64,
    /// How fast the perturbation falls: with n to this power.
    pub perturbation_decay: f64,
}

impl Default for Settings {
    /// Spall's exponents.
    fn default() -> Self {
        Self { perturbation: 2.0, rate: 0.1, rate_decay: 0.602, perturbation_decay: 0.101 }
    }
}

impl Settings {
    pub(super) fn begin(
        &self,
        conditions: &Conditions,
        check: Check,
    ) -> Result<Spsa, SettingsError> {
        check.above_zero("perturbation", self.perturbation)?;
        check.above_zero("rate", self.rate)?;
        check.share("rate_decay", self.rate_decay)?;
        check.share("perturbation_decay", self.perturbation_decay)?;
        Ok(Spsa {
            settings: self.clone(),
            space: conditions.space.clone(),
            chance: Chance::seed_from_u64(conditions.seed),
            rounds: (conditions.evaluations / 2).max(1),
            round: 0,
            place: conditions.beginning(),
            signs: Vec::new(),
            squares: 0.0,
        })
    }
}

/// The search under way.
pub(super) struct Spsa {
    settings: Settings,
    space: Space,
    chance: Chance,
    rounds: u64,
    round: u64,
    /// In steps from the start.
    place: Vec<f64>,
    signs: Vec<f64>,
    /// Of all differences so far, added up.
    squares: f64,
}

impl Method for Spsa {
    fn ask(&mut self) -> Vec<Point> {
        self.round += 1;
        let sign = |_| if self.chance.random() { 1.0 } else { -1.0 };
        self.signs = (0..self.place.len()).map(sign).collect();
        vec![self.moved(1.0), self.moved(-1.0)]
    }

    fn tell(&mut self, judged: &[Judgement]) {
        let [one, other] = judged else { return };
        let difference = one.fitness - other.fitness;
        self.squares += difference * difference;
        let usual = (self.squares / self.round as f64).sqrt();
        if usual > 0.0 {
            let step = self.rate() * difference / usual;
            self.place.iter_mut().zip(&self.signs).for_each(|(place, sign)| *place += step * sign);
            self.space.bound(&mut self.place);
        }
    }

    fn answer(&self) -> Point {
        self.space.at(&self.place)
    }

    fn population(&self) -> Vec<Point> {
        vec![self.moved(1.0), self.moved(-1.0)]
    }
}

impl Spsa {
    fn moved(&self, side: f64) -> Point {
        let falls = (self.round.max(1) as f64).powf(self.settings.perturbation_decay);
        let width = side * self.settings.perturbation / falls;
        let moved = self.place.iter().zip(&self.signs).map(|(place, sign)| place + width * sign);
        self.space.at(&moved.collect::<Vec<_>>())
    }

    fn rate(&self) -> f64 {
        let ahead = self.rounds as f64 / 10.0;
        let falls = ((1.0 + ahead) / (self.round as f64 + ahead)).powf(self.settings.rate_decay);
        self.settings.rate * falls
    }
}
