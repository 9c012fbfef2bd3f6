//! The searcher, at hand or lent to a search thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::chess::{Key, Position};
use crate::data::Score;

use super::super::search::{STACK_BYTES, SearchInfo, SearchResult, Searcher};
use super::super::{Evaluator, Limits, Techniques, bench};
use super::Out;

/// The engine as a session sees it.
pub struct Player {
    state: State,
    out: Out,
}

enum State {
    Idle(Box<Searcher>),
    Searching(Loan),
    /// The search thread died; nothing more can be searched.
    Lost,
}

/// A searcher on its thread.
struct Loan {
    thread: JoinHandle<Box<Searcher>>,
    stop: Arc<AtomicBool>,
    endless: bool,
}

impl Player {
    pub fn new(evaluator: Box<dyn Evaluator>, hash_mb: usize, out: Out) -> Self {
        Self { state: State::Idle(Box::new(Searcher::new(evaluator, hash_mb))), out }
    }

    /// Begins to search; the search thread writes info and the best move.
    pub fn start(&mut self, root: Position, history: Vec<Key>, limits: Limits) {
        let out = self.out.clone();
        self.lend(limits.infinite, move |searcher, stop| {
            let mut report = |info: &SearchInfo| out.line(info_line(&root, info));
            let result = searcher.search(&root, &history, &limits, stop, &mut report);
            // An infinite search may run out of depth, but its move waits for `stop`.
            while limits.infinite && !stop.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(2));
            }
            out.line(best_line(&root, &result));
        });
    }

    /// Runs the bench on the search thread.
    pub fn bench(&mut self, evaluator: Box<dyn Evaluator>, depth: u32) {
        let out = self.out.clone();
        self.lend(false, move |_, stop| {
            let count = bench::POSITIONS.len();
            let mut report = |i: usize, nodes: u64| {
                out.line(format_args!("info string bench {i}/{count} nodes {nodes}"));
            };
            if let Some(sum) = bench::run(evaluator, Techniques::ALL, depth, stop, &mut report) {
                out.line(format_args!("{} nodes {:.0} nps", sum.nodes, sum.nodes_per_second()));
            }
        });
    }

    fn lend(
        &mut self,
        endless: bool,
        work: impl FnOnce(&mut Searcher, &AtomicBool) + Send + 'static,
    ) {
        self.finish();
        let State::Idle(mut searcher) = std::mem::replace(&mut self.state, State::Lost) else {
            return self.out.complain("the search thread is gone; restart the engine");
        };
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            work(&mut searcher, &flag);
            searcher
        });
        match spawned {
            Ok(thread) => self.state = State::Searching(Loan { thread, stop, endless }),
            Err(problem) => self.out.complain(format_args!("no search thread: {problem}")),
        }
    }

    /// Ends a running search and waits for its best move.
    pub fn stop(&mut self) {
        if let State::Searching(loan) = &self.state {
            loan.stop.store(true, Ordering::Relaxed);
        }
        self.take_back();
    }

    /// Lets a search with limits come to its end; ends any other.
    pub fn finish(&mut self) {
        match &self.state {
            State::Searching(loan) if loan.endless => self.stop(),
            _ => self.take_back(),
        }
    }

    fn take_back(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Lost) {
            State::Searching(loan) => match loan.thread.join() {
                Ok(searcher) => State::Idle(searcher),
                Err(_) => {
                    self.out.complain("the search failed; restart the engine");
                    State::Lost
                }
            },
            state => state,
        };
    }

    /// Does something to the searcher, if it is at hand.
    pub fn change(&mut self, work: impl FnOnce(&mut Searcher)) {
        if let State::Idle(searcher) = &mut self.state {
            work(searcher);
        }
    }
}

fn info_line(root: &Position, info: &SearchInfo) -> String {
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
        line.push_str(&root.uci(m));
    }
    line
}

fn score_words(score: Score) -> String {
    match score {
        Score::Centipawns(value) => format!("cp {value}"),
        Score::Mate(moves) => format!("mate {moves}"),
    }
}

fn best_line(root: &Position, result: &SearchResult) -> String {
    match (result.best, result.pv.get(1)) {
        (Some(best), Some(&reply)) => {
            format!("bestmove {} ponder {}", root.uci(best), root.uci(reply))
        }
        (Some(best), None) => format!("bestmove {}", root.uci(best)),
        // What interfaces expect of a finished game.
        (None, _) => "bestmove 0000".to_owned(),
    }
}
