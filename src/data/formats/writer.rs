//! Games and positions into files, in any format that is written.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::DataError;
use crate::formats::archive::{self, ArchiveWriter, Layout};
use crate::formats::binpack::ChunkWriter;
use crate::formats::entry::Entry;
use crate::formats::format::FileFormat;
use crate::formats::list::ListedPosition;
use crate::formats::{bulletformat, pgn, plain, sfen, viriformat};
use crate::samples::candidate::CandidatePosition;
use crate::skip::SkipReport;
use base::partial::PartialFile;
use chess::{Color, Game, GameMove, GameResult, Move, Score};

/// Writes a file of games or of positions, in the format of its name.
///
/// The file takes its name when it is [finished](Self::finish); until then it is
/// `NAME.partial`, and a file in its place stays. It is compressed if its name ends in `.zst`.
pub struct DataWriter {
    path: PathBuf,
    sink: Sink,
    written: Written,
}

#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Games in the file; none in a list.
    pub games: u64,
    /// Positions in the file: those in which a move was played, or those of a list.
    pub positions: u64,
    /// Entries that the format cannot hold.
    pub left_out: SkipReport<LeftOut>,
    /// Scores replaced by the nearest that the format can hold.
    pub clamped: SkipReport<Clamped>,
}

impl Written {
    /// Whether nothing is in the file.
    pub fn is_empty(&self) -> bool {
        self.games + self.positions == 0
    }

    /// A warning about entries that the format of the file cannot hold, if there are any.
    /// Positions without a score do not count: a filter leaves them without one.
    pub fn left_out_warning(&self, path: &Path) -> Option<String> {
        let kinds = [
            (LeftOut::Game, "games"),
            (LeftOut::Alone, "positions without their games"),
            (LeftOut::Result, "positions without a result"),
            (LeftOut::Move, "positions without a move"),
            (LeftOut::Board, "positions"),
        ];
        let counts = kinds.map(|(reason, what)| (self.left_out.count(reason), what));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        let (first, path) = (self.left_out.first().join("; "), path.display());
        (!counts.is_empty()).then(|| {
            let counts = counts.join(", ");
            format!("not in `{path}`, whose format cannot hold them: {counts}; {first}")
        })
    }
}

/// Why an entry is not in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// The format cannot hold the game.
    Game,
    /// The format holds games, and the position is alone.
    Alone,
    /// The format needs a score, and the position has none.
    Score,
    /// The format needs a result, and the position has none.
    Result,
    /// The format needs the move played, and the position has none.
    Move,
    /// The format has no room for the board.
    Board,
}

/// Kinds of scores beyond the range of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clamped {
    /// An evaluation.
    Centipawns,
    Mate,
}

enum Sink {
    Archive(Box<ArchiveWriter<PartialFile>>),
    Chunks { file: PartialFile, chunk: ChunkWriter },
    Games(Records),
    Positions(Records),
}

/// Records one behind the other.
struct Records {
    file: PartialFile,
    format: FileFormat,
    record: Vec<u8>,
}

