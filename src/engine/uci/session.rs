//! A session with an interface.
//!
//! The engine is either idle, with the searcher at hand, or working, with the
//! searcher lent to a thread: the two states of [`SearcherThread`], so that nothing can
//! touch a running search but its flags. Commands that need the searcher wait in
//! line until it is back; those that end or time a search are executed at once.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::command::{Command, QueuedCommand, Signal};
use super::events::{Bell, Event, InputLine, LONGEST_LINE, QueueRoom};
use super::go::Go;
use super::mate_search::mate_searcher;
use super::option::{self, SetOption};
use super::out::Out;
use super::searcher_thread::{
    Assignment, InfoStyle, Notation, SearchEnd, SearchWork, SearcherThread,
};
use super::{EvaluatorError, EvaluatorLoader, EvaluatorSource, UciOptions, show, strength};
use crate::book::{self, Book, BookMove};
use crate::{Limits, Searcher, Techniques, bench, table};
use base::memory;
use chess::{EndgameTable, FenError, MoveError, Position, PositionKey, Syzygy};

/// The step after an event.
pub(super) enum Next {
    /// The next event.
    Event,
    /// Work, while another thread handles the next events.
    Work(SearchWork),
    /// End of the session.
    Quit,
}

/// Whether the session goes on after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterLine {
    On,
    Quit,
}

/// Longest time of a search that may never end, after the end of input.
const GRACE: Duration = Duration::from_secs(60);

pub(super) struct Session {
    out: Out,
    name: String,
    load_evaluator: EvaluatorLoader,
    evaluator: EvaluatorSource,
    searcher: SearcherThread,
    /// Commands that wait for a search to end, with their shares of the queue.
    waiting: VecDeque<(Waiting, QueueRoom)>,
    /// Parts of the search in play.
    techniques: Techniques,
    /// Since when there is no more input.
    ended: Option<Instant>,
    /// Time of the current line, or of the session's last free moment if that was later.
    since: Instant,
    /// Time of the last event's end.
    free_since: Instant,
    game: UciGame,
    settings: UciSettings,
}

/// A waiting command or signal.
#[derive(Clone, Debug, PartialEq)]
enum Waiting {
    Queued(QueuedCommand),
    /// For a search that had not begun yet.
    Signal(Signal),
}

/// The current game.
#[derive(Clone, Debug, Default)]
struct UciGame {
    position: Position,
    /// Keys of its earlier positions.
    history: Vec<PositionKey>,
    /// Error of the last `position`, if it was refused.
    refused: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum GameError {
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl UciGame {
    fn read(fen: Option<&str>, moves: &[String]) -> Result<Self, GameError> {
        let mut game = Self {
            position: fen.map(Position::from_fen).transpose()?.unwrap_or_default(),
            history: Vec::with_capacity(moves.len()),
            refused: None,
        };
        for text in moves {
            let played = game.position.parse_uci(text)?;
            game.history.push(game.position.key());
            game.position.play(played);
        }
        Ok(game)
    }
}

/// Values of options outside the searcher.
struct UciSettings {
    hash_mb: usize,
    threads: usize,
    lines: usize,
    overhead_ms: u64,
    notation: Notation,
    shows_wdl: bool,
    limits_strength: bool,
    /// The rating to play at, if strength is limited.
    rating: u32,
    book: Option<Book>,
    own_book: bool,
    best_book_move: bool,
}

impl UciSettings {
    fn style(&self) -> InfoStyle {
        let Self { notation, lines, shows_wdl, .. } = *self;
        InfoStyle { notation, numbered: lines > 1, wdl: shows_wdl }
    }

    /// The limits of a search, and those that options set.
    fn limit(&self, limits: Limits) -> Limits {
        let most = self.limits_strength.then(|| strength::nodes(self.rating));
        let nodes = limits.nodes.into_iter().chain(most).min();
        Limits { lines: self.lines, nodes, ..limits }
    }
}

impl Session {
    pub(super) fn new(out: Out, options: UciOptions, bell: Bell) -> Result<Self, EvaluatorError> {
        let UciOptions { name, load_evaluator, hash_mb, techniques } = options;
        let hash_mb = hash_mb.clamp(1, table::MOST_HASH_MB);
        let evaluator = load_evaluator(None)?;
        let searcher = Searcher::new(evaluator(), hash_mb).with_techniques(techniques);
        let searcher = SearcherThread::new(searcher, out.clone(), bell);
        let settings = UciSettings {
            hash_mb,
            threads: 1,
            lines: 1,
            overhead_ms: option::OVERHEAD_MS,
            notation: Notation::Standard,
            shows_wdl: false,
            limits_strength: false,
            rating: *strength::RATINGS.end() as u32,
            book: None,
            own_book: false,
            best_book_move: false,
        };
        let (waiting, game) = (VecDeque::new(), UciGame::default());
        let (ended, now) = (None, Instant::now());
        Ok(Self {
            out,
            name,
            load_evaluator,
            evaluator,
            searcher,
            waiting,
            techniques,
            ended,
            since: now,
            free_since: now,
            game,
            settings,
        })
    }

    /// Longest wait for the next event.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.ended.map(|since| GRACE.saturating_sub(since.elapsed()).max(Duration::from_millis(1)))
    }

    pub(super) fn handle(&mut self, event: Event) -> Next {
        let next = self.react(event);
        self.free_since = Instant::now();
        next
    }

    fn react(&mut self, event: Event) -> Next {
        self.since = Instant::now();
        match event {
            Event::Line(InputLine { text, at, room }) => {
                // A script is read long before it is executed.
                self.since = at.max(self.free_since);
                if self.execute_line(&text, room) == AfterLine::Quit {
                    return Next::Quit;
                }
            }
            Event::TooLong(bytes) => self
                .out
                .info(format_args!("line of {bytes} bytes ignored; the maximum is {LONGEST_LINE}")),
            Event::End => self.ended = Some(Instant::now()),
            Event::Done => self.searcher.take_back(),
            Event::Nothing => {}
        }
        self.go_on();
        match self.searcher.take_work() {
            Some(work) => Next::Work(work),
            None if self.ended.is_some() && self.searcher.is_idle() => Next::Quit,
            None => Next::Event,
        }
    }

    /// Executes a line, now or when the running search is over.
    fn execute_line(&mut self, line: &str, room: QueueRoom) -> AfterLine {
        let command = match Command::parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return AfterLine::On,
            Err(problem) => {
                self.out.info(problem);
                return AfterLine::On;
            }
        };
        match command {
            Command::Quit => {
                self.searcher.stop();
                self.searcher.take_back();
                return AfterLine::Quit;
            }
            Command::Uci => self.introduce(),
            Command::IsReady => self.out.line("readyok"),
            Command::Signal(signal) => {
                // It concerns the waiting commands as well.
                if !self.waiting.is_empty() {
                    self.waiting.push_back((Waiting::Signal(signal), room));
                }
                self.signal(signal);
            }
            Command::Queued(command) => self.waiting.push_back((Waiting::Queued(command), room)),
        }
        AfterLine::On
    }

