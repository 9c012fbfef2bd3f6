//! CMA-ES: a normal distribution that adapts its mean, its width and its shape.
//!
//! The mean moves to the weighted mean of the better half of the points; the width follows the
//! length of the mean's path (cumulative step-size adaptation); the covariance turns towards
//! directions of better points and away from those of worse ones (Hansen, *The CMA evolution
//! strategy: a tutorial*, 2016, arXiv:1604.00772; constants where the tutorial leaves a choice are
//! those of `cma` 4.5, and `examples/beside_cma.py` compares the two).
//!
//! Points beyond a bound are mirrored at it. With clipping, far points would be as good as near
//! ones, and the width would only grow.
//!
//! In hundreds of dimensions a full covariance is too slow to adapt and expensive; with `diagonal`
//! only the widths of the axes adapt, faster (sep-CMA-ES: Ros and Hansen, 2008).

mod constants;
mod covariance;

use nalgebra::DVector;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::{Check, Conditions, PointFitness, SearchMethod, SettingsError};
use crate::{Chance, SearchPoint, Space};
use constants::Constants;
use covariance::Covariance;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CmaEsSettings {
    /// Points of a generation; 4 + 3 ln of the dimensions by default.
    pub population: Option<usize>,
    /// Initial width, in steps of each gene.
    pub width: f64,
    /// Whether only the widths of the axes adapt.
    pub diagonal: bool,
}

impl Default for CmaEsSettings {
    fn default() -> Self {
        Self { population: None, width: 1.0, diagonal: false }
    }
}

impl CmaEsSettings {
    pub(super) fn begin(
        &self,
        conditions: &Conditions,
        check: Check,
    ) -> Result<CmaEs, SettingsError> {
        let dimensions = conditions.space.dimensions();
        let usual = 4 + (3.0 * (dimensions as f64).ln()) as usize;
        let population = self.population.unwrap_or(usual);
        check.count("population", population, 4)?;
        check.above_zero("width", self.width)?;
        let constants = Constants::new(dimensions, population, self.diagonal);
        Ok(CmaEs {
            covariance: Covariance::new(dimensions, self.diagonal, constants.rounds_to_learn()),
            constants,
            space: conditions.space.clone(),
            chance: Chance::seed_from_u64(conditions.seed),
            middle: DVector::from_vec(conditions.beginning()),
            width: self.width,
            width_path: DVector::zeros(dimensions),
            shape_path: DVector::zeros(dimensions),
            generation: 0,
            drawn: Vec::new(),
        })
    }
}

/// A running search. All vectors are in steps from the start, and may lead beyond the bounds.
pub(super) struct CmaEs {
    space: Space,
    constants: Constants,
    chance: Chance,
    middle: DVector<f64>,
    width: f64,
    covariance: Covariance,
    /// Path of the mean in a round distribution: for the width.
    width_path: DVector<f64>,
    /// Path of the mean: for the shape.
    shape_path: DVector<f64>,
    generation: i32,
    /// The points of this generation from the mean, in widths.
    drawn: Vec<DVector<f64>>,
}

impl SearchMethod for CmaEs {
    fn ask(&mut self) -> Vec<SearchPoint> {
        self.covariance.refresh();
        let dimensions = self.space.dimensions();
        let drawn = (0..self.constants.weights.len()).map(|_| {
            let round = StandardNormal.sample_iter(&mut self.chance).take(dimensions);
            self.covariance.shaped(&DVector::from_iterator(dimensions, round))
        });
        self.drawn = drawn.collect();
        self.population()
    }

    fn tell(&mut self, judged: &[PointFitness]) {
        let mut order: Vec<usize> = (0..self.drawn.len().min(judged.len())).collect();
        order.sort_by(|&a, &b| judged[b].fitness.total_cmp(&judged[a].fitness));
        let ranked: Vec<DVector<f64>> =
            order.into_iter().map(|place| self.drawn[place].clone()).collect();
        self.generation += 1;
        let shift = self.shift(&ranked);
        self.middle += self.width * &shift;
        let is_short = self.follow(&shift);
        self.learn_shape(&ranked, is_short);
        self.adapt_width();
    }

    fn answer(&self) -> SearchPoint {
        self.space.mirrored(self.middle.as_slice())
    }

    fn population(&self) -> Vec<SearchPoint> {
        let at = |drawn: &DVector<f64>| {
            self.space.mirrored((&self.middle + self.width * drawn).as_slice())
        };
        self.drawn.iter().map(at).collect()
    }
}

impl CmaEs {
    /// The weighted mean of the better half.
    fn shift(&self, ranked: &[DVector<f64>]) -> DVector<f64> {
        let mut shift = DVector::zeros(self.middle.len());
        for (drawn, &weight) in ranked.iter().zip(&self.constants.weights) {
            if weight > 0.0 {
                shift.axpy(weight, drawn, 1.0);
            }
        }
        shift
    }

    /// Updates both paths; whether that of the width has a usual length. It is overly long while
    /// the width is far too small, and the shape must not adapt to it.
    fn follow(&mut self, shift: &DVector<f64>) -> bool {
        let Constants { width_memory, shape_memory, effective, .. } = self.constants;
        let added = |memory: f64| (memory * (2.0 - memory) * effective).sqrt();
        self.width_path *= 1.0 - width_memory;
        self.width_path.axpy(added(width_memory), &self.covariance.rounded(shift), 1.0);
        let dimensions = self.middle.len() as f64;
        let seen = 1.0 - (1.0 - width_memory).powi(2 * self.generation);
        let square = self.width_path.norm_squared() / seen / dimensions;
        let is_short = square - 1.0 < 1.0 + 4.0 / (dimensions + 1.0);
        let added = if is_short { added(shape_memory) } else { 0.0 };
        self.shape_path *= 1.0 - shape_memory;
        self.shape_path.axpy(added, shift, 1.0);
        is_short
    }

    fn learn_shape(&mut self, ranked: &[DVector<f64>], is_short: bool) {
        let Constants { path_rate, rank_rate, shape_memory, .. } = self.constants;
        // The old covariance keeps the share that a stalled path lacks.
        let lost = if is_short { 0.0 } else { shape_memory * (2.0 - shape_memory) };
        let whole: f64 = self.constants.weights.iter().sum();
        let kept = 1.0 - path_rate * (1.0 - lost) - rank_rate * whole;
        let dimensions = self.middle.len() as f64;
        let mut terms = vec![(path_rate, &self.shape_path)];
        for (drawn, &weight) in ranked.iter().zip(&self.constants.weights) {
            // Only the direction of a bad point counts, or a far one would make widths negative.
            let length = match weight < 0.0 {
                true => dimensions / (self.covariance.rounded(drawn).norm() + 1e-9).powi(2),
                false => 1.0,
            };
            terms.push((rank_rate * weight * length, drawn));
        }
        self.covariance.learn(kept, &terms);
    }

    fn adapt_width(&mut self) {
        let Constants { width_memory, damping, usual_length, .. } = self.constants;
        let longer = self.width_path.norm() / usual_length - 1.0;
        self.width *= (longer * width_memory / damping).min(1.0).exp();
    }
}
