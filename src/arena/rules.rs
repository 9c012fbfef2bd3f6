//! End of a game: the rules of chess, and adjudication on top of them.
//!
//! Adjudication cuts decided games short. It follows fastchess: a draw after a long phase of level
//! scores on both sides, a win when *both* sides agree for some moves on the winner, so that one
//! blind evaluation cannot resign for both.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::forfeit::Forfeit;
use chess::{Color, EndgameTable, Position, PositionKey};
use data::{GameResult, Score};
use engine::repetition::is_threefold;
use engine::value::centipawns;

/// Rules that end a game besides mate and stalemate. The default has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameRules {
    /// A position that stands for the third time is a draw.
    pub threefold: bool,
    /// Fifty moves of each side without capture or pawn move are a draw.
    pub fifty_moves: bool,
    /// Positions in which neither side can mate are draws.
    pub insufficient_material: bool,
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    /// A game is drawn after this number of plies of the players.
    pub max_plies: Option<u32>,
    /// A player that oversteps its time by less than this plays on, in milliseconds.
    pub time_margin_ms: u64,
}

/// Draw by adjudication: from full move `from_move` on, if both sides' scores
/// stayed within ±`bound_cp` for the last `moves` moves of each, without a
/// capture or pawn move among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrawRule {
    /// Full move number from which on the rule holds.
    pub from_move: u32,
    /// Consecutive moves of each side.
    pub moves: u32,
    /// Largest |score|, in centipawns.
    pub bound_cp: u32,
}

/// Win by adjudication: if for the last `moves` moves of each side both
/// agreed that the same side is ahead by at least `bound_cp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResignRule {
    /// Consecutive moves of each side.
    pub moves: u32,
    /// Smallest |score|, in centipawns.
    pub bound_cp: u32,
}

/// A rule of adjudication that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a rule; write {form}")]
pub struct RuleError {
    text: String,
    form: &'static str,
}

impl RuleError {
    fn new(text: &str, form: &'static str) -> Self {
        Self { text: text.to_owned(), form }
    }
}

impl FromStr for DrawRule {
    type Err = RuleError;

    /// `40/8/10`: from move 40, 8 moves, within 10 centipawns.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let form = "MOVE/MOVES/CENTIPAWNS, such as 40/8/10, the moves from 1 on";
        let [from_move, moves, bound_cp] = numbers(text, form)?;
        match moves {
            0 => Err(RuleError::new(text, form)),
            _ => Ok(Self { from_move, moves, bound_cp }),
        }
    }
}

impl FromStr for ResignRule {
    type Err = RuleError;

    /// `3/1000`: for 3 moves, beyond 1000 centipawns.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let form = "MOVES/CENTIPAWNS, such as 3/1000, the moves from 1 on";
        let [moves, bound_cp] = numbers(text, form)?;
        match (moves, bound_cp) {
            (0, _) | (_, 0) => Err(RuleError::new(text, form)),
            _ => Ok(Self { moves, bound_cp }),
        }
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.from_move, self.moves, self.bound_cp)
    }
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.moves, self.bound_cp)
    }
}

/// The numbers of a rule, between slashes.
fn numbers<const N: usize>(text: &str, form: &'static str) -> Result<[u32; N], RuleError> {
    let numbers: Option<Vec<u32>> = text.split('/').map(|part| part.trim().parse().ok()).collect();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| RuleError::new(text, form))
}

impl Default for GameRules {
    fn default() -> Self {
        Self {
            draw: Some(DrawRule::default()),
            resign: Some(ResignRule::default()),
            max_plies: Some(400),
            ..Self::without_adjudication()
        }
    }
}

impl Default for DrawRule {
    fn default() -> Self {
        Self { from_move: 40, moves: 8, bound_cp: 10 }
    }
}

impl Default for ResignRule {
    fn default() -> Self {
        Self { moves: 3, bound_cp: 1000 }
    }
}

impl GameRules {
    /// The rules of chess alone.
    pub const fn without_adjudication() -> Self {
        Self {
            threefold: true,
            fifty_moves: true,
            insufficient_material: true,
            draw: None,
            resign: None,
            max_plies: None,
            time_margin_ms: 50,
        }
    }

    /// The rules of chess, these adjudications, and a draw after `max_moves` moves of each player.
    pub fn adjudicated(
        draw: Option<DrawRule>,
        resign: Option<ResignRule>,
        max_moves: Option<NonZeroU32>,
    ) -> Self {
        let max_plies = max_moves.map(|moves| moves.get().saturating_mul(2));
        Self { draw, resign, max_plies, ..Self::without_adjudication() }
    }

    /// Moves of each player after which a game is drawn.
    pub fn max_moves(&self) -> Option<NonZeroU32> {
        self.max_plies.and_then(|plies| NonZeroU32::new(plies / 2))
    }

