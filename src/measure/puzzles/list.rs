//! A frozen selection: a file of the ids of its puzzles, with their source.
//!
//! ```text
//! # oplus puzzle list, version 1
//! # source: lichess_db_puzzle.csv.zst
//! # source BLAKE3: 5f0c1a7d…
//! # selection: --max-deviation 90 --per-bucket 500 --bucket 200 --seed 1
//! # list BLAKE3: 0b1e…
//! # puzzles: 2
//! 00008
//! 0000D
//! ```

use std::path::{Path, PathBuf};

use super::{PuzzleError, PuzzleSet, Selection};
use base::atomic::write_atomically;
use base::files;
use data::DataError;

const TITLE: &str = "# oplus puzzle list, version 1";

/// The ids of a selection and where they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuzzleList {
    /// Name of the file the puzzles are in.
    pub source: String,
    /// BLAKE3 of that file, in hexadecimal.
    pub source_blake3: String,
    /// The selection, as options of `oplus puzzles select`.
    pub selection: String,
    /// The ids, in the order of the file.
    pub ids: Vec<String>,
}

/// Defect of a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListDefect {
    #[error(
        "line {line}: expected `{expected}…`, found `{found}`; make lists with `oplus puzzles select FILE --out LIST`"
    )]
    Line { line: usize, expected: &'static str, found: String },
    #[error(
        "its {ids} ids do not match the header (BLAKE3 {found}, expected {named}): the list was changed or cut; freeze it again with `oplus puzzles select`"
    )]
    Changed { ids: usize, named: String, found: String },
}

impl PuzzleList {
    /// Freezes puzzles.
    ///
    /// # Errors
    /// A puzzle without an id, or with one that fills no line of its own.
    pub fn freeze(set: &PuzzleSet, selection: &Selection) -> Result<Self, PuzzleError> {
        let is_whole = |id: &str| !id.is_empty() && id.trim() == id && id.lines().count() == 1;
        if let Some(puzzle) = set.puzzles.iter().find(|puzzle| !is_whole(&puzzle.id)) {
            return Err(PuzzleError::NoId {
                path: set.source.path.clone(),
                fen: puzzle.start.fen(),
            });
        }
        let name = set.source.path.file_name().unwrap_or(set.source.path.as_os_str());
        Ok(Self {
            source: name.to_string_lossy().replace(['\n', '\r'], " "),
            source_blake3: set.source.blake3.clone(),
            selection: selection.to_string(),
            ids: set.puzzles.iter().map(|puzzle| puzzle.id.clone()).collect(),
        })
    }

    /// BLAKE3 of the ids, each with a line end, in hexadecimal: equal hashes mean equal puzzles.
    pub fn blake3(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for id in &self.ids {
            hasher.update(id.as_bytes()).update(b"\n");
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let header = [
            TITLE.to_owned(),
            format!("# source: {}", self.source),
            format!("# source BLAKE3: {}", self.source_blake3),
            format!("# selection: {}", self.selection),
            format!("# list BLAKE3: {}", self.blake3()),
            format!("# puzzles: {}", self.ids.len()),
        ];
        let lines = header.iter().chain(&self.ids);
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// Reads the text of a list.
    ///
    /// # Errors
    /// It is no list, or not as it was frozen.
    pub fn parse(text: &str) -> Result<Self, ListDefect> {
        let mut lines = text.lines();
        let mut line = 0;
        let mut field = |expected: &'static str| {
            let found = lines.next().unwrap_or("the end of the file");
            line += 1;
            let value = found.strip_prefix(expected).map(|value| value.trim().to_owned());
            let found = || found.chars().take(60).collect();
            value.ok_or_else(|| ListDefect::Line { line, expected, found: found() })
        };
        field(TITLE)?;
        let source = field("# source:")?;
        let source_blake3 = field("# source BLAKE3:")?;
        let selection = field("# selection:")?;
        let named = field("# list BLAKE3:")?;
        field("# puzzles:")?;
        let ids = lines.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
        let list = Self { source, source_blake3, selection, ids };
        match list.blake3() {
            found if found == named => Ok(list),
            found => Err(ListDefect::Changed { ids: list.ids.len(), named, found }),
        }
    }

    /// Writes the list, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), PuzzleError> {
        Ok(write_atomically(path, &[self.text().as_bytes()])?)
    }

    pub fn read(path: &Path) -> Result<Self, PuzzleError> {
        let unreadable = |source| DataError::Open { path: path.to_owned(), source };
        let bytes = files::read(path, files::MOST_TEXT).map_err(unreadable)?;
        let list = Self::parse(&String::from_utf8_lossy(&bytes));
        list.map_err(|defect| PuzzleError::List { path: PathBuf::from(path), defect })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> PuzzleList {
        PuzzleList {
            source: "puzzles.csv".to_owned(),
            source_blake3: "ab".repeat(32),
            selection: "--per-bucket 2 --bucket 200 --seed 1".to_owned(),
            ids: ["00008", "# no header", "0000D"].map(str::to_owned).to_vec(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(PuzzleList::parse(&list().text()), Ok(list()));
        let with_returns = list().text().replace('\n', "\r\n");
        assert_eq!(PuzzleList::parse(&with_returns), Ok(list()));
    }

    #[test]
    fn a_changed_list_is_an_error() {
        let text = list().text();
        for changed in [text.replace("0000D", "0000E"), text.replace("0000D\n", "")] {
            let error = PuzzleList::parse(&changed).unwrap_err();
            assert!(matches!(error, ListDefect::Changed { .. }), "{error}");
        }
    }

    #[test]
    fn errors_of_other_files_have_the_line() {
        let error = PuzzleList::parse("PuzzleId,FEN,Moves\n").unwrap_err().to_string();
        assert!(error.contains("line 1") && error.contains("PuzzleId,FEN"), "{error}");
        let no_hash = list().text().replace("# list BLAKE3", "# hash");
        let error = PuzzleList::parse(&no_hash).unwrap_err().to_string();
        assert!(error.contains("line 5: expected `# list BLAKE3:…`"), "{error}");
        assert!(PuzzleList::parse("").is_err());
    }
}
