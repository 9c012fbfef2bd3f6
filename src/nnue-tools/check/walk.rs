//! Incremental accumulators against refreshed ones, along random games.

use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use chess::{Position, Scene};
use nnue::AccumulatorStack;
use nnue::Net;

/// Games from the usual start.
const GAMES: usize = 16;
const MOST_PLIES: u32 = 120;
/// Chance that a position is evaluated: the stack is lazy, so updates must span one move as well as
/// several.
const EVALUATED: f64 = 0.7;

/// A position whose evaluation differs between incremental and refreshed accumulators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    pub fen: String,
    /// By rows added and removed, centipawns.
    pub incremental: i32,
    /// From scratch, centipawns.
    pub refreshed: i32,
}

/// Where random games begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WalkBegin {
    Usual,
    /// Starts of Chess960: castling moves king and rook between any squares.
    Chess960,
    /// Endings: few pieces, promotions near.
    Ending,
}

const CHESS960: [&str; 8] = [
    "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
    "rkrnbbqn/pppppppp/8/8/8/8/PPPPPPPP/RKRNBBQN w CAca - 0 1",
    "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1",
    "qnrbknbr/pppppppp/8/8/8/8/PPPPPPPP/QNRBKNBR w HChc - 0 1",
    // Few pawns, and castling on the second move.
    "1r4kr/4pppp/8/8/8/8/PPPP4/1RK4R w HBhb - 0 1",
    "brknrqnb/pppppppp/8/8/8/8/PPPPPPPP/BRKNRQNB w EBeb - 0 1",
    "5rkr/8/8/8/8/8/8/RKR5 w CAhf - 0 1",
    "rk5r/8/8/8/8/8/8/R5KR w HAha - 0 1",
];

const ENDINGS: [&str; 8] = [
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/P6p/8/8/8/8/p6P/4K3 w - - 0 1",
    "8/8/4k3/8/8/2Q5/5K2/4r3 w - - 0 1",
    "8/5k2/3n4/8/3B4/2K5/6P1/8 w - - 0 1",
    "8/1P4k1/8/8/8/8/1p4K1/8 b - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1",
];

impl WalkBegin {
    pub const ALL: [WalkBegin; 3] = [WalkBegin::Usual, WalkBegin::Chess960, WalkBegin::Ending];

    fn starts(self) -> Vec<Position> {
        let read =
            |fens: &[&str]| fens.iter().filter_map(|fen| Position::from_fen(fen).ok()).collect();
        match self {
            WalkBegin::Usual => vec![Position::default(); GAMES],
            WalkBegin::Chess960 => read(&CHESS960),
            WalkBegin::Ending => read(&ENDINGS),
        }
    }
}

/// Games from one kind of start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Walked {
    pub begin: WalkBegin,
    pub games: u64,
    /// Compared positions of these games.
    pub positions: u64,
}

/// The outcome of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Walk {
    pub positions: u64,
    pub games: Vec<Walked>,
    pub mismatch: Option<Mismatch>,
}

impl Walk {
    /// Plays random games, the same ones every time.
    pub(super) fn random(net: &Arc<Net>) -> Self {
        let mut walk = Self { positions: 0, games: Vec::new(), mismatch: None };
        let mut stack = AccumulatorStack::new(net.clone());
        let mut seeds = 0..;
        for begin in WalkBegin::ALL {
            let (before, mut games) = (walk.positions, 0);
            for (start, seed) in begin.starts().into_iter().zip(&mut seeds) {
                if walk.mismatch.is_none() {
                    walk.game(&mut stack, start, &mut ChaCha8Rng::seed_from_u64(seed));
                    games += 1;
                }
            }
            walk.games.push(Walked { begin, games, positions: walk.positions - before });
        }
        walk
    }

    fn game(&mut self, stack: &mut AccumulatorStack, start: Position, rng: &mut ChaCha8Rng) {
        let mut position = start;
        stack.reset(&position);
        for _ in 0..MOST_PLIES {
            let moves = position.legal_moves();
            if moves.is_empty() || self.mismatch.is_some() {
                return;
            }
            let chosen = moves[rng.random_range(0..moves.len())];
            let next = position.after(chosen);
            stack.push(position.change(chosen), &next);
            position = next;
            if rng.random_bool(EVALUATED) {
                self.compare(stack, &position);
            }
        }
    }

    fn compare(&mut self, stack: &mut AccumulatorStack, position: &Position) {
        let turn = position.turn();
        let refreshed = stack.net().evaluate(&Scene::from(position), turn);
        let incremental = stack.evaluate(turn);
        self.positions += 1;
        if incremental != refreshed {
            self.mismatch = Some(Mismatch { fen: position.fen(), incremental, refreshed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_starts_are_legal_and_of_their_kind() {
        let castles = |start: &Position| {
            let moves = start.legal_moves();
            moves.iter().any(|m| m.is_castle())
        };
        let chess960 = WalkBegin::Chess960.starts();
        assert_eq!(chess960.len(), CHESS960.len());
        assert!(chess960.iter().all(Position::is_chess960));
        assert!(chess960.iter().filter(|start| castles(start)).count() >= 3);
        let endings = WalkBegin::Ending.starts();
        assert_eq!(endings.len(), ENDINGS.len());
        assert!(endings.iter().all(|start| start.board().occupied().count() <= 12));
        assert_eq!(WalkBegin::Usual.starts().len(), GAMES);
    }
}
