//! Games into files, in any format that is written.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::partial::PartialFile;
use super::{Candidate, DataError, Format, Game, Score, SkipReport, bulletformat, pgn, viriformat};
use crate::archive::{ArchiveWriter, Layout};
use crate::chess::{Color, GameResult};

/// A file of games, or of their positions, in the format that its name says.
///
/// It takes its name when it is [finished](Self::finish); until then it is
/// `NAME.partial`, and whatever stood in its place stays there. It is compressed if
/// its name ends in `.zst`.
pub struct GameFile {
    path: PathBuf,
    sink: Sink,
    exported: Exported,
}

/// What has been written.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// Games.
    pub games: u64,
    /// Positions in which a move was played.
    pub positions: u64,
    /// What is not in the file, because the format cannot say it.
    pub left_out: SkipReport<Unsaid>,
}

/// Why something is not in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unsaid {
    /// The format has no way to say the game.
    Game,
    /// The format wants a score, and the position has none.
    Score,
    /// The format wants a result, and the game has none.
    Result,
}

enum Sink {
    Archive(Box<ArchiveWriter<PartialFile>>),
    Appended(Appended),
}

/// Records one behind the other.
struct Appended {
    file: PartialFile,
    format: Format,
    record: Vec<u8>,
}

impl GameFile {
    /// Begins a file; `layout` is for archives.
    ///
    /// # Errors
    /// A name that says no format that is written, a folder that cannot be written to.
    pub fn create(path: &Path, layout: Layout) -> Result<Self, DataError> {
        let format = Format::written_as(path).ok_or_else(|| DataError::NotWritten {
            path: path.to_owned(),
            known: Format::written(),
        })?;
        let begin = || -> io::Result<Sink> {
            let file = PartialFile::create(path)?;
            Ok(match format {
                Format::Archive => Sink::Archive(Box::new(ArchiveWriter::new(file, layout)?)),
                format => Sink::Appended(Appended { file, format, record: Vec::new() }),
            })
        };
        let sink = begin().map_err(|source| DataError::Write { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), sink, exported: Exported::default() })
    }

    /// Adds a game. What the format cannot say is left out and counted.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn write(&mut self, game: &Game) -> Result<(), DataError> {
        let number = self.exported.games + self.exported.left_out.count(Unsaid::Game) + 1;
        let written = match &mut self.sink {
            Sink::Archive(archive) => {
                archive.write(game).map(|told| told.map_err(|error| error.to_string()))
            }
            Sink::Appended(appended) => appended.write(game, &mut self.exported.left_out),
        };
        match written.map_err(|source| DataError::Write { path: self.path.clone(), source })? {
            Ok(()) => {
                self.exported.games += 1;
                self.exported.positions += game.moves.len() as u64;
            }
            Err(reason) => {
                let message = || format!("game {number}: {reason}");
                self.exported.left_out.add(Unsaid::Game, message);
            }
        }
        Ok(())
    }

    /// What has been taken so far.
    pub fn exported(&self) -> &Exported {
        &self.exported
    }

    /// Completes the file under its own name.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn finish(self) -> Result<Exported, DataError> {
        let Self { path, sink, exported } = self;
        let complete = || match sink {
            Sink::Archive(archive) => archive.finish()?.0.finish(),
            Sink::Appended(appended) => appended.file.finish(),
        };
        complete().map_err(|source| DataError::Write { path, source })?;
        Ok(exported)
    }
}

impl Appended {
    /// Adds what the format can say of a game; the inner error is why it can say nothing.
    fn write(
        &mut self,
        game: &Game,
        left_out: &mut SkipReport<Unsaid>,
    ) -> io::Result<Result<(), String>> {
        self.record.clear();
        let record = &mut self.record;
        let said = match self.format {
            Format::Viriformat => viriformat::encode(game, record).map_err(str::to_owned),
            Format::Pgn => pgn::write_game(record, game).map(Ok)?,
            Format::Bulletformat => {
                list(game, record, left_out, |candidate, score, result, out| {
                    let position = candidate.position;
                    out.extend(bulletformat::encode(position, score, result).into_iter().flatten());
                })
            }
            _ => list(game, record, left_out, scored_text),
        };
        if said.is_ok() {
            self.file.write_all(record)?;
        }
        Ok(said)
    }
}

/// Lists the positions of a game that have score and result.
fn list(
    game: &Game,
    record: &mut Vec<u8>,
    left_out: &mut SkipReport<Unsaid>,
    write: impl Fn(&Candidate<'_>, Score, GameResult, &mut Vec<u8>),
) -> Result<(), String> {
    let Some(result) = game.result else {
        left_out.add(Unsaid::Result, || "a game without a result".to_owned());
        return Ok(());
    };
    game.visit(|candidate| match candidate.white_score {
        Some(score) => write(candidate, score, result, record),
        None => left_out.add(Unsaid::Score, || format!("no score: {}", candidate.position)),
    });
    Ok(())
}

/// `FEN | score | result`.
fn scored_text(candidate: &Candidate<'_>, score: Score, result: GameResult, out: &mut Vec<u8>) {
    let points = ["0.0", "0.5", "1.0"][usize::from(result.seen_by(Color::White))];
    let mut line = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(line, "{} | {} | {points}", candidate.position, score.to_i16());
    out.extend_from_slice(line.as_bytes());
}
