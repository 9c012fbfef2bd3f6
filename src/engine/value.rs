//! Scores inside the search.
//!
//! One signed number orders all scores: mates around ±31,000, evaluations within ±20,000
//! centipawns, with a gap between that keeps them apart. Outside the search scores are [`Score`]s.

use chess::Score;

/// A score for the side to move: centipawns, or a mate beyond [`MATE_BOUND`].
pub(crate) type Value = i32;

/// Longest line the search follows, in plies from the root.
pub(crate) const MAX_PLY: usize = 128;
/// Above every score.
pub(crate) const INFINITE: Value = 32_000;
/// Mate on the spot.
pub(crate) const MATE: Value = 31_000;
/// Scores at or beyond this are mates.
pub(crate) const MATE_BOUND: Value = MATE - 2 * MAX_PLY as Value;
/// Static evaluations are clamped to this, far from the mates.
pub(crate) const EVALUATION_LIMIT: Value = 20_000;
/// A win by an endgame table: above every evaluation, below every mate.
pub(crate) const TABLE_WIN: Value = 25_000;
pub(crate) const DRAW: Value = 0;

/// Mating in `ply` plies from the root.
#[inline]
pub(crate) const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Being mated in `ply` plies from the root.
#[inline]
pub(crate) const fn mated_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// Whether a score announces a mate for either side.
#[inline]
pub(crate) const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_BOUND
}

/// The score outside the search: mates in moves, not plies.
pub(crate) fn to_score(value: Value) -> Score {
    if value >= MATE_BOUND {
        Score::Mate((MATE - value + 1) / 2)
    } else if value <= -MATE_BOUND {
        Score::Mate(-(MATE + value) / 2)
    } else {
        Score::Centipawns(value)
    }
}

/// Centipawns for any score; mates count as the clamp of evaluations, the
/// nearer the larger.
pub fn centipawns(score: Score) -> i32 {
    match score {
        Score::Centipawns(value) => value.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT),
        Score::Mate(moves) if moves > 0 => EVALUATION_LIMIT + 1_000 - moves.min(999),
        Score::Mate(moves) => -EVALUATION_LIMIT - 1_000 - moves.max(-999),
    }
}

/// The score of [`centipawns`].
pub fn from_centipawns(centipawns: i32) -> Score {
    let moves = (EVALUATION_LIMIT + 1_000).saturating_sub(centipawns.saturating_abs()).max(1);
    match centipawns {
        value if value > EVALUATION_LIMIT => Score::Mate(moves),
        value if value < -EVALUATION_LIMIT => Score::Mate(-moves),
        value => Score::Centipawns(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(to_score(mate_in(1)), Score::Mate(1));
        assert_eq!(to_score(mate_in(3)), Score::Mate(2));
        assert_eq!(to_score(mated_in(2)), Score::Mate(-1));
        assert_eq!(to_score(mated_in(4)), Score::Mate(-2));
        assert_eq!(to_score(-37), Score::Centipawns(-37));
    }

    #[test]
    fn centipawns_keep_the_order_of_scores() {
        let ascending = [
            Score::Mate(-1),
            Score::Mate(-9),
            Score::Centipawns(-25_000),
            Score::Centipawns(0),
            Score::Centipawns(25_000),
            Score::Mate(9),
            Score::Mate(1),
        ];
        assert!(ascending.windows(2).all(|w| centipawns(w[0]) < centipawns(w[1])));
    }

    #[test]
    fn centipawns_tell_mates_from_evaluations() {
        for score in (1..=999).flat_map(|moves| [Score::Mate(moves), Score::Mate(-moves)]) {
            assert_eq!(from_centipawns(centipawns(score)), score);
        }
        for value in [-20_000, -1, 0, 20_000] {
            assert_eq!(from_centipawns(value), Score::Centipawns(value));
        }
    }
}
