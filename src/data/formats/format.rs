//! The formats: names, contents and readers; detection of a file's format.

use std::io::BufRead;
use std::path::Path;

use super::binpack::ChunkSplitter;
use super::entry::{Entry, FormatReader};
use super::list::{self, LineSplitter};
use super::pgn::PgnSplitter;
use super::plain::PlainSplitter;
use super::records::RecordSplitter;
use super::source::Source;
use super::terminated::GameSplitter;
use super::{
    archive, binpack, bulletformat, jsonl, marlinformat, montyformat, pgn, plain, sfen, viriformat,
};
use crate::error::DataError;
use base::compression::{Compression, unpacked_name};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Portable Game Notation, with scores in comments.
    Pgn,
    /// This program's archive: [`archive`].
    Archive,
    /// Stockfish's binpack: chains of positions, which are games.
    Binpack,
    /// viriformat, the game format of the engine Viridithas.
    Viriformat,
    /// Lines `FEN | score | result`: [`list`].
    ScoredText,
    /// EPD with the result in `c9`, or bare FENs: [`list`].
    Epd,
    /// bulletformat, the records of the trainer *bullet*.
    Bulletformat,
    /// `.bin`, the records of Stockfish's old trainer.
    Sfen,
    /// `.plain`, the text form of Stockfish's records.
    Plain,
    /// marlinformat, records such as viriformat's games begin with.
    Marlinformat,
    /// The value form of montyformat, the games of the engine Monty.
    Montyformat,
    /// The evaluations of the Lichess database, a JSON object a line.
    LichessEvaluations,
}

