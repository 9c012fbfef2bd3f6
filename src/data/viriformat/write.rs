//! Writing viriformat, so that a file is never seen half written.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::chess::PackedPosition;
use crate::data::game::NO_SCORE;
use crate::data::{DataError, Game, Score};

use super::bits::{encode_move, encode_result};
use super::{MOVE_BYTES, RESULT_OFFSET, TERMINATOR};

const ZSTD_LEVEL: i32 = 9;

/// Streams games into a viriformat file; compressed if its name ends in `.zst`.
///
/// Games go to `NAME.partial`, which takes its name in [`finish`]. Dropped
/// before that, the partial file stays: it holds whole games up to the last
/// buffer and can be read (renamed) if the work is worth keeping.
///
/// [`finish`]: VirifileWriter::finish
pub struct VirifileWriter {
    path: PathBuf,
    partial: PathBuf,
    sink: Sink,
    record: Vec<u8>,
    games: u64,
}

enum Sink {
    Plain(BufWriter<File>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl VirifileWriter {
    /// Starts a file. An existing one is replaced, by [`finish`](Self::finish) only.
    pub fn create(path: &Path) -> Result<Self, DataError> {
        let mut partial = OsString::from(path);
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let error = |source| DataError::Write { path: partial.clone(), source };
        let file = BufWriter::new(File::create(&partial).map_err(error)?);
        let sink = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("zst")) {
            Sink::Zstd(zstd::Encoder::new(file, ZSTD_LEVEL).map_err(error)?)
        } else {
            Sink::Plain(file)
        };
        Ok(Self { path: path.to_owned(), partial, sink, record: Vec::new(), games: 0 })
    }

    /// Adds a game. One without a result, or with moves that are not its
    /// own, is refused and leaves the file as it was.
    pub fn write(&mut self, game: &Game) -> Result<(), DataError> {
        self.record.clear();
        encode(game, &mut self.record).map_err(|reason| DataError::Unwritable {
            path: self.path.clone(),
            number: self.games + 1,
            reason,
        })?;
        let written = match &mut self.sink {
            Sink::Plain(sink) => sink.write_all(&self.record),
            Sink::Zstd(sink) => sink.write_all(&self.record),
        };
        written.map_err(|source| DataError::Write { path: self.partial.clone(), source })?;
        self.games += 1;
        Ok(())
    }

    /// Games written so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Completes the file under its own name.
    pub fn finish(self) -> Result<(), DataError> {
        let Self { path, partial, sink, .. } = self;
        let complete = || {
            let buffer = match sink {
                Sink::Plain(sink) => sink,
                Sink::Zstd(encoder) => encoder.finish()?,
            };
            let file = buffer.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            std::fs::rename(&partial, &path)
        };
        complete().map_err(|source| DataError::Write { path: path.clone(), source })
    }
}

/// Appends the record of a game.
fn encode(game: &Game, record: &mut Vec<u8>) -> Result<(), &'static str> {
    let result = game.result.ok_or("it has no result, which viriformat cannot say")?;
    let start = PackedPosition::pack(&game.start).ok_or("it starts with more than 32 pieces")?;
    record.extend_from_slice(bytemuck::bytes_of(&start));
    record.extend_from_slice(&0i16.to_le_bytes());
    debug_assert_eq!(record.len(), RESULT_OFFSET);
    record.extend_from_slice(&[encode_result(result), 0]);
    record.reserve((game.moves.len() + 1) * MOVE_BYTES);
    for m in &game.moves {
        let bits = encode_move(m.played).ok_or("it has a drop, which is not chess")?;
        let score = m.white_score.map_or(NO_SCORE, Score::to_i16);
        record.extend_from_slice(&bits.to_le_bytes());
        record.extend_from_slice(&score.to_le_bytes());
    }
    record.extend_from_slice(&TERMINATOR);
    Ok(())
}
