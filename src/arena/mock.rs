//! Players for tests.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::forfeit::Forfeit;
use super::game::{MoveChoice, Player, SearchEffort, Turn};
use super::time_control::TimeControl;
use chess::{Color, Move, Position, Role, Score};

pub(crate) struct FirstMover;

impl Player for FirstMover {
    fn new_game(&mut self, _start: &Position) -> Result<(), Forfeit> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<MoveChoice, Forfeit> {
        choice(turn.position, turn.position.legal_moves().first().copied())
    }
}

/// Plays a move that looks random but is a function of salt, position and ply: players of equal
/// strength with different salts. Its score is the material.
pub(crate) struct HashMover {
    salt: u64,
}

impl HashMover {
    pub(crate) fn new(salt: u64) -> Self {
        Self { salt }
    }
}

impl Player for HashMover {
    fn new_game(&mut self, _start: &Position) -> Result<(), Forfeit> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<MoveChoice, Forfeit> {
        let Turn { position, history, .. } = turn;
        let moves = position.legal_moves();
        let hash = mix(position.key() ^ mix(self.salt) ^ mix(history.len() as u64));
        choice(position, moves.get(hash as usize % moves.len().max(1)).copied())
    }
}

/// Prefers captures of the most valuable piece, otherwise plays as [`HashMover`]: clearly stronger.
pub(crate) struct Greedy {
    fallback: HashMover,
}

impl Greedy {
    pub(crate) fn new(salt: u64) -> Self {
        Self { fallback: HashMover::new(salt) }
    }
}

impl Player for Greedy {
    fn new_game(&mut self, _start: &Position) -> Result<(), Forfeit> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<MoveChoice, Forfeit> {
        let fallback = self.fallback.choose(turn)?;
        let value = |m: &Move| m.capture().map_or(0, role_value);
        let best = turn.position.legal_moves().into_iter().max_by_key(value);
        Ok(match best {
            Some(capture) if value(&capture) > 0 => MoveChoice { played: capture, ..fallback },
            _ => fallback,
        })
    }
}

/// Plays given moves with given scores, then answers without a move.
pub(crate) struct Scripted {
    script: VecDeque<(String, i32)>,
    thinking: Duration,
    /// Delay between a move and its arrival at the referee.
    delay: Duration,
    time_control: TimeControl,
}

impl Scripted {
    /// `"e2e4:15 d2d4"`: moves with scores (0 if not given). A move after `!`
    /// is played although it is illegal.
    pub(crate) fn new(script: &str) -> Self {
        let entry = |text: &str| match text.split_once(':') {
            Some((text, score)) => (text.to_owned(), score.parse().unwrap()),
            None => (text.to_owned(), 0),
        };
        Self {
            script: script.split_whitespace().map(entry).collect(),
            thinking: Duration::ZERO,
            delay: Duration::ZERO,
            time_control: TimeControl::Untimed,
        }
    }

    /// The same, with this time for each move on such a clock.
    pub(crate) fn thinking(self, thinking: Duration, time_control: TimeControl) -> Self {
        Self { thinking, time_control, ..self }
    }

    /// The same, playing at once; the referee receives its moves with this delay.
    pub(crate) fn delayed(self, delay: Duration, time_control: TimeControl) -> Self {
        Self { delay, time_control, ..self }
    }
}

impl Player for Scripted {
    fn time_control(&self) -> TimeControl {
        self.time_control
    }

    fn new_game(&mut self, _start: &Position) -> Result<(), Forfeit> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<MoveChoice, Forfeit> {
        std::thread::sleep(self.thinking);
        let (text, score_cp) = self.script.pop_front().ok_or(Forfeit::NoMove)?;
        let played = match text.strip_prefix('!') {
            Some(illegal) => lone_king_move(illegal),
            None => turn.position.parse_uci(&text).unwrap(),
        };
        let answered = Instant::now();
        std::thread::sleep(self.delay);
        Ok(MoveChoice {
            played,
            score: Some(Score::Centipawns(score_cp)),
            effort: SearchEffort { nodes: 1, depth: None },
            answered: Some(answered),
        })
    }
}

fn choice(position: &Position, played: Option<Move>) -> Result<MoveChoice, Forfeit> {
    let played = played.ok_or(Forfeit::NoMove)?;
    Ok(MoveChoice {
        played,
        score: Some(Score::Centipawns(material(position))),
        effort: SearchEffort { nodes: 1, depth: None },
        answered: None,
    })
}

fn lone_king_move(text: &str) -> Move {
    let board = Position::from_fen("4k3/8/8/8/8/8/8/K7 b - - 0 1").unwrap();
    board.parse_uci(text).unwrap()
}

fn material(position: &Position) -> i32 {
    let side = |color: Color| -> i32 {
        let pieces = position.board().by_color(color);
        pieces.into_iter().filter_map(|sq| position.role_at(sq)).map(role_value).sum()
    };
    side(position.turn()) - side(!position.turn())
}

fn role_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 300,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
