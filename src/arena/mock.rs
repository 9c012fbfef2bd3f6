//! Players for tests.

use std::collections::VecDeque;
use std::time::Duration;

use super::game::{Choice, Player};
use crate::chess::{Color, Key, Move, Position, Role};

/// Plays the first legal move.
pub struct FirstMover;

impl Player for FirstMover {
    fn new_game(&mut self) {}

    fn choose(&mut self, position: &Position, _history: &[Key]) -> Choice {
        let played = position.legal_moves().first().copied();
        Choice { played, score_cp: material(position), nodes: 1 }
    }
}

/// Plays a move that looks random but is a function of salt, position and
/// ply: players of equal strength with different salts. Judges by material.
pub struct HashMover {
    salt: u64,
}

impl HashMover {
    pub fn new(salt: u64) -> Self {
        Self { salt }
    }
}

impl Player for HashMover {
    fn new_game(&mut self) {}

    fn choose(&mut self, position: &Position, history: &[Key]) -> Choice {
        let moves = position.legal_moves();
        let hash = mix(position.key() ^ mix(self.salt) ^ mix(history.len() as u64));
        let played = moves.get(hash as usize % moves.len().max(1)).copied();
        Choice { played, score_cp: material(position), nodes: 1 }
    }
}

/// Prefers captures of the most valuable piece, else plays as [`HashMover`]: clearly stronger.
pub struct Greedy {
    fallback: HashMover,
}

impl Greedy {
    pub fn new(salt: u64) -> Self {
        Self { fallback: HashMover::new(salt) }
    }
}

impl Player for Greedy {
    fn new_game(&mut self) {}

    fn choose(&mut self, position: &Position, history: &[Key]) -> Choice {
        let fallback = self.fallback.choose(position, history);
        let value = |m: &Move| m.capture().map_or(0, role_value);
        let best = position.legal_moves().into_iter().max_by_key(value);
        match best {
            Some(capture) if value(&capture) > 0 => Choice { played: Some(capture), ..fallback },
            _ => fallback,
        }
    }
}

/// Plays given moves with given scores, then has nothing more to say.
pub struct Scripted {
    script: VecDeque<(String, i32)>,
    thinking: Duration,
}

impl Scripted {
    /// `"e2e4:15 d2d4"`: moves with scores (0 if not given). A move after `!`
    /// is played although it is illegal.
    pub fn new(script: &str) -> Self {
        let entry = |text: &str| match text.split_once(':') {
            Some((text, score)) => (text.to_owned(), score.parse().unwrap()),
            None => (text.to_owned(), 0),
        };
        Self { script: script.split_whitespace().map(entry).collect(), thinking: Duration::ZERO }
    }

    pub fn thinking(self, thinking: Duration) -> Self {
        Self { thinking, ..self }
    }
}

impl Player for Scripted {
    fn new_game(&mut self) {}

    fn choose(&mut self, position: &Position, _history: &[Key]) -> Choice {
        std::thread::sleep(self.thinking);
        let Some((text, score_cp)) = self.script.pop_front() else {
            return Choice { played: None, score_cp: 0, nodes: 0 };
        };
        let played = match text.strip_prefix('!') {
            Some(illegal) => lone_king_move(illegal),
            None => position.parse_uci(&text).unwrap(),
        };
        Choice { played: Some(played), score_cp, nodes: 1 }
    }
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
