//! The order in which moves are tried.
//!
//! Alpha-beta lives on trying the refutation first: the TT move, captures that do
//! not lose material by SEE (ordered by MVV-LVA and capture history), killers,
//! quiet moves by their history, and last captures that lose material. Most nodes end after a
//! few moves, so each of these stages begins when it is due: the TT move is tried before any
//! list is made, quiet moves are listed when no capture has refuted, and SEE of a capture
//! is computed when its turn comes. The best move left in a stage is picked each time (a
//! selection sort). All nodes of a line keep their moves on one stack, [`MoveStack`],
//! which stays in the cache.

use chess::{Move, Position, Role, see_at_least};

use super::history::{Context, Histories, Killers, is_noisy};
use super::material::PIECE_VALUE;
use super::technique::{Technique, Techniques};

/// What a node's quiet moves are ordered by, beside their histories.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guide {
    /// What worked at this ply.
    pub killers: Killers,
    /// The moves before; threats are found when the first quiet move is due.
    pub context: Context,
    /// Parts of the ordering in use.
    pub techniques: Techniques,
}

/// Moves come out in these classes, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The TT move.
    TtMove,
    /// A capture or promotion that does not lose material.
    GoodNoisy,
    /// A quiet move that caused a cutoff at this ply before.
    Killer,
    Quiet,
    /// A capture that loses material, or an underpromotion.
    BadNoisy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
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

impl Scored {
    /// A killer or another quiet move.
    fn as_quiet(self) -> Pick {
        let Self { played, score } = self;
        match score >= KILLER {
            true => Pick { played, class: Class::Killer, history: 0 },
            false => Pick { played, class: Class::Quiet, history: score },
        }
    }
}

const KILLER: i32 = 1_000_000;
/// Captures and promotions below this are not to be tried early, whatever the
/// exchange brings.
const UNDERPROMOTION: i32 = -1_000_000;

/// The moves of all nodes from the root to the current one.
#[derive(Default)]
pub(crate) struct MoveStack(Vec<Scored>);

/// Which moves a node wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of them.
    All,
    /// Captures and promotions.
    Noisy,
}

/// Where a node is in its moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The TT move is next, if there is one.
    TtMove,
    /// Captures and promotions are listed and scored next.
    ListNoisy,
    /// They come one by one.
    Noisy,
    /// Quiet moves come one by one.
    Quiet,
    /// Of the quiet moves only checks are left, in no order.
    Checks,
    /// Losing captures and underpromotions, in the order they were put off.
    BadNoisy,
}

/// The moves of one node, on top of the stack while it is open.
///
/// ```text
/// start        put_off     next                end of the stack
///   | put off … | free …    | left of the stage … |
/// ```
///
/// Moves that are put off go into the room that taken ones have left.
pub(crate) struct Picker {
    stage: Stage,
    wanted: Wanted,
    /// The TT move, known to be legal.
    best: Option<Move>,
    start: usize,
    put_off: usize,
    next: usize,
    guide: Guide,
}

impl Picker {
    /// Skips the remaining quiet moves but those that give check, if quiet moves have
    /// begun.
    pub(crate) fn skip_quiets_without_check(&mut self) {
        if self.stage == Stage::Quiet {
            self.stage = Stage::Checks;
        }
    }

    fn go_on_to_bad_noisy(&mut self) {
        self.stage = Stage::BadNoisy;
        self.next = self.start;
    }
}

impl MoveStack {
    /// Begins a node; `best`, which has to be legal, leads.
    pub(crate) fn open(&mut self, best: Option<Move>, wanted: Wanted, guide: Guide) -> Picker {
        let best = best.filter(|&m| wanted == Wanted::All || is_noisy(m));
        let start = self.0.len();
        Picker { stage: Stage::TtMove, wanted, best, start, put_off: start, next: start, guide }
    }

    /// Takes the moves of the node off again.
    pub(crate) fn close(&mut self, picker: Picker) {
        self.0.truncate(picker.start);
    }

    /// The next move of the topmost node.
    pub(crate) fn next(
        &mut self,
        picker: &mut Picker,
        position: &Position,
        histories: &Histories,
    ) -> Option<Pick> {
        if picker.stage == Stage::TtMove {
            picker.stage = Stage::ListNoisy;
            if let Some(played) = picker.best {
                return Some(Pick { played, class: Class::TtMove, history: 0 });
            }
        }
        if picker.stage == Stage::ListNoisy {
            self.list_noisy(picker, position, histories);
        }
        if picker.stage == Stage::Noisy {
            if let Some(played) = self.next_noisy(picker, position) {
                return Some(Pick { played, class: Class::GoodNoisy, history: 0 });
            }
            match picker.wanted {
                Wanted::All => self.list_quiet(picker, position, histories),
                Wanted::Noisy => picker.go_on_to_bad_noisy(),
            }
        }
        if picker.stage == Stage::Quiet {
            if let Some(scored) = self.select(picker) {
                return Some(scored.as_quiet());
            }
            picker.go_on_to_bad_noisy();
        }
        if picker.stage == Stage::Checks {
            if let Some(scored) = self.next_check(picker, position) {
                return Some(scored.as_quiet());
            }
            picker.go_on_to_bad_noisy();
        }
        let Scored { played, .. } = *self.0[..picker.put_off].get(picker.next)?;
        picker.next += 1;
        Some(Pick { played, class: Class::BadNoisy, history: 0 })
    }