    /// Executes waiting commands, as far as the searcher is at hand.
    fn go_on(&mut self) {
        while let Some((next, room)) = self.waiting.pop_front() {
            match next {
                Waiting::Signal(signal) => self.signal(signal),
                Waiting::Queued(command)
                    if command.needs_searcher() && !self.searcher.is_idle() =>
                {
                    self.waiting.push_front((Waiting::Queued(command), room));
                    break;
                }
                Waiting::Queued(command) => self.execute(command),
            }
        }
        self.end_unwanted_search();
    }

    /// Ends a search that was stopped before it began, or that would never end while commands wait
    /// for it or input has ended.
    fn end_unwanted_search(&mut self) {
        let is_stopped =
            self.waiting.iter().any(|(next, _)| *next == Waiting::Signal(Signal::Stop));
        let is_late = self.ended.is_some_and(|since| since.elapsed() >= GRACE);
        let is_alone = !self.waiting.is_empty() || self.ended.is_some();
        let never_ends = match self.searcher.ends() {
            SearchEnd::Soon => false,
            SearchEnd::Eventually => is_late,
            SearchEnd::OnStop => is_alone,
        };
        if is_stopped || never_ends {
            self.searcher.stop();
        }
    }

    fn signal(&mut self, signal: Signal) {
        match signal {
            Signal::Stop => self.searcher.stop(),
            Signal::PonderHit => self.searcher.ponder_hit(),
        }
    }

    fn execute(&mut self, command: QueuedCommand) {
        match command {
            QueuedCommand::NewGame => self.searcher.change(|searcher| searcher.new_game()),
            QueuedCommand::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            QueuedCommand::SetOption(option) => self.set_option(option),
            QueuedCommand::Go(go) => self.go(&go),
            QueuedCommand::Bench { depth } => {
                self.searcher.bench((self.evaluator)(), depth.unwrap_or(bench::DEPTH));
            }
            QueuedCommand::Eval => self.evaluate(),
            QueuedCommand::Display => {
                let lines = show::position(&self.game.position);
                lines.iter().for_each(|line| self.out.line(line));
            }
        }
    }

    fn introduce(&self) {
        let out = &self.out;
        out.line(format_args!("id name {}", self.name));
        out.line("id author the oplus authors");
        for declaration in option::declarations(self.settings.hash_mb) {
            out.line(format_args!("option name {declaration}"));
        }
        out.line("uciok");
    }

