//! Paths of data: files, folders of files, standard input.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::DataError;
use crate::formats::format::FileFormat;

/// The name of standard input with its format detected from its content.
const STANDARD_INPUT: &str = "-";
/// Its name with the ending of a format, for records that begin with nothing of their own.
const NAMED_INPUT: &str = "stdin.";

/// Whether it can be read only once: standard input, or a pipe such as `<(…)` of a shell.
pub fn is_read_once(path: &Path) -> bool {
    let is_pipe = |file: std::fs::Metadata| !file.is_file() && !file.is_dir();
    is_standard_input(path) || path.metadata().is_ok_and(is_pipe)
}

/// Whether this is standard input: `-`, or `stdin.viri` and the like unless there is such a
/// file.
fn is_standard_input(path: &Path) -> bool {
    let is_named = || {
        let name = path.to_str().unwrap_or_default();
        name.starts_with(NAMED_INPUT) && FileFormat::of_name(path).is_some() && !path.exists()
    };
    path.as_os_str() == STANDARD_INPUT || is_named()
}

/// Files, with folders replaced by their data files (by extension), in the order of their names.
///
/// # Errors
/// A folder that cannot be read, or without such files.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        files.extend(
            files_of(path).map_err(|source| DataError::Open { path: path.clone(), source })?,
        );
        if files.len() == before {
            return Err(DataError::EmptyFolder { path: path.clone() });
        }
    }
    Ok(files)
}

fn files_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries: Vec<_> = folder.read_dir()?.collect::<io::Result<_>>()?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.is_file() && FileFormat::of_name(path).is_some()).collect();
    files.sort_unstable();
    Ok(files)
}

/// Opens a file, or standard input.
pub fn open(path: &Path) -> io::Result<File> {
    if is_standard_input(path) { standard_input() } else { File::open(path) }
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn standard_input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_has_the_ending_of_a_format_or_none() {
        for (name, is_input) in [
            ("-", true),
            ("stdin.viri", true),
            ("stdin.data.zst", true),
            ("stdin.docx", false),
            ("folder/stdin.viri", false),
            ("stdin", false),
        ] {
            assert_eq!(is_standard_input(Path::new(name)), is_input, "{name}");
        }
    }

    #[test]
    fn folders_are_their_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.pgn", "a.viri.zst", "notes.md", "c.oarc"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("d.pgn")).unwrap();
        let other = PathBuf::from("elsewhere.pgn");
        let found = expand(&[folder.path().to_owned(), other.clone()]).unwrap();
        let names = ["a.viri.zst", "b.pgn", "c.oarc"].map(|name| folder.path().join(name));
        assert_eq!(found, [&names[..], &[other]].concat());
        let empty = expand(&[folder.path().join("d.pgn")]).unwrap_err().to_string();
        assert!(empty.contains("d.pgn") && empty.contains("no file"), "{empty}");
    }
}
