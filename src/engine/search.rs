//! The searcher.
//!
//! The iterations are in `deepening`, the tree below the root in `tree`. With
//! several threads all search the same root and share the table, so that each
//! finds what another has already searched (lazy SMP); the first one decides.

mod deepening;
mod extent;
mod margins;
mod node;
mod prob_cut;
mod pruning;
mod pv;
mod quiescence;
mod root;
mod tree;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use chess::Score;
use chess::{EndgameTable, Move, Position, PositionKey};

use super::Evaluator;
use super::budget::Budget;
use super::correction::Corrections;
use super::history::Histories;
use super::lateness::{Lateness, Punctuality};
use super::limits::{Clock, Limits};
use super::schedule::Schedule;
use super::signals::Signals;
use super::table::Table;
use super::technique::Techniques;
use super::timepiece::{SystemTime, Timepiece};
use super::value;

pub use margins::{Margin, MarginError, Margins};

use deepening::Deepening;
use tree::{ThreadHistories, Tree};

/// Deep lines recurse through some hundred frames of a few KiB.
pub const STACK_BYTES: usize = 16 << 20;

/// Searches positions with one evaluation; its histories persist from move to move until
/// [`Searcher::new_game`].
pub struct Searcher {
    /// The thread that decides the move.
    first: Worker,
    /// Threads that only fill the table.
    others: Vec<Worker>,
    table: Table,
    techniques: Techniques,
    margins: Arc<Margins>,
    endgames: Option<Arc<dyn EndgameTable>>,
    timepiece: Arc<dyn Timepiece>,
    punctuality: Punctuality,
}

/// State of one thread.
struct Worker {
    evaluator: Box<dyn Evaluator>,
    histories: Histories,
    corrections: Corrections,
}

impl Worker {
    fn new(evaluator: Box<dyn Evaluator>) -> Self {
        Self { evaluator, histories: Histories::new(), corrections: Corrections::default() }
    }

    fn forget(&mut self) {
        self.histories.clear();
        self.corrections.clear();
    }

    fn search(&mut self, task: Task<'_>, budget: Budget<'_>, report: Report<'_>) -> SearchResult {
        self.evaluator.reset(task.root);
        let learned =
            ThreadHistories { histories: &mut self.histories, corrections: &mut self.corrections };
        let tree = Tree::new(&mut *self.evaluator, learned, task, budget);
        Deepening::new(tree, task.root).run(report)
    }
}

/// Gets each line of each completed iteration, and of the last, incomplete one.
type Report<'a> = &'a mut dyn FnMut(SearchInfo);

/// Input that all threads of a search share.
#[derive(Clone, Copy)]
struct Task<'a> {
    root: &'a Position,
    history: &'a [PositionKey],
    limits: &'a Limits,
    schedule: Schedule<'a>,
    techniques: Techniques,
    margins: &'a Margins,
    table: &'a Table,
    tables: Option<&'a dyn EndgameTable>,
}

/// Progress: a line of a completed iteration, or of one that still runs.
#[derive(Clone, Debug)]
pub struct SearchInfo {
    /// Number of the line, from 1, the best first.
    pub line: usize,
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// Deepest ply visited.
    pub selective_depth: u32,
    /// For the side to move.
    pub score: Score,
    /// Exact, or a bound if the score fell out of the window.
    pub bound: ScoreBound,
    /// Positions visited below the root, by all threads.
    pub nodes: u64,
    /// Since the start.
    pub elapsed: Duration,
    /// Table use, in permille.
    pub permille_used: u32,
    /// The principal variation.
    pub pv: Vec<Move>,
}

/// Whether a score is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBound {
    /// It is the score.
    Exact,
    /// The score is at least this.
    Lower,
    /// The score is at most this.
    Upper,
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play; `None` if there is none.
    pub best: Option<Move>,
    /// Its score, for the side to move.
    pub score: Score,
    /// Last completed depth, in plies.
    pub depth: u32,
    /// Positions visited below the root, by all threads.
    pub nodes: u64,
    /// Calls of the evaluation, by all threads.
    pub evaluations: u64,
    /// The principal variation, beginning with `best`.
    pub pv: Vec<Move>,
}

impl SearchResult {
    /// The score in centipawns; mates lie beyond ±20,000.
    pub fn centipawns(&self) -> i32 {
        value::centipawns(self.score)
    }
}

impl Searcher {
    /// A searcher of one thread and all [`Techniques`], with a table of
    /// `hash_mb` MiB.
    pub fn new(evaluator: Box<dyn Evaluator>, hash_mb: usize) -> Self {
        Self {
            first: Worker::new(evaluator),
            others: Vec::new(),
            table: Table::new(hash_mb),
            techniques: Techniques::PLAYING,
            margins: Arc::default(),
            endgames: None,
            timepiece: Arc::new(SystemTime),
            punctuality: Punctuality::default(),
        }
    }

    /// The same with only some parts of the search.
    #[must_use]
    pub fn with_techniques(self, techniques: Techniques) -> Self {
        Self { techniques, ..self }
    }

