//! Small systems of linear equations.

/// Gaussian elimination of a symmetric positive definite system, which needs
/// no pivoting.
pub(super) fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for column in 0..n {
        for row in column + 1..n {
            let factor = matrix[row][column] / matrix[column][column];
            let (above, below) = matrix.split_at_mut(row);
            for (target, source) in below[0][column..].iter_mut().zip(&above[column][column..]) {
                *target -= factor * source;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_solve() {
        let matrix = vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -1.0], vec![0.5, -1.0, 2.0]];
        let right = vec![1.0, -2.0, 3.5];
        let found = solve(matrix.clone(), right.clone());
        for (row, expected) in matrix.iter().zip(right) {
            let product: f64 = row.iter().zip(&found).map(|(a, x)| a * x).sum();
            assert!((product - expected).abs() < 1e-12);
        }
    }
}
