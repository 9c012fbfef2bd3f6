//! The state of one running search.
//!
//! Positions are copied, not unmade; the state that needs undoing (the evaluation, the line of
//! keys) is pushed and popped in one place, [`Tree::enter`] and [`Tree::leave`], so that both stay
//! in step.

use chess::{EndgameTable, Move, Position, TablebaseOutcome};

use super::super::Evaluator;
use super::super::budget::Budget;
use super::super::correction::{CorrectionKeys, Corrections};
use super::super::history::{Context, Histories, Killers, PieceTo};
use super::super::ordering::{MoveStack, OrderingContext, Pick, Picker, Wanted};
use super::super::repetition::KeyLine;
use super::super::table::{Table, TtEntry};
use super::super::technique::{Technique, Techniques};
use super::super::value::{DRAW, EVALUATION_LIMIT, MAX_PLY, TABLE_WIN, Value, is_mate};
use super::Task;
use super::margins::Margins;
use super::node::Node;
use super::pv::PvTable;
use super::root::Root;

pub(super) struct Tree<'a> {
    evaluator: &'a mut dyn Evaluator,
    pub table: &'a Table,
    pub learned: ThreadHistories<'a>,
    pub budget: Budget<'a>,
    techniques: Techniques,
    pub margins: &'a Margins,
    tables: Option<&'a dyn EndgameTable>,
    pub root: Root,
    pub pv: PvTable,
    pub moves: MoveStack,
    line: KeyLine,
    plies: Vec<PlyState>,
    /// Depth of the running iteration.
    pub depth: i32,
    pub nodes: u64,
    pub evaluations: u64,
    pub selective_depth: usize,
    /// No null moves above this ply, while one is verified.
    pub null_moves_from: usize,
}

/// Histories and corrections of a thread in this game.
pub(super) struct ThreadHistories<'a> {
    pub histories: &'a mut Histories,
    pub corrections: &'a mut Corrections,
}

/// The static evaluation of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaticEvaluation {
    /// Without corrections, as the TT stores it.
    pub raw: Value,
    /// With the correction history.
    pub value: Value,
}

