//! A full-width node: principal variation search with the usual pruning.
//!
//! The order of business is the field's: draws, the table, the static
//! evaluation, refutation without moves (reverse futility, razoring, null
//! move), and then the moves, late ones reduced. Each technique stands in its
//! own function under its name.

use arrayvec::ArrayVec;

use crate::chess::{Move, Position, see_at_least};

use super::super::history::is_noisy;
use super::super::ordering::{Class, Picker};
use super::super::table::{Bound, Knowledge, PackedMove};
use super::super::value::{DRAW, INFINITE, MATE_BOUND, MAX_PLY, Value, is_mate, mate_in, mated_in};
use super::margins;
use super::tree::Tree;

/// What a node is asked.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// From the root.
    pub ply: usize,
    /// Plies to search.
    pub depth: i32,
    /// Scores up to here are of no interest.
    pub alpha: Value,
    /// Scores from here on refute the move before.
    pub beta: Value,
    /// Whether it is expected to refute.
    pub cut: bool,
}

impl Node {
    /// The same node with a window that only asks "above `bound` or not".
    fn scout(self, depth: i32, bound: Value) -> Self {
        Node { depth, alpha: bound - 1, beta: bound, ..self }
    }

    /// A child with the full window.
    fn child(self, depth: i32) -> Self {
        Node { ply: self.ply + 1, depth, alpha: -self.beta, beta: -self.alpha, cut: false }
    }

    /// A child that is only asked whether its move beats alpha.
    fn scout_child(self, depth: i32, cut: bool) -> Self {
        Node { ply: self.ply + 1, depth, alpha: -self.alpha - 1, beta: -self.alpha, cut }
    }
}

/// What is known of a node before its moves are tried.
#[derive(Clone, Copy)]
struct Outlook {
    known: Option<Knowledge>,
    /// The evaluation, corrected by the table; `None` in check.
    estimate: Option<Value>,
    improving: bool,
    on_pv: bool,
}

impl Outlook {
    fn best(&self) -> Option<PackedMove> {
        self.known.and_then(|known| known.best)
    }
}

/// The moves tried so far and what came of them.
struct Trial {
    best: Value,
    best_move: Option<Move>,
    tried: usize,
    quiets: ArrayVec<Move, 64>,
    captures: ArrayVec<Move, 32>,
}

