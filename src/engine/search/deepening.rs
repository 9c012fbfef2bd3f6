//! Iterative deepening: depth 1, 2, 3… until the budget is spent.
//!
//! Each iteration begins with a narrow window around the score of the last
//! one, and leaves the table and the histories in better order for the next.

use std::time::Duration;

use chess::Score;
use chess::{Move, Position};

use super::super::technique::Technique;
use super::super::value::{self, DRAW, INFINITE, MATE, Value};
use super::margins;
use super::tree::Tree;
use super::{Report, ScoreBound, SearchInfo, SearchResult};

/// Time after which scores outside the window are reported: earlier ones are outdated before they
/// can be read.
const REPORT_BOUNDS_AFTER: Duration = Duration::from_millis(500);

pub(super) struct Deepening<'a> {
    tree: Tree<'a>,
    root: &'a Position,
    /// Depth of the last complete iteration.
    completed: i32,
    /// Iterations for which the best move has been the same.
    stability: u32,
    /// Scores of the last iterations, the oldest first.
    scores: [Value; 3],
}

impl<'a> Deepening<'a> {
    pub(super) fn new(tree: Tree<'a>, root: &'a Position) -> Self {
        Self { tree, root, completed: 0, stability: 0, scores: [DRAW; 3] }
    }

    /// Searches until the budget is spent or the result is settled.
    pub(super) fn run(mut self, report: Report<'_>) -> SearchResult {
        if self.tree.root.choice() == 0 {
            return without_moves(self.root);
        }
        let mut reported = Vec::new();
        for depth in 1..=self.tree.budget.depth {
            let previous = self.best();
            self.iterate(depth, report);
            if self.tree.budget.broken_off() {
                break;
            }
            self.completed = depth;
            for line in 0..self.tree.root.lines().len() {
                report(self.info(line, ScoreBound::Exact));
            }
            reported.clone_from(&self.tree.root.lines()[0].pv);
            self.scores.rotate_left(1);
            self.scores[2] = self.tree.root.lines()[0].score;
            let is_same = self.best() == previous;
            self.stability = if is_same { self.stability + 1 } else { 0 };
            if self.is_settled()
                || !self.tree.budget.allows_iteration(self.tree.nodes, self.effort())
            {
                break;
            }
        }
        if reported != self.tree.root.lines()[0].pv {
            // The played line was not reported yet.
            report(self.info(0, ScoreBound::Exact));
        }
        self.result()
    }

    fn best(&self) -> Option<Move> {
        self.tree.root.lines()[0].pv.first().copied()
    }

    /// One iteration of all lines, one after the other.
    fn iterate(&mut self, depth: i32, report: Report<'_>) {
        for line in 0..self.tree.root.lines().len() {
            self.tree.root.turn_to(line);
            self.search_line(depth, report);
            if self.tree.budget.broken_off() {
                return;
            }
            self.tree.root.sort();
        }
    }

    /// A narrow window around the last score, widened on the side where the score falls out.
    fn search_line(&mut self, depth: i32, report: Report<'_>) {
        let tree = &self.tree;
        let mut delta = tree.margins.aspiration();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= margins::ASPIRATION_DEPTH && tree.uses(Technique::Aspiration) {
            let line = tree.root.line();
            let averages = tree.uses(Technique::AspirationAverage);
            let score = if averages { line.average } else { line.score };
            alpha = (score - delta).max(-INFINITE);
            beta = (score + delta).min(INFINITE);
        }
        loop {
            let score = self.tree.search_root(self.root, depth, alpha, beta);
            if self.tree.budget.broken_off() {
                return;
            }
            let bound = if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                ScoreBound::Upper
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                ScoreBound::Lower
            } else {
                let line = self.tree.root.line_mut();
                line.complete(score);
                return;
            };
            self.report_bound(score, bound, report);
            delta += delta;
            if delta > margins::ASPIRATION_LIMIT {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    fn report_bound(&self, score: Value, bound: ScoreBound, report: Report<'_>) {
        if self.tree.budget.elapsed() >= REPORT_BOUNDS_AFTER && self.tree.root.lines().len() == 1 {
            report(SearchInfo { score: value::to_score(score), ..self.info(0, bound) });
        }
    }

    /// Share of the time allowance: small when nearly all positions
    /// were spent on one move that has long been best.
    fn effort(&self) -> f64 {
        let tree = &self.tree;
        if tree.root.choice() == 1 {
            return 0.1;
        }
        if !tree.uses(Technique::NodeTime) {
            return 1.0;
        }
        let share = tree.root.line().share_of_best(tree.nodes);
        let by_move = (1.9 - 1.3 * share) * (1.25 - 0.06 * f64::from(self.stability.min(8)));
        by_move * if tree.uses(Technique::ScoreTime) { self.by_trend() } else { 1.0 }
    }

    /// More time when the score falls, a little less when it rises.
    fn by_trend(&self) -> f64 {
        let [earlier, _, now] = self.scores;
        1.0 + f64::from((earlier - now).clamp(-20, 60)) / 100.0
    }

    /// Whether deeper search cannot change the result.
    fn is_settled(&self) -> bool {
        let tree = &self.tree;
        let score = tree.root.lines()[0].score;
        match value::to_score(score) {
            Score::Mate(moves) => {
                let plies = MATE - score.abs();
                tree.budget.is_mate_enough(moves)
                    || (tree.budget.is_timed() && tree.depth > 2 * plies)
            }
            Score::Centipawns(_) => false,
        }
    }

    fn info(&self, line: usize, bound: ScoreBound) -> SearchInfo {
        let tree = &self.tree;
        let found = &tree.root.lines()[line];
        SearchInfo {
            line: line + 1,
            depth: tree.depth.max(1) as u32,
            selective_depth: tree.selective_depth as u32,
            score: value::to_score(found.so_far),
            bound,
            nodes: tree.nodes,
            elapsed: tree.budget.elapsed(),
            permille_used: tree.table.permille_used(),
            pv: found.pv.clone(),
        }
    }

    fn result(self) -> SearchResult {
        let tree = self.tree;
        let best = &tree.root.lines()[0];
        SearchResult {
            best: best.pv.first().copied(),
            score: value::to_score(best.so_far),
            depth: self.completed as u32,
            nodes: tree.nodes,
            evaluations: tree.evaluations,
            pv: best.pv.clone(),
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
