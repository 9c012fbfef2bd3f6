//! Which format a file is in.

use std::io::BufRead;
use std::path::Path;

use super::{DataError, Source};

/// A format games are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Portable Game Notation, with scores in comments.
    Pgn,
    /// Viridithas's game format: [`viriformat`](super::viriformat).
    Viriformat,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 2] = [Format::Pgn, Format::Viriformat];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pgn => "PGN",
            Format::Viriformat => "viriformat",
        }
    }

    /// File name endings that say it.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Pgn => &["pgn"],
            Format::Viriformat => &["vf", "viri", "viriformat"],
        }
    }

    /// What a file name says, `.zst` aside.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".zst").unwrap_or(&name);
        let (_, extension) = name.rsplit_once('.')?;
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension))
    }

    /// What the name says, or failing that the content: a PGN shows itself by its tags.
    pub fn detect(path: &Path, source: &mut Source) -> Result<Self, DataError> {
        if let Some(format) = Self::of_name(path) {
            return Ok(format);
        }
        let head = match source.fill_buf() {
            Ok(head) => head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head),
            Err(e) => return Err(source.error(e)),
        };
        if head.trim_ascii_start().starts_with(b"[Event \"") {
            return Ok(Format::Pgn);
        }
        Err(DataError::UnknownFormat { path: path.to_owned(), known: known_endings() })
    }
}

/// `.pgn (PGN), .vf .viri .viriformat (viriformat)`.
fn known_endings() -> String {
    let of_one = |format: Format| {
        let endings: Vec<String> = format.extensions().iter().map(|e| format!(".{e}")).collect();
        format!("{} ({})", endings.join(" "), format.name())
    };
    Format::ALL.map(of_one).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format() {
        let of = |name: &str| Format::of_name(Path::new(name));
        assert_eq!(of("a/b.pgn"), Some(Format::Pgn));
        assert_eq!(of("a/b.PGN.zst"), Some(Format::Pgn));
        assert_eq!(of("selfplay.vf.zst"), Some(Format::Viriformat));
        assert_eq!(of("pgn"), None);
        assert_eq!(of("games.zst"), None);
    }

    #[test]
    fn content_helps_where_the_name_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt");
        std::fs::write(&path, "\u{feff}\n[Event \"?\"]\n\n1. e4 *\n").unwrap();
        let mut source = Source::open(&path).unwrap();
        assert_eq!(Format::detect(&path, &mut source).unwrap(), Format::Pgn);

        std::fs::write(&path, "hello").unwrap();
        let error = Format::detect(&path, &mut Source::open(&path).unwrap()).unwrap_err();
        assert!(error.to_string().contains(".vf .viri .viriformat (viriformat)"), "{error}");
    }
}