    /// Overstepped time within which a player plays on.
    pub fn time_margin(&self) -> Duration {
        Duration::from_millis(self.time_margin_ms)
    }

    /// Whether the game is over by the rules of chess. `history` holds the
    /// keys of the earlier positions, oldest first.
    pub fn natural_end(
        &self,
        position: &Position,
        history: &[PositionKey],
    ) -> Option<(GameResult, EndReason)> {
        let drawn = |reason| Some((GameResult::Draw, reason));
        if position.legal_moves().is_empty() {
            return if position.is_check() {
                Some((GameResult::Win(!position.turn()), EndReason::Checkmate))
            } else {
                drawn(EndReason::Stalemate)
            };
        }
        if self.insufficient_material && position.is_insufficient_material() {
            drawn(EndReason::InsufficientMaterial)
        } else if self.threefold && is_threefold(history, position) {
            drawn(EndReason::Threefold)
        } else if self.fifty_moves && position.halfmoves() >= 100 {
            drawn(EndReason::FiftyMoves)
        } else {
            None
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    /// The position stood for the third time.
    Threefold,
    /// Fifty moves without capture or pawn move.
    FiftyMoves,
    DrawAdjudication,
    ResignAdjudication,
    /// Adjudicated by endgame tables.
    TablebaseAdjudication,
    /// Too long; a draw.
    MaxPlies,
    /// The loser failed as a program.
    Forfeit(Forfeit),
}

impl EndReason {
    /// The loser's forfeit, if one ended the game.
    pub fn forfeit(self) -> Option<Forfeit> {
        match self {
            Self::Forfeit(forfeit) => Some(forfeit),
            _ => None,
        }
    }

    /// Whether [`GameRules`] ended the game early.
    pub fn is_adjudication(self) -> bool {
        matches!(
            self,
            Self::DrawAdjudication
                | Self::ResignAdjudication
                | Self::TablebaseAdjudication
                | Self::MaxPlies
        )
    }
}

/// Rules and endgame tables of a referee.
#[derive(Clone, Copy)]
pub struct Referee<'r> {
    pub rules: &'r GameRules,
    /// Endgame tables for adjudication.
    pub tables: Option<&'r dyn EndgameTable>,
}

impl<'r> From<&'r GameRules> for Referee<'r> {
    fn from(rules: &'r GameRules) -> Self {
        Self { rules, tables: None }
    }
}

/// Follows the scores of a game and adjudicates it.
pub(super) struct Adjudicator<'r> {
    referee: Referee<'r>,
    plies: u32,
    /// Consecutive plies with a level score of the mover.
    level: u32,
    /// The side that the last movers agreed to be winning, and the number of these plies.
    agreed: Option<(Color, u32)>,
}

impl<'r> Adjudicator<'r> {
    pub(crate) fn new(referee: Referee<'r>) -> Self {
        Self { referee, plies: 0, level: 0, agreed: None }
    }

    /// Adds a move: its player, the mover's score, and the position after it. A mover without a
    /// score agrees to nothing.
    pub(crate) fn observe(&mut self, mover: Color, score: Option<Score>, after: &Position) {
        self.plies += 1;
        let score_cp = score.map(centipawns);
        if let Some(rule) = self.referee.rules.draw {
            let is_level = score_cp.is_some_and(|cp| cp.unsigned_abs() <= rule.bound_cp);
            let quiet = after.halfmoves() > 0 && is_level;
            self.level = if quiet { self.level + 1 } else { 0 };
        }
        if let Some(rule) = self.referee.rules.resign {
            let decided = score_cp.filter(|cp| cp.unsigned_abs() >= rule.bound_cp);
            let ahead = decided.map(|cp| if cp > 0 { mover } else { !mover });
            self.agreed = ahead.map(|side| match self.agreed {
                Some((before, plies)) if before == side => (side, plies + 1),
                _ => (side, 1),
            });
        }
    }

    /// Adjudication of a game that goes on in `position`, if any.
    pub(crate) fn verdict(&self, position: &Position) -> Option<(GameResult, EndReason)> {
        let Referee { rules, .. } = self.referee;
        if let Some(result) = self.referee.tables.and_then(|tables| tables.result_from(position)) {
            return Some((result, EndReason::TablebaseAdjudication));
        }
        if let (Some(rule), Some((winner, plies))) = (rules.resign, self.agreed)
            && plies >= 2 * rule.moves
        {
            return Some((GameResult::Win(winner), EndReason::ResignAdjudication));
        }
        if let Some(rule) = rules.draw
            && position.fullmoves() >= rule.from_move
            && self.level >= 2 * rule.moves
        {
            return Some((GameResult::Draw, EndReason::DrawAdjudication));
        }
        let too_long = rules.max_plies.is_some_and(|max| self.plies >= max);
        too_long.then_some((GameResult::Draw, EndReason::MaxPlies))
    }
}
