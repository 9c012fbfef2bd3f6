//! Quiescence search: captures until the position is quiet enough to evaluate.

use crate::chess::{Move, Position, Role, see_at_least};

use super::super::material::PIECE_VALUE;
use super::super::ordering::{Class, Picker};
use super::super::table::{Bound, Knowledge, PackedMove};
use super::super::value::{DRAW, INFINITE, MATE_BOUND, MAX_PLY, Value, is_mate, mated_in};
use super::margins;
use super::tree::Tree;

impl Tree<'_> {
    /// Score when both sides only capture, promote and escape from check, and
    /// may stop at any time (fail-soft).
    pub fn quiescence<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        if PV {
            self.pv.clear(ply);
            self.selective_depth = self.selective_depth.max(ply);
        }
        if self.is_draw(position) {
            return DRAW;
        }
        let in_check = position.is_check();
        if ply >= MAX_PLY - 1 {
            return if in_check { DRAW } else { self.evaluate(position) };
        }
        let known = self.table.probe(position.key(), ply);
        if let Some(known) = known
            && !PV
            && known.bound.cuts(known.score, alpha, beta)
        {
            return known.score;
        }

        let evaluation = match known.and_then(|known| known.evaluation) {
            _ if in_check => None,
            Some(evaluation) => Some(evaluation),
            None => Some(self.evaluate(position)),
        };
        let stand_pat = evaluation.map(|evaluation| match known {
            Some(k) if !is_mate(k.score) && k.bound.improves(k.score, evaluation) => k.score,
            _ => evaluation,
        });
        let mut best = stand_pat.unwrap_or(-INFINITE);
        if best >= beta {
            return best;
        }
        let floor = alpha;
        alpha = alpha.max(best);

        let moves = if in_check { position.legal_moves() } else { position.noisy_moves() };
        if in_check && moves.is_empty() {
            return mated_in(ply);
        }
        let guide = self.guide(ply, known.and_then(|known| known.best));
        let mut picker = Picker::new(position, &moves, &guide);
        let mut best_move = None;
        while let Some((m, class)) = picker.next(position) {
            if best > -MATE_BOUND && class != Class::Table {
                if class == Class::BadNoisy || class == Class::Quiet {
                    // Only losing captures, or further evasions, are left.
                    break;
                }
                if let Some(stand_pat) = stand_pat
                    && let Some(most) = hopeless(position, m, stand_pat + margins::DELTA, alpha)
                {
                    best = best.max(most);
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
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(m);
                    if PV {
                        self.pv.extend(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if PV && best > floor && best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let known = Knowledge {
            best: best_move.map(PackedMove::of),
            score: best,
            bound,
            depth: 0,
            evaluation,
            on_pv: known.is_some_and(|known| known.on_pv),
        };
        self.table.store(position.key(), ply, known);
        best
    }
}

/// Delta pruning: the most the move can bring, if that leaves the score at or
/// below alpha: its victim is too small, or the exchange wins nothing.
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
