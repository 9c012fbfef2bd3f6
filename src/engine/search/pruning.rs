//! What is not searched at all.
//!
//! Everything here bets on the static evaluation or on a cheap test, and only
//! where a lost bet costs little: near the leaves, off the principal
//! variation, never in check (there is no evaluation there) and never when
//! mates are about.

use chess::{Position, see_at_least};

use super::super::ordering::{Class, Pick};
use super::super::technique::Technique;
use super::super::value::{DRAW, Value, is_mate};
use super::margins;
use super::node::{Node, Outlook};
use super::tree::Tree;

/// Whether a move is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Try,
    Skip,
    /// Neither this one nor any quiet move after it but those that give check.
    SkipQuiets,
}

impl Tree<'_> {
    /// Reverse futility, razoring, null move and ProbCut: a score without a look at
    /// the quiet moves.
    pub(super) fn refute_without_moves(
        &mut self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
    ) -> Option<Value> {
        let estimate = outlook.estimate?;
        if is_mate(node.beta) {
            return None;
        }
        self.reverse_futility(node, estimate, outlook.improving)
            .or_else(|| self.razor(position, node, estimate))
            .or_else(|| self.null_move(position, node, estimate))
            .or_else(|| self.prob_cut(position, node, outlook))
    }

    /// Razoring: so far below alpha that only a capture could help.
    fn razor(&mut self, position: &Position, node: Node, estimate: Value) -> Option<Value> {
        let far_below = estimate + margins::razor(node.depth) < node.alpha;
        if !self.uses(Technique::Razoring) || node.depth > margins::RAZOR_DEPTH || !far_below {
            return None;
        }
        let score = self.quiescence::<false>(position, node.ply, node.alpha, node.beta);
        (score <= node.alpha).then_some(score)
    }

    /// Null move pruning: if even passing fails high, some move surely does. Not so
    /// in zugzwang, which is why pawns alone do not qualify. Outside cut nodes the
    /// try is seldom worth its nodes.
    fn null_move(&mut self, position: &Position, node: Node, estimate: Value) -> Option<Value> {
        let after_null = node.ply == 0 || self.ply(node.ply - 1).moved.is_none();
        if !self.uses(Technique::NullMove)
            || node.depth < margins::NULL_MOVE_DEPTH
            || !node.cut
            || estimate < node.beta
            || after_null
            || !position.has_pieces()
        {
            return None;
        }
        if self.budget.is_spent(self.nodes) {
            return Some(DRAW);
        }
        let after = position.after_null()?;
        let reduction = margins::null_move_reduction(node.depth, estimate - node.beta);
        self.enter_null(node.ply, &after);
        let refutes = Node { alpha: node.beta - 1, ..node };
        let child = refutes.scout_child(node.depth - reduction, !node.cut);
        let score = -self.search::<false>(&after, child);
        self.leave();
        // A mate after passing proves nothing.
        (score >= node.beta).then_some(if is_mate(score) { node.beta } else { score })
    }

    /// Whether a move is searched, or skipped at low depth as late, hopeless, or
    /// losing material. `index` counts the node's moves from 1.
    pub(super) fn verdict(
        &self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
        pick: Pick,
        index: usize,
    ) -> Verdict {
        let loses = |allowance| self.loses_by_see(position, node, pick, allowance);
        match pick.class {
            Class::TtMove | Class::GoodNoisy => Verdict::Try,
            Class::BadNoisy if loses(margins::capture_see(node.depth)) => Verdict::Skip,
            Class::BadNoisy => Verdict::Try,
            Class::Killer | Class::Quiet => {
                let usual = margins::reduction(node.depth, index) / margins::PLY;
                let reduced = (node.depth - usual).max(1);
                if self.is_late(node, outlook, index) || self.is_futile(node, outlook, reduced) {
                    // Neither move count nor evaluation says what a check brings.
                    let checks = position.checks_directly(pick.played);
                    if checks { Verdict::Try } else { Verdict::SkipQuiets }
                } else if self.has_bad_history(pick, reduced) || loses(margins::quiet_see(reduced))
                {
                    Verdict::Skip
                } else {
                    Verdict::Try
                }
            }
        }
    }

    /// Late move pruning: after so many moves a quiet one will not refute.
    fn is_late(&self, node: Node, outlook: &Outlook, index: usize) -> bool {
        self.uses(Technique::LateMovePruning)
            && node.depth <= margins::LATE_MOVE_PRUNING_DEPTH
            && index > margins::late_moves(node.depth, outlook.improving)
    }

    /// Futility pruning: so far below alpha that a quiet move will not reach it.
    fn is_futile(&self, node: Node, outlook: &Outlook, reduced_depth: i32) -> bool {
        let most = |estimate: Value| estimate + margins::futility(reduced_depth);
        self.uses(Technique::Futility)
            && reduced_depth <= margins::FUTILITY_DEPTH
            && outlook.estimate.is_some_and(|estimate| most(estimate) <= node.alpha)
    }

    fn has_bad_history(&self, pick: Pick, reduced_depth: i32) -> bool {
        self.uses(Technique::HistoryPruning)
            && reduced_depth <= margins::HISTORY_PRUNING_DEPTH
            && pick.history < margins::history(reduced_depth)
    }

    fn loses_by_see(&self, position: &Position, node: Node, pick: Pick, allowance: Value) -> bool {
        self.uses(Technique::SeePruning)
            && node.depth <= margins::SEE_DEPTH
            && !see_at_least(position, pick.played, allowance)
    }

    /// Reverse futility pruning: so far above beta that the opponent will not catch up
    /// in so few plies.
    fn reverse_futility(&self, node: Node, estimate: Value, improving: bool) -> Option<Value> {
        let safe = self.uses(Technique::ReverseFutility)
            && node.depth <= margins::REVERSE_FUTILITY_DEPTH
            && estimate - margins::reverse_futility(node.depth, improving) >= node.beta;
        safe.then_some((estimate + node.beta) / 2)
    }
}
