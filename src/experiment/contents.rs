//! Bytes and games in the folder of an experiment.

use std::path::Path;

/// Files of an experiment or a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Bytes of all files.
    pub bytes: u64,
    /// Games in the logs of matches.
    pub games: u64,
}

impl Contents {
    /// Of a folder and its subfolders; unreadable files do not count.
    pub fn of(folder: &Path) -> Self {
        let mut contents = Self::default();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    let Self { bytes, games } = Self::of(&path);
                    (contents.bytes, contents.games) =
                        (contents.bytes + bytes, contents.games + games);
                }
                _ => contents.bytes += entry.metadata().map_or(0, |file| file.len()),
            }
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.ends_with(".jsonl") && path.parent().is_some_and(|at| at.ends_with("games")) {
                let lines = std::fs::read(&path).unwrap_or_default();
                let lines = lines.iter().filter(|&&byte| byte == b'\n').count() as u64;
                // The first line is a header.
                contents.games += lines.saturating_sub(1);
            }
        }
        contents
    }
}
