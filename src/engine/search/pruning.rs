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
pub enum Verdict {
    /// It is.
    Try,
    /// It is not.
    Skip,
    /// Neither this one nor any quiet move after it but those that give check.
    SkipQuiets,
}

impl Tree<'_> {
    /// Reverse futility, razoring, null move and ProbCut: answers that need no
    /// look at the quiet moves of this side.
    pub fn refute_without_moves(
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

    /// So far below alpha that only a capture could help: ask quiescence.
    fn razor(&mut self, position: &Position, node: Node, estimate: Value) -> Option<Value> {
        let far_below = estimate + margins::razor(node.depth) < node.alpha;
        if !self.uses(Technique::Razoring) || node.depth > margins::RAZOR_DEPTH || !far_below {
            return None;
        }
        let score = self.quiescence::<false>(position, node.ply, node.alpha, node.beta);
        (score <= node.alpha).then_some(score)
    }

    /// If even passing the turn refutes, some move surely does. Not so in
    /// zugzwang, which is why pawns alone do not qualify. Where no refutation is
    /// expected the try is seldom worth its nodes.
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
    pub fn verdict(
        &self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
        pick: Pick,
        index: usize,
    ) -> Verdict {
        let loses = |allowance| self.loses_exchange(position, node, pick, allowance);
        match pick.class {
            Class::Table | Class::GoodNoisy => Verdict::Try,
            Class::BadNoisy if loses(margins::capture_exchange(node.depth)) => Verdict::Skip,
            Class::BadNoisy => Verdict::Try,
            Class::Killer | Class::Quiet => {
                let usual = margins::reduction(node.depth, index) / margins::PLY;
                let reduced = (node.depth - usual).max(1);
                if self.is_late(node, outlook, index) || self.is_futile(node, outlook, reduced) {
                    // Neither the number of a check nor the evaluation says what it brings.
                    let checks = position.checks_directly(pick.played);
                    if checks { Verdict::Try } else { Verdict::SkipQuiets }
                } else if self.is_disappointing(pick, reduced)
                    || loses(margins::quiet_exchange(reduced))
                {
                    Verdict::Skip
                } else {
                    Verdict::Try
                }
            }
        }
    }

    /// So many moves have been tried that a quiet one will not refute.
    fn is_late(&self, node: Node, outlook: &Outlook, index: usize) -> bool {
        self.uses(Technique::LateMovePruning)
            && node.depth <= margins::LATE_MOVE_DEPTH
            && index > margins::late_moves(node.depth, outlook.improving)
    }

    /// So far below alpha that a quiet move will not reach it.
    fn is_futile(&self, node: Node, outlook: &Outlook, reduced_depth: i32) -> bool {
        let most = |estimate: Value| estimate + margins::futility(reduced_depth);
        self.uses(Technique::Futility)
            && reduced_depth <= margins::FUTILITY_DEPTH
            && outlook.estimate.is_some_and(|estimate| most(estimate) <= node.alpha)
    }

    fn is_disappointing(&self, pick: Pick, reduced_depth: i32) -> bool {
        self.uses(Technique::HistoryPruning)
            && reduced_depth <= margins::HISTORY_DEPTH
            && pick.history < margins::history(reduced_depth)
    }

    fn loses_exchange(
        &self,
        position: &Position,
        node: Node,
        pick: Pick,
        allowance: Value,
    ) -> bool {
        self.uses(Technique::SeePruning)
            && node.depth <= margins::EXCHANGE_DEPTH
            && !see_at_least(position, pick.played, allowance)
    }

    /// So far above beta that the opponent will not catch up in so few plies.
    fn reverse_futility(&self, node: Node, estimate: Value, improving: bool) -> Option<Value> {
        let safe = self.uses(Technique::ReverseFutility)
            && node.depth <= margins::REVERSE_FUTILITY_DEPTH
            && estimate - margins::reverse_futility(node.depth, improving) >= node.beta;
        safe.then_some((estimate + node.beta) / 2)
    }
}
