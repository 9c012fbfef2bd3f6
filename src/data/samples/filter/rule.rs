//! The rules that drop positions, and how many each has dropped.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Declares the rules, each with words for the positions it drops and with advice how to keep
/// them. New ones stand at the end, since counts are kept in this order.
macro_rules! drop_rules {
    ($($(#[$doc:meta])* $rule:ident: $words:literal, $advice:literal;)*) => {
        /// Why a position is dropped. A position is counted under the first rule that holds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum DropRule {
            $($(#[$doc])* $rule,)*
        }

        impl DropRule {
            pub const ALL: [DropRule; [$($words),*].len()] = [$(DropRule::$rule),*];

            /// How to keep the positions it drops.
            pub fn advice(self) -> &'static str {
                match self {
                    $(DropRule::$rule => $advice,)*
                }
            }
        }

        impl fmt::Display for DropRule {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(DropRule::$rule => $words,)*
                })
            }
        }
    };
}

drop_rules! {
    NoScore: "without a score",
        "The games carry no scores: give games with scores (`[%eval …]` comments), or train on \
         results alone with `filter = { base = \"quiet\", unscored = true }` and `wdl = 1`";
    /// Neither a score nor a result: nothing to learn.
    NoTarget: "with neither score nor result",
        "Give results too: `Result` tags in PGN, `c9 \"1-0\";` (or `0-1`, `1/2-1/2`) in EPD";
    /// Early positions are dropped, and its ply is not known.
    UnknownPly: "of unknown ply",
        "The positions have no move counters: leave `min_ply` and `full_ply` out of the filter";
    EarlyPly: "before the first ply wanted", "Lower `min_ply` in the filter";
    LargeScore: "with a large score", "Raise `max_score` in the filter, or use `filter = \"none\"`";
    InCheck: "in check", "Use `filter = \"none\"` to keep them";
    /// The move played is a capture or a promotion.
    Tactical: "where a capture or promotion was played", "Use `filter = \"none\"` to keep them";
    /// Not in the share that is kept.
    NotChosen: "not in the share to keep", "Raise `keep` in the filter";
    /// The specification requires choices, and only one move is legal.
    NoChoice: "with a single legal move", "Give games in which a choice was to be made";
    /// A mate, which is beyond any limit.
    Mate: "with a mate as their score",
        "Scores of 31,000 and more are mates, which no `max_score` keeps: use `filter = \"none\"`, or \
         `filter = { base = \"none\", checks = false, tactical = false }` for quiet positions with \
         any score. If these scores are no mates, write them smaller";
    /// Early, and not in the share kept of its ply.
    PlyNotChosen: "not in the share kept of their ply", "Lower `full_ply` in the filter";
    Pieces: "with fewer or more pieces than wanted",
        "Lower `min_pieces` or raise `max_pieces` in the filter";
    PhaseNotChosen: "not in the share kept of their phase",
        "Raise the shares of `keep_by_phase` in the filter";
    Upset: "with a result improbable for the score",
        "Raise `upset.max` in the filter, or leave `upset` out";
    /// A capture or promotion wins material.
    WinningCapture: "where a capture wins material",
        "Leave `winning_captures = false` out of the filter";
    /// The score is far from the static evaluation.
    StaticGap: "far from the static evaluation",
        "Raise `static_gap.max` in the filter, or use a net whose centipawns are those of the scores";
    /// The search that gave the score was not deep enough.
    Shallow: "with a score of too low a depth", "Lower `min_depth` in the filter";
}

/// Number of positions that each rule has dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub struct DropCounts([u64; DropRule::ALL.len()]);

/// Lists of counts may be shorter: those of fewer rules.
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
    fn counts_are_written_in_words() {
        let mut counts = DropCounts::default();
        assert_eq!(counts.to_string(), "none dropped");
        counts.add(DropRule::InCheck);
        counts.add(DropRule::NoScore);
        counts.add(DropRule::InCheck);
        assert_eq!(counts.to_string(), "1 without a score, 2 in check");
        assert_eq!(counts.main_rule(), Some(DropRule::InCheck));
    }
}
