//! A file to read from: plain or compressed, counted and hashed on the way.
//!
//! The hash is that of the bytes on disk, taken as they pass: a run records exactly which data
//! it read without reading the file twice.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::formats::place;
use base::compression::unpacked;

/// A file as it was read, for the record of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceInfo {
    pub path: PathBuf,
    pub bytes: u64,
    /// BLAKE3 of the bytes on disk, in hexadecimal.
    pub blake3: String,
}

/// An open file, decompressed if need be.
pub struct Source {
    path: PathBuf,
    file: File,
    reader: Box<dyn BufRead + Send>,
    meter: Arc<Meter>,
}

impl Source {
    /// Opens a file; `-` is standard input. Whether it is compressed is seen from its content, not its name.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let error = |source| DataError::Open { path: path.to_owned(), source };
        let file = place::open(path).map_err(error)?;
        if file.metadata().map_err(error)?.is_dir() {
            return Err(error(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
        }
        let meter = Arc::new(Meter::default());
        let metered = Metered { file: file.try_clone().map_err(error)?, meter: meter.clone() };
        let reader = unpacked(metered).map_err(|source| DataError::Read {
            path: path.to_owned(),
            offset: 0,
            source,
        })?;
        Ok(Self { path: path.to_owned(), file, reader, meter })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file taken in so far; compressed bytes if it is compressed.
    pub fn bytes_read(&self) -> u64 {
        self.meter.bytes.load(Ordering::Relaxed)
    }

    /// An I/O error of this file, with its place.
    pub fn error(&self, source: io::Error) -> DataError {
        DataError::Read { path: self.path.clone(), offset: self.bytes_read(), source }
    }

    /// Closes the file and describes it. Bytes not yet read are hashed
    /// without being decompressed.
    pub fn finish(self) -> Result<SourceInfo, DataError> {
        let Self { path, file, reader, meter } = self;
        drop(reader);
        // The clone shares its offset, so this goes on where the reader stopped.
        let mut rest = Metered { file, meter: meter.clone() };
        io::copy(&mut rest, &mut io::sink()).map_err(|source| DataError::Read {
            path: path.clone(),
            offset: meter.bytes.load(Ordering::Relaxed),
            source,
        })?;
        let blake3 = meter.hasher().finalize().to_hex().to_string();
        Ok(SourceInfo { path, bytes: meter.bytes.load(Ordering::Relaxed), blake3 })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}

/// Fills as much of `buffer` as the input has left; less than its length only at the end.
pub(crate) fn read_full(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

#[derive(Default)]
struct Meter {
    bytes: AtomicU64,
    hasher: Mutex<blake3::Hasher>,
}

impl Meter {
    fn hasher(&self) -> MutexGuard<'_, blake3::Hasher> {
        self.hasher.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file whose bytes are counted and hashed as they pass.
struct Metered {
    file: File,
    meter: Arc<Meter>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.meter.hasher().update(&buffer[..n]);
        self.meter.bytes.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn write(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn plain_and_compressed_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let text: Vec<u8> = (0..1_000_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        let packed = zstd::encode_all(&text[..], 1).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(&text).unwrap();
        let (gzip, bzip2) = (gzip.finish().unwrap(), bzip2.finish().unwrap());
        let files = [("plain", &text), ("zst", &packed), ("gz", &gzip), ("bz2", &bzip2)];
        for (name, stored) in files {
            let path = write(&folder, name, stored);
            let mut source = Source::open(&path).unwrap();
            let mut read = Vec::new();
            source.read_to_end(&mut read).unwrap();
            assert!(read == text);
            let info = source.finish().unwrap();
            assert_eq!(info.bytes, stored.len() as u64);
            assert_eq!(info.blake3, blake3::hash(stored).to_hex().to_string());
        }
    }

    #[test]
    fn the_hash_covers_what_was_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let packed = zstd::encode_all(&vec![7u8; 5_000_000][..], 1).unwrap();
        let path = write(&folder, "packed", &[&packed[..], &packed[..]].concat());
        let mut source = Source::open(&path).unwrap();
        source.read_exact(&mut [0; 10]).unwrap();
        let info = source.finish().unwrap();
        assert_eq!(info.blake3, blake3::hash(&std::fs::read(&path).unwrap()).to_hex().to_string());
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Source::open(&folder.path().join("missing.pgn")).err().unwrap();
        assert!(missing.to_string().contains("missing.pgn"), "{missing}");
        assert!(Source::open(folder.path()).is_err());
    }

    #[test]
    fn a_cut_stream_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let packed = zstd::encode_all(&vec![7u8; 100][..], 1).unwrap();
        let path = write(&folder, "cut", &packed[..packed.len() - 3]);
        let mut source = Source::open(&path).unwrap();
        assert!(source.read_to_end(&mut Vec::new()).is_err());
    }
}
