//! Filters of training positions.
//!
//! A static evaluation is used in quiet positions; where a capture, a
//! promotion or an answer to a check is due, the score of a search says
//! little about the board as it stands, and training on it makes nets worse: of
//! the nets published with Lombardo's thesis (UBA 2024), one of the same
//! features that was most likely trained without such a filter plays about
//! 200 Elo weaker. Trainers therefore drop such positions by default
//! (nnue-pytorch: in check or best move a capture; bullet's examples: also
//! promotions and large scores).
//!
//! A list of positions has no moves, and some have no scores. A rule that
//! needs a field that the format lacks is never skipped in silence: it is an
//! error with advice ([`Filter::unserved`]).

mod judge;
mod notation;
mod rule;
mod static_net;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::share::Share;
pub use judge::StaticEvaluation;
pub use notation::FilterError;
pub use rule::{DropCounts, DropRule};
pub use static_net::StaticNet;

/// Declares the fields of a filter with their values in `"quiet"` and `"none"`, and the table in
/// which a filter is written: there every field is optional. Fields are written in this order.
macro_rules! filter {
    (
        |$loud:ident, $largest:ident|
        $($(#[$doc:meta])* $field:ident: $type:ty = $named:expr,)*
    ) => {
        /// The rules. In TOML a name, `"quiet"` or `"none"`, or a table that starts from one of
        /// them: `{ base = "quiet", min_ply = 16, max_score = 2000 }`.
        ///
        /// `Net` is a path in a filter as it is written, a file's content where the filter names
        /// prepared positions, and the net itself in one that judges ([`Filter::open`]).
        #[derive(Clone, Debug, PartialEq)]
        pub struct Filter<Net = PathBuf> {
            $($(#[$doc])* pub $field: $type,)*
            /// How far the score may be from the static evaluation of a net.
            pub static_gap: Option<StaticGap<Net>>,
        }

        /// The table form: fields that are left out are those of `base`.
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct FilterTable<Net> {
            #[serde(skip_serializing_if = "Option::is_none")]
            base: Option<String>,
            $(#[serde(skip_serializing_if = "Option::is_none")] $field: Option<$type>,)*
            #[serde(skip_serializing_if = "Option::is_none")]
            static_gap: Option<StaticGap<Net>>,
        }

        impl<Net> Filter<Net> {
            const fn named($loud: bool, $largest: Option<u32>) -> Self {
                Self { $($field: $named,)* static_gap: None }
            }

            fn with_gap<Other>(self, static_gap: Option<StaticGap<Other>>) -> Filter<Other> {
                Filter { $($field: self.$field,)* static_gap }
            }
        }

        impl<Net> FilterTable<Net> {
            fn over(self, base: Filter<Net>) -> Filter<Net> {
                Filter {
                    $($field: self.$field.unwrap_or(base.$field),)*
                    static_gap: self.static_gap,
                }
            }

            /// The fields in which a filter differs from its base.
            fn difference(filter: Filter<Net>, name: &str, base: &Filter<Net>) -> Self {
                Self {
                    base: Some(name.to_owned()),
                    $($field: (filter.$field != base.$field).then_some(filter.$field),)*
                    static_gap: filter.static_gap,
                }
            }
        }
    };
}

filter! {
    |loud, largest|
    /// Keep positions in check.
    checks: bool = loud,
    /// Keep positions in which a capture or promotion was played.
    tactical: bool = loud,
    /// Lists, which have no moves, hold no position in which a capture or promotion is best.
    quiet_lists: bool = false,
    /// Keep positions in which a capture or promotion wins material by static exchange,
    /// with any move played.
    winning_captures: bool = true,
    /// Keep positions without a score if they have a result (their sample has
    /// [`Sample::NO_SCORE`](crate::Sample::NO_SCORE)); only for training on results.
    unscored: bool = false,
    /// Largest score kept, in centipawns, mates being beyond any; `None` keeps all.
    max_score: Option<u32> = largest,
    /// Least depth kept of the search that gave the score, in plies; 0 keeps all.
    min_depth: u32 = 0,
    /// First ply kept, counted from the start of the game (move 1 is ply 0).
    min_ply: u32 = 0,
    /// From `min_ply` to this ply a growing share is kept; 0 for all from `min_ply` on.
    full_ply: u32 = 0,
    /// Fewest pieces kept, kings and pawns included.
    min_pieces: u32 = 0,
    /// Most pieces kept, likewise.
    max_pieces: u32 = 32,
    /// Shares kept of equal parts of the game, from all pieces on the board to none but
    /// kings and pawns; empty keeps all.
    keep_by_phase: Vec<Share> = Vec::new(),
    /// Share kept of the positions that no other rule drops, chosen by a hash of board and side
    /// to move: the same position is kept or not wherever it comes up.
    keep: Share = Share::ALL,
    /// Another seed, another choice.
    skip_seed: u32 = 0,
    /// How improbable a result may be for the score.
    upset: Option<Upset> = None,
}

/// A net, and how far the score of a position may be from its static evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticGap<Net = PathBuf> {
    pub net: Net,
    /// Largest difference kept, in centipawns. Mates are beyond any.
    pub max: u32,
}

/// Results that are improbable for their scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upset {
    /// Largest difference kept between the points of the game and those that the score
    /// promises, from 0 to 1.
    pub max: f64,
    /// Centipawns per unit of the logistic that turns a score into expected points.
    #[serde(default = "Upset::usual_scale")]
    pub scale_cp: f64,
}

impl Upset {
    fn usual_scale() -> f64 {
        361.0
    }
}

impl<Net> Filter<Net> {
    /// Keeps every position that has a score.
    pub const NONE: Self = Self::named(true, None);

    /// The default: not in check, a quiet move played, |score| at most 5000 centipawns.
    pub const QUIET: Self = Self::named(false, Some(5_000));

    /// The same rules with another form of the net.
    ///
    /// # Errors
    /// Those of the change.
    pub fn with_net<Other, E>(
        mut self,
        change: impl FnOnce(Net) -> Result<Other, E>,
    ) -> Result<Filter<Other>, E> {
        let gap = |StaticGap { net, max }| Ok(StaticGap { net: change(net)?, max });
        let static_gap = self.static_gap.take().map(gap).transpose()?;
        Ok(self.with_gap(static_gap))
    }

    /// Checks that all positions kept have a target when the result has that weight in it, from
    /// 0 to 1.
    ///
    /// # Errors
    /// Positions without a score are kept, and targets need scores.
    pub fn check_targets(&self, wdl: f64) -> Result<(), UnscoredTargets> {
        if self.unscored && wdl < 1.0 {
            return Err(UnscoredTargets { wdl });
        }
        Ok(())
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::QUIET
    }
}

/// Positions without a score are kept, and targets need scores.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "`unscored = true` keeps positions without a score, but wdl = {wdl} needs scores in the target"
)]
pub struct UnscoredTargets {
    wdl: f64,
}

impl UnscoredTargets {
    pub const HELP: &str =
        "train on results alone with a result weight of 1, or leave `unscored` out of the filter";
}

#[cfg(test)]
mod tests;
