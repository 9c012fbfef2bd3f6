//! One conversation with an interface.
//!
//! The engine is either idle, with the searcher at hand, or working, with the
//! searcher lent to a thread: the two states of [`Player`], so that nothing can
//! touch a running search but its flags. Commands that need the searcher wait in
//! line until it is back; those that end or time a search are obeyed at once.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::command::{Command, Order, Signal};
use super::events::{Bell, Event, LONGEST_LINE, Room, Said};
use super::go::Go;
use super::hunt::hunter;
use super::option::{self, SetOption};
use super::out::Out;
use super::player::{Assignment, Ends, Notation, Player, Style, Work};
use super::{EvaluatorError, EvaluatorLoader, EvaluatorSource, UciOptions, show, strength};
use crate::book::{self, Book, BookMove};
use crate::{Limits, Searcher, bench, table};
use base::memory;
use chess::{EndgameTable, FenError, Key, MoveError, Position, Syzygy};

/// What follows an event.
pub(super) enum Next {
    /// The next event.
    Event,
    /// Work, while another thread hears the next events.
    Work(Work),
    /// Nothing any more.
    Quit,
}

/// Whether the conversation goes on behind a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goes {
    On,
    Quit,
}

/// How long a search may go on behind the end of input if it might never end.
const GRACE: Duration = Duration::from_secs(60);

pub(super) struct Session {
    out: Out,
    name: String,
    load_evaluator: EvaluatorLoader,
    evaluator: EvaluatorSource,
    player: Player,
    /// What waits for a search to end, with the room it takes.
    waiting: VecDeque<(Waiting, Room)>,
    /// Since when there is no more input.
    ended: Option<Instant>,
    /// When what is obeyed now was said, or could be heard if that was later.
    since: Instant,
    /// When the last event was dealt with.
    free_since: Instant,
    game: Game,
    settings: Settings,
}

/// What waits for its turn.
#[derive(Clone, Debug, PartialEq)]
enum Waiting {
    Order(Order),
    /// Said to a search that had not begun yet.
    Signal(Signal),
}

