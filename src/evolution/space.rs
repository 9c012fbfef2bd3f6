//! The space of a search: named numbers, each within its bounds.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::Chance;

/// A value for each gene of a [`Space`], in its order.
pub type SearchPoint = Vec<f64>;

/// A number to search for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gene {
    pub name: String,
    /// Starting value of searches that do not begin at random.
    pub start: f64,
    pub low: f64,
    pub high: f64,
    /// Size of a small change: methods count steps in these.
    pub step: f64,
}

/// All numbers that are searched for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    genes: Vec<Gene>,
}

/// Invalid genes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpaceError {
    #[error("no parameter to search")]
    Empty,
    /// Bounds in the wrong order, or a start outside.
    #[error("`{name}`: {low} <= {start} <= {high} does not hold for low, start, high")]
    Bounds { name: String, low: f64, start: f64, high: f64 },
    #[error("`{name}`: the step must be a number above 0, not {step}")]
    Step { name: String, step: f64 },
}

impl Space {
    /// A space with these genes.
    ///
    /// # Errors
    /// No genes, bounds without the start, a step that is not above 0.
    pub fn new(genes: Vec<Gene>) -> Result<Self, SpaceError> {
        if genes.is_empty() {
            return Err(SpaceError::Empty);
        }
        for Gene { name, start, low, high, step } in &genes {
            let (name, start, low, high, step) = (name.clone(), *start, *low, *high, *step);
            if !(low <= start && start <= high && start.is_finite()) {
                return Err(SpaceError::Bounds { name, low, start, high });
            }
            if !(step > 0.0 && step.is_finite()) {
                return Err(SpaceError::Step { name, step });
            }
        }
        Ok(Self { genes })
    }

    pub fn genes(&self) -> &[Gene] {
        &self.genes
    }

    pub fn dimensions(&self) -> usize {
        self.genes.len()
    }

    /// Starting point of searches.
    pub fn start(&self) -> SearchPoint {
        self.genes.iter().map(|gene| gene.start).collect()
    }

    /// The point at `steps` from the start, clipped to the bounds.
    pub fn at(&self, steps: &[f64]) -> SearchPoint {
        let value = |(gene, steps): (&Gene, &f64)| gene.within(gene.start + gene.step * steps);
        self.genes.iter().zip(steps).map(value).collect()
    }

    /// The same, but mirrored at the bounds: neighbouring places stay different points, so that a
    /// distribution that reaches beyond sees no gain there.
    pub(crate) fn mirrored(&self, steps: &[f64]) -> SearchPoint {
        let value = |(gene, steps): (&Gene, &f64)| gene.mirrored(gene.start + gene.step * steps);
        self.genes.iter().zip(steps).map(value).collect()
    }

    /// Clips steps from the start to the bounds.
    pub(crate) fn bound(&self, steps: &mut [f64]) {
        for (gene, steps) in self.genes.iter().zip(steps) {
            let value = gene.start + gene.step * *steps;
            if value < gene.low || value > gene.high {
                *steps = (gene.within(value) - gene.start) / gene.step;
            }
        }
    }

    /// Steps from the start to a point.
    pub(crate) fn steps_to(&self, point: &[f64]) -> Vec<f64> {
        let steps = |(gene, value): (&Gene, &f64)| (value - gene.start) / gene.step;
        self.genes.iter().zip(point).map(steps).collect()
    }

    /// A uniformly random point. Genes without a bound are drawn within a hundred steps of the
    /// start on that side.
    pub(crate) fn any(&self, chance: &mut Chance) -> SearchPoint {
        self.genes.iter().map(|gene| gene.any(chance)).collect()
    }

    /// Distance of two points: the root of the mean square of the differences, each as a share of
    /// its gene's range.
    pub fn distance(&self, one: &[f64], other: &[f64]) -> f64 {
        let squares = self.genes.iter().zip(one.iter().zip(other)).map(|(gene, (a, b))| {
            let (low, high) = gene.range();
            ((a - b) / (high - low).max(f64::MIN_POSITIVE)).powi(2)
        });
        (squares.sum::<f64>() / self.dimensions() as f64).sqrt()
    }

    /// Mean distance of the points from their mean; 0 of fewer than two.
    pub fn diversity(&self, points: &[SearchPoint]) -> f64 {
        if points.len() < 2 {
            return 0.0;
        }
        let count = points.len() as f64;
        let middle: SearchPoint = (0..self.dimensions())
            .map(|gene| points.iter().map(|point| point[gene]).sum::<f64>() / count)
            .collect();
        points.iter().map(|point| self.distance(point, &middle)).sum::<f64>() / count
    }
}

