//! A file that takes its name when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::atomic::is_device;
use super::beside::Beside;

const ZSTD_LEVEL: i32 = 9;

/// A file being written beside its place, as `NAME.partial`; compressed if its
/// name ends in `.zst`, and then with a checksum of its content.
///
/// Dropping it before [`finish`](Self::finish) removes it and keeps the file in its place.
/// Work that is worth keeping can be [left](Self::leave). One process at a time writes a file of a
/// name. A device such as `/dev/stdout` is written to directly.
pub struct PartialFile {
    path: PathBuf,
    sink: Sink,
    /// The file itself; nothing for a device.
    partial: Option<Beside>,
}

enum Sink {
    Plain(BufWriter<File>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl PartialFile {
    /// Begins a file.
    ///
    /// # Errors
    /// Another process that writes it; a folder that is not there, or may not be written to.
    pub fn create(path: &Path) -> io::Result<Self> {
        let (file, partial) = match is_device(path) {
            true => (File::create(path)?, None),
            false => {
                let mut partial = Beside::create(path.with_added_extension("partial"))?;
                (partial.file().try_clone()?, Some(partial))
            }
        };
        let file = BufWriter::new(file);
        let sink = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("zst")) {
            let mut encoder = zstd::Encoder::new(file, ZSTD_LEVEL)?;
            encoder.include_checksum(true)?;
            Sink::Zstd(encoder)
        } else {
            Sink::Plain(file)
        };
        Ok(Self { path: path.to_owned(), sink, partial })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn finish(self) -> io::Result<()> {
        let path = self.path.clone();
        match self.complete()? {
            Some(partial) => partial.take_name(&path),
            None => Ok(()),
        }
    }

    /// Completes the partial file, which keeps its name; the file in its place stays.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn leave(self) -> io::Result<PathBuf> {
        let path = self.path.clone();
        Ok(self.complete()?.map_or(path, Beside::leave))
    }

    /// Brings everything to the disk.
    fn complete(self) -> io::Result<Option<Beside>> {
        let mut buffer = match self.sink {
            Sink::Plain(sink) => sink,
            Sink::Zstd(encoder) => encoder.finish()?,
        };
        buffer.flush()?;
        // Devices have nothing to keep.
        if self.partial.is_some() {
            buffer.get_ref().sync_all()?;
        }
        Ok(self.partial)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_files_notice_every_flipped_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text.zst");
        let mut file = PartialFile::create(&path).unwrap();
        let content: Vec<u8> = (0..2_000u32).flat_map(|i| (i * i).to_le_bytes()).collect();
        file.write_all(&content).unwrap();
        file.finish().unwrap();
        let packed = std::fs::read(&path).unwrap();
        assert_eq!(zstd::decode_all(&packed[..]).unwrap(), content);
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 1 << (at % 8);
            let read = zstd::decode_all(&damaged[..]);
            assert!(read.is_err() || read.unwrap() == content, "byte {at}");
        }
    }

    #[test]
    fn the_file_in_its_place_stays_until_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "old").unwrap();
        let mut file = PartialFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(file.leave().unwrap(), folder.path().join("file.partial"));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        PartialFile::create(&path).unwrap().finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn work_that_is_given_up_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["file", "file.zst"] {
            let mut file = PartialFile::create(&folder.path().join(name)).unwrap();
            file.write_all(&[7; 100_000]).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn two_at_once_do_not_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut first = PartialFile::create(&path).unwrap();
        let second = PartialFile::create(&path).err().unwrap();
        assert_eq!(second.kind(), io::ErrorKind::ResourceBusy);
        first.write_all(b"first").unwrap();
        first.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
    }
}
