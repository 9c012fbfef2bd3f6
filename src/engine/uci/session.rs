//! One conversation with an interface.
//!
//! The engine is either idle, with the searcher at hand, or working, with the
//! searcher lent to a thread: the two states of [`Player`], so that nothing can
//! touch a running search but its flags.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::Arc;

use super::command::Command;
use super::go::Go;
use super::hunt::hunter;
use super::option::{self, SetOption};
use super::out::Out;
use super::player::{Assignment, Notation, Player};
use super::{EvaluatorError, EvaluatorLoader, EvaluatorSource, UciOptions, show};
use crate::book::{self, Book, BookMove};
use crate::{Searcher, bench, table};
use base::memory;
use chess::{EndgameTable, Key, Position, Syzygy};

/// What follows a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Line,
    Quit,
}

pub(super) struct Session {
    out: Out,
    name: String,
    load_evaluator: EvaluatorLoader,
    evaluator: EvaluatorSource,
    player: Player,
    position: Position,
    /// Keys of the earlier positions of the game.
    history: Vec<Key>,
    settings: Settings,
}

/// What options have set besides the searcher.
struct Settings {
    hash_mb: usize,
    threads: usize,
    overhead_ms: u64,
    notation: Notation,
    book: Option<Book>,
    own_book: bool,
    best_book_move: bool,
}

impl Session {
    pub(super) fn new(out: Out, options: UciOptions) -> Result<Self, EvaluatorError> {
        let UciOptions { name, load_evaluator, hash_mb, techniques } = options;
        let hash_mb = hash_mb.clamp(1, table::MOST_HASH_MB);
        let evaluator = load_evaluator(None)?;
        let searcher = Searcher::new(evaluator(), hash_mb).with_techniques(techniques);
        let player = Player::new(searcher, out.clone());
        let settings = Settings {
            hash_mb,
            threads: 1,
            overhead_ms: option::OVERHEAD_MS,
            notation: Notation::Standard,
            book: None,
            own_book: false,
            best_book_move: false,
        };
        let (position, history) = (Position::default(), Vec::new());
        Ok(Self { out, name, load_evaluator, evaluator, player, position, history, settings })
    }

    pub(super) fn obey(&mut self, line: &str) -> Next {
        match Command::parse(line) {
            Ok(Some(command)) => return self.execute(command),
            Ok(None) => {}
            Err(problem) => self.out.tell(problem),
        }
        Next::Line
    }

    fn execute(&mut self, command: Command) -> Next {
        match command {
            Command::Quit => {
                self.player.stop();
                return Next::Quit;
            }
            Command::Uci => self.introduce(),
            Command::IsReady => self.out.line("readyok"),
            Command::Stop => self.player.stop(),
            Command::PonderHit => self.player.ponder_hit(),
            Command::NewGame => {
                self.player.finish();
                self.player.change(|searcher| searcher.new_game());
            }
            Command::Position { fen, moves } => self.set_position(fen, &moves),
            Command::SetOption(option) => self.set_option(option),
            Command::Go(go) => self.go(&go),
            Command::Bench { depth } => {
                self.player.bench((self.evaluator)(), depth.unwrap_or(bench::DEPTH));
            }
            Command::Eval => self.evaluate(),
            Command::Display => {
                show::position(&self.position).iter().for_each(|line| self.out.line(line));
            }
        }
        Next::Line
    }

    /// Waits for what runs, as at the end of input.
    pub(super) fn finish(&mut self) {
        self.player.finish();
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

    /// Takes the whole line or nothing: a position with an illegal move in it
    /// leaves the old one standing.
    fn set_position(&mut self, fen: Option<String>, moves: &[String]) {
        let start = match fen.as_deref().map(Position::from_fen).transpose() {
            Ok(start) => start.unwrap_or_default(),
            Err(problem) => return self.out.tell(problem),
        };
        let mut position = start;
        let mut history = Vec::with_capacity(moves.len());
        for text in moves {
            match position.parse_uci(text) {
                Ok(m) => {
                    history.push(position.key());
                    position.play(m);
                }
                Err(problem) => return self.out.tell(problem),
            }
        }
        (self.position, self.history) = (position, history);
    }

    fn set_option(&mut self, option: SetOption) {
        self.player.finish();
        match option {
            SetOption::Hash(megabytes) => self.set_hash(megabytes),
            SetOption::ClearHash => self.player.change(|searcher| searcher.new_game()),
            SetOption::Threads(threads) => {
                self.settings.threads = threads;
                self.set_evaluators();
            }
            SetOption::Ponder => {}
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
        self.player.finish();
        if let Some(depth) = go.perft {
            return self.player.perft(self.position.clone(), depth, self.settings.notation);
        }
        if let Some(found) = self.book_move().filter(|_| go.is_plain()) {
            let text = self.settings.notation.write(&self.position, found.played);
            self.out.line(format_args!("info string book move of weight {}", found.weight));
            return self.out.line(format_args!("bestmove {text}"));
        }
        match go.limits(&self.position, self.settings.overhead_ms) {
            Ok(limits) => self.player.start(Assignment {
                root: self.position.clone(),
                history: self.history.clone(),
                limits,
                ponder: go.ponder,
                notation: self.settings.notation,
                searcher: go.is_hunt().then(|| hunter((self.evaluator)(), self.settings.hash_mb)),
            }),
            Err(problem) => self.out.tell(problem),
        }
    }

    fn book_move(&self) -> Option<BookMove> {
        let Settings { book: Some(book), own_book: true, best_book_move, .. } = &self.settings
        else {
            return None;
        };
        let moves = book.moves(&self.position);
        // Every map of the standard library is seeded by chance.
        let number = if *best_book_move { 0 } else { RandomState::new().hash_one(()) };
        book::draw(&moves, number)
    }

    fn evaluate(&mut self) {
        self.player.finish();
        let (position, out) = (&self.position, &self.out);
        self.player.change(|searcher| {
            let lines = show::evaluation(position, |position| searcher.evaluate(position));
            lines.iter().for_each(|line| out.line(line));
        });
    }
}
