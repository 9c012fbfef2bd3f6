//! Games with new scores: their moves stay, their scores become those of another player.
//!
//! An *annotator* ([`Annotator`]) is our own search with some evaluation, or any UCI engine. Its
//! labels go into a journal, one record an entry (a game, or a position of a list); the
//! games themselves stay where they are and are read a second time when the file is written.
//! So the journal is small, and games are as they were in any format.
//!
//! An annotator forgets everything at every entry. So the labels of a game depend on that game
//! alone: not on the games before, on the number of processes or on sessions, and the files of
//! shards, one behind the other, are the file that one process makes.

mod annotator;
mod commands;
mod engine_session;
mod job;
mod labels;
mod own_search;
mod pool;
mod reading;
mod task;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::resumable::{FileError, FileState, ResumableFile, SessionOutcome, Start, Throughput};
use annotator::AnnotatorIdentity;
use base::format::grouped;
use base::journal::{ByteJournal, JournalError};
use base::{Key, Observer, Shard, content_of};
use chess::EndgameTable;
use data::archive::Layout;
use data::{DataError, DataWriter, EntryReader, FileFormat, Filter};
use labels::Labels;
use reading::{Survey, survey};
use task::LabelTask;

pub use annotator::{Annotator, AnnotatorError, LabelEffort};
pub use commands::{CommandsError, write_commands};
pub use job::{Labeller, Rescore};
pub use labels::Merge;

/// A file to be made of others, with other scores.
#[derive(Clone, Copy)]
pub struct RescoreFile<'a> {
    /// Files of games or of positions, in the order in which they are read.
    pub from: &'a [PathBuf],
    /// Its name decides the format.
    pub path: &'a Path,
    /// Layout of an archive.
    pub layout: &'a Layout,
    pub request: &'a LabelRequest,
    pub annotator: &'a Annotator,
    /// Tables that decide results: a game gets that of its first position in them.
    pub tables: Option<EndgameTables<'a>>,
    /// Entries labelled at a time, each in a thread or by an engine of its own; 0 for one a core.
    pub threads: usize,
    pub start: Start,
}

#[derive(Clone, Copy)]
pub struct EndgameTables<'a> {
    /// Their folders.
    pub paths: &'a str,
    pub table: &'a dyn EndgameTable,
}

/// Selection of the positions to label.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelRequest {
    /// Positions to label, with any score; the others lose their scores.
    pub filter: Filter,
    pub merge: Merge,
    /// Part of the entries.
    pub shard: Shard,
}

/// Inputs and settings that determine the content of a rescored file.
#[derive(Serialize, Deserialize)]
struct RescoreIdentity {
    files: Key,
    filter: String,
    played: String,
    shard: Shard,
    syzygy: Option<String>,
    #[serde(flatten)]
    annotator: AnnotatorIdentity,
}

/// Counts of the labelled entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescored {
    /// Games, and positions of lists.
    pub entries: u64,
    pub positions: u64,
    /// Positions with a score of the annotator.
    pub judged: u64,
    /// Scores among these that are mates.
    pub mates: u64,
    /// Questions without an answer.
    pub unanswered: u64,
    /// Results that endgame tables changed.
    pub corrected: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum RescoreError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Annotator(#[from] AnnotatorError),
    #[error(
        "no position to label: the settings select none of the positions in {entries} games or \
         positions; widen --filter, or omit --keep-played"
    )]
    NothingToLabel { entries: u64 },
    #[error(
        "`{to}` holds games, and `{list}` is a list of positions; write positions, such as .txt, \
         .data or .plain"
    )]
    ListIntoGames { list: String, to: String },
    #[error("`{path}` is not written, its format can hold none of the entries: {first}")]
    NothingToWrite { path: String, first: String },
}

impl From<DataError> for RescoreError {
    fn from(error: DataError) -> Self {
        Self::File(error.into())
    }
}

impl From<JournalError> for RescoreError {
    fn from(error: JournalError) -> Self {
        Self::File(error.into())
    }
}

