//! The searcher, idle or lent to a search thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::search::{STACK_BYTES, SearchInfo, SearchResult, Searcher};
use crate::{Evaluator, Limits, Signals, Techniques, bench};
use chess::{Key, Move, Position};
use data::Score;

use super::out::Out;
use super::show;

pub(super) struct Player {
    state: State,
    out: Out,
}

enum State {
    Idle(Box<Searcher>),
    Working(Loan),
    /// The thread died; nothing more can be searched.
    Lost,
}

/// A searcher on its thread.
struct Loan {
    thread: JoinHandle<Box<Searcher>>,
    calls: Arc<Calls>,
    /// Nothing but `stop` ends it.
    endless: bool,
}

/// Signals to the search thread.
#[derive(Default)]
struct Calls {
    stop: AtomicBool,
    pondering: AtomicBool,
}

impl Calls {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// How castling is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// As a move of the king by two squares, except where the position is one
    /// that only Chess960 knows.
    Standard,
    /// King takes rook.
    Chess960,
}

impl Notation {
    pub(super) fn write(self, root: &Position, m: Move) -> String {
        match self {
            Self::Standard => root.uci(m),
            Self::Chess960 => root.uci_chess960(m),
        }
    }
}

pub(super) struct Assignment {
    pub root: Position,
    /// Keys of the game's earlier positions.
    pub history: Vec<Key>,
    pub limits: Limits,
    /// Whether it is the opponent's turn until `ponderhit`.
    pub ponder: bool,
    pub notation: Notation,
    /// Searches instead of the game's searcher.
    pub searcher: Option<Searcher>,
}

impl Player {
    pub(super) fn new(searcher: Searcher, out: Out) -> Self {
        Self { state: State::Idle(Box::new(searcher)), out }
    }

    /// Begins to search; the thread writes info and the best move.
    pub(super) fn start(&mut self, assignment: Assignment) {
        let out = self.out.clone();
        let Assignment { root, history, limits, ponder, notation, searcher: mut own } = assignment;
        let calls = Calls { pondering: ponder.into(), ..Calls::default() };
        self.lend(limits.infinite, calls, move |searcher, calls| {
            let mut report = |info: &SearchInfo| out.line(info_line(&root, info, notation));
            let searcher = own.as_mut().unwrap_or(searcher);
            let signals = Signals::pondering(&calls.stop, &calls.pondering);
            let result = searcher.search(&root, &history, &limits, signals, &mut report);
            // The search may be at its end, but its move has to be asked for.
            let waits = || limits.infinite || calls.pondering.load(Ordering::Relaxed);
            while waits() && !calls.is_stopped() {
                thread::sleep(Duration::from_millis(1));
            }
            out.line(best_line(&root, &result, notation));
        });
    }

    /// The opponent played the move expected: the search goes on as one's own.
    pub(super) fn ponder_hit(&self) {
        if let State::Working(loan) = &self.state {
            loan.calls.pondering.store(false, Ordering::Relaxed);
        }
    }

    pub(super) fn bench(&mut self, evaluator: Box<dyn Evaluator>, depth: u32) {
        let out = self.out.clone();
        self.lend(false, Calls::default(), move |_, calls| {
            let count = bench::POSITIONS.len();
            let mut report = |i: usize, nodes: u64| {
                out.line(format_args!("info string bench {i}/{count} nodes {nodes}"));
            };
            let techniques = Techniques::PLAYING;
            let sum = bench::run(evaluator, techniques, depth, &calls.stop, &mut report);
            if let Some(sum) = sum {
                out.line(format_args!("{} nodes {:.0} nps", sum.nodes, sum.nodes_per_second()));
            }
        });
    }

    pub(super) fn perft(&mut self, root: Position, depth: u32, notation: Notation) {
        let out = self.out.clone();
        self.lend(false, Calls::default(), move |_, calls| {
            let Some(counts) = show::divide(&root, depth, &calls.stop) else {
                return out.line("info string perft stopped");
            };
            for (m, count) in &counts {
                out.line(format_args!("{}: {count}", notation.write(&root, *m)));
            }
            let sum: u64 = counts.iter().map(|(_, count)| count).sum();
            out.line(format_args!("\nNodes searched: {sum}\n"));
        });
    }

    fn lend(
        &mut self,
        endless: bool,
        calls: Calls,
        work: impl FnOnce(&mut Searcher, &Calls) + Send + 'static,
    ) {
        self.finish();
        let State::Idle(mut searcher) = std::mem::replace(&mut self.state, State::Lost) else {
            return self.out.tell("the search thread is gone; restart the engine");
        };
        let calls = Arc::new(calls);
        let heard = Arc::clone(&calls);
        let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            work(&mut searcher, &heard);
            searcher
        });
        match spawned {
            Ok(thread) => self.state = State::Working(Loan { thread, calls, endless }),
            Err(problem) => self.out.tell(format_args!("no search thread: {problem}")),
        }
    }

    /// Stops whatever runs and waits for its output.
    pub(super) fn stop(&mut self) {
        if let State::Working(loan) = &self.state {
            loan.calls.stop.store(true, Ordering::Relaxed);
        }
        self.take_back();
    }

    /// Waits for work that ends by itself; stops an infinite search.
    pub(super) fn finish(&mut self) {
        let endless = |loan: &Loan| loan.endless || loan.calls.pondering.load(Ordering::Relaxed);
        match &self.state {
            State::Working(loan) if endless(loan) => self.stop(),
            _ => self.take_back(),
        }
    }

    fn take_back(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Lost) {
            State::Working(loan) => match loan.thread.join() {
                Ok(searcher) => State::Idle(searcher),
                Err(_) => {
                    self.out.tell("the search failed; restart the engine");
                    State::Lost
                }
            },
            state => state,
        };
    }

    /// Changes the searcher, if it is idle.
    pub(super) fn change(&mut self, work: impl FnOnce(&mut Searcher)) {
        if let State::Idle(searcher) = &mut self.state {
            work(searcher);
        }
    }
}

fn info_line(root: &Position, info: &SearchInfo, notation: Notation) -> String {
    let milliseconds = info.elapsed.as_millis();
    let rate = (info.nodes as f64 / info.elapsed.as_secs_f64().max(1e-6)) as u64;
    let mut line = format!(
        "info depth {} seldepth {} score {} nodes {} nps {rate} hashfull {} time {milliseconds} pv",
        info.depth,
        info.selective_depth,
        score_words(info.score),
        info.nodes,
        info.permille_used,
    );
    for &m in &info.pv {
        line.push(' ');
        line.push_str(&notation.write(root, m));
    }
    line
}

fn score_words(score: Score) -> String {
    match score {
        Score::Centipawns(value) => format!("cp {value}"),
        Score::Mate(moves) => format!("mate {moves}"),
    }
}

fn best_line(root: &Position, result: &SearchResult, notation: Notation) -> String {
    match (result.best, result.pv.get(1)) {
        (Some(best), Some(&reply)) => format!(
            "bestmove {} ponder {}",
            notation.write(root, best),
            notation.write(root, reply)
        ),
        (Some(best), None) => format!("bestmove {}", notation.write(root, best)),
        // What interfaces expect of a finished game.
        (None, _) => "bestmove 0000".to_owned(),
    }
}
