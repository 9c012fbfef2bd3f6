//! Iterative deepening: depth 1, 2, 3… until the budget is spent.
//!
//! Each iteration begins with a narrow window around the score of the last
//! one, and leaves the table and the histories in better order for the next.

use chess::Position;
use data::Score;

use super::super::technique::Technique;
use super::super::value::{self, DRAW, INFINITE, MATE, Value};
use super::margins;
use super::tree::Tree;
use super::{Report, SearchInfo, SearchResult};

pub(super) struct Deepening<'a> {
    tree: Tree<'a>,
    root: &'a Position,
    /// Depth of the last complete iteration.
    completed: i32,
    /// For how many iterations the best move has been the same.
    stability: u32,
}

impl<'a> Deepening<'a> {
    pub(super) fn new(tree: Tree<'a>, root: &'a Position) -> Self {
        Self { tree, root, completed: 0, stability: 0 }
    }

    /// Searches until the budget is spent or nothing more can be found out.
    pub(super) fn run(mut self, report: Report<'_>) -> SearchResult {
        let Some(&first) = self.tree.root.moves.first() else { return without_moves(self.root) };
        self.tree.root.pv = vec![first];
        for depth in 1..=self.tree.budget.depth {
            let previous = self.tree.root.pv.first().copied();
            self.iterate(depth);
            if self.tree.budget.broken_off() {
                break;
            }
            self.completed = depth;
            report(self.info());
            let is_same = self.tree.root.pv.first().copied() == previous;
            self.stability = if is_same { self.stability + 1 } else { 0 };
            if self.is_settled()
                || !self.tree.budget.allows_iteration(self.tree.nodes, self.effort())
            {
                break;
            }
        }
        self.result()
    }

    /// One iteration: a narrow window around the last score, widened on the
    /// side where the score falls out.
    fn iterate(&mut self, depth: i32) {
        let tree = &mut self.tree;
        let mut delta = margins::ASPIRATION;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= margins::ASPIRATION_DEPTH && tree.uses(Technique::Aspiration) {
            alpha = (tree.root.score - delta).max(-INFINITE);
            beta = (tree.root.score + delta).min(INFINITE);
        }
        loop {
            let score = tree.search_root(self.root, depth, alpha, beta);
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
    fn effort(&self) -> f64 {
        let tree = &self.tree;
        if tree.root.moves.len() == 1 {
            return 0.1;
        }
        if !tree.uses(Technique::NodeTime) {
            return 1.0;
        }
        let searched = (tree.nodes - tree.root.nodes_before).max(1);
        let share = tree.root.best_nodes as f64 / searched as f64;
        (1.9 - 1.3 * share) * (1.25 - 0.06 * f64::from(self.stability.min(8)))
    }

    /// Whether deeper search cannot change anything that was asked for.
    fn is_settled(&self) -> bool {
        let tree = &self.tree;
        match value::to_score(tree.root.score) {
            Score::Mate(moves) => {
                let plies = MATE - tree.root.score.abs();
                tree.budget.is_mate_enough(moves)
                    || (tree.budget.is_timed() && tree.depth > 2 * plies)
            }
            Score::Centipawns(_) => false,
        }
    }

    fn info(&self) -> SearchInfo {
        let tree = &self.tree;
        SearchInfo {
            depth: self.completed as u32,
            selective_depth: tree.selective_depth as u32,
            score: value::to_score(tree.root.score),
            nodes: tree.nodes,
            elapsed: tree.budget.elapsed(),
            permille_used: tree.table.permille_used(),
            pv: tree.root.pv.clone(),
        }
    }

    fn result(self) -> SearchResult {
        let tree = self.tree;
        SearchResult {
            best: tree.root.pv.first().copied(),
            score: value::to_score(tree.root.score),
            depth: self.completed as u32,
            nodes: tree.nodes,
            evaluations: tree.evaluations,
            pv: tree.root.pv,
        }
    }
}

fn without_moves(root: &Position) -> SearchResult {
    let score: Value = if root.is_checkmate() { value::mated_in(0) } else { DRAW };
    SearchResult {
        best: None,
        score: value::to_score(score),
        depth: 0,
        nodes: 0,
        evaluations: 0,
        pv: Vec::new(),
    }
}
