//! Control of false discoveries among many candidates.

/// Q-values of p-values: the false discovery rate among all findings with a p-value as small
/// (Benjamini and Hochberg, *Controlling the false discovery rate*, 1995).
pub fn q_values(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&a, &b| chances[b].total_cmp(&chances[a]));
    let mut values = vec![1.0; chances.len()];
    let mut least = 1.0f64;
    for (better, at) in (1..=chances.len()).rev().zip(order) {
        least = least.min(chances[at] * chances.len() as f64 / better as f64);
        values[at] = least;
    }
    values
}

/// Significance at a false discovery rate of 5 %.
pub(crate) fn is_discovery(q: f64) -> bool {
    q <= 0.05
}

#[cfg(test)]
mod tests {
    use super::q_values;

    /// The example of the paper: 15 chances with four discoveries at 5 %.
    #[test]
    fn the_papers_example_has_four_discoveries() {
        let chances = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        let values = q_values(&chances);
        assert_eq!(values.iter().filter(|&&q| q <= 0.05).count(), 4);
        assert!((values[3] - 0.0095 * 15.0 / 4.0).abs() < 1e-12);
        assert_eq!(values[14], 1.0);
    }
}
