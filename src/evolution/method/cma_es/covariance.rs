//! The shape of the distribution.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// A covariance and its decomposition.
pub(super) enum Covariance {
    /// Any ellipsoid.
    Full(Box<Full>),
    /// An ellipsoid along the axes: the variance of each.
    Diagonal(DVector<f64>),
}

pub(super) struct Full {
    matrix: DMatrix<f64>,
    /// Directions of the axes, as columns, and their widths: of the matrix at its last
    /// decomposition.
    axes: DMatrix<f64>,
    widths: DVector<f64>,
    /// Updates since then, and the number that triggers the next decomposition.
    updates: u64,
    patience: u64,
}

/// An axis is never narrower than this share of the widest.
const NARROWEST: f64 = 1e-7;

impl Covariance {
    /// A round distribution.
    pub(super) fn new(dimensions: usize, diagonal: bool, patience: u64) -> Self {
        let ones = DVector::from_element(dimensions, 1.0);
        match diagonal {
            true => Self::Diagonal(ones),
            false => Self::Full(Box::new(Full {
                matrix: DMatrix::identity(dimensions, dimensions),
                axes: DMatrix::identity(dimensions, dimensions),
                widths: ones,
                updates: 0,
                patience,
            })),
        }
    }

    /// Decomposes the matrix again if it has changed.
    pub(super) fn refresh(&mut self) {
        if let Self::Full(full) = self
            && full.updates > full.patience
        {
            full.take_apart();
        }
    }

    /// A point of the round distribution as one of this.
    pub(super) fn shaped(&self, round: &DVector<f64>) -> DVector<f64> {
        match self {
            Self::Full(full) => &full.axes * full.widths.component_mul(round),
            Self::Diagonal(variances) => {
                variances.zip_map(round, |variance, value| variance.sqrt() * value)
            }
        }
    }

    /// The inverse: a point of this distribution as one of the round one, without rotation.
    pub(super) fn rounded(&self, shaped: &DVector<f64>) -> DVector<f64> {
        match self {
            Self::Full(full) => {
                let along = full.axes.tr_mul(shaped);
                &full.axes * along.component_div(&full.widths)
            }
            Self::Diagonal(variances) => {
                variances.zip_map(shaped, |variance, value| value / variance.sqrt())
            }
        }
    }

    /// Keeps the share `kept` of itself and adds each vector's weighted square.
    pub(super) fn learn(&mut self, kept: f64, terms: &[(f64, &DVector<f64>)]) {
        match self {
            Self::Full(full) => {
                full.matrix *= kept;
                terms.iter().for_each(|&(weight, x)| full.matrix.ger(weight, x, x, 1.0));
                full.updates += 1;
            }
            Self::Diagonal(variances) => {
                *variances *= kept;
                for &(weight, x) in terms {
                    variances.zip_apply(x, |variance, value| *variance += weight * value * value);
                }
                let least = variances.max() * NARROWEST * NARROWEST;
                variances.apply(|variance| *variance = variance.max(least));
            }
        }
    }
}

impl Full {
    fn take_apart(&mut self) {
        let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(self.matrix.clone());
        let least = eigenvalues.max() * NARROWEST * NARROWEST;
        if eigenvalues.min() < least {
            // After rounding errors or on an unbounded landscape: the matrix follows the lifted
            // widths.
            let lifted = eigenvalues.map(|value| value.max(least));
            let diagonal = DMatrix::from_diagonal(&lifted);
            self.matrix = &eigenvectors * diagonal * eigenvectors.transpose();
        }
        self.widths = eigenvalues.map(|value| value.max(least).sqrt());
        self.axes = eigenvectors;
        self.updates = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_undoes_shaping_up_to_a_turn() {
        let mut covariance = Covariance::new(3, false, 0);
        let (one, other) =
            (DVector::from_vec(vec![1.0, 2.0, -0.5]), DVector::from_vec(vec![0.0, 3.0, 1.0]));
        covariance.learn(0.7, &[(0.5, &one), (0.2, &other)]);
        covariance.refresh();
        let round = DVector::from_vec(vec![0.3, -1.0, 2.0]);
        let again = covariance.rounded(&covariance.shaped(&round));
        assert!((again.norm() - round.norm()).abs() < 1e-12);
        let Covariance::Full(full) = &covariance else { panic!("expected a full covariance") };
        let squared = full.widths.component_mul(&full.widths);
        let product = &full.axes * DMatrix::from_diagonal(&squared) * full.axes.transpose();
        assert!((product - &full.matrix).norm() < 1e-12);
    }

    #[test]
    fn a_diagonal_learns_the_widths_of_the_axes() {
        let mut covariance = Covariance::new(2, true, 0);
        covariance.learn(0.5, &[(0.5, &DVector::from_vec(vec![3.0, 0.0]))]);
        let shaped = covariance.shaped(&DVector::from_vec(vec![1.0, 1.0]));
        assert!(
            (shaped[0] - 5f64.sqrt()).abs() < 1e-12 && (shaped[1] - 0.5f64.sqrt()).abs() < 1e-12
        );
    }
}
