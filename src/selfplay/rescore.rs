//! Games judged anew: their moves stay, their scores become those of another player.
//!
//! A *teacher* ([`Teacher`]) is our own search with some evaluation, or any UCI engine. What
//! it says goes into a journal, one record an entry (a game, or a position of a list); the
//! games themselves stay where they are and are read a second time when the file is written.
//! So the journal is small, and games are as they were in any format.
//!
//! A teacher forgets everything at every entry. So what it says of a game depends on that game
//! alone: not on the games before, on the number of processes or on sittings, and the files of
//! shards, one behind the other, are the file that one process makes.

mod commands;
mod engine_session;
mod lesson;
mod marks;
mod own_search;
mod reading;
mod teacher;
#[cfg(test)]
mod tests;
mod workshop;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use super::sittings::{FileError, Standing, Start, Undertaking};
use base::{Key, Shard, content_of};
use chess::EndgameTable;
use data::archive::Layout;
use data::{DataError, DataWriter, Defect, Filter, Journal, SkipReport};
use lesson::Lesson;
use marks::Marks;
use reading::{Survey, survey};

pub use commands::{CommandsError, write_commands};
pub use marks::Merge;
pub use teacher::{Effort, Teacher, TeacherError};

/// A file to be made of others, with other scores.
#[derive(Clone, Copy)]
pub struct RescoreFile<'a> {
    /// Files of games or of positions, in the order in which they are taken up.
    pub from: &'a [PathBuf],
    /// Where, in the format that the name says.
    pub path: &'a Path,
    /// How, if it is an archive.
    pub layout: &'a Layout,
    /// What is asked, and of which entries.
    pub request: &'a Request,
    /// Who is asked.
    pub teacher: &'a Teacher,
    /// What decides results: a game has that of its first position that the tables know.
    pub tables: Option<Tables<'a>>,
    /// Entries judged at a time, each in a thread or by an engine of its own; 0 for one a core.
    pub threads: usize,
    /// What to do with earlier work.
    pub start: Start,
}

/// Endgame tables, and where they lie.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// Their folders.
    pub paths: &'a str,
    /// What they know.
    pub table: &'a dyn EndgameTable,
}

/// What is asked of a teacher.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Only positions that this keeps, whatever their scores; of the others none is known
    /// afterwards.
    pub filter: Filter,
    /// What becomes of scores that are there.
    pub merge: Merge,
    /// Which part of the entries.
    pub shard: Shard,
}

/// What has been judged so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescored {
    /// Games, and positions of lists.
    pub entries: u64,
    pub positions: u64,
    /// Positions that have a score of the teacher.
    pub judged: u64,
    /// Scores among these that are mates.
    pub mates: u64,
    /// Positions that the teacher was asked about in vain.
    pub unanswered: u64,
    /// Results that endgame tables changed.
    pub corrected: u64,
}

/// How far the work is.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// Looking through the files: bytes read, of how many.
    Surveying(u64, u64),
    /// What could not be read of them.
    Surveyed(&'p SkipReport<Defect>),
    /// So much is judged, of about so many positions to ask about.
    Judging(Rescored, u64),
    /// So many entries are written, of how many.
    Writing(u64, u64),
}

/// How a sitting ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// There was nothing to do.
    Complete(Rescored),
    /// The file is complete now; this sitting judged so many positions in so many seconds.
    Finished(Rescored, u64, f64),
    /// It was stopped; the next sitting goes on from here.
    Stopped(Rescored),
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum RescoreError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Teacher(#[from] TeacherError),
    #[error(
        "nothing is left to judge: the files hold {entries} games or positions, and none of \
         shard {shard}'s positions is asked about; widen --filter, or leave --keep-played away"
    )]
    NothingAsked { entries: u64, shard: Shard },
}

impl From<DataError> for RescoreError {
    fn from(error: DataError) -> Self {
        Self::File(error.into())
    }
}

impl From<data::JournalError> for RescoreError {
    fn from(error: data::JournalError) -> Self {
        Self::File(error.into())
    }
}

