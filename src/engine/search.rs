//! Iterative deepening: the searcher as others see it.
//!
//! The tree below the root is in `tree`; here are the iterations, the
//! window around the score expected, and what is told of it all.

mod extent;
pub mod margins;
mod node;
mod pruning;
mod pv;
mod quiescence;
mod tree;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::chess::{Key, Move, Position};
use crate::data::Score;

use super::Evaluator;
use super::history::Histories;
use super::limits::{Budget, Limits};
use super::table::Table;
use super::value::{self, INFINITE, MATE, Value};

use tree::Tree;

/// Searches positions with one evaluation, remembering what it learns from
/// move to move until [`Searcher::new_game`].
pub struct Searcher {
    evaluator: Box<dyn Evaluator>,
    table: Table,
    histories: Histories,
}

/// Progress: one completed iteration.
#[derive(Clone, Debug)]
pub struct SearchInfo {
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// Deepest ply visited.
    pub selective_depth: u32,
    /// For the side to move.
    pub score: Score,
    /// Positions visited below the root.
    pub nodes: u64,
    /// Since the start.
    pub elapsed: Duration,
    /// Table use, in permille.
    pub permille_used: u32,
    /// The line expected.
    pub pv: Vec<Move>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play; `None` if there is none.
    pub best: Option<Move>,
    /// For the side to move.
    pub score: Score,
    /// Last completed depth, in plies.
    pub depth: u32,
    /// Positions visited below the root.
    pub nodes: u64,
    /// How often the evaluation was asked.
    pub evaluations: u64,
    /// The line expected, beginning with `best`.
    pub pv: Vec<Move>,
}

impl SearchResult {
    /// The score in centipawns; mates lie beyond ±20,000.
    pub fn centipawns(&self) -> i32 {
        value::centipawns(self.score)
    }
}

impl Searcher {
    /// A searcher with a table of `hash_mb` MiB.
    pub fn new(evaluator: Box<dyn Evaluator>, hash_mb: usize) -> Self {
        Self { evaluator, table: Table::new(hash_mb), histories: Histories::new() }
    }

    /// Forgets everything learnt: searches after this repeat those after the
    /// last time. Cheap with a small table.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.histories.clear();
    }

    /// Replaces the table by an empty one.
    pub fn set_hash(&mut self, hash_mb: usize) {
        // The old one first, lest both have to fit.
        self.table = Table::new(1);
        self.table = Table::new(hash_mb);
    }

    /// Replaces the evaluation and forgets what was learnt with the old one.
    pub fn set_evaluator(&mut self, evaluator: Box<dyn Evaluator>) {
        self.evaluator = evaluator;
        self.new_game();
    }

    /// The evaluation, to read its counters.
    pub fn evaluator(&mut self) -> &mut dyn Evaluator {
        &mut *self.evaluator
    }

    /// Static evaluation, centipawns for the side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluator.reset(position);
        self.evaluator.evaluate(position)
    }

    /// Searches `root`. `history` holds the keys of the earlier positions of
    /// the game, oldest first, for repetitions.
    pub fn search(
        &mut self,
        root: &Position,
        history: &[Key],
        limits: &Limits,
        stop: &AtomicBool,
        on_info: &mut dyn FnMut(&SearchInfo),
    ) -> SearchResult {
        self.table.new_search();
        self.evaluator.reset(root);
        let tree = Tree::new(
            &mut *self.evaluator,
            &mut self.table,
            &mut self.histories,
            Budget::new(limits, stop),
            root,
            history,
            limits,
        );
        deepen(tree, root, on_info)
    }
}

/// Searches to depth 1, 2, 3… until the budget is spent.
fn deepen(
    mut tree: Tree<'_>,
    root: &Position,
    on_info: &mut dyn FnMut(&SearchInfo),
) -> SearchResult {
    let Some(&first) = tree.root.moves.first() else { return without_moves(root) };
    tree.root.pv = vec![first];
    let mut stability = 0;
    let mut completed = 0;
    for depth in 1..=tree.budget.depth {
        let previous = tree.root.pv.first().copied();
        aspire(&mut tree, root, depth);
        if tree.budget.broken_off() {
            break;
        }
        completed = depth;
        on_info(&info(&tree, depth));
        stability = if tree.root.pv.first().copied() == previous { stability + 1 } else { 0 };
        let effort = effort(&tree, stability);
        if is_settled(&tree) || !tree.budget.allows_iteration(tree.nodes, effort) {
            break;
        }
    }
    SearchResult {
        best: tree.root.pv.first().copied(),
        score: value::to_score(tree.root.score),
        depth: completed as u32,
        nodes: tree.nodes,
        evaluations: tree.evaluations,
        pv: tree.root.pv,
    }
}

/// One iteration: a narrow window around the last score, widened on the side
/// where the score falls out.
fn aspire(tree: &mut Tree<'_>, root: &Position, depth: i32) {
    let mut delta = margins::ASPIRATION;
    let (mut alpha, mut beta) = (-INFINITE, INFINITE);
    if depth >= margins::ASPIRATION_DEPTH {
        alpha = (tree.root.score - delta).max(-INFINITE);
        beta = (tree.root.score + delta).min(INFINITE);
    }
    loop {
        let score = tree.search_root(root, depth, alpha, beta);
        if tree.budget.broken_off() {
            return;
        }
        if score <= alpha {
            beta = (alpha + beta) / 2;
            alpha = (score - delta).max(-INFINITE);
        } else if score >= beta {
            beta = (score + delta).min(INFINITE);
        } else {
            tree.root.score = score;
            return;
        }
        delta += delta;
        if delta > margins::ASPIRATION_LIMIT {
            (alpha, beta) = (-INFINITE, INFINITE);
        }
    }
}

/// How much of the time allowance to use: little when nearly all positions
/// were spent on one move that has long been best.
fn effort(tree: &Tree<'_>, stability: u32) -> f64 {
    if tree.root.moves.len() == 1 {
        return 0.1;
    }
    let searched = (tree.nodes - tree.root.nodes_before).max(1);
    let share = tree.root.best_nodes as f64 / searched as f64;
    (1.9 - 1.3 * share) * (1.25 - 0.06 * f64::from(stability.min(8)))
}

/// Whether deeper search cannot change anything that was asked for.
fn is_settled(tree: &Tree<'_>) -> bool {
    match value::to_score(tree.root.score) {
        Score::Mate(moves) => {
            let plies = MATE - tree.root.score.abs();
            tree.budget.is_mate_enough(moves) || (tree.budget.is_timed() && tree.depth > 2 * plies)
        }
        Score::Centipawns(_) => false,
    }
}

fn info(tree: &Tree<'_>, depth: i32) -> SearchInfo {
    SearchInfo {
        depth: depth as u32,
        selective_depth: tree.selective_depth as u32,
        score: value::to_score(tree.root.score),
        nodes: tree.nodes,
        elapsed: tree.budget.elapsed(),
        permille_used: tree.table.permille_used(),
        pv: tree.root.pv.clone(),
    }
}

fn without_moves(root: &Position) -> SearchResult {
    let score: Value = if root.is_checkmate() { value::mated_in(0) } else { value::DRAW };
    SearchResult {
        best: None,
        score: value::to_score(score),
        depth: 0,
        nodes: 0,
        evaluations: 0,
        pv: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
