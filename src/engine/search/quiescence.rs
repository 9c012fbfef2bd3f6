//! Quiescence search: captures until the position is quiet enough to evaluate.

use chess::{Move, Position, Role, see_at_least};

use super::super::material::PIECE_VALUE;
use super::super::ordering::{Class, Pick, Wanted};
use super::super::table::{Bound, PackedMove, TtEntry};
use super::super::technique::Technique;
use super::super::value::{DRAW, INFINITE, MATE_BOUND, MAX_PLY, Value, mated_in};
use super::node::BestMove;
use super::tree::Tree;

/// A node of the quiescence search.
#[derive(Clone, Copy)]
struct Leaf {
    ply: usize,
    alpha: Value,
    beta: Value,
    /// Its TT entry.
    known: Option<TtEntry>,
    /// The TT move, if it is legal.
    best: Option<Move>,
    /// Static evaluation without correction; `None` in check.
    raw: Option<Value>,
    /// Static evaluation, corrected and adjusted by the TT; `None` in check.
    stand_pat: Option<Value>,
}

impl Tree<'_> {
    /// Score when both sides only capture, promote and escape from check, and
    /// may stop at any time (fail-soft).
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Value {
        if PV {
            self.visit_pv(ply);
        }
        if self.is_draw(position) {
            return DRAW;
        }
        if ply >= MAX_PLY - 1 || !self.uses(Technique::Quiescence) {
            return if position.is_check() { DRAW } else { self.evaluate(position) };
        }
        let alpha = self.draw_at_hand(position, alpha);
        if alpha >= beta {
            return alpha;
        }
        let uses_table = self.uses(Technique::TtInQuiescence);
        let known = if uses_table { self.probe(position, ply) } else { None };
        if let Some(known) = known
            && !PV
            && self.uses(Technique::TtCutoffs)
            && known.bound.cuts(known.score, alpha, beta)
        {
            return known.score;
        }
        let best = self.tt_move(position, known);
        let evaluation = self.static_evaluation(position, known);
        let stand_pat = self.estimate(evaluation, known);
        let raw = evaluation.map(|evaluation| evaluation.raw);
        let leaf = Leaf { ply, alpha, beta, known, best, raw, stand_pat };
        match stand_pat {
            Some(score) if score >= beta => {
                if known.is_none() {
                    // The next visit need not evaluate.
                    self.remember_leaf(position, leaf, None, score);
                }
                self.blend_fail_high(score, beta, 1)
            }
            _ => self.try_captures_and_evasions::<PV>(position, leaf),
        }
    }

    fn try_captures_and_evasions<const PV: bool>(
        &mut self,
        position: &Position,
        leaf: Leaf,
    ) -> Value {
        let Leaf { ply, beta, stand_pat, .. } = leaf;
        let mut best = BestMove::of(stand_pat.unwrap_or(-INFINITE));
        let mut alpha = leaf.alpha.max(best.score);
        let in_check = position.is_check();
        let wanted = if in_check { Wanted::All } else { Wanted::Noisy };
        let mut picker = self.open(ply, wanted, leaf.best);
        let mut has_moves = false;
        while let Some(Pick { played: m, class, .. }) = self.next(&mut picker, position) {
            has_moves = true;
            if best.score > -MATE_BOUND && class != Class::TtMove {
                if class != Class::GoodNoisy && self.uses(Technique::QuiescenceSee) {
                    // Only losing captures, or further evasions, are left.
                    break;
                }
                if let Some(stand_pat) = stand_pat
                    && self.uses(Technique::DeltaPruning)
                    && let reached = stand_pat + self.margins.delta()
                    && let Some(most) = hopeless(position, m, reached, alpha)
                {
                    best.score = best.score.max(most);
                    continue;
                }
            }
            if self.budget.is_spent(self.nodes) {
                return DRAW;
            }
            let after = position.after(m);
            self.enter(position, ply, m, &after);
            let score = -self.quiescence::<PV>(&after, ply + 1, -beta, -alpha);
            self.leave();
            if self.budget.broken_off() {
                return DRAW;
            }
            if self.raises::<PV>(&mut best, &mut alpha, ply, m, score) && score >= beta {
                break;
            }
        }
        self.moves.close(picker);
        if in_check && !has_moves {
            return mated_in(ply);
        }
        let score = self.blend_fail_high(best.score, beta, 1);
        self.remember_leaf(position, leaf, best.played, score);
        score
    }

    /// Stores a leaf in the TT.
    fn remember_leaf(&self, position: &Position, leaf: Leaf, best: Option<Move>, score: Value) {
        if !self.uses(Technique::TtInQuiescence) {
            return;
        }
        let known = TtEntry {
            best: best.map(PackedMove::of),
            score,
            bound: Bound::of(score, leaf.alpha, leaf.beta),
            depth: 0,
            evaluation: leaf.raw,
            on_pv: leaf.known.is_some_and(|known| known.on_pv),
        };
        self.remember(position, leaf.ply, known);
    }
}

/// Delta pruning: the bound of the move's score, if at or below alpha: its victim is too small, or
/// the exchange wins nothing.
fn hopeless(position: &Position, m: Move, base: Value, alpha: Value) -> Option<Value> {
    let value = |role: Role| PIECE_VALUE[role as usize - 1];
    let gain = m.capture().map_or(0, value) + m.promotion().map_or(0, value);
    if base + gain <= alpha {
        Some(base + gain)
    } else if base <= alpha && !see_at_least(position, m, 1) {
        Some(base)
    } else {
        None
    }
}