    /// Sets the whole position or none: a line with an illegal move is refused, and `go` has no
    /// move until the next valid one.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        match UciGame::read(fen, moves) {
            Ok(game) => self.game = game,
            Err(problem) => {
                self.out.info(&problem);
                self.game.refused = Some(problem.to_string());
            }
        }
    }

    fn set_option(&mut self, option: SetOption) {
        match option {
            SetOption::Hash(megabytes) => self.set_hash(megabytes),
            SetOption::ClearHash => self.searcher.change(|searcher| searcher.new_game()),
            SetOption::Threads(threads) => {
                self.settings.threads = threads;
                self.set_evaluators();
            }
            SetOption::Ponder => {}
            SetOption::MultiPv(lines) => self.settings.lines = lines,
            SetOption::ShowWdl(on) => self.settings.shows_wdl = on,
            SetOption::LimitStrength(on) => self.settings.limits_strength = on,
            SetOption::Elo(rating) => self.settings.rating = rating,
            SetOption::MoveOverhead(milliseconds) => self.settings.overhead_ms = milliseconds,
            SetOption::EvalFile(file) => match (self.load_evaluator)(file.as_deref()) {
                Ok(evaluator) => {
                    self.evaluator = evaluator;
                    self.set_evaluators();
                }
                Err(problem) => self.out.info(problem),
            },
            SetOption::SyzygyPath(path) => self.set_tables(path),
            SetOption::Chess960(on) => {
                self.settings.notation = if on { Notation::Chess960 } else { Notation::Standard };
            }
            SetOption::OwnBook(on) => self.settings.own_book = on,
            SetOption::BookFile(file) => self.set_book(file),
            SetOption::BestBookMove(on) => self.settings.best_book_move = on,
            SetOption::Judging(on) => {
                let own = self.techniques;
                let techniques = if on { own.judging() } else { own };
                self.searcher.change(|searcher| searcher.set_techniques(techniques));
            }
        }
    }

    /// A table without memory would end the program. The old table's memory does not count: the
    /// allocator keeps it.
    fn set_hash(&mut self, megabytes: usize) {
        let kept = self.settings.hash_mb;
        if megabytes > kept
            && let Err(shortage) = memory::ensure(table::bytes(megabytes))
        {
            let most = shortage.allowed() >> 20;
            return self.out.info(format_args!(
                "Hash of {megabytes} MiB refused: {shortage}; it stays at {kept} MiB, \
                 {most} MiB are available"
            ));
        }
        self.settings.hash_mb = megabytes;
        self.searcher.change(|searcher| searcher.set_hash(megabytes));
    }

    /// One evaluation for each thread.
    fn set_evaluators(&mut self) {
        let (threads, evaluator) = (self.settings.threads, &self.evaluator);
        self.searcher.change(|searcher| {
            searcher.set_evaluators(evaluator(), (1..threads).map(|_| evaluator()));
        });
    }

    fn set_tables(&mut self, path: Option<String>) {
        match path.map(|path| Syzygy::open(&path)).transpose() {
            Ok(tables) => {
                if let Some(tables) = &tables {
                    self.out.info(format_args!("{} files of endgame tables", tables.files()));
                }
                let tables = tables.map(|tables| Arc::new(tables) as Arc<dyn EndgameTable>);
                self.searcher.change(|searcher| searcher.set_endgames(tables));
            }
            Err(problem) => self.out.info(problem),
        }
    }

    fn set_book(&mut self, file: Option<String>) {
        match file.map(|file| Book::open(Path::new(&file))).transpose() {
            Ok(book) => self.settings.book = book,
            Err(problem) => self.out.info(problem),
        }
    }

    fn go(&mut self, go: &Go) {
        if let Some(problem) = &self.game.refused {
            self.out.info(format_args!("no move: the position was refused: {problem}"));
            return self.out.line("bestmove 0000");
        }
        let UciGame { position, history, .. } = &self.game;
        if let Some(depth) = go.perft {
            return self.searcher.perft(position.clone(), depth, self.settings.notation);
        }
        if let Some(found) = self.book_move().filter(|_| go.is_plain()) {
            let text = self.settings.notation.write(position, found.played);
            self.out.line(format_args!("info string book move of weight {}", found.weight));
            return self.out.line(format_args!("bestmove {text}"));
        }
        let limits = go.limits(position, self.settings.overhead_ms);
        let limits = Limits { begun: Some(self.since), ..self.settings.limit(limits) };
        go.complaints(position).iter().for_each(|complaint| self.out.info(complaint));
        self.searcher.start(Assignment {
            root: position.clone(),
            history: history.clone(),
            limits,
            ponder: go.ponder,
            style: self.settings.style(),
            searcher: go
                .is_mate_search()
                .then(|| mate_searcher((self.evaluator)(), self.settings.hash_mb)),
        });
    }

    fn book_move(&self) -> Option<BookMove> {
        let UciSettings { book: Some(book), own_book: true, best_book_move, .. } = &self.settings
        else {
            return None;
        };
        let moves = book.moves(&self.game.position);
        // The standard library seeds every map at random.
        let number = if *best_book_move { 0 } else { RandomState::new().hash_one(()) };
        book::draw(&moves, number)
    }

    fn evaluate(&mut self) {
        let (position, out) = (&self.game.position, &self.out);
        self.searcher.change(|searcher| {
            let lines = show::evaluation(position, |position| searcher.evaluate(position));
            lines.iter().for_each(|line| out.line(line));
        });
    }
}
