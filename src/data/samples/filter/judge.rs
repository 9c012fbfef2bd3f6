//! The judgement of each rule about a position, and its needs of a format.

use std::path::Path;

use super::{DropRule, Filter, StaticGap, Upset};
use crate::error::DataError;
use crate::formats::format::FileFormat;
use crate::samples::candidate::CandidatePosition;
use crate::samples::share::{Share, position_hash};
use chess::{Color, FULL_PHASE, Position, Score, phase, phase_band, see_at_least};

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

/// A static evaluation.
pub trait StaticEvaluation {
    /// Centipawns for the side to move.
    fn centipawns(&self, position: &Position) -> i32;
}

impl<Net: StaticEvaluation> Filter<Net> {
    /// The rule that drops this position; `None` keeps it. Cheap rules come first.
    pub fn judge(&self, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
        self.judge_target(candidate)
            .or_else(|| self.judge_depth(candidate))
            .or_else(|| self.judge_ply(candidate))
            .or_else(|| self.judge_size(candidate.white_score))
            .or_else(|| self.judge_tactics(candidate))
            .or_else(|| self.judge_material(candidate.position))
            .or_else(|| self.judge_result(candidate))
            .or_else(|| self.judge_exchanges(candidate.position))
            .or_else(|| self.judge_static(candidate))
            .or_else(|| self.judge_choice(candidate.position))
    }

