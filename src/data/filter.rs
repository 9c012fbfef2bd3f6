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

mod judge;
mod notation;
mod rule;
mod served;
mod static_net;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::share::Share;
pub use judge::StaticEvaluation;
pub use notation::FilterError;
pub use rule::{DropCounts, DropRule};
pub use static_net::StaticNet;

/// What to keep. In TOML a name, `"quiet"` or `"none"`, or a table that
/// starts from one of them: `{ base = "quiet", min_ply = 16, max_score = 2000 }`.
///
/// A rule may ask a net. Of a filter as it is written `Net` is the path of its file; where it is
/// to name what was prepared, the file's content; and of one that judges, the net itself
/// ([`Filter::open`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Filter<Net = PathBuf> {
    /// Keep positions in check.
    pub checks: bool,
    /// Keep positions in which a capture or promotion was played.
    pub tactical: bool,
    /// Lists, which have no moves, are vouched for: they hold no position in
    /// which a capture or promotion is best.
    pub quiet_lists: bool,
    /// Keep positions in which a capture or promotion wins material by static exchange,
    /// whatever was played.
    pub winning_captures: bool,
    /// Keep positions without a score if they have a result (their sample says
    /// [`Sample::NO_SCORE`](super::Sample::NO_SCORE)); only for training on results.
    pub unscored: bool,
    /// Largest score kept, in centipawns, mates being beyond any; `None` keeps all.
    pub max_score: Option<u32>,
    /// How far the score may be from the static evaluation of a net.
    pub static_gap: Option<StaticGap<Net>>,
    /// How improbable a result may be for the score.
    pub upset: Option<Upset>,
    /// First ply kept, counted from the start of the game (move 1 is ply 0).
    pub min_ply: u32,
    /// From `min_ply` to this ply a growing share is kept; 0 for all from `min_ply` on.
    pub full_ply: u32,
    /// Fewest pieces kept, kings and pawns included.
    pub min_pieces: u32,
    /// Most pieces kept, likewise.
    pub max_pieces: u32,
    /// Shares kept of equal parts of the game, from all pieces on the board to none but
    /// kings and pawns; empty keeps all.
    pub keep_by_phase: Vec<Share>,
    /// Share kept of what passes all else, chosen by a hash of board and side
    /// to move: the same position is kept or not wherever it comes up.
    pub keep: Share,
    /// Another seed, another choice.
    pub skip_seed: u32,
}

/// A net, and how far the score of a position may be from what it says without a search.
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
    pub const NONE: Self = Self::plain(true, None);

    /// The default: not in check, a quiet move played, |score| at most 5000 centipawns.
    pub const QUIET: Self = Self::plain(false, Some(5_000));

    const fn plain(loud: bool, max_score: Option<u32>) -> Self {
        Self {
            checks: loud,
            tactical: loud,
            quiet_lists: false,
            winning_captures: true,
            unscored: false,
            max_score,
            static_gap: None,
            upset: None,
            min_ply: 0,
            full_ply: 0,
            min_pieces: 0,
            max_pieces: 32,
            keep_by_phase: Vec::new(),
            keep: Share::ALL,
            skip_seed: 0,
        }
    }

    /// The same rules about another form of their net.
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

    fn with_gap<Other>(self, static_gap: Option<StaticGap<Other>>) -> Filter<Other> {
        Filter {
            checks: self.checks,
            tactical: self.tactical,
            quiet_lists: self.quiet_lists,
            winning_captures: self.winning_captures,
            unscored: self.unscored,
            max_score: self.max_score,
            static_gap,
            upset: self.upset,
            min_ply: self.min_ply,
            full_ply: self.full_ply,
            min_pieces: self.min_pieces,
            max_pieces: self.max_pieces,
            keep_by_phase: self.keep_by_phase,
            keep: self.keep,
            skip_seed: self.skip_seed,
        }
    }

    /// Whether everything it keeps can be taught something when the result has
    /// that weight in the target, from 0 to 1.
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

/// Positions without a score are to be taught a score.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "`unscored = true` keeps positions without a score, but wdl = {wdl} wants scores in the target"
)]
pub struct UnscoredTargets {
    wdl: f64,
}

impl UnscoredTargets {
    /// What to do about it.
    pub const HELP: &str =
        "train on results alone with a result weight of 1, or leave `unscored` out of the filter";
}

#[cfg(test)]
mod tests;