impl FileFormat {
    pub const ALL: [FileFormat; 12] = [
        FileFormat::Archive,
        FileFormat::Binpack,
        FileFormat::Pgn,
        FileFormat::Viriformat,
        FileFormat::Epd,
        FileFormat::ScoredText,
        FileFormat::Bulletformat,
        FileFormat::Sfen,
        FileFormat::Plain,
        FileFormat::Marlinformat,
        FileFormat::Montyformat,
        FileFormat::LichessEvaluations,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FileFormat::Pgn => "PGN",
            FileFormat::Archive => "archive",
            FileFormat::Binpack => "binpack",
            FileFormat::Viriformat => "viriformat",
            FileFormat::ScoredText => "lines `FEN | score | result`",
            FileFormat::Epd => "EPD",
            FileFormat::Bulletformat => "bulletformat",
            FileFormat::Sfen => "Stockfish's `.bin`",
            FileFormat::Plain => "Stockfish's `.plain`",
            FileFormat::Marlinformat => "marlinformat",
            FileFormat::Montyformat => "montyformat",
            FileFormat::LichessEvaluations => "evaluations of Lichess",
        }
    }

    /// File name endings. Scored text has none of its own: `.txt`
    /// may be anything, and its lines cannot be mistaken.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            FileFormat::Pgn => &["pgn"],
            FileFormat::Archive => &["oarc"],
            FileFormat::Binpack => &["binpack"],
            FileFormat::Viriformat => &["vf", "viri", "viriformat"],
            FileFormat::ScoredText => &[],
            FileFormat::Epd => &["epd", "fen"],
            FileFormat::Bulletformat => &["data", "bullet", "bulletformat"],
            FileFormat::Sfen => &["bin"],
            FileFormat::Plain => &["plain"],
            FileFormat::Marlinformat => &["marlin", "marlinformat"],
            FileFormat::Montyformat => &["monty", "montyformat"],
            FileFormat::LichessEvaluations => &["jsonl"],
        }
    }

    /// Whether it has whole games: moves played, and neighbours known.
    pub fn has_games(self) -> bool {
        matches!(
            self,
            FileFormat::Archive
                | FileFormat::Binpack
                | FileFormat::Montyformat
                | FileFormat::Pgn
                | FileFormat::Plain
                | FileFormat::Viriformat
        )
    }

    /// Whether single positions are written in it, those of games among them.
    pub fn holds_positions(self) -> bool {
        matches!(
            self,
            FileFormat::Binpack
                | FileFormat::Bulletformat
                | FileFormat::Plain
                | FileFormat::ScoredText
                | FileFormat::Sfen
        )
    }

    /// Whether it has scores.
    pub(crate) fn has_scores(self) -> bool {
        self != FileFormat::Epd
    }

    /// Whether it has the move played.
    pub fn has_moves(self) -> bool {
        self.has_games() || matches!(self, FileFormat::Sfen | FileFormat::LichessEvaluations)
    }

    /// Whether it has the depth of the search that gave a score.
    pub(crate) fn has_depths(self) -> bool {
        self == FileFormat::LichessEvaluations
    }

    /// Whether its entries are lines of text.
    pub(crate) fn is_text(self) -> bool {
        matches!(
            self,
            FileFormat::Pgn
                | FileFormat::ScoredText
                | FileFormat::Epd
                | FileFormat::Plain
                | FileFormat::LichessEvaluations
        )
    }

    /// Whether it has move numbers.
    pub(crate) fn has_plies(self) -> bool {
        !matches!(self, FileFormat::Epd | FileFormat::Bulletformat | FileFormat::LichessEvaluations)
    }

    /// Whether it has half-move clocks; lines of text may leave them out.
    pub(crate) fn has_halfmoves(self) -> bool {
        !matches!(self, FileFormat::Bulletformat | FileFormat::LichessEvaluations)
    }

    /// The format in which a file of this name is written, by its ending; text is [scored text](Self::ScoredText). `None` for formats that are only
    /// read.
    pub fn written_as(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let inside = unpacked_name(&name);
        // Other compressions are read only.
        if inside != name && !name.ends_with(Compression::Zstd.ending()) {
            return None;
        }
        let is_text = inside.ends_with(".txt");
        let format = if is_text { Some(FileFormat::ScoredText) } else { Self::of_name(path) };
        format.filter(|format| {
            !matches!(
                format,
                FileFormat::Epd
                    | FileFormat::Marlinformat
                    | FileFormat::Montyformat
                    | FileFormat::LichessEvaluations
            )
        })
    }

    /// The formats that are written, with the endings of their names.
    pub fn written() -> String {
        let formats = [
            FileFormat::Archive,
            FileFormat::Binpack,
            FileFormat::Viriformat,
            FileFormat::Pgn,
            FileFormat::Plain,
            FileFormat::Bulletformat,
            FileFormat::Sfen,
        ];
        let of_one =
            |format: FileFormat| format!(".{} ({})", format.extensions()[0], format.name());
        let text = format!(".txt ({})", FileFormat::ScoredText.name());
        formats.map(of_one).into_iter().chain([text]).collect::<Vec<_>>().join(", ")
    }

    /// The format of a file name, the ending of a compression aside.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let (_, extension) = unpacked_name(&name).rsplit_once('.')?;
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension))
    }

    /// Reader of a file of this format; it reads the head of an archive at once.
    pub(super) fn reader(self, source: &mut Source) -> Result<FormatReader, DataError> {
        let lines = LineSplitter::default();
        let records = RecordSplitter::new;
        let listed = Entry::Position;
        Ok(match self {
            FileFormat::Pgn => {
                FormatReader::alone(PgnSplitter::default(), pgn::decode, Entry::Game)
            }
            FileFormat::Archive => archive::entries::open(source)?,
            FileFormat::Binpack => {
                FormatReader::packed_games(ChunkSplitter::default(), binpack::decode)
            }
            FileFormat::Viriformat => {
                let splitter = GameSplitter::new(viriformat::HEADER_BYTES, self.name());
                FormatReader::alone(splitter, viriformat::decode, Entry::Game)
            }
            FileFormat::ScoredText => FormatReader::alone(lines, list::decode_scored_text, listed),
            FileFormat::Epd => FormatReader::alone(lines, list::decode_epd, listed),
            FileFormat::Bulletformat => FormatReader::alone(
                records(bulletformat::RECORD_BYTES),
                bulletformat::decode,
                listed,
            ),
            FileFormat::Sfen => {
                FormatReader::alone(records(sfen::RECORD_BYTES), sfen::decode, listed)
            }
            FileFormat::Plain => {
                FormatReader::packed_games(PlainSplitter::default(), plain::decode)
            }
            FileFormat::Marlinformat => FormatReader::alone(
                records(marlinformat::RECORD_BYTES),
                marlinformat::decode,
                listed,
            ),
            FileFormat::Montyformat => {
                let splitter = GameSplitter::new(montyformat::HEAD_BYTES, self.name());
                FormatReader::alone(splitter, montyformat::decode, Entry::Game)
            }
            FileFormat::LichessEvaluations => FormatReader::alone(lines, jsonl::decode, listed),
        })
    }

    /// The format of a file: that of the name for games and records, else that of the first
    /// line, else that of the name. The line comes first for lists, since scored
    /// text under the name of EPD would read as EPD with nothing to learn.
    pub(crate) fn detect(path: &Path, source: &mut Source) -> Result<Self, DataError> {
        match source.fill_buf() {
            Ok(head) if head.starts_with(&archive::MAGIC) => return Ok(FileFormat::Archive),
            Ok(head) if head.starts_with(&binpack::MAGIC) => return Ok(FileFormat::Binpack),
            Ok(_) => {}
            Err(e) => return Err(source.error(e)),
        }
        let of_name = Self::of_name(path);
        if let Some(format) = of_name.filter(|format| format.has_games() || !format.is_text()) {
            return Ok(format);
        }
        let head = match source.fill_buf() {
            Ok(head) => head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head),
            Err(e) => return Err(source.error(e)),
        };
        let first = first_line(head);
        Self::of_line(first).or(of_name).ok_or_else(|| DataError::UnknownFormat {
            path: path.to_owned(),
            found: shown(first),
            known: known_formats(),
        })
    }

    /// The format of a first line.
    fn of_line(line: &[u8]) -> Option<Self> {
        if is_tag(line) {
            Some(FileFormat::Pgn)
        } else if plain::is_plain(line) {
            Some(FileFormat::Plain)
        } else if jsonl::is_evaluation(line) {
            Some(FileFormat::LichessEvaluations)
        } else if list::is_scored_text(line) {
            Some(FileFormat::ScoredText)
        } else if list::is_epd(line) {
            Some(FileFormat::Epd)
        } else {
            None
        }
    }
}

