//! A journal of games.

use std::io;
use std::path::Path;

use super::{Journal, JournalError};
use crate::formats::viriformat;
use chess::Game;

/// A journal of games, each in viriformat, locked against other processes.
#[derive(Debug)]
pub struct GameJournal {
    journal: Journal,
    content: Vec<u8>,
}

impl GameJournal {
    /// Begins a journal, in place of any of this name; the head is a line without
    /// its end.
    ///
    /// # Errors
    /// A folder that cannot be written to; a journal of this name that is in use.
    pub fn create(path: &Path, head: &str) -> Result<Self, JournalError> {
        Journal::create(path, head).map(Self::from)
    }

    /// Opens a journal, to read what it has and to go on.
    ///
    /// # Errors
    /// A file that is not there, cannot be written or is in use.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Journal::open(path).map(Self::from)
    }

    /// The head.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn head(&self) -> Result<String, JournalError> {
        self.journal.head()
    }

    /// All games, from the first.
    ///
    /// # Errors
    /// A file that cannot be read, then or later.
    pub fn games(
        &self,
    ) -> Result<impl Iterator<Item = Result<Game, JournalError>> + '_, JournalError> {
        let game = |content: Vec<u8>| {
            viriformat::decode(&content, 0)
                .map_err(|bad| self.journal.failed(io::Error::new(io::ErrorKind::InvalidData, bad)))
        };
        Ok(self.journal.contents()?.map(move |content| content.and_then(game)))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// A disk that is full or gone; a game that viriformat cannot hold.
    pub fn append(&mut self, game: &Game) -> Result<(), JournalError> {
        self.content.clear();
        viriformat::encode(game, &mut self.content).map_err(|reason| JournalError::Unsayable {
            path: self.journal.path.clone(),
            reason,
        })?;
        self.journal.append(&self.content)
    }

    /// Deletes the journal.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn remove(self) -> Result<(), JournalError> {
        self.journal.remove()
    }
}

impl From<GameJournal> for Journal {
    fn from(games: GameJournal) -> Self {
        games.journal
    }
}

impl From<Journal> for GameJournal {
    fn from(journal: Journal) -> Self {
        Self { journal, content: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{GameMove, GameResult, Position, Score};

    fn game(first: &str) -> Game {
        let start = Position::default();
        let played = start.parse_uci(first).unwrap();
        let moves = vec![GameMove { played, white_score: Some(Score::Mate(-3)) }];
        Game { start, moves, result: Some(GameResult::Draw) }
    }

    fn text(game: &Game) -> String {
        format!("{:?} {:?}", game.moves, game.result)
    }

    fn games(journal: &GameJournal) -> Vec<String> {
        journal.games().unwrap().map(|game| text(&game.unwrap())).collect()
    }

    #[test]
    fn wherever_it_is_torn_the_whole_games_remain_and_more_can_follow() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.journal");
        let played = ["e2e4", "d2d4", "g1f3"].map(game);
        let mut journal = GameJournal::create(&path, "three games").unwrap();
        let mut ends = vec![std::fs::metadata(&path).unwrap().len() as usize];
        for game in &played {
            journal.append(game).unwrap();
            ends.push(std::fs::metadata(&path).unwrap().len() as usize);
        }
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        for length in ends[0]..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let mut journal = GameJournal::open(&path).unwrap();
            assert_eq!(journal.head().unwrap(), "three games");
            let whole = ends.iter().filter(|&&end| end <= length).count() - 1;
            assert_eq!(games(&journal).len(), whole, "{length} bytes");
            played[whole..].iter().for_each(|game| journal.append(game).unwrap());
            assert_eq!(games(&journal), played.each_ref().map(text), "{length} bytes");
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_record_that_was_never_written_through_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.journal");
        let mut journal = GameJournal::create(&path, "").unwrap();
        for first in ["e2e4", "d2d4"] {
            journal.append(&game(first)).unwrap();
        }
        drop(journal);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 20;
        bytes[last..].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(games(&GameJournal::open(&path).unwrap()), [text(&game("e2e4"))]);
    }

    #[test]
    fn two_processes_cannot_write_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.journal");
        let first = GameJournal::create(&path, "").unwrap();
        assert!(matches!(GameJournal::open(&path), Err(JournalError::InUse { .. })));
        // Nor can another one take its place.
        let anew = GameJournal::create(&path, "afresh");
        assert!(matches!(anew, Err(JournalError::InUse { .. })));
        assert_eq!(first.head().unwrap(), "");
        drop(first);
        GameJournal::open(&path).unwrap();
    }

    #[test]
    fn other_files_are_no_journals_and_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "a single line").unwrap();
        assert!(GameJournal::open(&path).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"a single line");
    }
}