impl Tree<'_> {
    /// Score of `position` within the node's window (fail-soft). Once the
    /// budget is spent the value means nothing; callers look there first.
    pub fn search<const PV: bool>(&mut self, position: &Position, mut node: Node) -> Value {
        let in_check = position.is_check();
        if in_check {
            node.depth += 1;
        }
        if node.depth <= 0 {
            return self.quiescence::<PV>(position, node.ply, node.alpha, node.beta);
        }
        if PV {
            self.pv.clear(node.ply);
            self.selective_depth = self.selective_depth.max(node.ply);
        }
        if node.ply > 0 {
            if self.is_draw(position) {
                return DRAW;
            }
            if node.ply >= MAX_PLY - 1 {
                return if in_check { DRAW } else { self.evaluate(position) };
            }
            node.alpha = node.alpha.max(mated_in(node.ply));
            node.beta = node.beta.min(mate_in(node.ply + 1));
            if node.alpha >= node.beta {
                return node.alpha;
            }
        }

        let known = match self.ply(node.ply).excluded {
            None => self.table.probe(position.key(), node.ply),
            Some(_) => None,
        };
        if let Some(score) = table_cutoff::<PV>(position, node, known) {
            return score;
        }
        let outlook = self.look::<PV>(position, node, known, in_check);
        if !PV
            && self.ply(node.ply).excluded.is_none()
            && let Some(score) = self.refute_without_moves(position, node, &outlook)
        {
            return score;
        }
        if node.depth >= margins::INTERNAL_REDUCTION_DEPTH
            && (PV || node.cut)
            && outlook.best().is_none()
        {
            node.depth -= 1;
        }
        self.try_moves::<PV>(position, node, &outlook)
    }

    /// The static evaluation and what follows from it.
    fn look<const PV: bool>(
        &mut self,
        position: &Position,
        node: Node,
        known: Option<Knowledge>,
        in_check: bool,
    ) -> Outlook {
        let ply = node.ply;
        if ply > 0 {
            self.ply_mut(ply).double_extensions = self.ply(ply - 1).double_extensions;
        }
        if self.ply(ply).excluded.is_none() {
            self.ply_mut(ply).evaluation = match known.and_then(|known| known.evaluation) {
                _ if in_check => None,
                Some(evaluation) => Some(evaluation),
                None => Some(self.evaluate(position)),
            };
        }
        let evaluation = self.ply(ply).evaluation;
        let estimate = evaluation.map(|evaluation| match known {
            Some(k) if !is_mate(k.score) && k.bound.improves(k.score, evaluation) => k.score,
            _ => evaluation,
        });
        Outlook {
            known,
            estimate,
            improving: self.is_improving(ply),
            on_pv: PV || known.is_some_and(|known| known.on_pv),
        }
    }

    /// Reverse futility, razoring and null move: answers that need no move of
    /// this side.
    fn refute_without_moves(
        &mut self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
    ) -> Option<Value> {
        let estimate = outlook.estimate?;
        if is_mate(node.beta) {
            return None;
        }
        if node.depth <= margins::REVERSE_FUTILITY_DEPTH
            && estimate - margins::reverse_futility(node.depth, outlook.improving) >= node.beta
        {
            return Some((estimate + node.beta) / 2);
        }
        if node.depth <= margins::RAZOR_DEPTH && estimate + margins::razor(node.depth) < node.alpha
        {
            let score = self.quiescence::<false>(position, node.ply, node.alpha, node.beta);
            if score <= node.alpha {
                return Some(score);
            }
        }
        self.null_move(position, node, estimate)
    }

    /// If even passing the turn refutes, some move surely does.
    fn null_move(&mut self, position: &Position, node: Node, estimate: Value) -> Option<Value> {
        let after_null = node.ply == 0 || self.ply(node.ply - 1).moved.is_none();
        if node.depth < margins::NULL_MOVE_DEPTH
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

    /// Tries the moves in order, reports the best and teaches the histories.
    fn try_moves<const PV: bool>(
        &mut self,
        position: &Position,
        mut node: Node,
        outlook: &Outlook,
    ) -> Value {
        let excluded = self.ply(node.ply).excluded;
        let mut picker = self.picker(position, node.ply, outlook.best());
        let mut trial = Trial {
            best: -INFINITE,
            best_move: None,
            tried: 0,
            quiets: ArrayVec::new(),
            captures: ArrayVec::new(),
        };
        while let Some((m, class)) = picker.next(position) {
            if Some(m) == excluded {
                continue;
            }
            trial.tried += 1;
            if node.ply > 0 && trial.best > -MATE_BOUND {
                match self.shallow_pruning(position, node, outlook, m, class, trial.tried) {
                    Prune::No => {}
                    Prune::This => continue,
                    Prune::Quiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }
            let extension = match self.extension::<PV>(position, node, outlook, m, class) {
                Extension::Plies(plies) => plies,
                Extension::Refuted(score) => return score,
            };
            if self.budget.is_spent(self.nodes) {
                return DRAW;
            }
            let before = self.nodes;
            let reduction = self.reduction::<PV>(position, node, outlook, m, class, trial.tried);
            let plan = Plan { extension, reduction, first: trial.tried == 1 };
            let score = self.try_move::<PV>(position, node, m, plan);
            if self.budget.broken_off() {
                return DRAW;
            }
            if score > trial.best {
                trial.best = score;
                if score > node.alpha {
                    trial.best_move = Some(m);
                    node.alpha = score;
                    if PV {
                        self.pv.extend(node.ply, m);
                    }
                    if node.ply == 0 {
                        self.root.pv = self.pv.line(0).to_vec();
                        self.root.best_nodes = self.nodes - before;
                    }
                    if score >= node.beta {
                        break;
                    }
                }
            }
            let list_is_full = if is_noisy(m) {
                trial.captures.try_push(m).is_err()
            } else {
                trial.quiets.try_push(m).is_err()
            };
            debug_assert!(!list_is_full || trial.tried > 32);
        }
        self.conclude(position, node, outlook, trial)
    }

    fn picker(&self, position: &Position, ply: usize, best: Option<PackedMove>) -> Picker {
        if ply > 0 {
            return Picker::new(position, &position.legal_moves(), &self.guide(ply, best));
        }
        // The best line of the last iteration leads, whatever the table lost.
        let best = self.root.pv.first().copied().map(PackedMove::of);
        Picker::new(position, &self.root.moves, &self.guide(ply, best))
    }

    /// Makes a move and searches it: the first with the full window, later
    /// ones reduced and with a window of one, again if they surprise.
    fn try_move<const PV: bool>(
        &mut self,
        position: &Position,
        node: Node,
        m: Move,
        plan: Plan,
    ) -> Value {
        let after = position.after(m);
        self.enter(position, node.ply, m, &after);
        let depth = node.depth - 1 + plan.extension;
        let mut score = node.alpha + 1;
        if !(PV && plan.first) {
            // Never straight into quiescence, never deeper than unreduced.
            let reduced = (depth - plan.reduction).clamp(depth.min(1), depth);
            let cut = reduced < depth || !node.cut;
            score = -self.search::<false>(&after, node.scout_child(reduced, cut));
            if score > node.alpha && reduced < depth {
                score = -self.search::<false>(&after, node.scout_child(depth, !node.cut));
            }
        }
        if PV && score > node.alpha {
            score = -self.search::<true>(&after, node.child(depth));
        }
        self.leave();
        score
    }

    /// Late move reductions: plies to take off a move that is unlikely to matter.
    fn reduction<const PV: bool>(
        &self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
        m: Move,
        class: Class,
        index: usize,
    ) -> i32 {
        if node.depth < 3 || index < margins::REDUCTION_MOVE || class == Class::GoodNoisy {
            return 0;
        }
        let mut reduction = margins::reduction(node.depth, index);
        if class == Class::Quiet {
            let context = self.context(node.ply);
            let history = self.histories.quiet(position.turn(), m, &context);
            reduction -= history / margins::HISTORY_PER_PLY;
            reduction -= i32::from(self.ply(node.ply).killers.rank(m) > 0);
        }
        reduction += 2 * i32::from(node.cut);
        reduction += i32::from(!outlook.improving);
        reduction -= i32::from(outlook.on_pv);
        reduction -= i32::from(PV);
        reduction.max(0)
    }

    /// Moves not worth making at low depth: late, hopeless, or losing material.
    fn shallow_pruning(
        &self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
        m: Move,
        class: Class,
        index: usize,
    ) -> Prune {
        match class {
            Class::Table | Class::GoodNoisy => Prune::No,
            Class::BadNoisy => {
                let loses = node.depth <= margins::EXCHANGE_DEPTH
                    && !see_at_least(position, m, margins::capture_exchange(node.depth));
                if loses { Prune::This } else { Prune::No }
            }
            Class::Quiet => self.quiet_pruning(position, node, outlook, m, index),
        }
    }

    fn quiet_pruning(
        &self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
        m: Move,
        index: usize,
    ) -> Prune {
        if node.depth <= margins::LATE_MOVE_DEPTH
            && index > margins::late_moves(node.depth, outlook.improving)
        {
            return Prune::Quiets;
        }
        let reduced = (node.depth - margins::reduction(node.depth, index)).max(1);
        if reduced <= margins::FUTILITY_DEPTH
            && let Some(estimate) = outlook.estimate
            && estimate + margins::futility(reduced) <= node.alpha
        {
            return Prune::Quiets;
        }
        if reduced <= margins::HISTORY_DEPTH {
            let context = self.context(node.ply);
            let history = self.histories.quiet(position.turn(), m, &context);
            if history < margins::history(reduced) {
                return Prune::This;
            }
        }
        let loses = node.depth <= margins::EXCHANGE_DEPTH
            && !see_at_least(position, m, margins::quiet_exchange(reduced));
        if loses { Prune::This } else { Prune::No }
    }

    /// Singular extension: if every other move is clearly worse than the
    /// table's, that one is searched deeper; if others refute too, so be it.
    fn extension<const PV: bool>(
        &mut self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
        m: Move,
        class: Class,
    ) -> Extension {
        let Some(known) = outlook.known else { return Extension::Plies(0) };
        let candidate = class == Class::Table
            && node.ply > 0
            && node.ply < 2 * self.depth as usize
            && node.depth >= margins::SINGULAR_DEPTH
            && known.depth >= node.depth - margins::SINGULAR_TABLE_DEPTH
            && known.bound != Bound::Upper
            && !is_mate(known.score)
            && self.ply(node.ply).excluded.is_none();
        if !candidate {
            return Extension::Plies(0);
        }
        let bound = known.score - 2 * node.depth;
        self.ply_mut(node.ply).excluded = Some(m);
        let score = self.search::<false>(position, node.scout((node.depth - 1) / 2, bound));
        self.ply_mut(node.ply).excluded = None;
        if score < bound {
            let ply = self.ply_mut(node.ply);
            let twice = !PV
                && score < bound - margins::DOUBLE_EXTENSION
                && ply.double_extensions < margins::DOUBLE_EXTENSIONS;
            ply.double_extensions += u8::from(twice);
            Extension::Plies(1 + i32::from(twice))
        } else if !PV && bound >= node.beta {
            Extension::Refuted(bound)
        } else if known.score >= node.beta {
            Extension::Plies(-1)
        } else {
            Extension::Plies(0)
        }
    }

    /// All moves are tried: mate and stalemate, the histories, the table.
    fn conclude(
        &mut self,
        position: &Position,
        node: Node,
        outlook: &Outlook,
        trial: Trial,
    ) -> Value {
        let excluded = self.ply(node.ply).excluded.is_some();
        if trial.tried == 0 {
            return match (excluded, position.is_check()) {
                (true, _) => node.alpha,
                (false, true) => mated_in(node.ply),
                (false, false) => DRAW,
            };
        }
        if trial.best >= node.beta
            && let Some(m) = trial.best_move
        {
            self.learn(position, node, m, &trial);
        }
        let partial = excluded || (node.ply == 0 && self.root.restricted);
        if !partial {
            let bound = if trial.best >= node.beta {
                Bound::Lower
            } else if trial.best_move.is_some() {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let known = Knowledge {
                best: trial.best_move.map(PackedMove::of),
                score: trial.best,
                bound,
                depth: node.depth,
                evaluation: self.ply(node.ply).evaluation,
                on_pv: outlook.on_pv,
            };
            self.table.store(position.key(), node.ply, known);
        }
        trial.best
    }

    /// The refuting move gains, those tried before it lose.
    fn learn(&mut self, position: &Position, node: Node, refutation: Move, trial: &Trial) {
        let bonus = margins::history_bonus(node.depth);
        let context = self.context(node.ply);
        let color = position.turn();
        if is_noisy(refutation) {
            self.histories.update_capture(color, refutation, bonus);
        } else {
            self.ply_mut(node.ply).killers.add(refutation);
            self.histories.update_quiet(color, refutation, &context, bonus);
            for &m in &trial.quiets {
                self.histories.update_quiet(color, m, &context, -bonus);
            }
        }
        for &m in &trial.captures {
            self.histories.update_capture(color, m, -bonus);
        }
    }
}

/// How deep a move is searched.
#[derive(Clone, Copy)]
struct Plan {
    extension: i32,
    reduction: i32,
    first: bool,
}

/// Whether a move is skipped.
enum Prune {
    No,
    This,
    Quiets,
}

/// What asking for a singular move came to.
enum Extension {
    Plies(i32),
    Refuted(Value),
}

/// A stored result that is deep enough settles a node off the principal variation.
fn table_cutoff<const PV: bool>(
    position: &Position,
    node: Node,
    known: Option<Knowledge>,
) -> Option<Value> {
    let known = known?;
    let settles = !PV
        && known.depth >= node.depth
        && known.bound.cuts(known.score, node.alpha, node.beta)
        && position.halfmoves() < margins::FIFTY_MOVE_CARE;
    settles.then_some(known.score)
}
