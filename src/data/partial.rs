//! A file that takes its name when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const ZSTD_LEVEL: i32 = 9;

/// A file being written beside its place, as `NAME.partial`; compressed if its
/// name ends in `.zst`.
///
/// Dropped before [`finish`](Self::finish), the partial file stays, and whatever
/// stood in its place too: what it holds can be used (renamed) if the work is
/// worth keeping.
pub struct PartialFile {
    path: PathBuf,
    partial: PathBuf,
    sink: Sink,
}

enum Sink {
    Plain(BufWriter<File>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl PartialFile {
    /// Begins a file.
    ///
    /// # Errors
    /// A folder that is not there, or may not be written to.
    pub fn create(path: &Path) -> io::Result<Self> {
        let partial = path.with_added_extension("partial");
        let file = BufWriter::new(File::create(&partial)?);
        let sink = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("zst")) {
            Sink::Zstd(zstd::Encoder::new(file, ZSTD_LEVEL)?)
        } else {
            Sink::Plain(file)
        };
        Ok(Self { path: path.to_owned(), partial, sink })
    }

    /// Removes what has been written.
    ///
    /// # Errors
    /// A disk that is gone.
    pub fn discard(self) -> io::Result<()> {
        let Self { partial, sink, .. } = self;
        drop(sink);
        std::fs::remove_file(partial)
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn finish(self) -> io::Result<()> {
        let buffer = match self.sink {
            Sink::Plain(sink) => sink,
            Sink::Zstd(encoder) => encoder.finish()?,
        };
        let file = buffer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        std::fs::rename(&self.partial, &self.path)
    }
}

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.write(bytes),
            Sink::Zstd(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.flush(),
            Sink::Zstd(sink) => sink.flush(),
        }
    }
}
