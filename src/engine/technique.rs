//! The parts of the search, each a switch.
//!
//! Only games with and without a part show its Elo (`oplus ablate`), so every part can be left out.
//! Without one the search stays correct, but becomes slower or blinder: without [`AlphaBeta`] it is
//! a plain minimax that visits everything.
//!
//! [`AlphaBeta`]: Technique::AlphaBeta

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A part of the search that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Technique {
    /// Stop trying moves at a node once one fails high
    AlphaBeta,
    /// At the horizon, resolve captures before evaluating
    Quiescence,
    /// Store moves and scores of visited positions
    TranspositionTable,
    /// Return scores of the transposition table (TT) instead of a search, off the principal variation
    TtCutoffs,
    /// Try the move of the TT first
    TtMove,
    /// Correct the static evaluation by a score of the TT where its bound allows it
    TtAdjustedEval,
    /// Probe and store positions of the quiescence search too
    TtInQuiescence,
    /// Order captures and quiet moves, by the parts down to threat-history
    MoveOrdering,
    /// Captures by most valuable victim, least valuable attacker
    MvvLva,
    /// Try captures that lose material by static exchange evaluation (SEE) last
    SeeOrdering,
    /// Quiet moves that failed high at the same ply come early
    Killers,
    /// Order quiet moves by their history: how often they failed high elsewhere
    History,
    /// Moves tried before the one that failed high get a malus
    HistoryMalus,
    /// Order captures by their history: how often they failed high elsewhere
    CaptureHistory,
    /// Order quiet moves by their history after the move before
    ContinuationHistory,
    /// Order quiet moves by their history after the move two plies before
    #[value(name = "continuation-history-2")]
    #[serde(rename = "continuation-history-2")]
    ContinuationHistory2,
    /// Order quiet moves by their history after the move four plies before
    #[value(name = "continuation-history-4")]
    #[serde(rename = "continuation-history-4")]
    ContinuationHistory4,
    /// Keep histories apart for quiet moves that leave or enter an attack
    ThreatHistory,
    /// Search all moves but the first with a null window (PVS)
    PrincipalVariationSearch,
    /// Begin each iteration with a narrow window around the last score
    Aspiration,
    /// Centre this window on an average of the last scores
    AspirationAverage,
    /// Extend checks by a ply; for mate searches only, it loses Elo in play
    CheckExtension,
    /// Extend a move by a ply if it is far better than all others
    SingularExtension,
    /// Extend a singular move by two plies if its margin is even larger
    DoubleExtension,
    /// Cut off a node at which several moves fail high
    MultiCut,
    /// Reduce the TT move by a ply if others may fail high as well
    NegativeExtension,
    /// Reduce nodes without a TT move by a ply (internal iterative reduction)
    Iir,
    /// Score a node as at least a draw if a move repeats a position of the search
    UpcomingRepetition,
    /// Prune and reduce by whether the evaluation has improved over two plies before
    Improving,
    /// Cut off where the evaluation is far above beta
    ReverseFutility,
    /// Go straight to quiescence if the evaluation is far below alpha
    Razoring,
    /// Cut off if a null move fails high
    NullMove,
    /// Reduce the null move more where the TT move is a capture
    NullMoveTaking,
    /// With one piece left, or at high depth, verify the null move by a search without it
    NullMoveVerification,
    /// Cut off if a good capture fails high at reduced depth
    ProbCut,
    /// Skip quiet moves that come late at low depth
    LateMovePruning,
    /// Skip quiet moves where the evaluation is far below alpha
    Futility,
    /// Skip quiet moves with a bad history
    HistoryPruning,
    /// Skip moves that lose too much by SEE
    SeePruning,
    /// Search late moves less deep
    LateMoveReduction,
    /// Reduce by history: more for bad moves, less for good ones
    HistoryReduction,
    /// In quiescence, skip captures that lose material by SEE
    QuiescenceSee,
    /// In quiescence, skip captures that cannot reach alpha
    DeltaPruning,
    /// Blend fail-high scores toward beta, the more so the shallower they are
    FailHighBlending,
    /// Correct the evaluation by its errors against deeper searches in similar positions
    CorrectionHistory,
    /// Spend less time if nearly all nodes belong to one move
    NodeTime,
    /// Spend more time when the score falls
    ScoreTime,
}