/// A game as far as it has come.
#[derive(Clone, Debug, Default)]
struct Game {
    position: Position,
    /// Keys of its earlier positions.
    history: Vec<Key>,
    /// Why another one, named since, was not taken.
    refused: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum GameError {
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl Game {
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

/// What options have set besides the searcher.
struct Settings {
    hash_mb: usize,
    threads: usize,
    lines: usize,
    overhead_ms: u64,
    notation: Notation,
    shows_chances: bool,
    limits_strength: bool,
    /// The rating to play at, if strength is limited.
    rating: u32,
    book: Option<Book>,
    own_book: bool,
    best_book_move: bool,
}

impl Settings {
    fn style(&self) -> Style {
        let Self { notation, lines, shows_chances, .. } = *self;
        Style { notation, numbered: lines > 1, chances: shows_chances }
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
        let player = Player::new(searcher, out.clone(), bell);
        let settings = Settings {
            hash_mb,
            threads: 1,
            lines: 1,
            overhead_ms: option::OVERHEAD_MS,
            notation: Notation::Standard,
            shows_chances: false,
            limits_strength: false,
            rating: *strength::RATINGS.end() as u32,
            book: None,
            own_book: false,
            best_book_move: false,
        };
        let (waiting, game) = (VecDeque::new(), Game::default());
        let (ended, now) = (None, Instant::now());
        Ok(Self {
            out,
            name,
            load_evaluator,
            evaluator,
            player,
            waiting,
            ended,
            since: now,
            free_since: now,
            game,
            settings,
        })
    }

    /// How long to wait for the next event at most.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.ended.map(|since| GRACE.saturating_sub(since.elapsed()).max(Duration::from_millis(1)))
    }

    pub(super) fn hear(&mut self, event: Event) -> Next {
        let next = self.deal_with(event);
        self.free_since = Instant::now();
        next
    }

    fn deal_with(&mut self, event: Event) -> Next {
        self.since = Instant::now();
        match event {
            Event::Line(Said { text, at, room }) => {
                // A script is read long before it is obeyed.
                self.since = at.max(self.free_since);
                if self.obey(&text, room) == Goes::Quit {
                    return Next::Quit;
                }
            }
            Event::TooLong(bytes) => self.out.tell(format_args!(
                "a line of {bytes} bytes is passed over; the longest is {LONGEST_LINE}"
            )),
            Event::End => self.ended = Some(Instant::now()),
            Event::Done => self.player.take_back(),
            Event::Nothing => {}
        }
        self.go_on();
        match self.player.take_work() {
            Some(work) => Next::Work(work),
            None if self.ended.is_some() && self.player.is_idle() => Next::Quit,
            None => Next::Event,
        }
    }

    /// Obeys a line, now or when the running search is over.
    fn obey(&mut self, line: &str, room: Room) -> Goes {
        let command = match Command::parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return Goes::On,
            Err(problem) => {
                self.out.tell(problem);
                return Goes::On;
            }
        };
        match command {
            Command::Quit => {
                self.player.stop();
                self.player.take_back();
                return Goes::Quit;
            }
            Command::Uci => self.introduce(),
            Command::IsReady => self.out.line("readyok"),
            Command::Signal(signal) => {
                // It was said to whatever waits as well.
                if !self.waiting.is_empty() {
                    self.waiting.push_back((Waiting::Signal(signal), room));
                }
                self.signal(signal);
            }
            Command::Order(order) => self.waiting.push_back((Waiting::Order(order), room)),
        }
        Goes::On
    }

    /// Obeys what waits, as far as the searcher is at hand.
    fn go_on(&mut self) {
        while let Some((next, room)) = self.waiting.pop_front() {
            match next {
                Waiting::Signal(signal) => self.signal(signal),
                Waiting::Order(order) if order.needs_searcher() && !self.player.is_idle() => {
                    self.waiting.push_front((Waiting::Order(order), room));
                    break;
                }
                Waiting::Order(order) => self.carry_out(order),
            }
        }
        self.end_what_is_not_wanted();
    }

    /// Ends a search that was stopped before it began, or that would never end while something
    /// waits for it or nobody is there to stop it.
    fn end_what_is_not_wanted(&mut self) {
        let is_stopped =
            self.waiting.iter().any(|(next, _)| *next == Waiting::Signal(Signal::Stop));
        let is_late = self.ended.is_some_and(|since| since.elapsed() >= GRACE);
        let is_alone = !self.waiting.is_empty() || self.ended.is_some();
        let never_ends = match self.player.ends() {
            Ends::Surely => false,
            Ends::Somewhen => is_late,
            Ends::WhenTold => is_alone,
        };
        if is_stopped || never_ends {
            self.player.stop();
        }
    }

    fn signal(&mut self, signal: Signal) {
        match signal {
            Signal::Stop => self.player.stop(),
            Signal::PonderHit => self.player.ponder_hit(),
        }
    }

    fn carry_out(&mut self, order: Order) {
        match order {
            Order::NewGame => self.player.change(|searcher| searcher.new_game()),
            Order::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Order::SetOption(option) => self.set_option(option),
            Order::Go(go) => self.go(&go),
            Order::Bench { depth } => {
                self.player.bench((self.evaluator)(), depth.unwrap_or(bench::DEPTH));
            }
            Order::Eval => self.evaluate(),
            Order::Display => {
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

    /// Takes the whole line or nothing: of a position with an illegal move in it none is
    /// taken, and no move is found until there is another.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        match Game::read(fen, moves) {
            Ok(game) => self.game = game,
            Err(problem) => {
                self.out.tell(&problem);
                self.game.refused = Some(problem.to_string());
            }
        }
    }

    fn set_option(&mut self, option: SetOption) {
        match option {
            SetOption::Hash(megabytes) => self.set_hash(megabytes),
            SetOption::ClearHash => self.player.change(|searcher| searcher.new_game()),
            SetOption::Threads(threads) => {
                self.settings.threads = threads;
                self.set_evaluators();
            }
            SetOption::Ponder => {}
            SetOption::MultiPv(lines) => self.settings.lines = lines,
            SetOption::ShowWdl(on) => self.settings.shows_chances = on,
            SetOption::LimitStrength(on) => self.settings.limits_strength = on,
            SetOption::Elo(rating) => self.settings.rating = rating,
            SetOption::MoveOverhead(milliseconds) => self.settings.overhead_ms = milliseconds,
            SetOption::EvalFile(file) => match (self.load_evaluator)(file.as_deref()) {
                Ok(evaluator) => {
                    self.evaluator = evaluator;
                    self.set_evaluators();
                }
                Err(problem) => self.out.tell(problem),
            },
            SetOption::SyzygyPath(path) => self.set_tables(path),
            SetOption::Chess960(on) => {
                self.settings.notation = if on { Notation::Chess960 } else { Notation::Standard };
            }
            SetOption::OwnBook(on) => self.settings.own_book = on,
            SetOption::BookFile(file) => self.set_book(file),
            SetOption::BestBookMove(on) => self.settings.best_book_move = on,
        }
    }

    /// A table that there is no memory for would end the program. What the old one holds
    /// is not counted on: the allocator keeps it.
    fn set_hash(&mut self, megabytes: usize) {
        let kept = self.settings.hash_mb;
        if megabytes > kept
            && let Err(shortage) = memory::ensure(table::bytes(megabytes))
        {
            let most = shortage.allowed() >> 20;
            return self.out.tell(format_args!(
                "Hash of {megabytes} MiB is refused: {shortage}; it stays at {kept} MiB, and \
                 {most} MiB could be had"
            ));
        }
        self.settings.hash_mb = megabytes;
        self.player.change(|searcher| searcher.set_hash(megabytes));
    }

    /// One evaluation for each thread.
    fn set_evaluators(&mut self) {
        let (threads, evaluator) = (self.settings.threads, &self.evaluator);
        self.player.change(|searcher| {
            searcher.set_evaluators(evaluator(), (1..threads).map(|_| evaluator()));
        });
    }

    fn set_tables(&mut self, path: Option<String>) {
        match path.map(|path| Syzygy::open(&path)).transpose() {
            Ok(tables) => {
                if let Some(tables) = &tables {
                    self.out.tell(format_args!("{} files of endgame tables", tables.files()));
                }
                let tables = tables.map(|tables| Arc::new(tables) as Arc<dyn EndgameTable>);
                self.player.change(|searcher| searcher.set_endgames(tables));
            }
            Err(problem) => self.out.tell(problem),
        }
    }

    fn set_book(&mut self, file: Option<String>) {
        match file.map(|file| Book::open(Path::new(&file))).transpose() {
            Ok(book) => self.settings.book = book,
            Err(problem) => self.out.tell(problem),
        }
    }

    fn go(&mut self, go: &Go) {
        if let Some(problem) = &self.game.refused {
            self.out.tell(format_args!("no move, for the position was refused: {problem}"));
            return self.out.line("bestmove 0000");
        }
        let Game { position, history, .. } = &self.game;
        if let Some(depth) = go.perft {
            return self.player.perft(position.clone(), depth, self.settings.notation);
        }
        if let Some(found) = self.book_move().filter(|_| go.is_plain()) {
            let text = self.settings.notation.write(position, found.played);
            self.out.line(format_args!("info string book move of weight {}", found.weight));
            return self.out.line(format_args!("bestmove {text}"));
        }
        let limits = go.limits(position, self.settings.overhead_ms);
        let limits = Limits { begun: Some(self.since), ..self.settings.limit(limits) };
        go.complaints(position).iter().for_each(|complaint| self.out.tell(complaint));
        self.player.start(Assignment {
            root: position.clone(),
            history: history.clone(),
            limits,
            ponder: go.ponder,
            style: self.settings.style(),
            searcher: go.is_hunt().then(|| hunter((self.evaluator)(), self.settings.hash_mb)),
        });
    }

    fn book_move(&self) -> Option<BookMove> {
        let Settings { book: Some(book), own_book: true, best_book_move, .. } = &self.settings
        else {
            return None;
        };
        let moves = book.moves(&self.game.position);
        // Every map of the standard library is seeded by chance.
        let number = if *best_book_move { 0 } else { RandomState::new().hash_one(()) };
        book::draw(&moves, number)
    }

    fn evaluate(&mut self) {
        let (position, out) = (&self.game.position, &self.out);
        self.player.change(|searcher| {
            let lines = show::evaluation(position, |position| searcher.evaluate(position));
            lines.iter().for_each(|line| out.line(line));
        });
    }
}