impl RescoreFile<'_> {
    /// Judges what is not judged yet, and writes the file when everything is.
    ///
    /// # Errors
    /// Files that cannot be read or written, that were begun with other settings, or that
    /// leave nothing to ask; a teacher that fails again and again.
    pub fn make(
        &self,
        on_progress: &mut dyn FnMut(Progress<'_>),
        stop: &AtomicBool,
    ) -> Result<Outcome, RescoreError> {
        DataWriter::format_of(self.path)?;
        let undertaking = self.undertaking()?;
        let mut journal = match undertaking.stand::<Rescored>(self.start)? {
            Standing::Finished(made) => return Ok(Outcome::Complete(made)),
            Standing::Begun(journal) => journal,
        };
        let before = tally(&journal)?;
        let Some(survey) = survey(self.from, self.request, on_progress, stop)? else {
            return Ok(Outcome::Stopped(before));
        };
        if survey.asked == 0 {
            // The next request will be another.
            journal.remove()?;
            let shard = self.request.shard;
            return Err(RescoreError::NothingAsked { entries: survey.entries, shard });
        }
        let started = Instant::now();
        let judged = self.judge(&survey, before, &mut journal, on_progress, stop)?;
        let seconds = started.elapsed().as_secs_f64();
        if judged.entries < survey.wanted() {
            return Ok(Outcome::Stopped(judged));
        }
        let Some(corrected) = self.write(&survey, &journal, on_progress, stop)? else {
            return Ok(Outcome::Stopped(judged));
        };
        let made = Rescored { corrected, ..judged };
        undertaking.finish(made, journal)?;
        Ok(Outcome::Finished(made, judged.judged - before.judged, seconds))
    }

    /// All that decides the content of the file.
    fn undertaking(&self) -> Result<Undertaking<'_>, RescoreError> {
        let mut contents = Vec::new();
        for path in self.from {
            let content = content_of(path, &mut |_| {})
                .map_err(|source| DataError::Open { path: path.clone(), source })?;
            contents.push(content);
        }
        // Texts are always valid JSON.
        let files = Key::of("files", &contents).map(|key| key.to_string()).unwrap_or_default();
        let Request { filter, merge, shard } = &self.request;
        let named = [
            ("files", files),
            ("filter", filter.to_string()),
            ("played", merge.to_string()),
            ("shard", shard.to_string()),
            ("syzygy", self.tables.map_or("none", |tables| tables.paths).to_owned()),
        ];
        let settings = Settings::new(named.into_iter().chain(self.teacher.settings()));
        Ok(Undertaking { path: self.path, kind: "rescore", settings })
    }

    fn judge(
        &self,
        survey: &Survey,
        before: Rescored,
        journal: &mut Journal,
        on_progress: &mut dyn FnMut(Progress<'_>),
        stop: &AtomicBool,
    ) -> Result<Rescored, RescoreError> {
        let mut made = before;
        on_progress(Progress::Judging(made, survey.asked));
        let left = survey.range.start + before.entries..survey.range.end;
        let mut lessons = |take: &mut dyn FnMut(Lesson) -> bool| {
            reading::lessons(self.from, self.request, left.clone(), take, stop)
        };
        let mut accept = |marks: Marks| -> Result<(), RescoreError> {
            made.count(&marks);
            journal.append(&marks.to_bytes())?;
            on_progress(Progress::Judging(made, survey.asked));
            Ok(())
        };
        workshop::judge(self.teacher, self.threads, &mut lessons, &mut accept, stop)?;
        Ok(made)
    }

    /// Writes the file; how many results were corrected, or `None` if it was stopped.
    fn write(
        &self,
        survey: &Survey,
        journal: &Journal,
        on_progress: &mut dyn FnMut(Progress<'_>),
        stop: &AtomicBool,
    ) -> Result<Option<u64>, RescoreError> {
        let mut writer = DataWriter::create(self.path, self.layout.clone())?;
        let (mut marks, mut corrected, mut written) = (journal.contents()?, 0, 0);
        let mut take = |mut lesson: Lesson| -> Result<bool, RescoreError> {
            let marks = marks.next().transpose()?.and_then(|bytes| Marks::from_bytes(&bytes));
            let marks = marks.filter(|marks| marks.scores.len() == lesson.positions());
            let marks = marks.ok_or_else(|| FileError::Altered {
                path: self.path.to_owned(),
                reason: "its journal is of other games".to_owned(),
            })?;
            self.request.merge.apply(&marks, &mut lesson.entry);
            corrected += u64::from(lesson.correct(self.tables.map(|tables| tables.table)));
            writer.write(&lesson.entry)?;
            written += 1;
            on_progress(Progress::Writing(written, survey.wanted()));
            Ok(!stop.load(Ordering::Relaxed))
        };
        let mut outcome = Ok(true);
        let mut taken = |lesson| {
            outcome = take(lesson);
            matches!(outcome, Ok(true))
        };
        reading::lessons(self.from, self.request, survey.range.clone(), &mut taken, stop)?;
        if !outcome? || stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        writer.finish()?;
        Ok(Some(corrected))
    }
}

impl Rescored {
    fn count(&mut self, marks: &Marks) {
        self.entries += 1;
        self.positions += marks.scores.len() as u64;
        self.judged += marks.judged();
        self.mates += marks.mates();
        self.unanswered += u64::from(marks.unanswered);
    }
}

/// What stands in a journal.
fn tally(journal: &Journal) -> Result<Rescored, FileError> {
    let mut tally = Rescored::default();
    for content in journal.contents()? {
        if let Some(marks) = Marks::from_bytes(&content?) {
            tally.count(&marks);
        }
    }
    Ok(tally)
}
