//! The order in which moves are tried.
//!
//! Alpha-beta lives on trying the refutation first: the TT move, captures that do
//! not lose material by SEE (ordered by MVV-LVA and capture history), killers,
//! quiet moves by their history, and last captures that lose material. Most nodes end after a
//! few moves, so each of these stages begins when it is due: the TT move comes before any list is
//! made, quiet moves are listed when neither capture nor killer has refuted (where the others would
//! be skipped, only those that give check), and SEE of a capture is computed when its turn comes.
//! The best move left in a stage is picked each time (a selection sort). All nodes of a line keep
//! their moves on one stack, [`MoveStack`], which stays in the cache.

use chess::{Bitboard, Color, Move, Position, Role, see_at_least};

use super::history::{Context, Histories, Killers};

use super::material::PIECE_VALUE;
use super::technique::{Technique, Techniques};

/// Order of a node's quiet moves, beside their histories.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OrderingContext {
    /// Killers of this ply.
    pub killers: Killers,
    /// The moves before; threats are found when the first quiet move is due.
    pub context: Context,
    /// Parts of the ordering in use.
    pub techniques: Techniques,
}

/// Classes of moves, best first.
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
    /// Class of the move.
    pub class: Class,
    /// Its history, for [`Class::Quiet`]; 0 for others.
    pub history: i32,
    /// Whether the moved piece is known to be safe from capture.
    pub is_safe: bool,
}

impl Pick {
    fn new(played: Move, class: Class) -> Self {
        Self { played, class, history: 0, is_safe: false }
    }
}

/// Captures and promotions below this never come early, even if they win material.
const UNDERPROMOTION: i32 = -1_000_000;

/// The moves of all nodes from the root to the current one, and their prospects in a list of their
/// own, so that many are compared in one step.
#[derive(Default)]
pub(crate) struct MoveStack {
    moves: Vec<Move>,
    prospects: Vec<i32>,
}

/// Moves of a node that are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of them.
    All,
    /// Captures and promotions.
    Noisy,
}

/// Stage of a node's moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PickStage {
    /// The TT move is next, if there is one.
    TtMove,
    /// Captures and promotions are listed and scored next.
    ListNoisy,
    Noisy,
    /// The newer killer is next, if it is legal.
    NewerKiller,
    /// The older one.
    OlderKiller,
    /// Quiet moves are listed and scored next.
    ListQuiet,
    Quiet,
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
    stage: PickStage,
    wanted: Wanted,
    /// The TT move, known to be legal.
    best: Option<Move>,
    /// Killers that were tried before quiet moves were listed.
    tried: [Option<Move>; 2],
    /// Restricts quiet moves to checks, in no order.
    only_checks: bool,
    start: usize,
    put_off: usize,
    next: usize,
    guide: OrderingContext,
    /// Squares that the opponent attacks, once quiet moves are listed.
    threats: Bitboard,
}

impl Picker {
    /// Skips the remaining quiet moves but those that give check.
    pub(crate) fn skip_quiets_without_check(&mut self) {
        self.only_checks = true;
    }

    /// Whether quiet moves will be listed, all of them.
    pub(crate) fn is_to_list_quiets(&self) -> bool {
        self.stage <= PickStage::ListQuiet && !self.only_checks
    }

    fn is_done(&self, m: Move) -> bool {
        self.best == Some(m) || self.tried.contains(&Some(m))
    }

    /// One of the killers, if it is a quiet move here that is not tried yet.
    fn killer(&mut self, which: usize, position: &Position) -> Option<Pick> {
        let killer = self.guide.killers.0[which].filter(|_| self.guide.has(Technique::Killers))?;
        if self.only_checks || self.is_done(killer) || !position.is_legal(killer) {
            return None;
        }
        self.tried[which] = Some(killer);
        Some(Pick::new(killer, Class::Killer))
    }

    fn go_on_to_bad_noisy(&mut self) {
        self.stage = PickStage::BadNoisy;
        self.next = self.start;
    }
}

impl MoveStack {
    /// Begins a node; `best`, which has to be legal, leads.
    pub(crate) fn open(
        &mut self,
        best: Option<Move>,
        wanted: Wanted,
        guide: OrderingContext,
    ) -> Picker {
        let best = best.filter(|&m| wanted == Wanted::All || m.is_noisy());
        let start = self.moves.len();
        Picker {
            stage: PickStage::TtMove,
            wanted,
            best,
            tried: [None; 2],
            only_checks: false,
            start,
            put_off: start,
            next: start,
            guide,
            threats: Bitboard::EMPTY,
        }
    }

