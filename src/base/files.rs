//! Files from outside that are read whole: books, nets, lists, experiments.
//!
//! A device never ends, and a file of a terabyte is no experiment. So every
//! read of a whole file has a bound.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::memory::{self, Size};

/// The longest text that is read whole: an experiment, a list of rows or of puzzles.
pub const MOST_TEXT: u64 = 64 << 20;

/// Checks for a plain file of at most `most` bytes that fits into memory, before it is opened,
/// since opening a pipe waits for its writer.
///
/// # Errors
/// Any other file, or none.
pub fn check(path: &Path, most: u64) -> io::Result<()> {
    let file = std::fs::metadata(path)?;
    if !file.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    check_length(file.len(), most)?;
    memory::ensure(file.len()).map_err(io::Error::other)
}

fn check_length(bytes: u64, most: u64) -> io::Result<()> {
    if bytes <= most {
        return Ok(());
    }
    Err(io::Error::other(format!("longer than {}, which no such file is", Size(most))))
}

/// The bytes of a plain file.
///
/// # Errors
/// As [`check`], and those of reading.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    check(path, most)?;
    read_up_to(File::open(path)?, most)
}

/// The text of a file, which may also be a pipe: `<(…)` in a shell is one.
///
/// # Errors
/// More than [`MOST_TEXT`], bytes that are no text, and those of reading.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_up_to(File::open(path)?, MOST_TEXT)?;
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("byte {place} is not UTF-8 text"))
    })
}

/// The rest of a stream, if it is at most `most` bytes.
///
/// # Errors
/// More than that, and those of reading.
pub fn read_up_to(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes)?;
    check_length(bytes.len() as u64, most)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "twelve bytes").unwrap();
        assert_eq!(read(&path, 12).unwrap(), b"twelve bytes");
        assert!(read(&path, 11).unwrap_err().to_string().contains("longer than"));
        assert_eq!(read_text(&path).unwrap(), "twelve bytes");
        assert!(read(folder.path(), 12).unwrap_err().to_string().contains("not a regular file"));
        std::fs::write(&path, b"caf\xe9").unwrap();
        assert_eq!(read_text(&path).unwrap_err().to_string(), "byte 3 is not UTF-8 text");
    }

    #[cfg(unix)]
    #[test]
    fn devices_have_an_end_here() {
        let zeros = Path::new("/dev/zero");
        assert!(read(zeros, 1 << 30).unwrap_err().to_string().contains("not a regular file"));
        assert!(read_text(zeros).unwrap_err().to_string().contains("longer than 64 MiB"));
    }
}
