//! Pruning: moves and nodes that are not searched at all.
//!
//! Everything here bets on the static evaluation or on a cheap test, and only
//! where a lost bet costs little: near the leaves, off the principal
//! variation, never in check (there is no evaluation there) and never when
//! mates are about.

use chess::{Move, Position, see_at_least};

use super::super::ordering::{Class, Pick};
use super::super::technique::Technique;
use super::super::value::{DRAW, Value, is_mate};
use super::margins;
use super::node::{Node, NodeInfo};
use super::tree::Tree;

/// Whether a move is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PruneDecision {
    Try,
    Skip,
    /// Neither this one nor any quiet move after it but those that give check.
    SkipQuiets,
}

impl Tree<'_> {
    /// Reverse futility, razoring, null move and ProbCut: a score without searching quiet moves.
    pub(super) fn refute_without_moves(
        &mut self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
    ) -> Option<Value> {
        let estimate = info.estimate?;
        if is_mate(node.beta) {
            return None;
        }
        self.reverse_futility(node, estimate, info.improving)
            .or_else(|| self.razor(position, node, estimate))
            .or_else(|| self.null_move(position, node, info, estimate))
            .or_else(|| self.prob_cut(position, node, info))
    }

    /// Razoring: a node far enough below alpha goes to quiescence, for only a capture could help.
    fn razor(&mut self, position: &Position, node: Node, estimate: Value) -> Option<Value> {
        let far_below = estimate + self.margins.razor(node.depth) < node.alpha;
        if !self.uses(Technique::Razoring) || node.depth > margins::RAZOR_DEPTH || !far_below {
            return None;
        }
        let score = self.quiescence::<false>(position, node.ply, node.alpha, node.beta);
        (score <= node.alpha).then_some(score)
    }

    /// Null move pruning: if even passing fails high, some move surely does. Zugzwang is the
    /// exception: pawns alone do not qualify, and the answer is [verified](Self::verify_null_move)
    /// where zugzwang is likely or a mistake dear. Outside cut nodes the try seldom pays.
    fn null_move(
        &mut self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
        estimate: Value,
    ) -> Option<Value> {
        let after_null = node.ply == 0 || self.ply(node.ply - 1).moved.is_none();
        if !self.uses(Technique::NullMove)
            || node.depth < margins::NULL_MOVE_DEPTH
            || node.ply < self.null_moves_from
            || !node.cut
            || estimate < node.beta
            || after_null
            || position.pieces() == 0
        {
            return None;
        }
        if self.budget.is_spent(self.nodes) {
            return Some(DRAW);
        }
        let after = position.after_null()?;
        let takes = info.best.is_some_and(Move::is_capture);
        let more = i32::from(takes && self.uses(Technique::NullMoveTaking));
        let reduction = more + self.margins.null_move_reduction(node.depth, estimate - node.beta);
        self.enter_null(node.ply, &after);
        let refutes = Node { alpha: node.beta - 1, ..node };
        let child = refutes.scout_child(node.depth - reduction, !node.cut);
        let score = -self.search::<false>(&after, child);
        self.leave();
        if score < node.beta || !self.verify_null_move(position, node, node.depth - reduction) {
            return None;
        }
        // A mate after passing proves nothing.
        Some(if is_mate(score) { node.beta } else { score })
    }

    /// Whether a node that passing refutes is refuted by a move as well, at the same depth. Called
    /// where the side to move has but one piece, or at high depth.
    fn verify_null_move(&mut self, position: &Position, node: Node, depth: i32) -> bool {
        let is_trusted =
            position.pieces() > 1 && node.depth < margins::NULL_MOVE_VERIFICATION_DEPTH;
        if is_trusted || self.budget.broken_off() || !self.uses(Technique::NullMoveVerification) {
            return true;
        }
        let depth = depth.max(1);
        let outer = self.null_moves_from;
        self.null_moves_from = node.ply + 1 + depth as usize * 3 / 4;
        let score = self.search::<false>(position, node.scout(depth, node.beta));
        self.null_moves_from = outer;
        score >= node.beta
    }

    /// Whether a move is searched, or skipped at low depth as late, hopeless, or
    /// losing material. `index` counts the node's moves from 1.
    pub(super) fn verdict(
        &self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
        pick: Pick,
        index: usize,
    ) -> PruneDecision {
        let loses = |allowance| self.loses_by_see(position, node, pick, allowance);
        match pick.class {
            Class::TtMove | Class::GoodNoisy => PruneDecision::Try,
            Class::BadNoisy if loses(self.margins.capture_see(node.depth)) => PruneDecision::Skip,
            Class::BadNoisy => PruneDecision::Try,
            Class::Killer | Class::Quiet => {
                if self.skips_quiets(node, info, index) {
                    // Neither move count nor evaluation predicts the effect of a check.
                    let checks = info.checks(position).has(pick.played);
                    return if checks { PruneDecision::Try } else { PruneDecision::SkipQuiets };
                }
                let reduced = self.reduced_depth(node, index);
                if self.has_bad_history(pick, reduced)
                    || (!pick.is_safe && loses(self.margins.quiet_see(reduced)))
                {
                    PruneDecision::Skip
                } else {
                    PruneDecision::Try
                }
            }
        }
    }

    /// Whether all quiet moves from the node's move `index` on are skipped, except checks.
    #[inline]
    pub(super) fn skips_quiets(&self, node: Node, info: &NodeInfo, index: usize) -> bool {
        self.is_late(node, info, index)
            || self.is_futile(node, info, self.reduced_depth(node, index))
    }

    /// Late move pruning: quiet moves from this index on seldom refute.
    fn is_late(&self, node: Node, info: &NodeInfo, index: usize) -> bool {
        self.uses(Technique::LateMovePruning)
            && node.depth <= margins::LATE_MOVE_PRUNING_DEPTH
            && index > self.margins.late_moves(node.depth, info.improving)
    }

    /// Futility pruning: far enough below alpha that a quiet move will not reach it.
    fn is_futile(&self, node: Node, info: &NodeInfo, reduced_depth: i32) -> bool {
        let most = |estimate: Value| estimate + self.margins.futility(reduced_depth);
        self.uses(Technique::Futility)
            && reduced_depth <= margins::FUTILITY_DEPTH
            && info.estimate.is_some_and(|estimate| most(estimate) <= node.alpha)
    }

    fn has_bad_history(&self, pick: Pick, reduced_depth: i32) -> bool {
        self.uses(Technique::HistoryPruning)
            && reduced_depth <= margins::HISTORY_PRUNING_DEPTH
            && pick.history < self.margins.history(reduced_depth)
    }

    fn loses_by_see(&self, position: &Position, node: Node, pick: Pick, allowance: Value) -> bool {
        self.uses(Technique::SeePruning)
            && node.depth <= margins::SEE_DEPTH
            && !see_at_least(position, pick.played, allowance)
    }

    /// Reverse futility pruning: far enough above beta that the opponent will not catch up at this
    /// depth.
    fn reverse_futility(&self, node: Node, estimate: Value, improving: bool) -> Option<Value> {
        let safe = self.uses(Technique::ReverseFutility)
            && node.depth <= margins::REVERSE_FUTILITY_DEPTH
            && estimate - self.margins.reverse_futility(node.depth, improving) >= node.beta;
        safe.then_some((estimate + node.beta) / 2)
    }

    /// Depth to which late move reduction usually searches the node's move `index`.
    #[inline]
    fn reduced_depth(&self, node: Node, index: usize) -> i32 {
        (node.depth - self.margins.reduction(node.depth, index) / margins::PLY).max(1)
    }
}
