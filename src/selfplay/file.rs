//! A file of self-play, made in one run or several.
//!
//! Games go into the journal, in order, and are written into the file when there are
//! enough. Game number *n* draws from its own random stream, so the finished games are all
//! that the next sitting has to know, and the file is the same, byte by byte, however often
//! the work was stopped. A finished file can be extended.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::record::Record;
use super::settings::Settings;
use super::sittings::{FileError, Standing, Start, Undertaking};
use super::{Production, SelfplayConfig, generate};
use arena::contender::Evaluation;
use data::archive::Layout;
use data::{DataWriter, Game, GameJournal, GameReader};

/// The kind of a finished file's record.
const KIND: &str = "selfplay";

/// A file to be made.
#[derive(Clone, Copy)]
pub struct SelfplayFile<'a> {
    /// Where, in the format that the name says.
    pub path: &'a Path,
    pub player: &'a Evaluation,
    pub config: &'a SelfplayConfig,
    /// What to do with earlier work.
    pub start: Start,
    /// Files of parts of the games, which somebody made before: what they have is not played.
    pub parts: &'a [PathBuf],
}

/// How far the work is.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// So much has been made.
    Playing(Production),
    /// Enough has been made.
    Played(Production),
    /// So many games are in the file.
    Writing(u64),
}

/// How a sitting ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// There was nothing to do.
    Complete(Production),
    /// The file is complete now.
    Finished(Production, Sitting),
    /// It was stopped; the next sitting goes on from here.
    Stopped(Production),
}

impl Outcome {
    /// What has been made.
    pub fn production(&self) -> Production {
        match self {
            Self::Complete(made) | Self::Finished(made, _) | Self::Stopped(made) => *made,
        }
    }
}

/// What one sitting added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sitting {
    /// Positions with a score.
    pub positions: u64,
    /// How long it played.
    pub seconds: f64,
}

/// The state at the start of a sitting.
enum Beginning {
    /// Everything is there.
    Complete(Production),
    /// A journal of some games, or none.
    Journal(GameJournal),
}

impl SelfplayFile<'_> {
    /// Makes what is missing, and the file when nothing is.
    ///
    /// # Errors
    /// A file of other settings or of unknown ones; a disk that is full or gone.
    pub fn make(
        &self,
        on_progress: &mut dyn FnMut(Progress),
        stop: &AtomicBool,
    ) -> Result<Outcome, FileError> {
        let mut journal = match self.begin()? {
            Beginning::Complete(made) => return Ok(Outcome::Complete(made)),
            Beginning::Journal(journal) => journal,
        };
        let before = self.take_in(tally(&journal)?, &mut journal)?;
        on_progress(Progress::Playing(before));
        let started = Instant::now();
        let made = self.play(before, &mut journal, on_progress, stop)?;
        let seconds = started.elapsed().as_secs_f64();
        if !made.reaches(self.config.enough()) {
            return Ok(Outcome::Stopped(made));
        }
        on_progress(Progress::Played(made));
        if !self.write(&journal, on_progress, stop)? {
            return Ok(Outcome::Stopped(made));
        }
        self.undertaking().finish(made, journal.into())?;
        let positions = made.positions - before.positions;
        Ok(Outcome::Finished(made, Sitting { positions, seconds }))
    }

    fn undertaking(&self) -> Undertaking<'_> {
        let settings = Settings::of_selfplay(self.player, &self.config.recipe);
        let settings = settings.of_shard(self.config.shard, &self.config.numbers());
        Undertaking { path: self.path, kind: KIND, settings }
    }

    /// Takes in the games of parts, as far as they follow each other and until there are enough;
    /// what there is then.
    fn take_in(
        &self,
        mut made: Production,
        journal: &mut GameJournal,
    ) -> Result<Production, FileError> {
        let own = Settings::of_selfplay(self.player, &self.config.recipe);
        let follows = |path: &PathBuf, games: u64| {
            let record: Option<Record<Production>> = Record::read(path, KIND);
            record.is_some_and(|record| record.settings.is_part_of(&own, games))
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
        Ok(match self.undertaking().stand::<Production>(self.start)? {
            Standing::Begun(journal) => Beginning::Journal(journal.into()),
            Standing::Finished(made) if made.reaches(self.config.enough()) => {
                Beginning::Complete(made)
            }
            Standing::Finished(made) if format.has_games() => {
                Beginning::Journal(self.extend(made)?)
            }
            Standing::Finished(Production { positions, .. }) => {
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
        let mut journal = GameJournal::from(self.undertaking().new_journal()?);
        read(self.path, &mut |game| Ok(journal.append(&game)?))?;
        Ok(journal)
    }

    fn play(
        &self,
        before: Production,
        journal: &mut GameJournal,
        on_progress: &mut dyn FnMut(Progress),
        stop: &AtomicBool,
    ) -> Result<Production, FileError> {
        let made = generate(
            self.config,
            before,
            &|| self.player.evaluator(),
            &mut |game| journal.append(&game),
            &mut |made| on_progress(Progress::Playing(*made)),
            stop,
        )?;
        Ok(made)
    }

    /// Writes the file; `false` if stopped.
    fn write(
        &self,
        journal: &GameJournal,
        on_progress: &mut dyn FnMut(Progress),
        stop: &AtomicBool,
    ) -> Result<bool, FileError> {
        let mut writer = DataWriter::create(self.path, Layout::default())?;
        for (game, number) in journal.games()?.zip(1..) {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            writer.write_game(&game?)?;
            on_progress(Progress::Writing(number));
        }
        writer.finish()?;
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
fn tally(journal: &GameJournal) -> Result<Production, FileError> {
    let mut tally = Production::default();
    for game in journal.games()? {
        tally.count(&game?);
    }
    Ok(tally)
}