    /// Takes the moves of the node off again.
    pub(crate) fn close(&mut self, picker: Picker) {
        self.moves.truncate(picker.start);
        self.prospects.truncate(picker.start);
    }

    /// The next move of the topmost node. `expect` gets moves, but for the TT move, as soon as
    /// they are likely.
    pub(crate) fn next(
        &mut self,
        picker: &mut Picker,
        position: &Position,
        histories: &Histories,
        expect: impl Fn(Move),
    ) -> Option<Pick> {
        if picker.stage == PickStage::TtMove {
            picker.stage = PickStage::ListNoisy;
            if let Some(played) = picker.best {
                return Some(Pick::new(played, Class::TtMove));
            }
        }
        if picker.stage == PickStage::ListNoisy {
            self.list_noisy(picker, position, histories, &expect);
        }
        if picker.stage == PickStage::Noisy {
            if let Some(played) = self.next_noisy(picker, position) {
                return Some(Pick::new(played, Class::GoodNoisy));
            }
            match picker.wanted {
                Wanted::All => picker.stage = PickStage::NewerKiller,
                Wanted::Noisy => picker.go_on_to_bad_noisy(),
            }
        }
        if picker.stage == PickStage::NewerKiller {
            picker.stage = PickStage::OlderKiller;
            if let Some(pick) = picker.killer(0, position) {
                expect(pick.played);
                return Some(pick);
            }
        }
        if picker.stage == PickStage::OlderKiller {
            picker.stage = PickStage::ListQuiet;
            if let Some(pick) = picker.killer(1, position) {
                expect(pick.played);
                return Some(pick);
            }
        }
        if picker.stage == PickStage::ListQuiet {
            self.list_quiet(picker, position, histories);
        }
        if picker.stage == PickStage::Quiet {
            if let Some(pick) = self.next_quiet(picker, position) {
                expect(pick.played);
                return Some(pick);
            }
            picker.go_on_to_bad_noisy();
        }
        let played = *self.moves[..picker.put_off].get(picker.next)?;
        picker.next += 1;
        expect(played);
        Some(Pick::new(played, Class::BadNoisy))
    }

    /// Lists captures and promotions with their prospects.
    fn list_noisy(
        &mut self,
        picker: &mut Picker,
        position: &Position,
        histories: &Histories,
        expect: &impl Fn(Move),
    ) {
        picker.stage = PickStage::Noisy;
        let (best, guide) = (picker.best, &picker.guide);
        position.each_noisy(|played| {
            if Some(played) != best {
                expect(played);
                self.moves.push(played);
                self.prospects.push(guide.score_noisy(position.turn(), played, histories));
            }
        });
    }

    /// Lists quiet moves, or those of them that give check, with their prospects.
    fn list_quiet(&mut self, picker: &mut Picker, position: &Position, histories: &Histories) {
        picker.stage = PickStage::Quiet;
        let push = |played| self.moves.push(played);
        match picker.only_checks {
            false => position.each_quiet(push),
            true => position.each_quiet_check(push),
        }
        self.prospects.resize(self.moves.len(), 0);
        let quiets = &self.moves[picker.next..];
        if quiets.is_empty() {
            return;
        }
        picker.threats = position.threats();
        if picker.guide.has(Technique::ThreatHistory) {
            picker.guide.context.threats = picker.threats;
        }
        if !picker.guide.has(Technique::History) {
            return;
        }
        let histories = histories.quiets(position.turn(), &picker.guide.context);
        for (prospect, &played) in self.prospects[picker.next..].iter_mut().zip(quiets) {
            *prospect = histories.of(played);
        }
    }

    /// The best quiet move left, or the next that gives check.
    fn next_quiet(&mut self, picker: &mut Picker, position: &Position) -> Option<Pick> {
        loop {
            let (played, prospect) = match picker.only_checks {
                false => self.select(picker)?,
                true => self.next_check(picker, position)?,
            };
            if picker.is_done(played) {
                continue;
            }
            let is_safe =
                !picker.threats.contains(played.from()) && !picker.threats.contains(played.to());
            let (class, history) = match picker.guide.is_killer(played) {
                true => (Class::Killer, 0),
                false => (Class::Quiet, prospect),
            };
            return Some(Pick { played, class, history, is_safe });
        }
    }