/// The parts of a search that are switched on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Techniques(u64);

impl Techniques {
    /// Every part there is.
    const ALL: Self = Self(u64::MAX);

    /// The engine in play: all parts but those that find mates sooner and lose games, measured by
    /// `oplus ablate` (`docs/search.md`), and those without a match yet.
    pub const PLAYING: Self = Self::ALL
        .without(Technique::CheckExtension)
        // Played without gain.
        .without(Technique::UpcomingRepetition)
        .without(Technique::AspirationAverage)
        .without(Technique::NullMoveTaking)
        .without(Technique::ScoreTime);

    /// For judging evaluations: as in play, without the part that hides their errors.
    pub const JUDGING: Self = Self::PLAYING.judging();

    /// The same without correction history, which would repair the very errors of an evaluation
    /// that judging measures.
    #[must_use]
    pub const fn judging(self) -> Self {
        self.without(Technique::CorrectionHistory)
    }

    /// The same less one part.
    #[must_use]
    pub const fn without(self, technique: Technique) -> Self {
        Self(self.0 & !(1 << technique as u8))
    }

    /// The same and one part more.
    #[must_use]
    pub const fn with(self, technique: Technique) -> Self {
        Self(self.0 | 1 << technique as u8)
    }

    /// Whether a part is used.
    #[inline]
    pub const fn has(self, technique: Technique) -> bool {
        self.0 & (1 << technique as u8) != 0
    }

    /// The same with one part switched: off if it is on, on if it is off.
    #[must_use]
    pub const fn switched(self, technique: Technique) -> Self {
        Self(self.0 ^ (1 << technique as u8))
    }

    /// The parts in use here and not there.
    fn beyond(self, other: Self) -> impl Iterator<Item = Technique> {
        let both = Technique::value_variants().iter().copied();
        both.filter(move |&part| self.has(part) && !other.has(part))
    }
}

impl Default for Techniques {
    fn default() -> Self {
        Self::PLAYING
    }
}

impl Technique {
    /// All parts.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// Its description, in a line.
    pub fn about(self) -> String {
        let value = self.to_possible_value();
        let help = value.and_then(|value| value.get_help().map(ToString::to_string));
        help.unwrap_or_default()
    }
}

/// `null-move`.
impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_possible_value() {
            Some(value) => f.write_str(value.get_name()),
            None => write!(f, "{self:?}"),
        }
    }
}

/// `as in play`, `as in play, without null-move, with check-extension`.
impl fmt::Display for Techniques {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("as in play")?;
        for part in Self::PLAYING.beyond(*self) {
            write!(f, ", without {part}")?;
        }
        for part in self.beyond(Self::PLAYING) {
            write!(f, ", with {part}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Techniques {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Techniques({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_a_switch_of_its_own() {
        for &part in Technique::value_variants() {
            let rest = Techniques::ALL.without(part);
            assert_eq!(Techniques::ALL.beyond(rest).collect::<Vec<_>>(), [part]);
            assert_eq!(rest.with(part), Techniques::ALL);
            assert_eq!(rest.switched(part), Techniques::ALL);
        }
        assert!(Technique::value_variants().len() <= 64);
    }

    #[test]
    fn a_part_has_one_name_in_files_and_on_the_command_line() {
        for &part in Technique::value_variants() {
            assert_eq!(serde_json::to_value(part).unwrap(), part.to_string());
        }
    }

    #[test]
    fn differences_from_play_are_named() {
        let some = Techniques::PLAYING.without(Technique::NullMove).switched(Technique::ProbCut);
        assert_eq!(some.to_string(), "as in play, without null-move, without prob-cut");
        let hunting = Techniques::PLAYING.with(Technique::CheckExtension);
        assert_eq!(hunting.to_string(), "as in play, with check-extension");
        assert_eq!(Technique::from_str("null-move", false), Ok(Technique::NullMove));
    }
}