    /// Changes the parts of the search from the next search on; tables and histories stay.
    pub fn set_techniques(&mut self, techniques: Techniques) {
        self.techniques = techniques;
    }

    /// The same with other margins.
    #[must_use]
    pub fn with_margins(self, margins: Arc<Margins>) -> Self {
        Self { margins, ..self }
    }

    /// Clears table, histories and corrections: searches of one thread after this repeat those
    /// after the last call. Cheap with a small table.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.first.forget();
        self.others.iter_mut().for_each(Worker::forget);
        self.punctuality.new_game();
    }

    /// The same with another time.
    #[cfg(test)]
    pub(crate) fn with_timepiece(self, timepiece: Arc<dyn Timepiece>) -> Self {
        Self { timepiece, ..self }
    }

    /// Replaces the table by an empty one.
    pub(crate) fn set_hash(&mut self, hash_mb: usize) {
        // Frees the old table first, so that memory need not hold both.
        self.table = Table::new(1);
        self.table = Table::new(hash_mb);
    }

    /// Sets the endgame tables, or none.
    pub(crate) fn set_endgames(&mut self, endgames: Option<Arc<dyn EndgameTable>>) {
        self.endgames = endgames;
        self.new_game();
    }

    /// Replaces the evaluation, sets one thread and one more for each of `others`, and clears table
    /// and histories. All evaluations should judge alike.
    pub(crate) fn set_evaluators(
        &mut self,
        first: Box<dyn Evaluator>,
        others: impl IntoIterator<Item = Box<dyn Evaluator>>,
    ) {
        self.first = Worker::new(first);
        self.others = others.into_iter().map(Worker::new).collect();
        self.table.clear();
    }

    /// The evaluation, to read its counters.
    pub fn evaluator(&mut self) -> &mut dyn Evaluator {
        &mut *self.first.evaluator
    }

    /// Static evaluation, centipawns for the side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.first.evaluator.reset(position);
        self.first.evaluator.evaluate(position)
    }

    /// Searches `root`. `history` holds the keys of the earlier positions of the game, oldest
    /// first, for repetitions. With one thread, and without a clock, the result is a function of
    /// the searches since [`new_game`](Self::new_game); a node limit is divided among threads.
    pub fn search<'a>(
        &mut self,
        root: &Position,
        history: &[PositionKey],
        limits: &Limits,
        signals: impl Into<Signals<'a>>,
        on_info: &mut dyn FnMut(&SearchInfo),
    ) -> SearchResult {
        let signals = signals.into();
        self.table.new_search();
        // The own clock does not run while the opponent thinks.
        let clock = limits.clock.filter(|_| signals.is_own_turn());
        let lateness = self.lateness(clock);
        let Self { first, others, table, techniques, margins, endgames, timepiece, punctuality } =
            self;
        let tables = endgames.as_deref();
        let mut limits = limits.divided(1 + others.len() as u64);
        if limits.root_moves.is_empty() {
            limits.root_moves = tables.and_then(|t| t.best_moves(root)).unwrap_or_default();
        }
        let techniques = *techniques;
        let schedule = Schedule::new(&limits, lateness, &**timepiece);
        let limits = &limits;
        let task = Task { root, history, limits, schedule, techniques, margins, table, tables };
        let found = search_together(first, others, task, signals, on_info);
        if let (Some(clock), Some(most)) = (clock, schedule.most()) {
            punctuality.moved(clock, schedule.begun(), most, timepiece.now());
        }
        found
    }

    /// Measured lateness of moves.
    fn lateness(&mut self, clock: Option<Clock>) -> Lateness {
        let now = self.timepiece.now();
        clock.map_or(self.punctuality.known(), |clock| self.punctuality.at(clock, now))
    }
}

/// The first worker searches here, the others on threads of their own until it
/// is done.
fn search_together(
    first: &mut Worker,
    others: &mut [Worker],
    task: Task<'_>,
    signals: Signals<'_>,
    on_info: &mut dyn FnMut(&SearchInfo),
) -> SearchResult {
    let done = AtomicBool::new(false);
    let counters: Vec<AtomicU64> = (0..=others.len()).map(|_| AtomicU64::new(0)).collect();
    let budget = |worker: usize, signals| {
        Budget::new(task.limits, task.schedule, signals, &counters[worker])
    };
    let visited = || counters[1..].iter().map(|nodes| nodes.load(Ordering::Relaxed)).sum::<u64>();
    thread::scope(|scope| {
        let running: Vec<_> = (1..)
            .zip(others)
            .filter_map(|(i, other)| {
                let budget = budget(i, Signals::from(&done));
                let search = move || other.search(task, budget, &mut |_| {});
                // Without memory for a thread there is one less.
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, search).ok()
            })
            .collect();
        let mut result = first.search(task, budget(0, signals), &mut |info| {
            on_info(&SearchInfo { nodes: info.nodes + visited(), ..info });
        });
        done.store(true, Ordering::Relaxed);
        for other in running.into_iter().filter_map(|thread| thread.join().ok()) {
            result.nodes += other.nodes;
            result.evaluations += other.evaluations;
        }
        result
    })
}

#[cfg(test)]
mod tests;
