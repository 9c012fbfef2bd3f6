//! Means of few repeated measurements, with Student's intervals.

use statrs::distribution::{ContinuousCDF, StudentsT};

use base::Estimate;
use base::estimate::Variance;

/// Mean of repeated measurements, such as seeds or games, with Student's 95 % interval. The interval
/// of one value is open; `None` of none.
pub fn student_mean(values: &[f64]) -> Option<Estimate> {
    let mean = mean(values)?;
    Some(match variance(values) {
        None => Estimate::of_unknown_spread(mean),
        Some(Variance { value, freedom }) => {
            let error = (value / values.len() as f64).sqrt();
            Estimate::symmetric(mean, student_t95(freedom) * error)
        }
    })
}

pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// `None` with fewer than two values.
pub(crate) fn variance(values: &[f64]) -> Option<Variance> {
    let freedom = values.len().checked_sub(1).filter(|&freedom| freedom > 0)? as f64;
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(Variance { value: squares / freedom, freedom })
}

/// 97.5 % quantile of Student's t: half of a 95 % interval in standard errors.
pub fn student_t95(freedom: f64) -> f64 {
    // Location 0 and scale 1 are valid, and so is any positive freedom.
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3, "found {found}, expected {expected}");
    }

    #[test]
    fn intervals_follow_students_t() {
        let mean = student_mean(&[10.0, 14.0, 18.0]).unwrap();
        close(mean.value, 14.0);
        close(mean.margin(), 4.30265 * 4.0 / 3f64.sqrt());
        assert!(!student_mean(&[10.0]).unwrap().is_bounded());
        assert_eq!(student_mean(&[]), None);
    }
}
