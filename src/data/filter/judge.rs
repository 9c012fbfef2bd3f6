//! What each rule says of a position.

use super::{DropRule, Filter, StaticGap, Upset};
use crate::share::{Share, position_hash};
use crate::{Candidate, Score};
use chess::{Color, Position, phase, phase_band, see_at_least};

/// Choices of several rules about one position are independent of each other.
#[derive(Clone, Copy)]
enum Choice {
    /// Of [`Filter::keep`].
    Keep = 0,
    /// Of [`Filter::full_ply`].
    Ply = 1,
    /// Of [`Filter::keep_by_phase`].
    Phase = 2,
}

/// What a position is worth without a search.
pub trait StaticEvaluation {
    /// Centipawns for the side to move.
    fn centipawns(&self, position: &Position) -> i32;
}

impl<Net: StaticEvaluation> Filter<Net> {
    /// The rule that drops this position; `None` keeps it. What is cheap to say comes first.
    pub fn judge(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        self.judge_target(candidate)
            .or_else(|| self.judge_ply(candidate))
            .or_else(|| self.judge_size(candidate.white_score))
            .or_else(|| self.judge_tactics(candidate))
            .or_else(|| self.judge_material(candidate.position))
            .or_else(|| self.judge_result(candidate))
            .or_else(|| self.judge_exchanges(candidate.position))
            .or_else(|| self.judge_static(candidate))
            .or_else(|| self.judge_choice(candidate.position))
    }

    fn judge_static(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        let StaticGap { net, max } = self.static_gap.as_ref()?;
        let position = candidate.position;
        let is_near = match candidate.white_score?.seen_by(position.turn()) {
            Score::Centipawns(cp) => cp.abs_diff(net.centipawns(position)) <= *max,
            Score::Mate(_) => false,
        };
        (!is_near).then_some(DropRule::StaticGap)
    }
}

impl<Net> Filter<Net> {
    /// The same without the rules that look at scores: of a position that is to get another.
    pub fn judge_whatever_score(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        self.judge_ply(candidate)
            .or_else(|| self.judge_tactics(candidate))
            .or_else(|| self.judge_material(candidate.position))
            .or_else(|| self.judge_exchanges(candidate.position))
            .or_else(|| self.judge_choice(candidate.position))
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

    fn judge_ply(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        if self.min_ply == 0 && self.full_ply == 0 {
            return None;
        }
        let Some(ply) = candidate.ply else { return Some(DropRule::UnknownPly) };
        if ply < self.min_ply {
            return Some(DropRule::EarlyPly);
        }
        let share = ramp(ply, self.min_ply, self.full_ply);
        (!self.chooses(Choice::Ply, share, candidate.position)).then_some(DropRule::PlyNotChosen)
    }

    fn judge_tactics(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        let tactical = || candidate.played.is_some_and(|m| m.is_capture() || m.is_promotion());
        if !self.checks && candidate.position.is_check() {
            Some(DropRule::InCheck)
        } else if !self.tactical && tactical() {
            Some(DropRule::Tactical)
        } else {
            None
        }
    }

    fn judge_size(&self, white_score: Option<Score>) -> Option<DropRule> {
        let max = self.max_score?;
        match white_score? {
            Score::Centipawns(cp) => (cp.unsigned_abs() > max).then_some(DropRule::LargeScore),
            Score::Mate(_) => Some(DropRule::Mate),
        }
    }

    fn judge_material(&self, position: &Position) -> Option<DropRule> {
        let pieces = position.board().occupied().count() as u32;
        if !(self.min_pieces..=self.max_pieces).contains(&pieces) {
            return Some(DropRule::Pieces);
        }
        let part = phase_band(phase(position.board()), self.keep_by_phase.len());
        let share = *self.keep_by_phase.get(part)?;
        (!self.chooses(Choice::Phase, share, position)).then_some(DropRule::PhaseNotChosen)
    }

    fn judge_result(&self, candidate: &Candidate<'_>) -> Option<DropRule> {
        let Upset { max, scale_cp } = self.upset?;
        let promised = match candidate.white_score? {
            Score::Centipawns(cp) => 1.0 / (1.0 + (-f64::from(cp) / scale_cp).exp()),
            Score::Mate(moves) => f64::from(u8::from(moves > 0)),
        };
        let points = f64::from(candidate.result?.seen_by(Color::White)) / 2.0;
        (f64::abs(points - promised) > max).then_some(DropRule::Upset)
    }

    fn judge_exchanges(&self, position: &Position) -> Option<DropRule> {
        if self.winning_captures {
            return None;
        }
        let mut noisy = position.noisy_moves().into_iter();
        noisy.any(|m| see_at_least(position, m, 1)).then_some(DropRule::WinningCapture)
    }

    fn judge_choice(&self, position: &Position) -> Option<DropRule> {
        let chosen = self.chooses(Choice::Keep, self.keep, position);
        (!chosen).then_some(DropRule::NotChosen)
    }

    /// Whether a position is in a share of all.
    fn chooses(&self, choice: Choice, share: Share, position: &Position) -> bool {
        let salt = (choice as u64) << 32 | u64::from(self.skip_seed);
        share == Share::ALL || share.holds(position_hash(position, salt))
    }
}

/// The share kept at a ply where it grows evenly from the first to the full one.
fn ramp(ply: u32, first: u32, full: u32) -> Share {
    if ply >= full {
        return Share::ALL;
    }
    let share = f64::from(ply + 1 - first) / f64::from(full + 1 - first);
    Share::try_from(share).unwrap_or(Share::ALL)
}
