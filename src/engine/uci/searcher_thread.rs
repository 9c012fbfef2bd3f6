//! The searcher, idle or lent to a thread.
//!
//! The thread that has read `go` searches itself, and another one takes over the session: on a busy
//! machine a new thread may wait for milliseconds before it begins, while the clock runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::search::{ScoreBound, SearchInfo, SearchResult, Searcher};
use crate::{Evaluator, Limits, Signals, Techniques, bench};
use chess::Score;
use chess::{Move, Position, PositionKey};

use super::events::Bell;
use super::out::Out;
use super::show;
use super::wdl::wdl;

pub(super) struct SearcherThread {
    state: SearcherState,
    /// Work for the thread that handles the current event.
    work: Option<SearchWork>,
    out: Out,
    bell: Bell,
}

/// End of a running search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchEnd {
    /// Soon, by a limit of time or nodes; or nothing runs.
    Soon,
    /// By itself, but perhaps in a hundred years.
    Eventually,
    /// Not before `stop`.
    OnStop,
}

enum SearcherState {
    Idle(Box<Searcher>),
    Working(RunningSearch),
    /// The thread died; nothing more can be searched.
    Lost,
}

/// A search, with its searcher.
pub(super) struct SearchWork(Box<dyn FnOnce() + Send>);

impl SearchWork {
    pub(super) fn run(self) {
        (self.0)();
    }
}

/// A searcher at work.
struct RunningSearch {
    /// Returns the searcher; a failed search returns none.
    returns: Receiver<Box<Searcher>>,
    flags: Arc<SearchFlags>,
    ends: SearchEnd,
}

/// Signals to the search.
#[derive(Default)]
struct SearchFlags {
    stop: AtomicBool,
    pondering: AtomicBool,
}

impl SearchFlags {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Notation of castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// As a move of the king by two squares, except in positions of Chess960.
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

/// Style of info lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct InfoStyle {
    pub notation: Notation,
    /// Whether lines have numbers, with several lines a search.
    pub numbered: bool,
    /// Whether lines have `wdl`.
    pub wdl: bool,
}

pub(super) struct Assignment {
    pub root: Position,
    /// Keys of the game's earlier positions.
    pub history: Vec<PositionKey>,
    pub limits: Limits,
    /// Whether it is the opponent's turn until `ponderhit`.
    pub ponder: bool,
    pub style: InfoStyle,
    /// Searches instead of the game's searcher.
    pub searcher: Option<Searcher>,
}

impl SearcherThread {
    /// An idle searcher; `bell` rings after each search.
    pub(super) fn new(searcher: Searcher, out: Out, bell: Bell) -> Self {
        Self { state: SearcherState::Idle(Box::new(searcher)), work: None, out, bell }
    }

    /// Whether the searcher is at hand, or lost for good.
    pub(super) fn is_idle(&self) -> bool {
        !matches!(self.state, SearcherState::Working(_))
    }

    /// End of the running search.
    pub(super) fn ends(&self) -> SearchEnd {
        match &self.state {
            SearcherState::Working(running) if running.flags.pondering.load(Ordering::Relaxed) => {
                SearchEnd::OnStop
            }
            SearcherState::Working(running) => running.ends,
            SearcherState::Idle(_) | SearcherState::Lost => SearchEnd::Soon,
        }
    }

    /// Begins to search; the work writes info and the best move.
    pub(super) fn start(&mut self, assignment: Assignment) {
        let out = self.out.clone();
        let Assignment { root, history, limits, ponder, style, searcher: mut own } = assignment;
        let flags = SearchFlags { pondering: ponder.into(), ..SearchFlags::default() };
        let ends = ends(&limits);
        self.lend(ends, flags, move |searcher, flags| {
            let mut report = |info: &SearchInfo| out.line(info_line(&root, info, style));
            let searcher = own.as_mut().unwrap_or(searcher);
            let signals = Signals::pondering(&flags.stop, &flags.pondering);
            let result = searcher.search(&root, &history, &limits, signals, &mut report);
            // The search may be at its end, but its move waits for `stop` or `ponderhit`.
            let waits = || limits.infinite || flags.pondering.load(Ordering::Relaxed);
            while waits() && !flags.is_stopped() {
                thread::sleep(Duration::from_millis(1));
            }
            if result.best.is_none() {
                let score = score_words(result.score);
                out.line(format_args!(
                    "info depth 0 score {score}{}",
                    wdl_words(result.score, &root, style)
                ));
            }
            out.line(best_line(&root, &result, style.notation));
        });
    }

    /// The opponent played the expected move: the search goes on, on the own clock.
    pub(super) fn ponder_hit(&self) {
        if let SearcherState::Working(running) = &self.state {
            running.flags.pondering.store(false, Ordering::Relaxed);
        }
    }