    /// The best capture or promotion left that does not lose material; the
    /// others are put off.
    fn next_noisy(&mut self, picker: &mut Picker, position: &Position) -> Option<Move> {
        while let Some((played, prospect)) = self.select(picker) {
            if prospect > UNDERPROMOTION && picker.guide.holds(position, played) {
                return Some(played);
            }
            self.moves[picker.put_off] = played;
            picker.put_off += 1;
        }
        None
    }

    /// The next quiet move that gives check, and its prospects.
    fn next_check(&mut self, picker: &mut Picker, position: &Position) -> Option<(Move, i32)> {
        let checks = position.check_squares();
        let found = self.moves[picker.next..].iter().position(|&m| checks.has(m));
        let at = picker.next + found?;
        picker.next = at + 1;
        Some((self.moves[at], self.prospects[at]))
    }

    /// Moves the most promising move left to the front of the rest and takes it.
    #[inline]
    fn select(&mut self, picker: &mut Picker) -> Option<(Move, i32)> {
        let at = picker.next;
        let best = at + first_of_highest(&self.prospects[at..])?;
        self.moves.swap(at, best);
        self.prospects.swap(at, best);
        picker.next += 1;
        Some((self.moves[at], self.prospects[at]))
    }
}

/// Prospects whose places fit beside them into one number.
const TOGETHER: usize = 256;

/// Index of the first highest value. Values are within 23 bits: value and index make one number, so
/// that the loop has no branches.
#[inline]
fn first_of_highest(values: &[i32]) -> Option<usize> {
    if values.len() > TOGETHER {
        return first_of_highest_of_many(values);
    }
    let last = TOGETHER as i32 - 1;
    let ranked = |(at, &value): (usize, &i32)| value << 8 | (last - at as i32);
    let highest = values.iter().enumerate().map(ranked).reduce(i32::max)?;
    Some((last - (highest & last)) as usize)
}

/// The same for longer lists, of boards full of queens.
#[cold]
#[inline(never)]
fn first_of_highest_of_many(values: &[i32]) -> Option<usize> {
    (0..values.len()).rev().max_by_key(|&at| values[at])
}

impl OrderingContext {
    /// Whether a part of the ordering is switched on.
    #[inline]
    fn has(&self, technique: Technique) -> bool {
        self.techniques.has(Technique::MoveOrdering) && self.techniques.has(technique)
    }

    #[inline]
    fn is_killer(&self, m: Move) -> bool {
        self.killers.0.contains(&Some(m)) && self.has(Technique::Killers)
    }

    /// Whether a capture or promotion may come early.
    fn holds(&self, position: &Position, m: Move) -> bool {
        !self.techniques.has(Technique::SeeOrdering) || see_at_least(position, m, 0)
    }

    /// The prospects of a capture or promotion; higher comes first.
    #[inline]
    fn score_noisy(&self, turn: Color, m: Move, histories: &Histories) -> i32 {
        let (by_value, by_history) =
            (self.has(Technique::MvvLva), self.has(Technique::CaptureHistory));
        let value = |role: Role| if by_value { PIECE_VALUE[role as usize - 1] } else { 0 };
        let victim = m.capture().map_or(0, value);
        let history = if by_history { histories.capture(turn, m) } else { 0 };
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
        let mut picker = stack.open(best, Wanted::All, OrderingContext::default());
        let mut out = Vec::new();
        while let Some(pick) = stack.next(&mut picker, &position, &histories, |_| {}) {
            out.push((position.uci(pick.played), pick.class));
        }
        assert_eq!(out.len(), moves.len(), "every move once");
        stack.close(picker);
        assert!(stack.moves.is_empty() && stack.prospects.is_empty());
        out
    }

    #[test]
    fn the_first_of_the_highest_is_found() {
        assert_eq!(first_of_highest(&[]), None);
        assert_eq!(first_of_highest(&[-(1 << 23)]), Some(0));
        assert_eq!(first_of_highest(&[(1 << 23) - 1, 0]), Some(0));
        assert_eq!(first_of_highest(&[-5, 3, -7, 3, 2]), Some(1));
        let values: Vec<i32> = (0..300).map(|i| (i * 37 + 11) % 50 - 25).collect();
        for from in 0..values.len() {
            let rest = &values[from..];
            let highest = rest.iter().max().unwrap();
            assert_eq!(first_of_highest(rest), rest.iter().position(|value| value == highest));
        }
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
