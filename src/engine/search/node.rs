//! A full-width node: principal variation search.
//!
//! The order is the usual one: draws, TT cutoff, static evaluation, pruning of the whole node, and
//! then the moves, the first with the full window and the others with a null window.
//! [`pruning`](super::pruning) skips moves, [`extent`](super::extent) sets the depth of the others.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use arrayvec::ArrayVec;

use chess::{CheckSquares, Move, Position};

use super::super::correction::CorrectionKeys;
use super::super::ordering::{Picker, Wanted};
use super::super::table::{Bound, PackedMove, TtEntry};
use super::super::technique::Technique;
use super::super::value::{DRAW, INFINITE, MATE_BOUND, MAX_PLY, Value, is_mate, mate_in, mated_in};
use super::extent::{Extension, Extent};
use super::margins;
use super::pruning::PruneDecision;
use super::tree::Tree;

/// The task of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// From the root.
    pub ply: usize,
    /// Plies to search.
    pub depth: i32,
    /// Scores up to here are of no interest.
    pub alpha: Value,
    /// Scores from here on refute the move before.
    pub beta: Value,
    /// Whether a beta cutoff is expected (a cut node).
    pub cut: bool,
}

impl Node {
    /// The same node with a null window at `bound`.
    pub(super) fn scout(self, depth: i32, bound: Value) -> Self {
        Node { depth, alpha: bound - 1, beta: bound, ..self }
    }

    /// A child with the full window.
    fn child(self, depth: i32) -> Self {
        Node { ply: self.ply + 1, depth, alpha: -self.beta, beta: -self.alpha, cut: false }
    }

    /// A child with a null window at alpha.
    pub(super) fn scout_child(self, depth: i32, cut: bool) -> Self {
        Node { ply: self.ply + 1, depth, alpha: -self.alpha - 1, beta: -self.alpha, cut }
    }

    /// Mate distance pruning: the window without scores that nearer mates rule out.
    fn within_mates(self) -> Self {
        Node {
            alpha: self.alpha.max(mated_in(self.ply)),
            beta: self.beta.min(mate_in(self.ply + 1)),
            ..self
        }
    }
}

/// Static information of a node before its moves are tried.
pub(super) struct NodeInfo {
    /// Its TT entry.
    pub known: Option<TtEntry>,
    /// The TT move, if it is legal.
    pub best: Option<Move>,
    /// The static evaluation, adjusted by the TT score; `None` in check.
    pub estimate: Option<Value>,
    /// Whether the side to move stands better than at its last turn.
    pub improving: bool,
    /// Whether the node is or was on the principal variation.
    pub on_pv: bool,
    /// Squares from which its moves give check, once computed.
    checks: OnceCell<CheckSquares>,
}

impl NodeInfo {
    /// From where moves of the node's position give check.
    #[inline]
    pub(super) fn checks(&self, position: &Position) -> &CheckSquares {
        self.checks.get_or_init(|| position.check_squares())
    }
}

/// The best score of a node so far.
pub(super) struct BestMove {
    pub score: Value,
    /// The last move that raised alpha.
    pub played: Option<Move>,
}

impl BestMove {
    pub(super) fn of(score: Value) -> Self {
        Self { score, played: None }
    }
}

/// The moves searched so far and their results.
struct MoveLoop {
    best: BestMove,
    /// Moves picked, skipped ones included.
    moves: usize,
    quiets: ArrayVec<Move, 64>,
    captures: ArrayVec<Move, 32>,
}

impl MoveLoop {
    fn new() -> Self {
        Self {
            best: BestMove::of(-INFINITE),
            moves: 0,
            quiets: ArrayVec::new(),
            captures: ArrayVec::new(),
        }
    }

    /// Adds a move without a cutoff. Moves beyond the capacity are too late to matter for the
    /// histories.
    fn add_failed(&mut self, m: Move) {
        let _ = if m.is_noisy() { self.captures.try_push(m) } else { self.quiets.try_push(m) };
    }
}

