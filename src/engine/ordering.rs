//! The order in which moves are tried.
//!
//! Alpha-beta lives on trying the refutation first: the move the table
//! remembers, captures that do not lose material (most valuable victim first,
//! captures that worked before in preference), killers, quiet moves by their
//! history, and last captures that lose material. Scores are given when the
//! table's move has not been enough; then the best remaining move is picked
//! each time, since most nodes end after a few.
//! The exchange on a capture is only computed when its turn comes. All nodes of
//! a line keep their moves on one stack, [`MoveStack`], which stays in the cache.

use crate::chess::{Move, Position, Role, see_at_least};

use super::history::{Context, Histories, Killers, is_noisy};
use super::material::PIECE_VALUE;
use super::table::PackedMove;
use super::technique::{Technique, Techniques};

/// What a node's quiet moves are ordered by, beside their histories.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guide {
    /// What worked at this ply.
    pub killers: Killers,
    /// The moves before.
    pub context: Context,
    /// What orders moves at all.
    pub techniques: Techniques,
}

/// Moves come out in these classes, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The table's move.
    Table,
    /// A capture or promotion that does not lose material.
    GoodNoisy,
    /// A quiet move that refuted at this ply before.
    Killer,
    /// Neither capture nor promotion.
    Quiet,
    /// A capture that loses material, or an underpromotion.
    BadNoisy,
}

/// A move that is to be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// The move.
    pub played: Move,
    /// Why it comes now.
    pub class: Class,
    /// What its history says, for [`Class::Quiet`]; 0 for others.
    pub history: i32,
}

#[derive(Clone, Copy)]
struct Scored {
    played: Move,
    score: i32,
}

const TABLE: i32 = i32::MAX;
const GOOD_NOISY: i32 = 10_000_000;
/// From here up it is a capture or promotion that has not been weighed yet.
const NOISY_FLOOR: i32 = GOOD_NOISY - 1_000_000;
const KILLER: i32 = 1_000_000;
const BAD_NOISY: i32 = -10_000_000;
/// Quiet histories stay well within ±50,000.
const QUIET_FLOOR: i32 = -KILLER;

/// The moves of all nodes from the root to the current one.
#[derive(Default)]
pub struct MoveStack(Vec<Scored>);

/// The moves of one node, on top of the stack while it is open.
pub struct Picker {
    start: usize,
    next: usize,
    guide: Guide,
    scored: bool,
}

impl MoveStack {
    /// Puts a node's moves on the stack, `best` first.
    pub fn open(&mut self, moves: &[Move], best: Option<PackedMove>, guide: Guide) -> Picker {
        let start = self.0.len();
        self.0.extend(moves.iter().map(|&m| Scored { played: m, score: 0 }));
        if let Some(i) = best.and_then(|best| moves.iter().position(|&m| best.is(m))) {
            self.0.swap(start, start + i);
            self.0[start].score = TABLE;
        }
        Picker { start, next: start, guide, scored: false }
    }

    /// Takes the moves of the node off again.
    pub fn close(&mut self, picker: Picker) {
        self.0.truncate(picker.start);
    }

    /// The next move of the topmost node.
    pub fn next(
        &mut self,
        picker: &mut Picker,
        position: &Position,
        histories: &Histories,
    ) -> Option<Pick> {
        if !picker.scored {
            let first = self.0.get(picker.next).filter(|first| first.score == TABLE).copied();
            if let Some(Scored { played, .. }) = first {
                picker.next += 1;
                return Some(Pick { played, class: Class::Table, history: 0 });
            }
            self.score_rest(picker, position, histories);
        }
        self.next_scored(picker, position)
    }

    fn score_rest(&mut self, picker: &mut Picker, position: &Position, histories: &Histories) {
        picker.scored = true;
        for scored in &mut self.0[picker.next..] {
            scored.score = picker.guide.score(position, scored.played, histories);
        }
    }

    fn next_scored(&mut self, picker: &mut Picker, position: &Position) -> Option<Pick> {
        loop {
            let Scored { played, score } = self.select(picker)?;
            let (class, history) = match score {
                NOISY_FLOOR.. if picker.guide.holds(position, played) => (Class::GoodNoisy, 0),
                NOISY_FLOOR.. => {
                    // Back in the queue, behind the quiet moves.
                    picker.next -= 1;
                    self.0[picker.next].score = score - GOOD_NOISY + BAD_NOISY;
                    continue;
                }
                ..QUIET_FLOOR => (Class::BadNoisy, 0),
                KILLER.. => (Class::Killer, 0),
                history => (Class::Quiet, history),
            };
            return Some(Pick { played, class, history });
        }
    }

    /// Moves the best remaining move to the front of the rest and takes it.
    fn select(&mut self, picker: &mut Picker) -> Option<Scored> {
        let rest = &mut self.0[picker.next..];
        let mut best = 0;
        let mut highest = rest.first()?.score;
        for (i, candidate) in rest.iter().enumerate().skip(1) {
            if candidate.score > highest {
                (best, highest) = (i, candidate.score);
            }
        }
        rest.swap(0, best);
        picker.next += 1;
        Some(rest[0])
    }
}

impl Guide {
    /// Whether a capture or promotion may come early.
    fn holds(&self, position: &Position, m: Move) -> bool {
        !self.techniques.has(Technique::ExchangeOrder) || see_at_least(position, m, 0)
    }

    /// The prospects of a move; higher comes first.
    fn score(&self, position: &Position, m: Move, histories: &Histories) -> i32 {
        if !self.techniques.has(Technique::MoveOrdering) {
            if is_noisy(m) { GOOD_NOISY } else { 0 }
        } else if is_noisy(m) {
            self.score_noisy(position, m, histories)
        } else {
            self.score_quiet(position, m, histories)
        }
    }

    fn score_quiet(&self, position: &Position, m: Move, histories: &Histories) -> i32 {
        match self.killers.rank(m) {
            rank if rank > 0 && self.techniques.has(Technique::Killers) => KILLER + rank,
            _ if !self.techniques.has(Technique::History) => 0,
            _ => histories.quiet(position.turn(), m, &self.context),
        }
    }

    fn score_noisy(&self, position: &Position, m: Move, histories: &Histories) -> i32 {
        let (by_value, by_habit) = (
            self.techniques.has(Technique::CaptureOrder),
            self.techniques.has(Technique::CaptureHistory),
        );
        let value = |role: Role| if by_value { PIECE_VALUE[role as usize - 1] } else { 0 };
        let victim = m.capture().map_or(0, value);
        let habit = if by_habit { histories.capture(position.turn(), m) } else { 0 };
        match m.promotion() {
            Some(Role::Queen) => GOOD_NOISY + 16 * (victim + value(Role::Queen)) + habit,
            Some(_) => BAD_NOISY + victim,
            None => GOOD_NOISY + 16 * victim - value(m.role()) / 16 + habit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(fen: &str, best: Option<&str>) -> Vec<(String, Class)> {
        let position = Position::from_fen(fen).unwrap();
        let best = best.map(|text| PackedMove::of(position.parse_uci(text).unwrap()));
        let histories = Histories::new();
        let moves = position.legal_moves();
        let mut stack = MoveStack::default();
        let mut picker = stack.open(&moves, best, Guide::default());
        let mut out = Vec::new();
        while let Some(pick) = stack.next(&mut picker, &position, &histories) {
            out.push((position.uci(pick.played), pick.class));
        }
        assert_eq!(out.len(), moves.len(), "every move once");
        stack.close(picker);
        assert!(stack.0.is_empty());
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
}