/// Whether a line is a tag of PGN: `[Event "…"]`.
fn is_tag(line: &[u8]) -> bool {
    let name_ends = |rest: &[u8]| rest.iter().position(|c| !c.is_ascii_alphanumeric());
    line.strip_prefix(b"[").is_some_and(|rest| {
        name_ends(rest).is_some_and(|end| end > 0 && rest[end..].starts_with(b" \""))
    })
}

/// The first line that is neither empty nor a comment.
fn first_line(head: &[u8]) -> &[u8] {
    let mut lines = head.split(|&c| c == b'\n');
    lines.find(|line| list::has_content(line)).unwrap_or_default().trim_ascii()
}

/// The beginning of a line, for a message.
fn shown(line: &[u8]) -> String {
    const CHARACTERS: usize = 40;
    if line.is_empty() {
        return "it is empty".to_owned();
    }
    let text = String::from_utf8_lossy(line);
    let start: String = text.chars().take(CHARACTERS).collect();
    format!("it begins with `{}`", start.escape_debug())
}

/// `.pgn (PGN), .vf .viri .viriformat (viriformat), …`.
fn known_formats() -> String {
    let of_one = |format: FileFormat| {
        let endings: Vec<String> = format.extensions().iter().map(|e| format!(".{e}")).collect();
        match endings.is_empty() {
            true => format!("{} under any name", format.name()),
            false => format!("{} ({})", endings.join(" "), format.name()),
        }
    };
    FileFormat::ALL.map(of_one).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format() {
        let of = |name: &str| FileFormat::of_name(Path::new(name));
        assert_eq!(of("a/b.pgn"), Some(FileFormat::Pgn));
        assert_eq!(of("a/b.PGN.zst"), Some(FileFormat::Pgn));
        assert_eq!(of("selfplay.vf.zst"), Some(FileFormat::Viriformat));
        assert_eq!(of("book.EPD.zst"), Some(FileFormat::Epd));
        assert_eq!(of("book.pgn.bz2"), Some(FileFormat::Pgn));
        assert_eq!(of("lichess_db_eval.jsonl.gz"), Some(FileFormat::LichessEvaluations));
        assert_eq!(of("pgn"), None);
        assert_eq!(of("games.zst"), None);
    }

    #[test]
    fn two_formats_have_no_half_move_clock() {
        let without = FileFormat::ALL.into_iter().filter(|format| !format.has_halfmoves());
        let two = [FileFormat::Bulletformat, FileFormat::LichessEvaluations];
        assert_eq!(without.collect::<Vec<_>>(), two);
    }

    #[test]
    fn formats_that_are_written_are_listed() {
        let list = FileFormat::written();
        for format in FileFormat::ALL {
            let written = |ending: &&str| {
                FileFormat::written_as(Path::new(&format!("a.{ending}.zst"))).is_some()
            };
            let is_written = format.extensions().iter().any(written);
            let is_listed = format.extensions().iter().any(|e| list.contains(&format!(".{e} ")));
            assert_eq!(is_written, is_listed, "{}", format.name());
        }
        assert!(list.contains(".txt ("), "{list}");
        for name in ["a.pgn.gz", "a.pgn.bz2", "a.txt.gz"] {
            assert_eq!(FileFormat::written_as(Path::new(name)), None, "{name}");
        }
    }

    fn detect(name: &str, content: &str) -> Result<FileFormat, DataError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        FileFormat::detect(&path, &mut Source::open(&path).unwrap())
    }

    #[test]
    fn content_helps_where_the_name_does_not() {
        let fen = "4k3/8/8/8/8/8/8/4K3 w - -";
        for (content, format) in [
            ("\u{feff}\n[Event \"?\"]\n\n1. e4 *\n".to_owned(), FileFormat::Pgn),
            (format!("# a list\n\n{fen} | 12 | 0.5\n"), FileFormat::ScoredText),
            (format!("{fen} c9 \"1-0\";\r\n"), FileFormat::Epd),
            (format!("fen {fen} 0 1\nmove e1e2\n"), FileFormat::Plain),
            (format!("{{\"fen\":\"{fen}\",\"evals\":[]}}\n"), FileFormat::LichessEvaluations),
        ] {
            assert_eq!(detect("data.txt", &content).unwrap(), format, "{content}");
        }
        assert_eq!(detect("a.epd", &format!("{fen} | 1 | 0.5")).unwrap(), FileFormat::ScoredText);
        assert_eq!(detect("a.epd", "no position").unwrap(), FileFormat::Epd);
        assert_eq!(detect("a.vf", "[Event \"?\"]").unwrap(), FileFormat::Viriformat);
    }

    #[test]
    fn what_is_unknown_is_shown() {
        let error = detect("words.txt", "\nhello, world\n").unwrap_err().to_string();
        for part in ["words.txt", "`hello, world`", ".vf .viri .viriformat (viriformat)", "FEN |"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(detect("words.txt", "").unwrap_err().to_string().contains("it is empty"));
    }
}