    /// Lists captures and promotions with their prospects.
    fn list_noisy(&mut self, picker: &mut Picker, position: &Position, histories: &Histories) {
        picker.stage = Stage::Noisy;
        let Picker { best, guide, .. } = picker;
        position.each_noisy(|played| {
            if Some(played) != *best {
                self.0
                    .push(Scored { played, score: guide.score_noisy(position, played, histories) });
            }
        });
    }

    /// Lists quiet moves with their prospects.
    fn list_quiet(&mut self, picker: &mut Picker, position: &Position, histories: &Histories) {
        picker.stage = Stage::Quiet;
        if picker.guide.has(Technique::ThreatHistory) {
            picker.guide.context.threats = position.threats();
        }
        let Picker { best, guide, .. } = picker;
        let killers =
            if guide.has(Technique::Killers) { guide.killers } else { Killers::default() };
        let has_history = guide.has(Technique::History);
        let histories = histories.quiets(position.turn(), &guide.context);
        position.each_quiet(|played| {
            let score = match killers.rank(played) {
                0 if has_history => histories.of(played),
                0 => 0,
                rank => KILLER + rank,
            };
            if Some(played) != *best {
                self.0.push(Scored { played, score });
            }
        });
    }

    /// The best capture or promotion left that does not lose material; the
    /// others are put off.
    fn next_noisy(&mut self, picker: &mut Picker, position: &Position) -> Option<Move> {
        while let Some(scored) = self.select(picker) {
            if scored.score > UNDERPROMOTION && picker.guide.holds(position, scored.played) {
                return Some(scored.played);
            }
            self.0[picker.put_off] = scored;
            picker.put_off += 1;
        }
        None
    }

    /// The next quiet move that gives check.
    fn next_check(&mut self, picker: &mut Picker, position: &Position) -> Option<Scored> {
        let rest = &self.0[picker.next..];
        let found = rest.iter().position(|scored| position.checks_directly(scored.played));
        picker.next = found.map_or(self.0.len(), |i| picker.next + i + 1);
        found.map(|i| rest[i])
    }

    /// Moves the best move left to the front of the rest and takes it.
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
    /// Whether a part of the ordering is switched on.
    #[inline]
    fn has(&self, technique: Technique) -> bool {
        self.techniques.has(Technique::MoveOrdering) && self.techniques.has(technique)
    }

    /// Whether a capture or promotion may come early.
    fn holds(&self, position: &Position, m: Move) -> bool {
        !self.techniques.has(Technique::SeeOrdering) || see_at_least(position, m, 0)
    }

    /// The prospects of a capture or promotion; higher comes first.
    #[inline]
    fn score_noisy(&self, position: &Position, m: Move, histories: &Histories) -> i32 {
        let (by_value, by_history) =
            (self.has(Technique::MvvLva), self.has(Technique::CaptureHistory));
        let value = |role: Role| if by_value { PIECE_VALUE[role as usize - 1] } else { 0 };
        let victim = m.capture().map_or(0, value);
        let history = if by_history { histories.capture(position.turn(), m) } else { 0 };
        match m.promotion() {
            Some(Role::Queen) => 16 * (victim + value(Role::Queen)) + history,
            Some(_) => 2 * UNDERPROMOTION + victim,
            None => 16 * victim - value(m.role()) / 16 + history,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(fen: &str, best: Option<&str>) -> Vec<(String, Class)> {
        let position = Position::from_fen(fen).unwrap();
        let best = best.map(|text| position.parse_uci(text).unwrap());
        let histories = Histories::new();
        let moves = position.legal_moves();
        let mut stack = MoveStack::default();
        let mut picker = stack.open(best, Wanted::All, Guide::default());
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
        assert_eq!(order[0], ("e1e2".to_owned(), Class::TtMove));
        assert_eq!(order[1], ("d2d5".to_owned(), Class::GoodNoisy));
        let last = order.last().unwrap();
        assert_eq!(last, &("d1a4".to_owned(), Class::BadNoisy));
        assert!(order[2..order.len() - 1].iter().all(|(_, class)| *class == Class::Quiet));
    }
}
