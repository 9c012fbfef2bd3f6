//! Files that are there whole or not at all.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::beside::Beside;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot write: {source}; {}", path.display(), remedy(source))]
pub struct WriteError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Remedy of an error, for its message.
pub fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        ErrorKind::NotFound => "its folder is not there, or it was removed meanwhile",
        ErrorKind::ResourceBusy => "wait until it is done, or choose another name",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that can be written to"
        }
        _ => "make room or choose another folder",
    }
}

/// Writes `pieces` one after the other, then renames the file to its place: a crash leaves the old
/// file or the new one.
pub fn write_atomically(path: &Path, pieces: &[&[u8]]) -> Result<(), WriteError> {
    replace_atomically(path, pieces, || Ok(()))
}

/// As [`write_atomically`], calling `before` when all is on the disk but the file of that
/// name is still the old one.
pub fn replace_atomically(
    path: &Path,
    pieces: &[&[u8]],
    before: impl FnOnce() -> io::Result<()>,
) -> Result<(), WriteError> {
    write(path, pieces, before).map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Whether the path is a device or a pipe, which cannot be replaced and must not be.
pub(super) fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

fn write(path: &Path, pieces: &[&[u8]], before: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    if is_device(path) {
        before()?;
        let mut device = File::create(path)?;
        return pieces.iter().try_for_each(|piece| device.write_all(piece));
    }
    let mut file = begin(path, pieces)?;
    file.file().sync_all()?;
    before()?;
    file.take_name(path)?;
    sync_directory(path)
}

/// The same without waiting for the disk, for files that no crash has to leave.
///
/// # Errors
/// A file that cannot be written.
pub fn write_unsynced(path: &Path, piece: &[u8]) -> io::Result<()> {
    begin(path, &[piece])?.take_name(path)
}

/// Path of a file until it is whole, one per machine that shares the folder. The next process
/// removes the remains of a killed one.
pub fn unfinished(path: &Path) -> PathBuf {
    path.with_added_extension(format!("{}.tmp", crate::host().unwrap_or_default()))
}

fn begin(path: &Path, pieces: &[&[u8]]) -> io::Result<Beside> {
    let mut file = Beside::wait(&unfinished(path))?;
    pieces.iter().try_for_each(|piece| file.file().write_all(piece))?;
    Ok(file)
}

/// Makes the rename itself survive a power cut. Only Unix lets a directory be
/// opened for this; elsewhere the file system has to be trusted.
fn sync_directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(directory) if cfg!(unix) && !directory.as_os_str().is_empty() => {
            File::open(directory)?.sync_all()
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_the_old_file_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file.bin");
        write_atomically(&path, &[b"old"]).unwrap();
        write_atomically(&path, &[b"ne", b"", b"w"]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_to_and_stay() {
        write_atomically(Path::new("/dev/null"), &[b"x"]).unwrap();
        assert!(is_device(Path::new("/dev/null")));
        assert!(!is_device(Path::new("/no/such/file")) && !is_device(Path::new("/")));
    }

    #[test]
    fn errors_name_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("missing").join("file.bin");
        let error = write_atomically(&path, &[b"x"]).unwrap_err();
        assert!(error.to_string().contains("missing"), "{error}");
    }
}
