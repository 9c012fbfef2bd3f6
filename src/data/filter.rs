//! Which positions are worth training on.
//!
//! A static evaluation is asked in quiet positions; where a capture, a
//! promotion or an answer to a check is due, the score of a search says
//! little about the board as it stands, and learning it makes nets worse: of
//! the nets published with Lombardo's thesis (UBA 2024), one of the same
//! features that was most likely trained without such a filter plays about
//! 200 Elo weaker. Trainers therefore drop such positions by default
//! (nnue-pytorch: in check or best move a capture; bullet's examples: also
//! promotions and large scores).
//!
//! A list of positions has no moves, and some have no scores. A rule that
//! needs what a format does not have is never passed over in silence: it is
//! an error until the user says what is meant (`filter/served.rs`).

mod notation;
mod rule;
mod served;

pub use notation::FilterError;
pub use rule::{DropCounts, DropRule};

use super::share::{Share, position_hash};
use super::{Candidate, Score};

/// What to keep. In TOML a name, `"quiet"` or `"none"`, or a table that
/// starts from one of them: `{ base = "quiet", min_ply = 16, max_score = 2000 }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Keep positions in check.
    pub checks: bool,
    /// Keep positions in which a capture or promotion was played.
    pub tactical: bool,
    /// Lists, which have no moves, are vouched for: they hold no position in
    /// which a capture or promotion is best.
    pub quiet_lists: bool,
    /// Keep positions without a score if they have a result (their sample says
    /// [`Sample::NO_SCORE`](super::Sample::NO_SCORE)); only for training on results.
    pub unscored: bool,
    /// Largest score kept, in centipawns, mates being beyond any; `None` keeps all.
    pub max_score: Option<u32>,
    /// First ply kept, counted from the start of the game (move 1 is ply 0).
    pub min_ply: u32,
    /// Share kept of what passes all else, chosen by a hash of board and side
    /// to move: the same position is kept or not wherever it comes up.
    pub keep: Share,
    /// Another seed, another choice.
    pub skip_seed: u32,
}

impl Filter {
    /// Keeps every position that has a score.
    pub const NONE: Self = Self {
        checks: true,
        tactical: true,
        quiet_lists: false,
        unscored: false,
        max_score: None,
        min_ply: 0,
        keep: Share::ALL,
        skip_seed: 0,
    };

    /// The default: not in check, a quiet move played, |score| at most 5000 centipawns.
    pub const QUIET: Self =
        Self { checks: false, tactical: false, max_score: Some(5_000), ..Self::NONE };

    /// The rule that drops this position; `None` keeps it.
    pub fn judge(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        self.judge_target(candidate)
            .or_else(|| self.judge_ply(candidate.ply))
            .or_else(|| self.judge_content(candidate))
            .or_else(|| (!self.chooses(candidate)).then_some(DropRule::NotChosen))
    }

    fn judge_target(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        if candidate.white_score.is_some() {
            None
        } else if !self.unscored {
            Some(DropRule::NoScore)
        } else if candidate.result.is_none() {
            Some(DropRule::NoTarget)
        } else {
            None
        }
    }

    fn judge_ply(&self, ply: Option<u32>) -> Option<DropRule> {
        if self.min_ply == 0 {
            return None;
        }
        match ply {
            None => Some(DropRule::UnknownPly),
            Some(ply) if ply < self.min_ply => Some(DropRule::EarlyPly),
            Some(_) => None,
        }
    }

    fn judge_content(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        let tactical = || candidate.played.is_some_and(|m| m.is_capture() || m.is_promotion());
        if let Some(rule) = candidate.white_score.and_then(|score| self.judge_size(score)) {
            Some(rule)
        } else if !self.checks && candidate.position.is_check() {
            Some(DropRule::InCheck)
        } else if !self.tactical && tactical() {
            Some(DropRule::Tactical)
        } else {
            None
        }
    }

    fn judge_size(&self, score: Score) -> Option<DropRule> {
        let max = self.max_score?;
        match score {
            Score::Centipawns(cp) => (cp.unsigned_abs() > max).then_some(DropRule::LargeScore),
            Score::Mate(_) => Some(DropRule::Mate),
        }
    }

    fn chooses(&self, candidate: &Candidate<'_>) -> bool {
        self.keep == Share::ALL
            || self.keep.holds(position_hash(candidate.position, u64::from(self.skip_seed)))
    }

    /// Whether everything it keeps can be taught something when the result has
    /// that weight in the target, from 0 to 1.
    pub fn check_targets(&self, result_weight: f64) -> Result<(), UnscoredTargets> {
        if self.unscored && result_weight < 1.0 {
            return Err(UnscoredTargets { result_weight });
        }
        Ok(())
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::QUIET
    }
}

/// Positions without a score are to be taught a score.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "`unscored = true` keeps positions without a score, but result_weight = {result_weight} wants scores in the target"
)]
pub struct UnscoredTargets {
    result_weight: f64,
}

impl UnscoredTargets {
    /// What to do about it.
    pub const HELP: &str =
        "train on results alone with a result weight of 1, or leave `unscored` out of the filter";
}

#[cfg(test)]
mod tests;
