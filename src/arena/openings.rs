//! Openings: start positions of games.
//!
//! Two deterministic engines play the same game each time that they start from the same opening and
//! colours; repeated openings would count that game several times and make intervals too narrow. So
//! a list of openings holds distinct positions only, and a request for more than it has is an
//! error, never a second round.

mod book;
mod plies;
mod polyglot;
mod random;
mod source;

pub use book::BookOrder;
pub use plies::RandomPlies;
pub use random::Balance;
pub use source::OpeningSource;

use std::collections::HashSet;
use std::path::PathBuf;

use super::rules::GameRules;
use chess::{Move, Position, PositionKey};
use data::{BadEntry, DataError};
use engine::book::BookError;

/// Attempts without a new opening after which a generator counts as exhausted.
const ATTEMPTS_PER_OPENING: u32 = 20_000;

/// A start position and the moves played from it before the players take over.
#[derive(Clone, Debug)]
pub struct Opening {
    start: Position,
    moves: Vec<Move>,
    position: Position,
    history: Vec<PositionKey>,
}

impl Opening {
    /// An opening without moves.
    pub fn at(start: Position) -> Self {
        Self { position: start.clone(), start, moves: Vec::new(), history: Vec::new() }
    }

    /// Plays a move of the opening; it must be legal in [`Self::position`].
    pub fn push(&mut self, played: Move) {
        self.history.push(self.position.key());
        self.position.play(played);
        self.moves.push(played);
    }

    /// Position before the opening's moves.
    pub fn start(&self) -> &Position {
        &self.start
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// First position of the players.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the positions before [`Self::position`], oldest first: they
    /// count for repetition.
    pub fn history(&self) -> &[PositionKey] {
        &self.history
    }

    /// Whether the game has ended.
    fn is_over(&self) -> bool {
        GameRules::without_adjudication().natural_end(&self.position, &self.history).is_some()
    }

    /// The opening's moves in UCI notation, separated by spaces.
    pub fn moves_uci(&self) -> String {
        let mut position = self.start.clone();
        let mut texts = Vec::with_capacity(self.moves.len());
        for &played in &self.moves {
            texts.push(position.uci(played));
            position.play(played);
        }
        texts.join(" ")
    }
}

/// A list of openings that lead to distinct positions, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    list: Vec<Opening>,
    seen: HashSet<PositionKey>,
    duplicates: usize,
    finished: usize,
}

impl Openings {
    /// The first `pairs` openings, or an error with the number of openings.
    pub fn take(&self, pairs: usize) -> Result<Vec<Opening>, OpeningsError> {
        if pairs > self.list.len() {
            return Err(OpeningsError::TooFew { wanted: pairs, found: self.list.len() });
        }
        Ok(self.list[..pairs].to_vec())
    }

    pub fn as_slice(&self) -> &[Opening] {
        &self.list
    }

    /// Openings left out because they lead to a position already in the list.
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Openings left out because the game is over there: mate, stalemate, too little material,
    /// fifty moves, or the position stands for the third time.
    pub fn finished(&self) -> usize {
        self.finished
    }

    /// At most `count` distinct openings from a generator, which counts as exhausted after 20,000
    /// attempts without a new one.
    fn collect_distinct(count: usize, mut next: impl FnMut() -> Option<Opening>) -> Self {
        let mut openings = Self::default();
        let mut attempts = 0;
        while openings.list.len() < count && attempts < ATTEMPTS_PER_OPENING {
            let accepted = next().is_some_and(|opening| openings.offer(opening));
            attempts = if accepted { 0 } else { attempts + 1 };
        }
        openings
    }

    /// Adds an opening unless it is over or leads to a position already in the list.
    fn offer(&mut self, opening: Opening) -> bool {
        if opening.is_over() {
            self.finished += 1;
            return false;
        }
        if !self.seen.insert(opening.position.key()) {
            self.duplicates += 1;
            return false;
        }
        self.list.push(opening);
        true
    }
}

/// A list with too few openings, or a bad book.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    #[error(
        "{wanted} pairs need as many distinct openings, found {found}: use a larger book, \
         more random plies or a wider balance, or play at most {found} pairs"
    )]
    TooFew { wanted: usize, found: usize },
    #[error(transparent)]
    File(#[from] DataError),
    #[error(transparent)]
    Polyglot(#[from] BookError),
    #[error("opening book {}, {error}", path.display())]
    BadEntry { path: PathBuf, error: BadEntry },
}
