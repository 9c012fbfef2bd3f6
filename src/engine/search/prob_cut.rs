//! ProbCut: a refutation by a good capture that shallower search confirms.
//!
//! If after a capture a reduced search stays above beta by a margin, then the
//! full search would most probably stay above beta too (Buro, *ProbCut: an
//! effective selective extension of the alpha-beta algorithm*, 1995; for chess
//! restricted to captures, as in Stockfish).

use chess::{Move, Position, see_at_least};

use super::super::ordering::{Class, Wanted};
use super::super::table::{Bound, PackedMove, TtEntry};
use super::super::technique::Technique;
use super::super::value::{DRAW, Value, is_mate};
use super::margins;
use super::node::{Node, NodeInfo};
use super::tree::Tree;

impl Tree<'_> {
    /// The score of a node that a capture most probably refutes.
    pub(super) fn prob_cut(
        &mut self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
    ) -> Option<Value> {
        let bound = node.beta + self.margins.prob_cut();
        let doubted = info.known.is_some_and(|known| {
            known.depth >= node.depth - margins::PROB_CUT_REDUCTION && known.score < bound
        });
        if !self.uses(Technique::ProbCut)
            || node.depth < margins::PROB_CUT_DEPTH
            || is_mate(bound)
            || doubted
        {
            return None;
        }
        let wanted = bound - info.estimate?;
        self.try_captures(position, node, info, wanted, bound)
    }

    fn try_captures(
        &mut self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
        wanted: Value,
        bound: Value,
    ) -> Option<Value> {
        let mut picker = self.open(node.ply, Wanted::Noisy, info.best);
        let mut refutation = None;
        while let Some(pick) = self.next(&mut picker, position) {
            if !matches!(pick.class, Class::TtMove | Class::GoodNoisy) {
                break;
            }
            if !see_at_least(position, pick.played, wanted) {
                continue;
            }
            if self.budget.is_spent(self.nodes) {
                refutation = Some((pick.played, DRAW));
                break;
            }
            let score = self.try_capture(position, node, pick.played, bound);
            if score >= bound {
                refutation = Some((pick.played, score));
                break;
            }
        }
        self.moves.close(picker);
        let (m, score) = refutation?;
        if !self.budget.broken_off() {
            self.remember_cut(position, node, info, m, score);
        }
        Some(score)
    }

    /// Quiescence first, since most captures fail there already.
    fn try_capture(&mut self, position: &Position, node: Node, m: Move, bound: Value) -> Value {
        let after = position.after(m);
        self.enter(position, node.ply, m, &after);
        let mut score = -self.quiescence::<false>(&after, node.ply + 1, -bound, -bound + 1);
        if score >= bound {
            let confirm = node.scout(node.depth, bound);
            let depth = node.depth - margins::PROB_CUT_REDUCTION;
            score = -self.search::<false>(&after, confirm.scout_child(depth, !node.cut));
        }
        self.leave();
        score
    }

    fn remember_cut(
        &mut self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
        m: Move,
        score: Value,
    ) {
        let known = TtEntry {
            best: Some(PackedMove::of(m)),
            score,
            bound: Bound::Lower,
            depth: node.depth - margins::PROB_CUT_REDUCTION + 1,
            evaluation: self.ply(node.ply).evaluation.map(|evaluation| evaluation.raw),
            on_pv: info.on_pv,
        };
        self.remember(position, node.ply, known);
    }
}
