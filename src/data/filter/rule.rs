//! The rules that drop positions, and how many each has dropped.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a position is dropped. A position is counted under the first rule that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropRule {
    /// Nobody has judged it.
    NoScore,
    /// Neither a score nor a result: nothing to learn.
    NoTarget,
    /// Early positions are to be dropped, and nothing says whether it is one.
    UnknownPly,
    /// Too near the start.
    EarlyPly,
    /// A score beyond the limit.
    LargeScore,
    /// The side to move is in check.
    InCheck,
    /// The move played is a capture or a promotion.
    Tactical,
    /// Only a share is wanted, and it is not in it.
    NotChosen,
    /// Choices are wanted, and only one move is legal.
    NoChoice,
    /// A mate, which is beyond any limit.
    Mate,
    /// Early, and not in the share kept of its ply.
    PlyNotChosen,
    /// Fewer or more pieces than wanted.
    Pieces,
    /// Not in the share kept of its phase of the game.
    PhaseNotChosen,
    /// A result that is improbable for the score.
    Upset,
    /// A capture or promotion wins material.
    WinningCapture,
    /// The score is far from what the position is worth without a search.
    StaticGap,
}

impl DropRule {
    /// All rules; new ones at the end, since counts are kept in this order.
    pub const ALL: [DropRule; 16] = [
        DropRule::NoScore,
        DropRule::NoTarget,
        DropRule::UnknownPly,
        DropRule::EarlyPly,
        DropRule::LargeScore,
        DropRule::InCheck,
        DropRule::Tactical,
        DropRule::NotChosen,
        DropRule::NoChoice,
        DropRule::Mate,
        DropRule::PlyNotChosen,
        DropRule::Pieces,
        DropRule::PhaseNotChosen,
        DropRule::Upset,
        DropRule::WinningCapture,
        DropRule::StaticGap,
    ];

    /// How to keep the positions it drops.
    pub fn advice(self) -> &'static str {
        match self {
            DropRule::NoScore => {
                "The games carry no scores: give games with scores (`[%eval …]` comments), or train on results alone with `filter = { base = \"quiet\", unscored = true }` and `wdl = 1`"
            }
            DropRule::NoTarget => {
                "Give results too: `Result` tags in PGN, `c9 \"1-0\";` (or `0-1`, `1/2-1/2`) in EPD"
            }
            DropRule::UnknownPly => {
                "The positions have no move counters: leave `min_ply` and `full_ply` out of the filter"
            }
            DropRule::EarlyPly => "Lower `min_ply` in the filter",
            DropRule::LargeScore => "Raise `max_score` in the filter, or use `filter = \"none\"`",
            DropRule::Mate => {
                "Scores of 31,000 and more are mates, which no `max_score` keeps: use `filter = \"none\"`, or `filter = { base = \"none\", checks = false, tactical = false }` for quiet positions with any score. If these scores are no mates, write them smaller"
            }
            DropRule::InCheck | DropRule::Tactical => "Use `filter = \"none\"` to keep them",
            DropRule::NotChosen => "Raise `keep` in the filter",
            DropRule::NoChoice => "Give games in which a choice was to be made",
            DropRule::PlyNotChosen => "Lower `full_ply` in the filter",
            DropRule::Pieces => "Lower `min_pieces` or raise `max_pieces` in the filter",
            DropRule::PhaseNotChosen => "Raise the shares of `keep_by_phase` in the filter",
            DropRule::Upset => "Raise `upset.max` in the filter, or leave `upset` out",
            DropRule::WinningCapture => "Leave `winning_captures = false` out of the filter",
            DropRule::StaticGap => {
                "Raise `static_gap.max` in the filter, or ask a net whose centipawns are those of the scores"
            }
        }
    }
}

impl fmt::Display for DropRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DropRule::NoScore => "without a score",
            DropRule::NoTarget => "with neither score nor result",
            DropRule::UnknownPly => "of unknown ply",
            DropRule::EarlyPly => "before the first ply wanted",
            DropRule::LargeScore => "with a large score",
            DropRule::Mate => "with a mate as their score",
            DropRule::InCheck => "in check",
            DropRule::Tactical => "where a capture or promotion was played",
            DropRule::NotChosen => "not in the share to keep",
            DropRule::NoChoice => "with a single legal move",
            DropRule::PlyNotChosen => "not in the share kept of their ply",
            DropRule::Pieces => "with fewer or more pieces than wanted",
            DropRule::PhaseNotChosen => "not in the share kept of their phase",
            DropRule::Upset => "with a result improbable for the score",
            DropRule::WinningCapture => "where a capture wins material",
            DropRule::StaticGap => "far from the static evaluation",
        })
    }
}

/// How many positions each rule has dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub struct DropCounts([u64; DropRule::ALL.len()]);

/// Counts kept when there were fewer rules are counts too.
impl From<Vec<u64>> for DropCounts {
    fn from(kept: Vec<u64>) -> Self {
        let mut counts = Self::default();
        counts.0.iter_mut().zip(kept).for_each(|(count, kept)| *count = kept);
        counts
    }
}

impl From<DropCounts> for Vec<u64> {
    fn from(counts: DropCounts) -> Self {
        counts.0.to_vec()
    }
}

impl DropCounts {
    pub fn add(&mut self, rule: DropRule) {
        self.0[rule as usize] += 1;
    }

    /// Takes up other counts.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }

    /// Dropped by that rule.
    pub fn count(&self, rule: DropRule) -> u64 {
        self.0[rule as usize]
    }

    /// Dropped by any.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The rule that dropped most, if any did.
    pub fn main_rule(&self) -> Option<DropRule> {
        DropRule::ALL
            .into_iter()
            .filter(|&rule| self.count(rule) > 0)
            .max_by_key(|&rule| self.count(rule))
    }
}

/// `12 in check, 30 without a score`.
impl fmt::Display for DropCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for rule in DropRule::ALL.into_iter().filter(|&rule| self.count(rule) > 0) {
            write!(f, "{separator}{} {rule}", self.count(rule))?;
            separator = ", ";
        }
        if separator.is_empty() { f.write_str("none dropped") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_fewer_rules_are_read() {
        let old: DropCounts = serde_json::from_str("[1,0,0,0,5,0,0,0,2]").unwrap();
        assert_eq!((old.count(DropRule::LargeScore), old.total()), (5, 8));
        let kept = serde_json::to_string(&old).unwrap();
        assert_eq!(serde_json::from_str::<DropCounts>(&kept).unwrap(), old);
    }

    #[test]
    fn counts_are_told_in_words() {
        let mut counts = DropCounts::default();
        assert_eq!(counts.to_string(), "none dropped");
        counts.add(DropRule::InCheck);
        counts.add(DropRule::NoScore);
        counts.add(DropRule::InCheck);
        assert_eq!(counts.to_string(), "1 without a score, 2 in check");
        assert_eq!(counts.main_rule(), Some(DropRule::InCheck));
    }
}
