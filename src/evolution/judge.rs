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
    /// Judges the points of a round; `None` if it was stopped before.
    ///
    /// # Errors
    /// Whatever keeps it from an answer.
    fn judge(
        &mut self,
        round: &JudgeRound<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<JudgedRound>, EvolutionError>;

    /// Takes the current answer of the search, for judges that play against champions.
    fn add_champion(&mut self, _answer: &SearchPoint) {}
}

#[derive(Clone, Copy, Debug)]
pub struct JudgeRound<'a> {
    /// Counted from 0.
    pub number: u64,
    pub asked: &'a [SearchPoint],
    /// The whole population, which may have more points.
    pub alive: &'a [SearchPoint],
    /// Whether slopes are wanted.
    pub wants_slopes: bool,
}

/// Judgements of the points of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRound {
    /// Of each point.
    pub judgements: Vec<PointFitness>,
    /// What it took: games, or evaluations of all positions.
    pub spent: u64,
    /// How the points' games went by colour; none where none were played.
    pub colours: Colours,
}

/// Games of the judged, by the colour that they had.
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
    /// Of all games of a pairing, seen by its first player.
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

    /// Share of all points; ½ without a game.
    pub fn score(&self) -> f64 {
        let mut all = self.white;
        all += self.black;
        all.score().unwrap_or(0.5)
    }

    /// Whether as many games were played with one colour as with the other.
    pub fn are_balanced(&self) -> bool {
        self.white.games() == self.black.games()
    }
}
