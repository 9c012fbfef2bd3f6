//! One scale for all evaluations.
//!
//! The margins of the search are centipawns of PeSTO. The data of a net set its centipawn, and two
//! nets that judge alike on different scales would be pruned differently: their match would measure
//! the scale, not the features. So a factor brings the output of a net, on average over fixed
//! positions, to the size of PeSTO's.

use std::sync::LazyLock;

use chess::Position;

use super::{Evaluator, Tapered};

/// Positions from games of PeSTO against itself (400 nodes a move, eight random
/// plies): one from each game, after the sixteenth ply, not in check, before a
/// move that is neither a capture nor a promotion.
const REFERENCE: &str = include_str!("scale/reference.epd");

/// Larger evaluations are clamped to this, so that a few won positions do not decide.
const MOST: i32 = 1_000;

/// A factor of evaluations, close to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScoreScale {
    /// 1,024ths.
    factor: i32,
}

impl ScoreScale {
    const UNIT: i32 = 1_024;
    const LEAST: i32 = Self::UNIT / 16;
    const LARGEST: i32 = Self::UNIT * 16;

    pub(crate) const ONE: Self = Self { factor: Self::UNIT };

    /// The factor that brings an evaluation to the reference.
    pub(crate) fn of(evaluator: &mut dyn Evaluator) -> Self {
        let (own, reference) = (size(evaluator), *SIZE_OF_PESTO);
        if own == 0 {
            return Self::ONE;
        }
        let factor = (reference * Self::UNIT as u64 / own).try_into().unwrap_or(Self::LARGEST);
        Self { factor: factor.clamp(Self::LEAST, Self::LARGEST) }
    }

    /// In 1,024ths.
    pub(crate) fn factor(self) -> i32 {
        self.factor
    }

    #[inline]
    pub(crate) fn apply(self, centipawns: i32) -> i32 {
        let scaled = i64::from(centipawns) * i64::from(self.factor) / i64::from(Self::UNIT);
        scaled.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }
}

static POSITIONS: LazyLock<Vec<Position>> =
    LazyLock::new(|| REFERENCE.lines().filter_map(|fen| Position::from_fen(fen).ok()).collect());

static SIZE_OF_PESTO: LazyLock<u64> = LazyLock::new(|| size(&mut Tapered::pesto()));

/// Fixed quiet positions from games, on which evaluations are scaled and compared.
pub fn reference_positions() -> &'static [Position] {
    &POSITIONS
}

/// Sum of the absolute evaluations of the reference positions.
fn size(evaluator: &mut dyn Evaluator) -> u64 {
    let of = |position: &Position| {
        evaluator.reset(position);
        u64::from(evaluator.evaluate(position).abs().min(MOST).unsigned_abs())
    };
    POSITIONS.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Move;

    /// PeSTO in other units.
    struct Stretched(Tapered, i32);

    impl Evaluator for Stretched {
        fn reset(&mut self, root: &Position) {
            self.0.reset(root);
        }
        fn push(&mut self, before: &Position, played: Move, after: &Position) {
            self.0.push(before, played, after);
        }
        fn push_null(&mut self, after: &Position) {
            self.0.push_null(after);
        }
        fn pop(&mut self) {
            self.0.pop();
        }
        fn evaluate(&mut self, position: &Position) -> i32 {
            self.0.evaluate(position) * self.1 / 100
        }
    }

    #[test]
    fn the_reference_positions_are_legal_and_many() {
        assert_eq!(POSITIONS.len(), REFERENCE.lines().count());
        assert!(POSITIONS.len() > 400);
        assert!(POSITIONS.iter().all(|position| !position.is_check()));
    }

    #[test]
    fn other_units_come_out_as_centipawns() {
        assert_eq!(ScoreScale::of(&mut Tapered::pesto()), ScoreScale::ONE);
        for percent in [50, 80, 120] {
            let scale = ScoreScale::of(&mut Stretched(Tapered::pesto(), percent));
            let back = scale.apply(300 * percent / 100);
            assert!((290..=310).contains(&back), "{percent} % comes back as {back}");
        }
        assert_eq!(ScoreScale::of(&mut Stretched(Tapered::pesto(), 0)), ScoreScale::ONE);
    }
}