    fn judge_static(&self, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
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
    /// The same without the rules that look at scores, for a position that is to get another.
    pub fn judge_ignoring_score(&self, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
        self.judge_ply(candidate)
            .or_else(|| self.judge_tactics(candidate))
            .or_else(|| self.judge_material(candidate.position))
            .or_else(|| self.judge_exchanges(candidate.position))
            .or_else(|| self.judge_choice(candidate.position))
    }

    fn judge_target(&self, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
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

    /// A score of unknown depth counts as too shallow.
    fn judge_depth(&self, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
        let is_shallow = candidate.depth.unwrap_or(0) < self.min_depth;
        (is_shallow && candidate.white_score.is_some()).then_some(DropRule::Shallow)
    }

    fn judge_ply(&self, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
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

    fn judge_tactics(&self, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
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

    fn judge_result(&self, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
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

    /// Fields that contradict each other or are out of range.
    pub(super) fn contradiction(&self) -> Option<String> {
        let Self { min_ply, full_ply, min_pieces, max_pieces, .. } = self;
        if *full_ply > 0 && full_ply <= min_ply {
            return Some(format!(
                "full_ply = {full_ply} is not above min_ply = {min_ply}: all are kept from the \
                 later ply on, and a growing share before it"
            ));
        }
        if min_pieces > max_pieces {
            return Some(format!(
                "no position has at least min_pieces = {min_pieces} and at most max_pieces = \
                 {max_pieces} pieces"
            ));
        }
        if self.keep_by_phase.len() > FULL_PHASE as usize + 1 {
            let parts = FULL_PHASE + 1;
            return Some(format!(
                "keep_by_phase has {} shares, and a game no more than {parts} phases",
                self.keep_by_phase.len()
            ));
        }
        let Upset { max, scale_cp } = self.upset?;
        if !(0.0..=1.0).contains(&max) || scale_cp.is_nan() || scale_cp <= 0.0 {
            return Some(format!(
                "upset = {{ max = {max}, scale_cp = {scale_cp} }}: max is a difference of points, \
                 from 0 to 1, and scale_cp is above 0"
            ));
        }
        None
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

impl Filter {
    /// Checks that files of that format have the fields that the rules need.
    ///
    /// # Errors
    /// A missing field, with the filters that could be applied instead.
    pub fn check_served(&self, path: &Path, format: FileFormat) -> Result<(), DataError> {
        let Some(reasons) = self.unserved(format) else { return Ok(()) };
        let (path, format, filter) = (path.to_owned(), format.name(), Box::new(self.clone()));
        Err(DataError::Unserved { path, format, filter, reasons })
    }

    /// Reasons why it cannot be applied to files of that format, and filters to write
    /// instead; `None` if it can.
    pub fn unserved(&self, format: FileFormat) -> Option<String> {
        let plies = match self.min_ply {
            0 => format!("full_ply = {}", self.full_ply),
            first => format!("min_ply = {first}"),
        };
        let reasons: String = [
            (
                self.needs_moves(format),
                "it has no moves, so captures and promotions cannot be dropped \
                 (`tactical = false`)",
            ),
            (
                self.needs_plies(format),
                format!("it has no move numbers, so early plies cannot be dropped (`{plies}`)")
                    .as_str(),
            ),
            (
                self.needs_scores(format),
                "it has no scores, only results: they can be trained on with `wdl = 1`",
            ),
            (
                self.needs_depths(format),
                "it has no depths of its scores, so shallow ones cannot be dropped (`min_depth`)",
            ),
            (
                self.compares_scores(format),
                "it has no scores to hold against results (`upset`) or static evaluations \
                 (`static_gap`)",
            ),
        ]
        .into_iter()
        .filter(|(is_missing, _)| *is_missing)
        .map(|(_, reason)| format!("\n  - {reason}"))
        .collect();
        (!reasons.is_empty()).then(|| format!("{reasons}\n{}", self.instead(format)))
    }

    /// The filters that come nearest and can be applied.
    fn instead(&self, format: FileFormat) -> String {
        let needs_plies = self.needs_plies(format);
        let mut served = Self {
            min_ply: if needs_plies { 0 } else { self.min_ply },
            full_ply: if needs_plies { 0 } else { self.full_ply },
            unscored: self.unscored || self.needs_scores(format),
            min_depth: if self.needs_depths(format) { 0 } else { self.min_depth },
            ..self.clone()
        };
        if self.compares_scores(format) {
            (served.upset, served.static_gap) = (None, None);
        }
        if !self.needs_moves(format) {
            return format!("write\n  filter = {served}");
        }
        let vouched = Self { quiet_lists: true, ..served.clone() };
        let kept = Self { tactical: true, ..served };
        let exchanged = Self { winning_captures: false, ..kept.clone() };
        format!(
            "for a file of quiet positions, write\n  filter = {vouched}\nto drop positions in which a capture wins by exchange, with any move played, write\n  filter = {exchanged}\nto keep captures and promotions everywhere, write\n  filter = {kept}"
        )
    }

    fn needs_moves(&self, format: FileFormat) -> bool {
        !self.tactical && !self.quiet_lists && !format.has_moves()
    }

    fn needs_plies(&self, format: FileFormat) -> bool {
        (self.min_ply > 0 || self.full_ply > 0) && !format.has_plies()
    }

    fn needs_scores(&self, format: FileFormat) -> bool {
        !self.unscored && !format.has_scores()
    }

    fn needs_depths(&self, format: FileFormat) -> bool {
        self.min_depth > 0 && !format.has_depths()
    }

    fn compares_scores(&self, format: FileFormat) -> bool {
        (self.upset.is_some() || self.static_gap.is_some()) && !format.has_scores()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_serve_every_filter() {
        let demanding = Filter { min_ply: 16, ..Filter::QUIET };
        for format in [FileFormat::Pgn, FileFormat::Viriformat] {
            assert_eq!(demanding.unserved(format), None);
        }
    }

    #[test]
    fn advised_filters_are_served() {
        let upset = Some(Upset { max: 0.8, scale_cp: 361.0 });
        let demanding =
            Filter { min_ply: 16, full_ply: 20, max_score: Some(900), upset, ..Filter::QUIET };
        for format in FileFormat::ALL {
            let Some(reasons) = demanding.unserved(format) else { continue };
            let advised: Vec<Filter> = reasons
                .lines()
                .filter_map(|line| line.trim().strip_prefix("filter = "))
                .map(|filter| filter.parse().unwrap())
                .collect();
            // Without moves there are several ways to treat captures.
            assert_eq!(advised.len(), if format.has_moves() { 1 } else { 3 }, "{reasons}");
            for filter in advised {
                assert_eq!(filter.unserved(format), None, "{filter}");
                assert_eq!((filter.max_score, filter.checks), (Some(900), false));
            }
        }
    }

    #[test]
    fn every_reason_is_named() {
        let reasons = Filter { min_ply: 16, ..Filter::QUIET }.unserved(FileFormat::Epd).unwrap();
        for part in ["no moves", "`tactical = false`", "`min_ply = 16`", "`wdl = 1`"] {
            assert!(reasons.contains(part), "{part}: {reasons}");
        }
        let reasons = Filter::NONE.unserved(FileFormat::Epd).unwrap();
        assert!(!reasons.contains("no moves"), "{reasons}");
        assert!(
            reasons.ends_with("write\n  filter = { base = \"none\", unscored = true }"),
            "{reasons}"
        );
        assert_eq!(Filter { min_ply: 16, ..Filter::NONE }.unserved(FileFormat::ScoredText), None);
    }
}
