//! A journal of games.

use crate::formats::viriformat;
use base::journal::{ByteJournal, JournalError};
use chess::Game;

/// A journal of games, each in viriformat, locked against other processes.
#[derive(Debug)]
pub struct GameJournal {
    journal: ByteJournal,
    content: Vec<u8>,
}

impl GameJournal {
    /// All games, from the first.
    ///
    /// # Errors
    /// A file that cannot be read, then or later.
    pub fn games(
        &self,
    ) -> Result<impl Iterator<Item = Result<Game, JournalError>> + '_, JournalError> {
        let game = |content: Vec<u8>| {
            viriformat::decode(&content, 0).map_err(|bad| self.journal.bad_content(bad))
        };
        Ok(self.journal.contents()?.map(move |content| content.and_then(game)))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// A disk that is full or gone; a game that viriformat cannot hold.
    pub fn append(&mut self, game: &Game) -> Result<(), JournalError> {
        self.content.clear();
        viriformat::encode(game, &mut self.content)
            .map_err(|reason| self.journal.bad_record(reason))?;
        self.journal.append(&self.content)
    }
}

impl From<GameJournal> for ByteJournal {
    fn from(games: GameJournal) -> Self {
        games.journal
    }
}

impl From<ByteJournal> for GameJournal {
    fn from(journal: ByteJournal) -> Self {
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
    fn games_come_back_and_a_torn_one_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.journal");
        let played = ["e2e4", "d2d4", "g1f3"].map(game);
        let mut journal = GameJournal::from(ByteJournal::create(&path, "three games").unwrap());
        played.iter().for_each(|game| journal.append(game).unwrap());
        assert_eq!(games(&journal), played.each_ref().map(text));
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let mut journal = GameJournal::from(ByteJournal::open(&path).unwrap());
        assert_eq!(games(&journal), played[..2].iter().map(text).collect::<Vec<_>>());
        journal.append(&played[2]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_record_that_is_no_game_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.journal");
        let mut journal = ByteJournal::create(&path, "").unwrap();
        journal.append(b"notes").unwrap();
        let error = GameJournal::from(journal).games().unwrap().next().unwrap().unwrap_err();
        assert!(error.to_string().contains("games.journal"), "{error}");
    }
}
