//! A file of self-play, made in one session or several.
//!
//! Games go into the journal, in order, and are written into the file when there are
//! enough. Game number *n* draws from its own random stream, so the finished games are all
//! that the next session has to know, and the file is the same, byte by byte, however often
//! the work was stopped. A finished file can be extended.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::resumable::{
    FileError, FileRecord, FileState, ResumableFile, SessionOutcome, Start, Throughput,
};
use super::settings::GamesIdentity;
use super::{GamesTarget, Production, SelfplayConfig, generate};
use arena::contender::Evaluation;
use base::Observer;
use data::archive::Layout;
use data::{DataWriter, Game, GameJournal, GameReader};

/// The kind of a finished file's record.
const KIND: &str = "selfplay";

/// A file to be made.
#[derive(Clone, Copy)]
pub struct SelfplayFile<'a> {
    /// Its name decides the format.
    pub path: &'a Path,
    pub player: &'a Evaluation,
    pub config: &'a SelfplayConfig,
    pub start: Start,
    /// Files of earlier shards: their games are not played again.
    pub parts: &'a [PathBuf],
}

/// The state at the start of a session.
enum Beginning {
    Complete(Production),
    /// A journal of some games, or none.
    Journal(GameJournal),
}

impl SelfplayFile<'_> {
    /// Makes the missing games, and the file when there are enough; `title` names the stage.
    ///
    /// # Errors
    /// A file of other settings or of unknown ones; a disk that is full or gone.
    pub fn make(
        &self,
        title: &str,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<SessionOutcome<Production>, FileError> {
        let enough = self.config.enough();
        match enough {
            GamesTarget::Games(games) => observer.begin(title, games, "games"),
            GamesTarget::Positions(positions) => observer.begin(title, positions, "positions"),
        }
        let mut journal = match self.begin()? {
            Beginning::Complete(made) => {
                observer.end(&format!("the file has {} positions", made.positions));
                return Ok(SessionOutcome::Complete(made));
            }
            Beginning::Journal(journal) => journal,
        };
        let before = self.take_in(counts_of(&journal)?, &mut journal)?;
        observer.advance(before.towards(enough), &before.note());
        let started = Instant::now();
        let made = self.play(before, &mut journal, observer, stop)?;
        let seconds = started.elapsed().as_secs_f64();
        if !made.reaches(enough) {
            observer.end(&format!("stopped at {}", made.note()));
            return Ok(SessionOutcome::Stopped(made));
        }
        observer.end(&format!("{} positions in {}", made.positions, made.note()));
        if !self.write(&made, &journal, observer, stop)? {
            observer.end(&format!("stopped at {}", made.note()));
            return Ok(SessionOutcome::Stopped(made));
        }
        self.resumable().finish(made, journal.into())?;
        observer.end("");
        let positions = made.positions - before.positions;
        Ok(SessionOutcome::Finished(made, Throughput { positions, seconds }))
    }

    fn resumable(&self) -> ResumableFile<'_, GamesIdentity> {
        let identity = GamesIdentity::new(self.player, &self.config.settings);
        let settings = identity.of_shard(self.config.shard, self.config.numbers());
        ResumableFile { path: self.path, kind: KIND, settings }
    }

    /// Takes in the games of parts, as far as they follow each other and until there are enough.
    fn take_in(
        &self,
        mut made: Production,
        journal: &mut GameJournal,
    ) -> Result<Production, FileError> {
        let own = GamesIdentity::new(self.player, &self.config.settings);
        let follows = |path: &PathBuf, games: u64| {
            let record = FileRecord::<GamesIdentity, Production>::read(path, KIND);
            record.is_some_and(|record| record.settings.is_shard_of(&own, games))
        };
        let enough = self.config.enough();
        while let Some(part) = self.parts.iter().find(|path| follows(path, made.games)) {
            let before = made.games;
            read(part, &mut |game| {
                if !made.reaches(enough) {
                    made.count(&game);
                    journal.append(&game)?;
                }
                Ok(())
            })?;
            if made.games == before {
                break;
            }
        }
        Ok(made)
    }

    fn begin(&self) -> Result<Beginning, FileError> {
        let format = DataWriter::format_of(self.path)?;
        Ok(match self.resumable().open::<Production>(self.start)? {
            FileState::Begun(journal) => Beginning::Journal(journal.into()),
            FileState::Finished(made) if made.reaches(self.config.enough()) => {
                Beginning::Complete(made)
            }
            FileState::Finished(made) if format.has_games() => {
                Beginning::Journal(self.extend(made)?)
            }
            FileState::Finished(Production { positions, .. }) => {
                return Err(FileError::NotExtended { path: self.path.to_owned(), positions });
            }
        })
    }

    /// A journal with the games of the finished file.
    fn extend(&self, recorded: Production) -> Result<GameJournal, FileError> {
        let mut held = Production::default();
        read(self.path, &mut |game| {
            held.count(&game);
            Ok(())
        })?;
        if held != recorded {
            let reason = format!("it holds {held:?}, not {recorded:?}");
            return Err(FileError::Altered { path: self.path.to_owned(), reason });
        }
        let mut journal = GameJournal::from(self.resumable().new_journal()?);
        read(self.path, &mut |game| Ok(journal.append(&game)?))?;
        Ok(journal)
    }

    fn play(
        &self,
        before: Production,
        journal: &mut GameJournal,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Production, FileError> {
        let enough = self.config.enough();
        let made = generate(
            self.config,
            before,
            &|| self.player.evaluator(),
            &mut |game| journal.append(&game),
            &mut |made| observer.advance(made.towards(enough), &made.note()),
            stop,
        )?;
        Ok(made)
    }

    /// Writes the file; `false` if stopped.
    fn write(
        &self,
        made: &Production,
        journal: &GameJournal,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<bool, FileError> {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        observer.begin(&format!("writing {}", name.display()), made.games, "games");
        let mut writer = DataWriter::create(self.path, Layout::default())?;
        for (game, number) in journal.games()?.zip(1..) {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            writer.write_game(&game?)?;
            observer.advance(number, "");
        }
        let written = writer.finish()?;
        written.left_out_warning(self.path).iter().for_each(|warning| observer.warn(warning));
        Ok(true)
    }
}

/// Hands over the games of a finished file.
fn read(path: &Path, take: &mut dyn FnMut(Game) -> Result<(), FileError>) -> Result<(), FileError> {
    let mut reader = GameReader::open(path)?;
    while let Some(games) = reader.next_batch(|game| game)? {
        for game in games {
            take(game.map_err(|bad| FileError::Altered {
                path: path.to_owned(),
                reason: bad.to_string(),
            })?)?;
        }
    }
    Ok(())
}

/// The games and positions of a journal.
fn counts_of(journal: &GameJournal) -> Result<Production, FileError> {
    let mut counts = Production::default();
    for game in journal.games()? {
        counts.count(&game?);
    }
    Ok(counts)
}