impl Gene {
    /// The value clipped to the bounds.
    pub(crate) fn within(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }

    /// The value mirrored at the bounds.
    fn mirrored(&self, value: f64) -> f64 {
        let span = self.high - self.low;
        let folded = match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) if span > 0.0 => {
                let there = (value - self.low).rem_euclid(2.0 * span);
                self.low + there.min(2.0 * span - there)
            }
            (true, false) => self.low + (value - self.low).abs(),
            (false, true) => self.high - (self.high - value).abs(),
            _ => value,
        };
        self.within(folded)
    }

    /// A uniformly random value.
    pub(crate) fn any(&self, chance: &mut Chance) -> f64 {
        let (low, high) = self.range();
        low + (high - low) * chance.random::<f64>()
    }

    /// Range of random values.
    pub(crate) fn range(&self) -> (f64, f64) {
        const FAR: f64 = 100.0;
        let bounded = |bound: f64, steps: f64| match bound.is_finite() {
            true => bound,
            false => self.start + steps * self.step,
        };
        (bounded(self.low, -FAR), bounded(self.high, FAR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn gene(start: f64, low: f64, high: f64, step: f64) -> Gene {
        Gene { name: "g".to_owned(), start, low, high, step }
    }

    #[test]
    fn invalid_genes_are_refused() {
        assert_eq!(Space::new(vec![]), Err(SpaceError::Empty));
        let bounds = Space::new(vec![gene(2.0, 0.0, 1.0, 1.0)]).unwrap_err();
        assert_eq!(bounds.to_string(), "`g`: 0 <= 2 <= 1 does not hold for low, start, high");
        assert!(Space::new(vec![gene(f64::NAN, 0.0, 1.0, 1.0)]).is_err());
        assert!(matches!(
            Space::new(vec![gene(0.5, 0.0, 1.0, 0.0)]),
            Err(SpaceError::Step { step: 0.0, .. })
        ));
    }

    #[test]
    fn points_stay_within_their_bounds() {
        let space = Space::new(vec![gene(0.0, -1.0, 3.0, 2.0), gene(5.0, 5.0, 5.0, 1.0)]).unwrap();
        assert_eq!(space.start(), [0.0, 5.0]);
        assert_eq!(space.at(&[1.0, 9.0]), [2.0, 5.0]);
        assert_eq!(space.at(&[-4.0, 0.0]), [-1.0, 5.0]);
        let mut chance = Chance::seed_from_u64(1);
        let drawn: Vec<SearchPoint> = (0..1_000).map(|_| space.any(&mut chance)).collect();
        assert!(drawn.iter().all(|point| (-1.0..=3.0).contains(&point[0]) && point[1] == 5.0));
        let mean = drawn.iter().map(|point| point[0]).sum::<f64>() / 1_000.0;
        assert!((mean - 1.0).abs() < 0.15, "{mean}");
    }

    #[test]
    fn values_beyond_a_bound_are_mirrored() {
        let mirrored = |low: f64, high: f64, value: f64| gene(0.0, low, high, 1.0).mirrored(value);
        let values = [0.5, 3.5, -1.5, 7.5, 12.0].map(|value| mirrored(-1.0, 3.0, value));
        assert_eq!(values, [0.5, 2.5, -0.5, -0.5, 2.0]);
        assert_eq!(mirrored(-1.0, f64::INFINITY, -4.0), 2.0);
        assert_eq!(mirrored(f64::NEG_INFINITY, 1.0, 4.0), -2.0);
        assert_eq!(mirrored(f64::NEG_INFINITY, f64::INFINITY, 4.0), 4.0);
        assert_eq!(mirrored(0.0, 0.0, 4.0), 0.0);
    }

    #[test]
    fn diversity_is_how_far_points_are_from_their_middle() {
        let space = Space::new(vec![gene(0.0, 0.0, 10.0, 1.0)]).unwrap();
        assert_eq!(space.diversity(&[vec![4.0]]), 0.0);
        assert_eq!(space.diversity(&[vec![4.0], vec![4.0]]), 0.0);
        assert!((space.diversity(&[vec![0.0], vec![10.0]]) - 0.5).abs() < 1e-12);
    }
}
