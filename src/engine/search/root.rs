//! The root: the moves to consider, and the best lines found so far.

use chess::{Move, Position};

use super::super::limits::Limits;
use super::super::value::{DRAW, Value, is_mate};

/// The root and its results so far.
pub(super) struct Root {
    /// Moves to consider.
    moves: Vec<Move>,
    /// Whether some legal moves are left out.
    restricted: bool,
    /// The best lines, each with another first move, in their order.
    lines: Vec<RootLine>,
    /// The line that is being searched; the moves of those before it are excluded.
    current: usize,
}

/// One of the best lines.
#[derive(Clone, Debug)]
pub(super) struct RootLine {
    /// The PV of the last complete iteration, or a later improvement on it.
    pub pv: Vec<Move>,
    /// Score of the last complete iteration.
    pub score: Value,
    /// Average of the scores of complete iterations, the last ones counting most.
    pub average: Value,
    /// Score of `pv`: from the running iteration if that has changed it.
    pub so_far: Value,
    /// Positions visited before the last search of the root.
    nodes_before: u64,
    /// Positions it spent on the best move.
    best_nodes: u64,
}

impl RootLine {
    fn of(first: Move) -> Self {
        Self {
            pv: vec![first],
            score: DRAW,
            average: DRAW,
            so_far: DRAW,
            nodes_before: 0,
            best_nodes: 0,
        }
    }

    /// A search of the root begins.
    pub(super) fn begin(&mut self, nodes: u64) {
        self.nodes_before = nodes;
        self.best_nodes = 0;
    }

    /// Sets a better line and its cost in positions.
    pub(super) fn improve(&mut self, pv: &[Move], score: Value, nodes: u64) {
        self.pv = pv.to_vec();
        self.so_far = score;
        self.best_nodes = nodes;
    }

    /// An iteration is complete.
    pub(super) fn complete(&mut self, score: Value) {
        let is_sudden = is_mate(score) || is_mate(self.average);
        self.average = if is_sudden { score } else { (2 * score + self.average) / 3 };
        (self.score, self.so_far) = (score, score);
    }

    /// Share of the first move in the positions of the last search; `nodes` counts all until now.
    pub(super) fn share_of_best(&self, nodes: u64) -> f64 {
        self.best_nodes as f64 / (nodes - self.nodes_before).max(1) as f64
    }
}

impl Root {
    pub(super) fn new(position: &Position, limits: &Limits) -> Self {
        let legal = position.legal_moves();
        let wanted = |m: &Move| {
            (limits.root_moves.is_empty() || limits.root_moves.contains(m))
                && !limits.excluded_root_moves.contains(m)
        };
        let moves: Vec<Move> = legal.iter().copied().filter(wanted).collect();
        let restricted = moves.len() != legal.len();
        let lines = moves.iter().take(limits.lines.max(1)).map(|&m| RootLine::of(m)).collect();
        Self { moves, restricted, lines, current: 0 }
    }

    /// Moves to choose from.
    pub(super) fn choice(&self) -> usize {
        self.moves.len()
    }

    /// Whether a move is searched in the current line.
    pub(super) fn considers(&self, m: Move) -> bool {
        let is_taken = || self.lines[..self.current].iter().any(|line| line.pv.first() == Some(&m));
        self.moves.contains(&m) && !is_taken()
    }

    /// Whether legal moves are excluded now, so that the table must not store the score.
    pub(super) fn is_restricted(&self) -> bool {
        self.restricted || self.current > 0
    }

    pub(super) fn lines(&self) -> &[RootLine] {
        &self.lines
    }

    /// The line that is being searched. There is one as long as there are moves.
    pub(super) fn line(&self) -> &RootLine {
        &self.lines[self.current]
    }

    pub(super) fn line_mut(&mut self) -> &mut RootLine {
        &mut self.lines[self.current]
    }

    /// Selects the line to search.
    pub(super) fn turn_to(&mut self, line: usize) {
        self.current = line;
        // Its move may be that of a better one by now.
        let move_of = |line: &RootLine| line.pv.first().copied();
        let taken: Vec<Option<Move>> = self.lines[..line].iter().map(move_of).collect();
        if taken.contains(&move_of(&self.lines[line]))
            && let Some(&free) = self.moves.iter().find(|&&m| !taken.contains(&Some(m)))
        {
            self.lines[line] = RootLine::of(free);
        }
    }

    /// Puts the lines searched so far in order.
    pub(super) fn sort(&mut self) {
        self.lines[..=self.current].sort_by_key(|line| std::cmp::Reverse(line.score));
    }
}
