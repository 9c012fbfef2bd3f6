//! The order in which moves are tried.
//!
//! Alpha-beta lives on trying the refutation first: the move the table
//! remembers, captures that do not lose material (most valuable victim first,
//! captures that worked before in preference), killers, quiet moves by their
//! history, and last captures that lose material. Scores are given once; the
//! best remaining move is picked each time, since most nodes end after a few.
//! The exchange on a capture is only computed when its turn comes.

use arrayvec::ArrayVec;

use crate::chess::{Move, Position, Role, see_at_least};

use super::history::{Context, Histories, Killers, is_noisy};
use super::material::PIECE_VALUE;
use super::table::PackedMove;

/// What the order is made from.
pub struct Guide<'a> {
    /// The table's move.
    pub best: Option<PackedMove>,
    /// What worked elsewhere.
    pub histories: &'a Histories,
    /// What worked at this ply.
    pub killers: Killers,
    /// The moves before.
    pub context: Context,
}

/// Moves come out in these classes, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The table's move.
    Table,
    /// A capture or promotion that does not lose material.
    GoodNoisy,
    /// Neither capture nor promotion.
    Quiet,
    /// A capture that loses material, or an underpromotion.
    BadNoisy,
}

#[derive(Clone, Copy)]
struct Scored {
    played: Move,
    score: i32,
}

/// Capacity of the board library's move list.
const MOST_MOVES: usize = 270;

const TABLE: i32 = i32::MAX;
const GOOD_NOISY: i32 = 10_000_000;
const KILLER: i32 = 1_000_000;
/// Quiet histories stay within ±50,000.
const BAD_NOISY: i32 = -10_000_000;
/// From here up it is a capture that has not been weighed yet, or was found good.
const NOISY_FLOOR: i32 = GOOD_NOISY - 1_000_000;

/// Hands out moves, best first.
pub struct Picker {
    moves: ArrayVec<Scored, MOST_MOVES>,
    next: usize,
    quiets_wanted: bool,
}

impl Picker {
    /// Prepares `moves` of `position`.
    pub fn new(position: &Position, moves: &[Move], guide: &Guide<'_>) -> Self {
        let scored = moves.iter().map(|&m| Scored { played: m, score: score(position, m, guide) });
        Self { moves: scored.collect(), next: 0, quiets_wanted: true }
    }

    /// From now on hands out no quiet moves.
    pub fn skip_quiets(&mut self) {
        self.quiets_wanted = false;
    }

    /// The next move and its class.
    pub fn next(&mut self, position: &Position) -> Option<(Move, Class)> {
        loop {
            let Scored { played, score } = self.select()?;
            if score == TABLE {
                return Some((played, Class::Table));
            }
            if score >= NOISY_FLOOR {
                if see_at_least(position, played, 0) {
                    return Some((played, Class::GoodNoisy));
                }
                // Back in the queue, behind the quiet moves.
                self.next -= 1;
                self.moves[self.next].score = score - GOOD_NOISY + BAD_NOISY;
                continue;
            }
            if score < BAD_NOISY / 2 {
                return Some((played, Class::BadNoisy));
            }
            if self.quiets_wanted {
                return Some((played, Class::Quiet));
            }
        }
    }

    /// Moves the best remaining move to the front of the rest and takes it.
    fn select(&mut self) -> Option<Scored> {
        let rest = self.moves.get_mut(self.next..)?;
        let mut best = 0;
        for i in 1..rest.len() {
            if rest[i].score > rest[best].score {
                best = i;
            }
        }
        let chosen = *rest.get(best)?;
        rest.swap(0, best);
        self.next += 1;
        Some(chosen)
    }
}

fn score(position: &Position, m: Move, guide: &Guide<'_>) -> i32 {
    if guide.best.is_some_and(|best| best.is(m)) {
        return TABLE;
    }
    if !is_noisy(m) {
        return match guide.killers.rank(m) {
            0 => guide.histories.quiet(position.turn(), m, &guide.context),
            rank => KILLER + rank,
        };
    }
    let value = |role: Role| PIECE_VALUE[role as usize - 1];
    let victim = m.capture().map_or(0, value);
    let habit = guide.histories.capture(position.turn(), m);
    match m.promotion() {
        Some(Role::Queen) => GOOD_NOISY + 16 * (victim + value(Role::Queen)) + habit,
        Some(_) => BAD_NOISY + victim,
        None => GOOD_NOISY + 16 * victim - value(m.role()) / 16 + habit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(fen: &str, best: Option<&str>) -> Vec<(String, Class)> {
        let position = Position::from_fen(fen).unwrap();
        let histories = Histories::new();
        let guide = Guide {
            best: best.map(|text| PackedMove::of(position.parse_uci(text).unwrap())),
            histories: &histories,
            killers: Killers::default(),
            context: [None, None],
        };
        let moves = position.legal_moves();
        let mut picker = Picker::new(&position, &moves, &guide);
        let mut out = Vec::new();
        while let Some((m, class)) = picker.next(&position) {
            out.push((position.uci(m), class));
        }
        assert_eq!(out.len(), moves.len(), "every move once");
        out
    }

    #[test]
    fn table_move_then_winning_captures_then_quiets_then_losing_captures() {
        // Qxd5 wins a rook, Qxa4 loses the queen for a defended pawn.
        let fen = "4k3/8/8/1p1r4/p7/8/3Q4/3QK3 w - - 0 1";
        let order = order(fen, Some("e1e2"));
        assert_eq!(order[0], ("e1e2".to_owned(), Class::Table));
        assert_eq!(order[1], ("d2d5".to_owned(), Class::GoodNoisy));
        let last = order.last().unwrap();
        assert_eq!(last, &("d1a4".to_owned(), Class::BadNoisy));
        assert!(order[2..order.len() - 1].iter().all(|(_, class)| *class == Class::Quiet));
    }

    #[test]
    fn skipping_quiets_leaves_the_captures() {
        let position = Position::from_fen("4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1").unwrap();
        let histories = Histories::new();
        let guide = Guide {
            best: None,
            histories: &histories,
            killers: Killers::default(),
            context: [None, None],
        };
        let mut picker = Picker::new(&position, &position.legal_moves(), &guide);
        picker.skip_quiets();
        assert_eq!(picker.next(&position).map(|(m, _)| position.uci(m)).as_deref(), Some("d2d5"));
        assert!(picker.next(&position).is_none());
    }
}