    pub(super) fn bench(&mut self, evaluator: Box<dyn Evaluator>, depth: u32) {
        let out = self.out.clone();
        self.lend(SearchEnd::Eventually, SearchFlags::default(), move |_, flags| {
            let count = bench::POSITIONS.len();
            let mut report = |i: usize, nodes: u64| {
                out.line(format_args!("info string bench {i}/{count} nodes {nodes}"));
            };
            let techniques = Techniques::PLAYING;
            let sum = bench::run(evaluator, techniques, depth, &flags.stop, &mut report);
            if let Some(sum) = sum {
                out.line(format_args!("{} nodes {:.0} nps", sum.nodes, sum.nodes_per_second()));
            }
        });
    }

    pub(super) fn perft(&mut self, root: Position, depth: u32, notation: Notation) {
        let out = self.out.clone();
        self.lend(SearchEnd::Eventually, SearchFlags::default(), move |_, flags| {
            let Some(counts) = show::divide(&root, depth, &flags.stop) else {
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
        ends: SearchEnd,
        flags: SearchFlags,
        work: impl FnOnce(&mut Searcher, &SearchFlags) + Send + 'static,
    ) {
        let SearcherState::Idle(mut searcher) =
            std::mem::replace(&mut self.state, SearcherState::Lost)
        else {
            return self.out.info("the search thread is gone; restart the engine");
        };
        let flags = Arc::new(flags);
        let (shared, alarm) = (Arc::clone(&flags), self.bell.alarm());
        let (back, returns) = channel();
        self.work = Some(SearchWork(Box::new(move || {
            let _alarm = alarm;
            work(&mut searcher, &shared);
            // Without a receiver the program is at its end.
            let _ = back.send(searcher);
        })));
        self.state = SearcherState::Working(RunningSearch { returns, flags, ends });
    }

    pub(super) fn take_work(&mut self) -> Option<SearchWork> {
        self.work.take()
    }

    /// Stops the running search.
    pub(super) fn stop(&self) {
        if let SearcherState::Working(running) = &self.state {
            running.flags.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for the end of the search, and takes the searcher back.
    pub(super) fn take_back(&mut self) {
        self.state = match std::mem::replace(&mut self.state, SearcherState::Lost) {
            SearcherState::Working(running) => match running.returns.recv() {
                Ok(searcher) => SearcherState::Idle(searcher),
                Err(_) => {
                    self.out.info("the search failed; restart the engine");
                    SearcherState::Lost
                }
            },
            state => state,
        };
    }

    /// Changes the searcher, if it is idle.
    pub(super) fn change(&mut self, work: impl FnOnce(&mut Searcher)) {
        if let SearcherState::Idle(searcher) = &mut self.state {
            work(searcher);
        }
    }
}

/// Nodes of about an hour.
const MANY: u64 = 10_000_000_000;

/// End of a search within these limits.
fn ends(limits: &Limits) -> SearchEnd {
    if limits.infinite {
        SearchEnd::OnStop
    } else if limits.nodes.is_some_and(|nodes| nodes < MANY)
        || limits.movetime.is_some()
        || limits.clock.is_some()
    {
        SearchEnd::Soon
    } else {
        SearchEnd::Eventually
    }
}

fn info_line(root: &Position, info: &SearchInfo, style: InfoStyle) -> String {
    let milliseconds = info.elapsed.as_millis();
    let rate = (info.nodes as f64 / info.elapsed.as_secs_f64().max(1e-6)) as u64;
    let number = if style.numbered { format!(" multipv {}", info.line) } else { String::new() };
    let bound = match info.bound {
        ScoreBound::Exact => "",
        ScoreBound::Lower => " lowerbound",
        ScoreBound::Upper => " upperbound",
    };
    let mut line = format!(
        "info depth {} seldepth {}{number} score {}{bound}{} nodes {} nps {rate} hashfull {} time \
         {milliseconds} pv",
        info.depth,
        info.selective_depth,
        score_words(info.score),
        wdl_words(info.score, root, style),
        info.nodes,
        info.permille_used,
    );
    for &m in &info.pv {
        line.push(' ');
        line.push_str(&style.notation.write(root, m));
    }
    line
}

fn wdl_words(score: Score, root: &Position, style: InfoStyle) -> String {
    if !style.wdl {
        return String::new();
    }
    let [wins, draws, losses] = wdl(score, root);
    format!(" wdl {wins} {draws} {losses}")
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
        // The answer that interfaces expect in a finished game.
        (None, _) => "bestmove 0000".to_owned(),
    }
}
