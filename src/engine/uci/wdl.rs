//! Win, draw and loss probabilities of a score.
//!
//! A side `s` centipawns ahead wins with the chance σ((s − a) / b) and loses with σ((−s − a) / b);
//! the rest are draws. a and b depend on the pieces left. They are the maximum-likelihood fit to
//! the bundled games: 2.05 million positions of PeSTO's tables against themselves, 600 nodes a move
//! (`datasets/bootstrap.oarc`, written as text by `oplus data convert`). Games of better players
//! have more draws.

use chess::Score;
use chess::{FULL_PHASE, Position, phase};

/// Phase points left (24: all pieces, 0: none) with a and b, in centipawns; linear between them.
const FITTED: [(f64, f64, f64); 5] = [
    (2.0, 497.0, 306.0),
    (7.0, 222.0, 172.0),
    (12.0, 119.0, 131.0),
    (17.0, 103.0, 159.0),
    (22.5, 89.0, 186.0),
];

/// Wins, draws and losses of the side to move, in permille; they add up to 1,000.
pub(super) fn wdl(score: Score, position: &Position) -> [u32; 3] {
    let centipawns = match score {
        Score::Mate(moves) => return if moves > 0 { [1_000, 0, 0] } else { [0, 0, 1_000] },
        Score::Centipawns(value) => f64::from(value),
    };
    let left = FULL_PHASE - phase(position.board());
    let (a, b) = fitted(f64::from(left));
    let beyond = |score: f64| (1_000.0 / (1.0 + ((a - score) / b).exp())).round() as u32;
    let (wins, losses) = (beyond(centipawns), beyond(-centipawns));
    [wins, 1_000_u32.saturating_sub(wins + losses), losses]
}

fn fitted(phase: f64) -> (f64, f64) {
    let above = FITTED.iter().position(|&(at, ..)| at >= phase).unwrap_or(FITTED.len() - 1).max(1);
    let ((low, a, b), (high, to_a, to_b)) = (FITTED[above - 1], FITTED[above]);
    let part = ((phase - low) / (high - low)).clamp(0.0, 1.0);
    (a + part * (to_a - a), b + part * (to_b - b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_and_rise_with_the_score() {
        for fen in ["4k3/8/8/8/8/8/4P3/4K3 w - -", &Position::default().fen()] {
            let position = Position::from_fen(fen).unwrap();
            let mut before = 0;
            for centipawns in (-3_000..=3_000).step_by(50) {
                let [wins, draws, losses] = wdl(Score::Centipawns(centipawns), &position);
                assert_eq!(wins + draws + losses, 1_000);
                let mirrored = wdl(Score::Centipawns(-centipawns), &position);
                assert_eq!(mirrored, [losses, draws, wins]);
                assert!(wins >= before);
                before = wins;
            }
        }
    }

    #[test]
    fn mates_are_certain() {
        let position = Position::default();
        assert_eq!(wdl(Score::Mate(3), &position), [1_000, 0, 0]);
        assert_eq!(wdl(Score::Mate(-3), &position), [0, 0, 1_000]);
        assert_eq!(wdl(Score::Mate(0), &position), [0, 0, 1_000]);
    }
}