impl RescoreFile<'_> {
    /// Labels the remaining entries, and writes the file when all have labels.
    ///
    /// # Errors
    /// Files that cannot be read or written, that were begun with other settings, or that
    /// have no position to label; an annotator that fails again and again.
    pub fn make(
        &self,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<SessionOutcome<Rescored>, RescoreError> {
        self.check_lists(DataWriter::format_of(self.path)?)?;
        let file = self.resumable()?;
        let mut journal = match file.open::<Rescored>(self.start)? {
            FileState::Finished(made) => return Ok(SessionOutcome::Complete(made)),
            FileState::Begun(journal) => journal,
        };
        let before = counts_of(&journal)?;
        let Some(survey) = survey(self.from, self.request, observer, stop)? else {
            return Ok(SessionOutcome::Stopped(before));
        };
        // A shard may hold none of the questions of the files.
        if survey.positions == 0 && self.request.shard == Shard::ALL {
            // The next request will be another.
            journal.remove()?;
            return Err(RescoreError::NothingToLabel { entries: survey.entries });
        }
        let started = Instant::now();
        let labelled = self.label(&survey, before, &mut journal, observer, stop)?;
        let seconds = started.elapsed().as_secs_f64();
        if labelled.entries < survey.wanted() {
            return Ok(SessionOutcome::Stopped(labelled));
        }
        let Some(corrected) = self.write(&survey, &journal, observer, stop)? else {
            return Ok(SessionOutcome::Stopped(labelled));
        };
        let made = Rescored { corrected, ..labelled };
        file.finish(made, journal)?;
        let positions = made.judged - before.judged;
        Ok(SessionOutcome::Finished(made, Throughput { positions, seconds }))
    }

    /// Positions of lists need a format of positions.
    fn check_lists(&self, to: FileFormat) -> Result<(), RescoreError> {
        if to.holds_positions() {
            return Ok(());
        }
        for list in self.from {
            if !EntryReader::open(list)?.format().has_games() {
                let [list, to] = [list.as_path(), self.path].map(|path| path.display().to_string());
                return Err(RescoreError::ListIntoGames { list, to });
            }
        }
        Ok(())
    }

    fn resumable(&self) -> Result<ResumableFile<'_, RescoreIdentity>, RescoreError> {
        let mut contents = Vec::new();
        for path in self.from {
            let content = content_of(path, &mut |_| {})
                .map_err(|source| DataError::Open { path: path.clone(), source })?;
            contents.push(content);
        }
        let LabelRequest { filter, merge, shard } = self.request;
        let settings = RescoreIdentity {
            files: Key::of("files", &contents).expect("texts are always valid JSON"),
            filter: filter.to_string(),
            played: merge.to_string(),
            shard: *shard,
            syzygy: self.tables.map(|tables| tables.paths.to_owned()),
            annotator: self.annotator.identity(),
        };
        Ok(ResumableFile { path: self.path, kind: "rescore", settings })
    }

    fn label(
        &self,
        survey: &Survey,
        before: Rescored,
        journal: &mut ByteJournal,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Rescored, RescoreError> {
        let mut made = before;
        observer.begin("judging", survey.positions, "positions");
        observer.advance(made.finished(), &made.note());
        let left = survey.range.start + before.entries..survey.range.end;
        let mut tasks = |take: &mut dyn FnMut(LabelTask) -> bool| {
            reading::tasks(self.from, self.request, left.clone(), take, stop)
        };
        let mut accept = |labels: Labels| -> Result<(), RescoreError> {
            made.count(&labels);
            journal.append(&labels.to_bytes())?;
            observer.advance(made.finished(), &made.note());
            Ok(())
        };
        pool::label(self.annotator, self.threads, &mut tasks, &mut accept, stop)?;
        observer.end("");
        Ok(made)
    }

    /// Writes the file; how many results were corrected, or `None` if it was stopped.
    fn write(
        &self,
        survey: &Survey,
        journal: &ByteJournal,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<u64>, RescoreError> {
        observer.begin(&format!("writing {}", self.path.display()), survey.wanted(), "games");
        let mut writer = DataWriter::create(self.path, self.layout.clone())?;
        let (mut labels, mut corrected, mut written) = (journal.contents()?, 0, 0);
        let mut take = |mut task: LabelTask| -> Result<bool, RescoreError> {
            let labels = labels.next().transpose()?.and_then(|bytes| Labels::from_bytes(&bytes));
            let labels = labels.filter(|labels| labels.scores.len() == task.positions());
            let labels = labels.ok_or_else(|| FileError::Altered {
                path: self.path.to_owned(),
                reason: "its journal has other games".to_owned(),
            })?;
            self.request.merge.apply(&labels, &mut task.entry);
            corrected += u64::from(task.correct(self.tables.map(|tables| tables.table)));
            writer.write(&task.entry)?;
            written += 1;
            observer.advance(written, "");
            Ok(!stop.load(Ordering::Relaxed))
        };
        let mut outcome = Ok(true);
        let mut taken = |task| {
            outcome = take(task);
            matches!(outcome, Ok(true))
        };
        reading::tasks(self.from, self.request, survey.range.clone(), &mut taken, stop)?;
        observer.end("");
        if !outcome? || stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let so_far = writer.written();
        let is_whole = self.request.shard == Shard::ALL;
        // All entries of a shard may lack a score.
        let is_lost = is_whole || so_far.left_out_warning(self.path).is_some();
        // The labels stay in the journal.
        if written > 0 && so_far.is_empty() && is_lost {
            let (path, first) = (self.path.display().to_string(), so_far.left_out.first());
            return Err(RescoreError::NothingToWrite { path, first: first.join("; ") });
        }
        let written = writer.finish()?;
        written.left_out_warning(self.path).iter().for_each(|warning| observer.warn(warning));
        Ok(Some(corrected))
    }
}

impl std::iter::Sum for Rescored {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, part| Self {
            entries: sum.entries + part.entries,
            positions: sum.positions + part.positions,
            judged: sum.judged + part.judged,
            mates: sum.mates + part.mates,
            unanswered: sum.unanswered + part.unanswered,
            corrected: sum.corrected + part.corrected,
        })
    }
}

impl Rescored {
    fn count(&mut self, labels: &Labels) {
        self.entries += 1;
        self.positions += labels.scores.len() as u64;
        self.judged += labels.judged();
        self.mates += labels.mates();
        self.unanswered += u64::from(labels.unanswered);
    }

    fn finished(&self) -> u64 {
        self.judged + self.unanswered
    }

    fn note(&self) -> String {
        let unanswered = match self.unanswered {
            0 => String::new(),
            count => format!(", {} unanswered", grouped(count)),
        };
        format!("{} games{unanswered}", grouped(self.entries))
    }
}

/// The counts of a journal.
fn counts_of(journal: &ByteJournal) -> Result<Rescored, FileError> {
    let mut counts = Rescored::default();
    for content in journal.contents()? {
        if let Some(labels) = Labels::from_bytes(&content?) {
            counts.count(&labels);
        }
    }
    Ok(counts)
}
