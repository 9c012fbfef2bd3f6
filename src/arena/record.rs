//! The record of a game: one self-contained line of the tournament's journal.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::game::PlayedGame;
use super::openings::Opening;
use super::pentanomial::HalfPoints;
use super::rules::EndReason;
use super::time_control::TimeControl;
use chess::{Color, FenError, MoveError, Position};
use data::{Game, GameMove, GameResult, Score};
use engine::value::{centipawns, from_centipawns};

/// A game of a tournament; keys order games by the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GameKey {
    /// Index of the pairing.
    pub pairing: usize,
    /// Index of the pair, equal to that of its opening.
    pub pair: usize,
    /// `false`: the pairing's first player has White; `true`: the second has.
    pub swapped: bool,
}

/// A finished game of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    #[serde(flatten)]
    pub key: GameKey,
    /// Name of the player of the white pieces.
    pub white: String,
    /// Name of the player of the black pieces.
    pub black: String,
    /// FEN from which the opening's moves were played.
    pub start: String,
    /// The opening's moves in UCI notation, separated by spaces.
    pub book: String,
    /// The players' moves in UCI notation, separated by spaces.
    pub moves: String,
    /// The mover's score before each of `moves`, in centipawns, if it gave one.
    pub scores: Vec<Option<i32>>,
    /// Nodes searched for each of `moves`; empty in logs that did not keep them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes_each: Vec<u64>,
    /// Plies searched for each of `moves`, where known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<Option<u32>>,
    /// Date of the game, as `2026.11.24` (UTC), if a clock ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Milliseconds spent on each of `moves` by players on a clock; empty where
    /// no clock ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times_ms: Vec<Option<u32>>,
    #[serde(with = "result_text")]
    pub result: GameResult,
    pub reason: EndReason,
    /// Nodes searched by White and by Black.
    pub nodes: [u64; 2],
    /// Time control of White and of Black.
    pub time_controls: [TimeControl; 2],
}

/// A record that does not describe a game of chess.
#[derive(Debug, thiserror::Error)]
#[error("game {}.{} of pairing {}: {problem}", key.pair + 1, u8::from(key.swapped) + 1, key.pairing + 1)]
pub struct ReplayError {
    key: GameKey,
    problem: ReplayProblem,
}

#[derive(Debug, thiserror::Error)]
enum ReplayProblem {
    #[error(transparent)]
    Start(#[from] FenError),
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error("{moves} moves but {scores} scores")]
    Scores { moves: usize, scores: usize },
}

impl GameRecord {
    /// The record of a game between the players named.
    pub fn new(
        key: GameKey,
        white: &str,
        black: &str,
        opening: &Opening,
        game: &PlayedGame,
    ) -> Self {
        let mut whole = opening.clone();
        game.moves.iter().for_each(|&played| whole.push(played));
        let book = opening.moves_uci();
        let moves = whole.moves_uci()[book.len()..].trim_start().to_owned();
        Self {
            key,
            white: white.to_owned(),
            black: black.to_owned(),
            start: opening.start().fen(),
            book,
            moves,
            scores: game.scores.iter().map(|score| score.map(centipawns)).collect(),
            nodes_each: game.efforts.iter().map(|effort| effort.nodes).collect(),
            depths: game.efforts.iter().map(|effort| effort.depth).collect(),
            date: game.times.iter().any(Option::is_some).then(today),
            times_ms: milliseconds(&game.times),
            result: game.result,
            reason: game.reason,
            nodes: [game.nodes.white, game.nodes.black],
            time_controls: [game.time_controls.white, game.time_controls.black],
        }
    }

    /// Score of the pairing's first player.
    pub fn first_players_score(&self) -> HalfPoints {
        let first = if self.key.swapped { Color::Black } else { Color::White };
        match self.result {
            GameResult::Draw => HalfPoints::Draw,
            GameResult::Win(winner) if winner == first => HalfPoints::Win,
            GameResult::Win(_) => HalfPoints::Loss,
        }
    }

    /// Identity of a game: start and moves, without the players.
    pub fn identity(&self) -> (&str, &str, &str) {
        (&self.start, &self.book, &self.moves)
    }

    /// Plies played by the players.
    pub fn plies(&self) -> usize {
        self.scores.len()
    }

    /// `1-0`, `0-1` or `1/2-1/2`.
    pub fn result_text(&self) -> &'static str {
        result_text::of(self.result)
    }

    /// The game move by move, the opening's moves without scores.
    pub fn replay(&self) -> Result<Game, ReplayError> {
        self.replay_moves().map_err(|problem| ReplayError { key: self.key, problem })
    }

    fn replay_moves(&self) -> Result<Game, ReplayProblem> {
        let start = Position::from_fen(&self.start)?;
        let mut position = start.clone();
        let mut moves = Vec::new();
        let mut play = |text: &str, score_cp: Option<i32>| -> Result<(), MoveError> {
            let played = position.parse_uci(text)?;
            let white_score = score_cp.map(|cp| white_score(position.turn(), cp));
            moves.push(GameMove { played, white_score });
            position.play(played);
            Ok(())
        };
        let texts: Vec<&str> = self.moves.split_whitespace().collect();
        if texts.len() != self.scores.len() {
            let (moves, scores) = (texts.len(), self.scores.len());
            return Err(ReplayProblem::Scores { moves, scores });
        }
        self.book.split_whitespace().try_for_each(|text| play(text, None))?;
        texts.iter().zip(&self.scores).try_for_each(|(text, &cp)| play(text, cp))?;
        Ok(Game { start, moves, result: Some(self.result) })
    }
}

fn today() -> String {
    let date = OffsetDateTime::now_utc().date();
    format!("{}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day())
}

/// Empty without a clock.
fn milliseconds(times: &[Option<Duration>]) -> Vec<Option<u32>> {
    if times.iter().all(Option::is_none) {
        return Vec::new();
    }
    let whole = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
    times.iter().map(|time| time.map(whole)).collect()
}

fn white_score(mover: Color, cp: i32) -> Score {
    from_centipawns(cp).seen_by(mover)
}

/// Results as PGN writes them.
mod result_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use chess::Color;
    use data::GameResult;

    pub(super) fn of(result: GameResult) -> &'static str {
        match result {
            GameResult::Win(Color::White) => "1-0",
            GameResult::Win(Color::Black) => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }

    pub(super) fn serialize<S: Serializer>(result: &GameResult, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(of(*result))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<GameResult, D::Error> {
        match <std::borrow::Cow<'_, str>>::deserialize(from)?.as_ref() {
            "1-0" => Ok(GameResult::Win(Color::White)),
            "0-1" => Ok(GameResult::Win(Color::Black)),
            "1/2-1/2" => Ok(GameResult::Draw),
            other => Err(D::Error::custom(format!("`{other}` is not 1-0, 0-1 or 1/2-1/2"))),
        }
    }
}
