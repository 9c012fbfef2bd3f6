//! Judges of points.

pub mod games;
pub mod positions;

use std::sync::atomic::AtomicBool;

use arena::{HalfPoints, PairingResult, Trinomial};
use serde::{Deserialize, Serialize};

use super::{EvolutionError, PointFitness, SearchPoint};

pub use games::{GameJudge, GameTerms, Opponents};
pub use positions::PositionJudge;

/// A judge of points.
pub trait Judge {
    /// Judges the points of a round; `None` once the stop flag is set.
    ///
    /// # Errors
    /// Failures of games or files.
    fn judge(
        &mut self,
        round: &JudgeRound<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<JudgedRound>, EvolutionError>;

    /// Adds the current answer of the search, for judges that play against champions.
    fn add_champion(&mut self, _answer: &SearchPoint) {}
}

#[derive(Clone, Copy, Debug)]
pub struct JudgeRound<'a> {
    /// Counted from 0.
    pub number: u64,
    pub points: &'a [SearchPoint],
    /// The whole population, a superset of `points` in some methods.
    pub alive: &'a [SearchPoint],
    /// Whether the judge computes slopes.
    pub wants_slopes: bool,
}

/// Judgements of the points of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRound {
    /// By point.
    pub judgements: Vec<PointFitness>,
    /// Cost: games, or evaluations of all positions.
    pub spent: u64,
    /// Games of the points by colour; empty without games.
    pub colours: Colours,
}

/// Games of the judged points by their colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colours {
    /// With White, from their side.
    pub white: Trinomial,
    /// With Black, from their side.
    pub black: Trinomial,
}

impl std::ops::AddAssign for Colours {
    fn add_assign(&mut self, other: Self) {
        self.white += other.white;
        self.black += other.black;
    }
}

impl Colours {
    /// All games of a pairing, from its first player's side.
    pub fn of(pairing: &PairingResult) -> Self {
        let mut colours = Self::default();
        for game in &pairing.records {
            colours.add(!game.key.swapped, game.first_players_score());
        }
        colours
    }

    pub(crate) fn add(&mut self, has_white: bool, score: HalfPoints) {
        if has_white { self.white.add(score) } else { self.black.add(score) }
    }

    /// Share of the points; ½ without a game.
    pub fn score(&self) -> f64 {
        let mut all = self.white;
        all += self.black;
        all.score().unwrap_or(0.5)
    }

    /// Whether both colours have the same number of games.
    pub fn are_balanced(&self) -> bool {
        self.white.games() == self.black.games()
    }
}
