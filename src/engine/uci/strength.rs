//! Limited strength, by nodes a move.

use std::ops::RangeInclusive;

/// Elo ratings of the engine by nodes a move, weakest first; between them they are linear in the
/// logarithm of the nodes.
const MEASURED: [(u32, u64); 2] = [(1_000, 100), (2_000, 10_000)];

pub(super) const RATINGS: RangeInclusive<u64> =
    MEASURED[0].0 as u64..=MEASURED[MEASURED.len() - 1].0 as u64;

/// Nodes a move of a searcher of that rating.
pub(super) fn nodes(rating: u32) -> u64 {
    let above = MEASURED.iter().position(|&(at, _)| at >= rating);
    let above = above.unwrap_or(MEASURED.len() - 1).max(1);
    let [(low, few), (high, many)] = [MEASURED[above - 1], MEASURED[above]];
    let part = ((f64::from(rating) - f64::from(low)) / f64::from(high - low)).clamp(0.0, 1.0);
    let (few, many) = (few as f64, many as f64);
    (few * (many / few).powf(part)).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_nodes_for_every_point() {
        assert!(MEASURED.is_sorted_by(|(low, few), (high, many)| low < high && few < many));
        for (rating, of_rating) in MEASURED {
            assert_eq!(nodes(rating), of_rating);
        }
        let all: Vec<u64> = (0..4_000).step_by(50).map(nodes).collect();
        assert!(all.is_sorted());
    }
}