impl DataWriter {
    /// Begins a file; `layout` is for archives.
    ///
    /// # Errors
    /// A name of no format that is written, a folder that cannot be written to.
    pub fn create(path: &Path, layout: Layout) -> Result<Self, DataError> {
        let format = Self::format_of(path)?;
        let begin = || -> io::Result<Sink> {
            let file = PartialFile::create(path)?;
            Ok(match format {
                FileFormat::Archive => Sink::Archive(Box::new(ArchiveWriter::new(file, layout)?)),
                FileFormat::Binpack => Sink::Chunks { file, chunk: ChunkWriter::default() },
                FileFormat::Pgn | FileFormat::Plain | FileFormat::Viriformat => {
                    Sink::Games(Records::new(file, format))
                }
                _ => Sink::Positions(Records::new(file, format)),
            })
        };
        let sink = begin().map_err(|source| DataError::Write { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), sink, written: Written::default() })
    }

    /// The format in which a file of this name would be written.
    ///
    /// # Errors
    /// A name of no format that is written.
    pub fn format_of(path: &Path) -> Result<FileFormat, DataError> {
        FileFormat::written_as(path).ok_or_else(|| DataError::NotWritten {
            path: path.to_owned(),
            known: FileFormat::written(),
        })
    }

    /// Adds a game or a position. Entries that the format cannot hold are left out and counted.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn write(&mut self, entry: &Entry) -> Result<(), DataError> {
        match entry {
            Entry::Game(game) => self.write_game(game),
            Entry::Position(listed) => self.write_position(listed),
        }
    }

    /// Adds a game; see [`Self::write`].
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn write_game(&mut self, game: &Game) -> Result<(), DataError> {
        let written = &mut self.written;
        if let Sink::Positions(records) = &mut self.sink {
            return records.positions_of(game, written).map_err(|error| self.error(error));
        }
        match self.sink.game(game).map_err(|error| self.error(error))? {
            Ok(()) => {
                self.written.games += 1;
                self.written.positions += game.moves.len() as u64;
                self.note_clamped(game);
            }
            Err(reason) => {
                let number = self.written.games + self.written.left_out.count(LeftOut::Game) + 1;
                self.written.left_out.add(LeftOut::Game, || format!("game {number}: {reason}"));
            }
        }
        Ok(())
    }

    /// Adds a position of a list; see [`Self::write`]. Binpack and `.plain` hold it as a game of
    /// one move.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn write_position(&mut self, listed: &ListedPosition) -> Result<(), DataError> {
        let format = match &mut self.sink {
            Sink::Positions(records) => {
                let done = records.position(&listed.candidate(), &mut self.written);
                return done.map_err(|error| self.error(error));
            }
            Sink::Archive(_) => FileFormat::Archive,
            Sink::Chunks { .. } => FileFormat::Binpack,
            Sink::Games(records) => records.format,
        };
        let (reason, lacks) = match (listed.result, listed.played) {
            _ if !format.holds_positions() => (LeftOut::Alone, "a game"),
            (None, _) => (LeftOut::Result, "result"),
            (_, None) => (LeftOut::Move, "move"),
            (Some(result), Some(played)) => return self.write_alone(listed, played, result),
        };
        let position = &listed.position;
        self.written.left_out.add(reason, || format!("a position without {lacks}: {position}"));
        Ok(())
    }

    /// Adds a position as a game of one move.
    fn write_alone(
        &mut self,
        listed: &ListedPosition,
        played: Move,
        result: GameResult,
    ) -> Result<(), DataError> {
        let (start, white_score) = (listed.position.clone(), listed.white_score);
        let moves = vec![GameMove { played, white_score }];
        let done = self.sink.game(&Game { start, moves, result: Some(result) });
        let (position, Written { positions, left_out, clamped, .. }) =
            (&listed.position, &mut self.written);
        match done {
            Ok(Ok(())) => *positions += 1,
            Ok(Err(reason)) => {
                left_out.add(LeftOut::Board, || format!("{reason}: {position}"));
                return Ok(());
            }
            Err(error) => return Err(self.error(error)),
        }
        if let Some(score) = white_score.filter(|score| !score.fits_i16()) {
            clamped.add(kind(score), || format!("{score} in {position}"));
        }
        Ok(())
    }

    /// Counts the scores of a game that were replaced.
    fn note_clamped(&mut self, game: &Game) {
        let Written { games, clamped, .. } = &mut self.written;
        let holds: fn(Score) -> bool = match &self.sink {
            Sink::Archive(_) => archive::holds_exactly,
            Sink::Games(records) if records.format == FileFormat::Pgn => return,
            _ => Score::fits_i16,
        };
        for (m, ply) in game.moves.iter().zip(1..) {
            let Some(score) = m.white_score.filter(|&score| !holds(score)) else { continue };
            clamped.add(kind(score), || format!("game {games}, ply {ply}: {score}"));
        }
    }

    fn error(&self, source: io::Error) -> DataError {
        DataError::Write { path: self.path.clone(), source }
    }

    pub fn written(&self) -> &Written {
        &self.written
    }

    /// Completes the file under its own name.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn finish(self) -> Result<Written, DataError> {
        let Self { path, sink, written } = self;
        let complete = || match sink {
            Sink::Archive(archive) => archive.finish()?.0.finish(),
            Sink::Chunks { mut file, mut chunk } => {
                chunk.flush(&mut file)?;
                file.finish()
            }
            Sink::Games(records) | Sink::Positions(records) => records.file.finish(),
        };
        complete().map_err(|source| DataError::Write { path, source })?;
        Ok(written)
    }
}

