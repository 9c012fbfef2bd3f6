//! Adam (Kingma and Ba, *Adam: a method for stochastic optimization*, 2015), climbing.

/// The state of a climb; the rate falls linearly to a hundredth.
pub(super) struct Adam {
    rate: f64,
    rounds: u64,
    round: i32,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl Adam {
    /// For `dimensions` numbers over `rounds` rounds.
    pub(super) fn new(dimensions: usize, rate: f64, rounds: u64) -> Self {
        let zeros = vec![0.0; dimensions];
        Self { rate, rounds, round: 0, means: zeros.clone(), squares: zeros }
    }

    /// The same with a rate at which slopes of pure noise lead as far as `drift` in all.
    pub(super) fn of_drift(dimensions: usize, drift: f64, rounds: u64) -> Self {
        // The sum of squares of a linearly falling rate is a third of that of a constant one.
        Self::new(dimensions, drift / (rounds as f64 / 3.0).sqrt(), rounds)
    }

    /// A step.
    pub(super) fn climb(&mut self, place: &mut [f64], slope: &[f64]) {
        const MEAN: f64 = 0.9;
        const SQUARE: f64 = 0.999;
        self.round += 1;
        let share = f64::from(self.round - 1) / self.rounds as f64;
        let rate = self.rate * (1.0 - share).max(0.01);
        let (mean_seen, square_seen) = (1.0 - MEAN.powi(self.round), 1.0 - SQUARE.powi(self.round));
        let state = self.means.iter_mut().zip(&mut self.squares);
        for ((place, slope), (mean, square)) in place.iter_mut().zip(slope).zip(state) {
            *mean = MEAN * *mean + (1.0 - MEAN) * slope;
            *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
            let scale = (*square / square_seen).sqrt();
            if scale > 0.0 {
                *place += rate * (*mean / mean_seen) / scale;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::Chance;

    #[test]
    fn noise_leads_no_further_than_the_drift() {
        const DIMENSIONS: usize = 500;
        let mut chance = Chance::seed_from_u64(5);
        for rounds in [50, 1_000] {
            let mut adam = Adam::of_drift(DIMENSIONS, 2.0, rounds);
            let mut place = vec![0.0; DIMENSIONS];
            for _ in 0..rounds {
                let slope: Vec<f64> =
                    StandardNormal.sample_iter(&mut chance).take(DIMENSIONS).collect();
                adam.climb(&mut place, &slope);
            }
            let far = (place.iter().map(|x| x * x).sum::<f64>() / DIMENSIONS as f64).sqrt();
            assert!((1.5..2.5).contains(&far), "{rounds} rounds: {far}");
        }
    }
}
