//! One game: start position, moves with scores, result.

use std::fmt;

use super::{Color, Move, Position};

/// The stored form of "mate in 0"; a mate in `n` moves is stored `n` closer to zero.
pub const MATE: i32 = 32_000;

/// The longest mate that is stored exactly; longer ones are stored as this one.
pub const MAX_MATE_DISTANCE: i32 = 1_000;

/// The largest score that is a plain evaluation, in centipawns. Larger ones are clamped in the
/// 16-bit form, to stay clear of mates.
pub const MAX_CENTIPAWNS: i32 = MATE - MAX_MATE_DISTANCE - 1;

/// The stored form of a missing score. Stockfish's `VALUE_NONE`: readers without support for it see
/// a score far above any evaluation, which their filters drop.
pub const NO_SCORE: i16 = 32_002;

/// An engine's score of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Centipawns(i32),
    /// Mate in this number of moves; negative when being mated.
    Mate(i32),
}

impl Score {
    /// The same score from the other side.
    pub fn flipped(self) -> Self {
        match self {
            Score::Centipawns(cp) => Score::Centipawns(cp.saturating_neg()),
            Score::Mate(n) => Score::Mate(n.saturating_neg()),
        }
    }

    /// The score from `color`'s side, given one from White's.
    pub fn seen_by(self, color: Color) -> Self {
        if color.is_white() { self } else { self.flipped() }
    }

    /// The 16-bit form, in centipawns: evaluations clamped to
    /// ±[`MAX_CENTIPAWNS`], a mate in `n` moves as ±([`MATE`] − n).
    pub fn to_i16(self) -> i16 {
        let stored = match self {
            Score::Centipawns(cp) => cp.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS),
            Score::Mate(n) => {
                let distance = n.saturating_abs().min(MAX_MATE_DISTANCE);
                if n < 0 { distance - MATE } else { MATE - distance }
            }
        };
        // |stored| <= MATE, which fits.
        stored as i16
    }

    /// Whether the 16-bit form is exact.
    pub fn fits_i16(self) -> bool {
        Self::from_i16(self.to_i16()) == Some(self)
    }

    /// Reads the 16-bit form; `None` beyond [`MATE`] on either side. Engines have no mates there;
    /// these are marks such as [`NO_SCORE`], also with the sign flipped by a reader, and the ends
    /// of the 16 bits.
    pub fn from_i16(stored: i16) -> Option<Self> {
        let value = i32::from(stored);
        if value.abs() > MATE {
            return None;
        }
        Some(if value.abs() <= MAX_CENTIPAWNS {
            Score::Centipawns(value)
        } else {
            Score::Mate((MATE - value.abs()).max(1) * value.signum())
        })
    }
}

/// In pawns, as programs show it: `0.31`, `-M3`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::Centipawns(cp) => write!(f, "{:.2}", f64::from(cp) / 100.0),
            Score::Mate(moves) if moves < 0 => write!(f, "-M{}", moves.unsigned_abs()),
            Score::Mate(moves) => write!(f, "M{moves}"),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// A win for that colour.
    Win(Color),
    /// A draw.
    Draw,
}

impl GameResult {
    /// Value for `color`: 0 lost, 1 drawn, 2 won.
    pub fn seen_by(self, color: Color) -> u8 {
        match self {
            GameResult::Draw => 1,
            GameResult::Win(winner) => 2 * u8::from(winner == color),
        }
    }
}

/// A move and the score of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameMove {
    /// The move.
    pub played: Move,
    /// Score of the position *before* the move, from White's side, if known.
    pub white_score: Option<Score>,
}

/// A game.
#[derive(Clone, Debug)]
pub struct Game {
    /// Start position.
    pub start: Position,
    /// Moves in order.
    pub moves: Vec<GameMove>,
    /// `None` when unknown or unfinished.
    pub result: Option<GameResult>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_scores_are_read_back() {
        for score in [
            Score::Centipawns(0),
            Score::Centipawns(-31),
            Score::Centipawns(MAX_CENTIPAWNS),
            Score::Mate(1),
            Score::Mate(-17),
            Score::Mate(MAX_MATE_DISTANCE),
        ] {
            assert_eq!(Score::from_i16(score.to_i16()), Some(score));
            assert!(score.fits_i16());
            assert_eq!(score.flipped().to_i16(), -score.to_i16());
        }
    }

    #[test]
    fn every_stored_value_is_read() {
        for stored in i16::MIN..=i16::MAX {
            match Score::from_i16(stored) {
                None => assert!(i32::from(stored).abs() > MATE),
                Some(Score::Centipawns(cp)) => assert!(cp.abs() < 31_000),
                Some(Score::Mate(n)) => {
                    assert!(n != 0 && n.signum() == i32::from(stored.signum()));
                    assert!(n.abs() <= MAX_MATE_DISTANCE);
                }
            }
        }
    }

    #[test]
    fn marks_are_no_scores() {
        for mark in [NO_SCORE, -NO_SCORE, 32_001, -32_001, i16::MIN, i16::MAX] {
            assert_eq!(Score::from_i16(mark), None, "{mark}");
        }
        assert_eq!(Score::from_i16(32_000), Some(Score::Mate(1)));
    }

    #[test]
    fn extreme_scores_stay_apart() {
        assert_eq!(Score::Centipawns(i32::MAX).to_i16(), 30_999);
        assert_eq!(Score::Mate(i32::MIN).to_i16(), -31_000);
        for beyond in [Score::Centipawns(-31_000), Score::Mate(1_001), Score::Mate(0)] {
            assert!(!beyond.fits_i16(), "{beyond:?}");
        }
        assert_eq!(Score::Mate(3).to_i16(), 31_997);
    }
}