fn kind(score: Score) -> Clamped {
    match score {
        Score::Centipawns(_) => Clamped::Centipawns,
        Score::Mate(_) => Clamped::Mate,
    }
}

impl Sink {
    /// Adds a game to a file of games; the inner error is why the format cannot hold it.
    fn game(&mut self, game: &Game) -> io::Result<Result<(), String>> {
        match self {
            Sink::Archive(archive) => {
                archive.write(game).map(|done| done.map_err(|error| error.to_string()))
            }
            Sink::Chunks { file, chunk } => {
                let done = chunk.add(game).map_err(str::to_owned);
                if chunk.is_full() {
                    chunk.flush(file)?;
                }
                Ok(done)
            }
            Sink::Games(records) | Sink::Positions(records) => records.game(game),
        }
    }
}

impl Records {
    fn new(file: PartialFile, format: FileFormat) -> Self {
        Self { file, format, record: Vec::new() }
    }

    /// Adds a game; the inner error is why the format cannot hold it.
    fn game(&mut self, game: &Game) -> io::Result<Result<(), String>> {
        self.record.clear();
        let done = match self.format {
            FileFormat::Pgn => pgn::write_game(&mut self.record, game).map(Ok)?,
            FileFormat::Plain => plain::encode(game, &mut self.record).map_err(str::to_owned),
            _ => viriformat::encode(game, &mut self.record).map_err(str::to_owned),
        };
        if done.is_ok() {
            self.file.write_all(&self.record)?;
        }
        Ok(done)
    }

    /// Adds the positions of a game.
    fn positions_of(&mut self, game: &Game, written: &mut Written) -> io::Result<()> {
        let mut done = Ok(());
        CandidatePosition::visit(game, |candidate| {
            if done.is_ok() {
                done = self.position(candidate, written);
            }
        });
        done
    }

    /// Adds a position, if the format can hold it.
    fn position(
        &mut self,
        candidate: &CandidatePosition<'_>,
        written: &mut Written,
    ) -> io::Result<()> {
        self.record.clear();
        if let Err((reason, detail)) = self.encode(candidate) {
            let position = candidate.position;
            written.left_out.add(reason, || format!("{detail}: {position}"));
            return Ok(());
        }
        self.file.write_all(&self.record)?;
        written.positions += 1;
        if let Some(score) = candidate.white_score.filter(|score| !score.fits_i16()) {
            let position = candidate.position;
            written.clamped.add(kind(score), || format!("{score} in {position}"));
        }
        Ok(())
    }

    /// Makes the record of a position; an error is why the format cannot hold it.
    fn encode(&mut self, candidate: &CandidatePosition<'_>) -> Result<(), (LeftOut, &'static str)> {
        let CandidatePosition { position, white_score, result, .. } = *candidate;
        let score = || white_score.ok_or((LeftOut::Score, "a position without score"));
        let result = || result.ok_or((LeftOut::Result, "a position without result"));
        match self.format {
            FileFormat::Sfen => {
                let record = sfen::encode(candidate, result()?);
                self.record.extend(record.map_err(|reason| (LeftOut::Board, reason))?);
            }
            FileFormat::Bulletformat => {
                let record = bulletformat::encode(position, score()?, result()?);
                self.record.extend(record.ok_or((LeftOut::Board, "more than 32 pieces"))?);
            }
            _ => self.record.extend(scored_text(candidate, score()?, result()?).into_bytes()),
        }
        Ok(())
    }
}

/// `FEN | score | result`.
fn scored_text(candidate: &CandidatePosition<'_>, score: Score, result: GameResult) -> String {
    let points = ["0.0", "0.5", "1.0"][usize::from(result.seen_by(Color::White))];
    let mut line = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(line, "{} | {} | {points}", candidate.position, score.to_i16());
    line
}