impl Tree<'_> {
    /// Score of `position` within the node's window (fail-soft). The value is invalid once the
    /// budget is spent; callers check that first.
    pub(super) fn search<const PV: bool>(&mut self, position: &Position, mut node: Node) -> Value {
        if position.is_check() && self.uses(Technique::CheckExtension) {
            node.depth += 1;
        }
        if node.depth <= 0 {
            return self.quiescence::<PV>(position, node.ply, node.alpha, node.beta);
        }
        if PV {
            self.visit_pv(node.ply);
        }
        if node.ply > 0 {
            match self.arrive(position, node) {
                ControlFlow::Continue(arrived) => node = arrived,
                ControlFlow::Break(score) => return score,
            }
        }
        let excluding = self.ply(node.ply).excluded.is_some();
        let known = if excluding { None } else { self.probe(position, node.ply) };
        if !PV
            && self.uses(Technique::TtCutoffs)
            && let Some(known) = known
            && allows_cutoff(known, position, node)
        {
            return known.score;
        }
        let info = self.node_info(position, node.ply, known, PV);
        if !PV
            && !excluding
            && let Some(score) = self.refute_without_moves(position, node, &info)
        {
            return score;
        }
        if self.uses(Technique::Iir)
            && node.depth >= margins::IIR_DEPTH
            && (PV || node.cut)
            && info.best.is_none()
        {
            node.depth -= 1;
        }
        self.try_moves::<PV>(position, node, &info)
    }

    /// A node below the root before the TT: its score by the rules, the endgame
    /// tables or the longest line, or its window after mate distance pruning.
    fn arrive(&mut self, position: &Position, node: Node) -> ControlFlow<Value, Node> {
        if self.is_draw(position) {
            return ControlFlow::Break(DRAW);
        }
        if node.ply >= MAX_PLY - 1 {
            return ControlFlow::Break(if position.is_check() {
                DRAW
            } else {
                self.evaluate(position)
            });
        }
        if let Some(score) = self.known_ending(position, node.ply) {
            return ControlFlow::Break(score);
        }
        let alpha = self.draw_at_hand(position, node.alpha);
        let node = Node { alpha, ..node }.within_mates();
        if node.alpha >= node.beta {
            return ControlFlow::Break(node.alpha);
        }
        ControlFlow::Continue(match self.uses(Technique::AlphaBeta) {
            true => node,
            false => Node { alpha: -INFINITE, beta: INFINITE, ..node },
        })
    }

    /// Static evaluation, adjusted by the TT, and its conclusions.
    fn node_info(
        &mut self,
        position: &Position,
        ply: usize,
        known: Option<TtEntry>,
        pv: bool,
    ) -> NodeInfo {
        let best = self.tt_move(position, known);
        if ply > 0 {
            self.ply_mut(ply).double_extensions = self.ply(ply - 1).double_extensions;
        }
        // The second look at a node, with a move excluded, needs no second evaluation.
        if self.ply(ply).excluded.is_none() {
            self.ply_mut(ply).evaluation = self.static_evaluation(position, known);
        }
        let evaluation = self.ply(ply).evaluation;
        NodeInfo {
            known,
            best,
            estimate: self.estimate(evaluation, known),
            improving: self.is_improving(ply),
            on_pv: pv || known.is_some_and(|known| known.on_pv),
            checks: OnceCell::new(),
        }
    }

    /// Tries the moves in order; updates histories and TT.
    fn try_moves<const PV: bool>(
        &mut self,
        position: &Position,
        mut node: Node,
        info: &NodeInfo,
    ) -> Value {
        let floor = node.alpha;
        let excluded = self.ply(node.ply).excluded;
        let mut picker = self.open_node(node.ply, info.best);
        let mut tried = MoveLoop::new();
        loop {
            let may_prune = node.ply > 0 && tried.best.score > -MATE_BOUND;
            if may_prune
                && picker.is_to_list_quiets()
                && self.skips_quiets(node, info, tried.moves + 1)
            {
                picker.skip_quiets_without_check();
            }
            let Some(pick) = self.next(&mut picker, position) else { break };
            let m = pick.played;
            if Some(m) == excluded || (node.ply == 0 && !self.root.considers(m)) {
                continue;
            }
            tried.moves += 1;
            if may_prune {
                match self.verdict(position, node, info, pick, tried.moves) {
                    PruneDecision::Try => {}
                    PruneDecision::Skip => continue,
                    PruneDecision::SkipQuiets => {
                        picker.skip_quiets_without_check();
                        continue;
                    }
                }
            }
            let extension = match self.extension::<PV>(position, node, info, pick) {
                Extension::Plies(plies) => plies,
                Extension::Refuted(score) => {
                    self.moves.close(picker);
                    return score;
                }
            };
            if self.budget.is_spent(self.nodes) {
                return DRAW;
            }
            let before = self.nodes;
            let reduction = self.reduction::<PV>(position, node, info, pick, tried.moves);
            let extent = Extent { extension, reduction, first: tried.moves == 1 };
            let score = self.try_move::<PV>(position, node, m, extent);
            if self.budget.broken_off() {
                return DRAW;
            }
            if self.raises::<PV>(&mut tried.best, &mut node.alpha, node.ply, m, score) {
                if node.ply == 0 {
                    let spent = self.nodes - before;
                    self.root.line_mut().improve(self.pv.line(0), score, spent);
                }
                if score >= node.beta {
                    break;
                }
            }
            tried.add_failed(m);
        }
        self.moves.close(picker);
        self.conclude(position, Node { alpha: floor, ..node }, info, tried)
    }

    /// Updates the best score, alpha and the PV; whether the move raised alpha.
    #[inline]
    pub(super) fn raises<const PV: bool>(
        &mut self,
        best: &mut BestMove,
        alpha: &mut Value,
        ply: usize,
        m: Move,
        score: Value,
    ) -> bool {
        best.score = best.score.max(score);
        if score <= *alpha {
            return false;
        }
        *alpha = score;
        best.played = Some(m);
        if PV {
            self.pv.extend(ply, m);
        }
        true
    }

    fn open_node(&mut self, ply: usize, best: Option<Move>) -> Picker {
        // The PV move of the last iteration leads at the root, even if the TT lost it.
        let best = match ply {
            0 => self.root.line().pv.first().copied(),
            _ => best,
        };
        self.open(ply, Wanted::All, best)
    }

    /// Makes a move and searches it: the first with the full window, later
    /// ones reduced and with a null window, again if they fail high.
    fn try_move<const PV: bool>(
        &mut self,
        position: &Position,
        node: Node,
        m: Move,
        extent: Extent,
    ) -> Value {
        let after = position.after(m);
        self.enter(position, node.ply, m, &after);
        let full = node.depth - 1 + extent.extension;
        // Never straight into quiescence, never deeper than unreduced.
        let reduced = (full - extent.reduction).clamp(full.min(1), full);
        let wide = |tree: &mut Self, depth| -tree.search::<true>(&after, node.child(depth));
        let narrow = |tree: &mut Self, depth| {
            let cut = depth < full || !node.cut;
            -tree.search::<false>(&after, node.scout_child(depth, cut))
        };
        let score = if PV && extent.first {
            wide(self, full)
        } else if PV && !self.uses(Technique::PrincipalVariationSearch) {
            self.look_again(node.alpha, [reduced, full], wide)
        } else {
            let score = self.look_again(node.alpha, [reduced, full], narrow);
            if PV && score > node.alpha { wide(self, full) } else { score }
        };
        self.leave();
        score
    }

    /// Searches to the reduced depth, and to the full one if that fails high.
    fn look_again(
        &mut self,
        floor: Value,
        [reduced, full]: [i32; 2],
        mut look: impl FnMut(&mut Self, i32) -> Value,
    ) -> Value {
        let score = look(self, reduced);
        if score > floor && reduced < full { look(self, full) } else { score }
    }

    /// Ends a node after all moves: mate and stalemate, the histories, the table.
    fn conclude(
        &mut self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
        mut tried: MoveLoop,
    ) -> Value {
        let excluding = self.ply(node.ply).excluded.is_some();
        if tried.moves == 0 {
            return match (excluding, position.is_check()) {
                (true, _) => node.alpha,
                (false, true) => mated_in(node.ply),
                (false, false) => DRAW,
            };
        }
        if !excluding {
            tried.best.score = self.blend_fail_high(tried.best.score, node.beta, node.depth);
        }
        if let Some(m) = tried.best.played
            && tried.best.score >= node.beta
        {
            self.update_histories(position, node, m, &tried);
        }
        let partial = excluding || (node.ply == 0 && self.root.is_restricted());
        if !partial {
            let bound = Bound::of(tried.best.score, node.alpha, node.beta);
            self.update_correction(position, node, &tried, bound);
            let known = TtEntry {
                best: tried.best.played.map(PackedMove::of),
                score: tried.best.score,
                bound,
                depth: node.depth,
                evaluation: self.ply(node.ply).evaluation.map(|evaluation| evaluation.raw),
                on_pv: info.on_pv,
            };
            self.remember(position, node.ply, known);
        }
        tried.best.score
    }

    /// Blends a fail-high score toward beta, the more so the shallower the search: the excess over
    /// beta is uncertain, for the opponent had other moves before.
    pub(super) fn blend_fail_high(&self, score: Value, beta: Value, depth: i32) -> Value {
        let may_blend = score > beta
            && !is_mate(score)
            && !is_mate(beta)
            && self.uses(Technique::FailHighBlending);
        if may_blend { (score * depth + beta) / (depth + 1) } else { score }
    }

    /// Updates the correction history by the difference of search and static
    /// evaluation, unless the best move is noisy or the score a mate.
    fn update_correction(
        &mut self,
        position: &Position,
        node: Node,
        tried: &MoveLoop,
        bound: Bound,
    ) {
        let Some(evaluation) = self.ply(node.ply).evaluation else { return };
        let is_evidence = match bound {
            Bound::Exact => true,
            Bound::Lower => tried.best.score > evaluation.value,
            Bound::Upper => tried.best.score < evaluation.value,
        };
        let is_quiet = !tried.best.played.is_some_and(Move::is_noisy) && !is_mate(tried.best.score);
        if is_evidence && is_quiet && self.uses(Technique::CorrectionHistory) {
            let error = tried.best.score - evaluation.value;
            let share = self.margins.correction(node.depth);
            self.learned.corrections.learn(&CorrectionKeys::of(position), share, error);
        }
    }

    /// Bonus for the move that caused the cutoff, malus for those tried before it.
    fn update_histories(
        &mut self,
        position: &Position,
        node: Node,
        refutation: Move,
        tried: &MoveLoop,
    ) {
        let bonus = self.margins.history_bonus(node.depth);
        let malus = if self.uses(Technique::HistoryMalus) { -bonus } else { 0 };
        let mut context = self.context(node.ply);
        if self.uses(Technique::ThreatHistory) && !refutation.is_noisy() {
            context.threats = position.threats();
        }
        let color = position.turn();
        let histories = &mut *self.learned.histories;
        if refutation.is_noisy() {
            histories.update_capture(color, refutation, bonus);
        } else {
            histories.update_quiet(color, refutation, &context, bonus);
            for &m in &tried.quiets {
                histories.update_quiet(color, m, &context, malus);
            }
            self.ply_mut(node.ply).killers.add(refutation);
        }
        for &m in &tried.captures {
            self.learned.histories.update_capture(color, m, malus);
        }
    }
}

/// Whether a TT entry allows a cutoff. Near the 50-move limit none does: the key does not include
/// the counter.
fn allows_cutoff(known: TtEntry, position: &Position, node: Node) -> bool {
    known.depth >= node.depth
        && known.bound.cuts(known.score, node.alpha, node.beta)
        && position.halfmoves() < margins::FIFTY_MOVE_CARE
}
