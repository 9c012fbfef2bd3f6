//! Constants that follow from the dimensions and the population.

/// Weights and learning rates.
pub(super) struct Constants {
    /// By rank, best first; those of the worse half are negative.
    pub weights: Vec<f64>,
    /// Effective number of points: as many equally weighted points would be as noisy as the
    /// weighted better half.
    pub effective: f64,
    /// Learning rate of the width's path.
    pub width_memory: f64,
    /// Damping of the width.
    pub damping: f64,
    /// Learning rate of the shape's path.
    pub shape_memory: f64,
    /// Learning rate of the covariance from the path.
    pub path_rate: f64,
    /// Learning rate of the covariance from the points.
    pub rank_rate: f64,
    /// The mean length of a normally distributed vector.
    pub usual_length: f64,
    dimensions: f64,
}

impl Constants {
    pub(super) fn new(dimensions: usize, population: usize, diagonal: bool) -> Self {
        let n = dimensions as f64;
        let mut weights = raw_weights(population);
        let (good, bad) = halves(&mut weights);
        scale_to(good, 1.0);
        let effective = effective(good);
        let effective_bad = self::effective(bad);
        // A diagonal has fewer numbers to adapt.
        let faster = if diagonal { (n + 2.0) / 3.0 } else { 1.0 };
        let few = (population as f64 / 6.0).min(1.0);
        let path_rate = (faster * few * 2.0 / ((n + 1.3).powi(2) + effective)).min(1.0);
        let learnt = effective + 1.0 / effective - 2.0 + 0.25;
        let rank_rate =
            (faster * 2.0 * learnt / ((n + 2.0).powi(2) + effective)).min(1.0 - path_rate);
        if rank_rate > 0.0 {
            let balanced = 1.0 + path_rate / rank_rate;
            let noise = 1.0 + 2.0 * effective_bad / (effective + 2.0);
            let definite = (1.0 - path_rate - rank_rate) / (n * rank_rate);
            scale_to(bad, -balanced.min(noise).min(definite));
        } else {
            bad.fill(0.0);
        }
        let width_memory = ((effective + 2.0) / (n + effective + 3.0)).min(0.5);
        let many = (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0);
        Self {
            effective,
            width_memory,
            damping: 1.0 + 2.0 * many + width_memory,
            shape_memory: (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n),
            path_rate,
            rank_rate,
            usual_length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            dimensions: n,
            weights,
        }
    }

    /// Generations after which the covariance has changed enough for a new decomposition.
    pub(super) fn rounds_to_learn(&self) -> u64 {
        (0.1 / ((self.path_rate + self.rank_rate) * self.dimensions)) as u64
    }
}

fn raw_weights(population: usize) -> Vec<f64> {
    let middle = ((population as f64 + 1.0) / 2.0).ln();
    (1..=population).map(|rank| middle - (rank as f64).ln()).collect()
}

/// Weights above zero, and the others.
fn halves(weights: &mut [f64]) -> (&mut [f64], &mut [f64]) {
    let good = weights.iter().take_while(|&&weight| weight > 0.0).count();
    weights.split_at_mut(good)
}

fn scale_to(weights: &mut [f64], whole: f64) {
    let sum: f64 = weights.iter().sum();
    if sum != 0.0 {
        weights.iter_mut().for_each(|weight| *weight *= whole / sum);
    }
}

fn effective(weights: &[f64]) -> f64 {
    let sum: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    if squares > 0.0 { sum * sum / squares } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values in the documentation and doctests of `cma`'s recombination weights.
    #[test]
    fn they_are_those_that_are_published() {
        let constants = Constants::new(5, 7, false);
        let expected = [0.59, 0.29, 0.12, 0.00];
        for (found, expected) in constants.weights.iter().zip(expected) {
            assert!((found - expected).abs() < 0.006, "{:?}", constants.weights);
        }
        assert!((constants.effective - 2.3).abs() < 0.05, "{}", constants.effective);
        assert!(constants.weights[6] < constants.weights[5] && constants.weights[5] < 0.0);
    }

    #[test]
    fn rates_leave_a_covariance_that_has_widths() {
        for dimensions in [1, 2, 10, 100, 1_000] {
            for population in [4, 5, 10, 200] {
                for diagonal in [false, true] {
                    let all = Constants::new(dimensions, population, diagonal);
                    assert!(all.path_rate + all.rank_rate <= 1.0);
                    let bad: f64 = all.weights.iter().filter(|&&weight| weight < 0.0).sum();
                    let most = (1.0 - all.path_rate - all.rank_rate) + 1e-12;
                    assert!(-bad * all.rank_rate * dimensions as f64 <= most);
                    assert!(all.width_memory > 0.0 && all.damping >= 1.0);
                }
            }
        }
    }
}