/// State of one ply of the current line.
#[derive(Clone, Copy, Default)]
pub(super) struct PlyState {
    /// `None` in check.
    pub evaluation: Option<StaticEvaluation>,
    /// The move made here; `None` for a null move.
    pub moved: Option<PieceTo>,
    /// Left out during its singular search.
    pub excluded: Option<Move>,
    pub killers: Killers,
    /// Double extensions in the line so far.
    pub double_extensions: u8,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        evaluator: &'a mut dyn Evaluator,
        learned: ThreadHistories<'a>,
        task: Task<'a>,
        budget: Budget<'a>,
    ) -> Self {
        Self {
            evaluator,
            table: task.table,
            learned,
            budget,
            techniques: task.techniques,
            margins: task.margins,
            tables: task.tables,
            root: Root::new(task.root, task.limits),
            pv: PvTable::new(),
            moves: MoveStack::default(),
            line: KeyLine::new(task.root, task.history),
            plies: vec![PlyState::default(); MAX_PLY + 2],
            depth: 0,
            nodes: 0,
            evaluations: 0,
            selective_depth: 0,
            null_moves_from: 0,
        }
    }

    /// Whether a part of the search is switched on.
    #[inline]
    pub(super) fn uses(&self, technique: Technique) -> bool {
        self.techniques.has(technique)
    }

    pub(super) fn search_root(
        &mut self,
        position: &Position,
        depth: i32,
        alpha: Value,
        beta: Value,
    ) -> Value {
        self.depth = depth;
        self.selective_depth = 0;
        self.root.line_mut().begin(self.nodes);
        self.search::<true>(position, Node { ply: 0, depth, alpha, beta, cut: false })
    }

    /// Makes the move that led to `after`.
    #[inline]
    pub(super) fn enter(&mut self, before: &Position, ply: usize, m: Move, after: &Position) {
        self.nodes += 1;
        self.plies[ply].moved = Some(PieceTo::of(before.turn(), m));
        self.line.push(after);
        self.evaluator.push(before, m, after);
    }

    pub(super) fn enter_null(&mut self, ply: usize, after: &Position) {
        self.nodes += 1;
        self.plies[ply].moved = None;
        self.line.push_null(after);
        self.evaluator.push_null(after);
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        self.line.pop();
        self.evaluator.pop();
    }

    /// Static evaluation, clear of the mates.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position) -> Value {
        self.evaluations += 1;
        self.evaluator.evaluate(position).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }

    /// The static evaluation, from the TT if it is there; `None` in check.
    #[inline]
    pub(super) fn static_evaluation(
        &mut self,
        position: &Position,
        known: Option<TtEntry>,
    ) -> Option<StaticEvaluation> {
        if position.is_check() {
            return None;
        }
        let raw = known.and_then(|known| known.evaluation);
        let raw = raw.unwrap_or_else(|| self.evaluate(position));
        if !self.uses(Technique::CorrectionHistory) {
            return Some(StaticEvaluation { raw, value: raw });
        }
        let corrected = raw + self.learned.corrections.of(&CorrectionKeys::of(position));
        let value = corrected.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT);
        Some(StaticEvaluation { raw, value })
    }

    /// The evaluation, or the TT score where its bound makes it a better estimate.
    #[inline]
    pub(super) fn estimate(
        &self,
        evaluation: Option<StaticEvaluation>,
        known: Option<TtEntry>,
    ) -> Option<Value> {
        let StaticEvaluation { value, .. } = evaluation?;
        Some(match known {
            Some(k)
                if !is_mate(k.score)
                    && k.bound.improves(k.score, value)
                    && self.uses(Technique::TtAdjustedEval) =>
            {
                k.score
            }
            _ => value,
        })
    }

    /// The TT entry of a position.
    #[inline]
    pub(super) fn probe(&self, position: &Position, ply: usize) -> Option<TtEntry> {
        let known = self
            .uses(Technique::TranspositionTable)
            .then(|| self.table.probe(position.key(), ply))??;
        let best = known.best.filter(|_| self.uses(Technique::TtMove));
        Some(TtEntry { best, ..known })
    }

    /// The move of a TT entry, if it is legal. Prefetches the TT entry of the position after it.
    #[inline]
    pub(super) fn tt_move(&self, position: &Position, known: Option<TtEntry>) -> Option<Move> {
        let best = known?.best?.find(position)?;
        self.expect(position, best);
        Some(best)
    }

    /// Prefetches the TT entry of the position after a likely move.
    #[inline]
    pub(super) fn expect(&self, position: &Position, m: Move) {
        self.table.prefetch(position.key_after(m));
    }

    /// Stores a position in the TT.
    #[inline]
    pub(super) fn remember(&self, position: &Position, ply: usize, known: TtEntry) {
        if self.uses(Technique::TranspositionTable) {
            self.table.store(position.key(), ply, known);
        }
    }

    #[inline]
    pub(super) fn visit_pv(&mut self, ply: usize) {
        self.pv.clear(ply);
        self.selective_depth = self.selective_depth.max(ply);
    }

    /// Whether the game is drawn here by rule.
    #[inline]
    pub(super) fn is_draw(&self, position: &Position) -> bool {
        let fifty = position.halfmoves() >= 100
            && (!position.is_check() || !position.legal_moves().is_empty());
        fifty || self.line.is_repetition() || position.is_insufficient_material()
    }

    /// The window of a node, its lower end raised to a draw where the side to move has one at
    /// hand.
    #[inline]
    pub(super) fn draw_at_hand(&self, position: &Position, alpha: Value) -> Value {
        let asks = alpha < DRAW && self.uses(Technique::UpcomingRepetition);
        if asks && self.line.can_repeat(position) { DRAW } else { alpha }
    }

    /// The score of a position in the endgame tables. Probes follow only a reset of the 50-move
    /// counter: the score holds for all later positions.
    #[inline]
    pub(super) fn known_ending(&self, position: &Position, ply: usize) -> Option<Value> {
        let tables = self.tables?;
        let is_probed = position.halfmoves() == 0
            && position.board().occupied().count() <= tables.most_pieces();
        let outcome = is_probed.then(|| tables.probe(position))??;
        Some(match outcome {
            TablebaseOutcome::Win => TABLE_WIN - ply as Value,
            TablebaseOutcome::Draw => DRAW,
            TablebaseOutcome::Loss => ply as Value - TABLE_WIN,
        })
    }

    #[inline]
    pub(super) fn ply(&self, ply: usize) -> &PlyState {
        &self.plies[ply]
    }

    #[inline]
    pub(super) fn ply_mut(&mut self, ply: usize) -> &mut PlyState {
        &mut self.plies[ply]
    }

    /// The moves before `ply` that select the histories of quiet moves.
    #[inline]
    pub(super) fn context(&self, ply: usize) -> Context {
        let before = |back: usize, technique: Technique| {
            let judged = self.uses(technique);
            ply.checked_sub(back).filter(|_| judged).and_then(|p| self.plies[p].moved)
        };
        let before = [
            before(1, Technique::ContinuationHistory),
            before(2, Technique::ContinuationHistory2),
            before(4, Technique::ContinuationHistory4),
        ];
        Context { before, ..Context::default() }
    }

    /// Begins a node at `ply`, whose moves come in order, `best` first.
    #[inline]
    pub(super) fn open(&mut self, ply: usize, wanted: Wanted, best: Option<Move>) -> Picker {
        let guide = OrderingContext {
            killers: self.plies[ply].killers,
            context: self.context(ply),
            techniques: self.techniques,
        };
        self.moves.open(best, wanted, guide)
    }

    /// The next move of the node opened last.
    #[inline]
    pub(super) fn next(&mut self, picker: &mut Picker, position: &Position) -> Option<Pick> {
        let (table, histories) = (self.table, &*self.learned.histories);
        // As in `expect`: prefetched while the move is still weighed.
        let expect = |m| table.prefetch(position.key_after(m));
        self.moves.next(picker, position, histories, expect)
    }

    /// Whether the side to move stands better than at its last turn.
    pub(super) fn is_improving(&self, ply: usize) -> bool {
        if !self.uses(Technique::Improving) {
            return false;
        }
        let of = |p: usize| self.plies[p].evaluation.map(|evaluation| evaluation.value);
        let earlier = |back: usize| ply.checked_sub(back).and_then(of);
        match (of(ply), earlier(2).or_else(|| earlier(4))) {
            (Some(now), Some(before)) => now > before,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}
