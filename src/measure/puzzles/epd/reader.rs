//! Reads suites, plain or zstd.

use std::fmt;
use std::io::{BufRead, Read};
use std::path::Path;

use super::Question;
use crate::puzzles::PuzzleError;
use data::{SkipReport, Source, SourceInfo};

/// No line of a suite is longer.
const LINE_BYTES: u64 = 64 << 10;

/// Defect of a rejected line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EpdDefect {
    /// No legal position, or one in which the game is over.
    Position,
    /// A listed move is not legal, or none is listed.
    Move,
    /// A mate in no number of moves.
    Mate,
    /// Points that do not fit their moves.
    Points,
    /// Neither `bm`, `am`, `dm` nor points.
    NoQuestion,
}

impl fmt::Display for EpdDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EpdDefect::Position => "without a legal position",
            EpdDefect::Move => "with an illegal move",
            EpdDefect::Mate => "with an unreadable mate",
            EpdDefect::Points => "with unreadable points",
            EpdDefect::NoQuestion => "without a question",
        })
    }
}

/// All good questions of a file.
#[derive(Clone, Debug)]
pub struct EpdSuite {
    /// In file order.
    pub questions: Vec<Question>,
    /// Rejected lines.
    pub skipped: SkipReport<EpdDefect>,
    pub source: SourceInfo,
}

impl EpdSuite {
    /// The file's name without folders and endings: `wacnew`.
    pub fn name(&self) -> String {
        let path = &self.source.path;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        name.trim_end_matches(".zst").trim_end_matches(".epd").to_owned()
    }
}

/// Reads a file of EPD.
///
/// # Errors
/// It cannot be read, or has no good question.
pub fn read_epd(path: &Path) -> Result<EpdSuite, PuzzleError> {
    let mut source = Source::open(path)?;
    let mut skipped = SkipReport::default();
    let mut questions = Vec::new();
    let mut number = 0;
    while let Some(line) = next_line(&mut source)? {
        number += 1;
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        match Question::parse(line) {
            Ok(question) => questions.push(question),
            Err((defect, message)) => {
                skipped.add(defect, || format!("{}: line {number}: {message}", path.display()));
            }
        }
    }
    if questions.is_empty() {
        return Err(PuzzleError::no_questions(path, &skipped));
    }
    Ok(EpdSuite { questions, skipped, source: source.finish()? })
}

/// The next line, of an overlong one its beginning; bytes that are not UTF-8 can only stand in
/// comments and are accepted.
fn next_line(source: &mut Source) -> Result<Option<String>, PuzzleError> {
    let mut line = Vec::new();
    let read = (&mut *source).take(LINE_BYTES).read_until(b'\n', &mut line);
    read.map_err(|error| source.error(error))?;
    if line.len() as u64 == LINE_BYTES && line.last() != Some(&b'\n') {
        source.skip_until(b'\n').map_err(|error| source.error(error))?;
    }
    Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn read(bytes: &[u8]) -> Result<EpdSuite, PuzzleError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.epd");
        std::fs::write(&path, bytes).unwrap();
        read_epd(&path)
    }

    const GOOD: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8; id \"a.1\";\n";

    #[test]
    fn good_lines_are_taken_and_bad_ones_counted() {
        let text = format!("# a comment\n\n{GOOD}startpos\n{}{GOOD}", GOOD.replace("Rd8", "Re8"));
        let suite = read(&[text.as_bytes(), b"\xe9\xff"].concat()).unwrap();
        assert_eq!((suite.questions.len(), suite.name()), (2, "a".to_owned()));
        let message = "3 skipped (2 without a legal position, 1 with an illegal move)";
        assert_eq!(suite.skipped.to_string(), message);
        assert!(suite.skipped.first()[0].contains("a.epd: line 4: "), "{:?}", suite.skipped);
    }

    #[test]
    fn a_file_without_questions_is_an_error() {
        let error = read(b"[Event \"?\"]\n").unwrap_err().to_string();
        assert!(error.contains("no usable positions in") && error.contains("line 1"), "{error}");
        assert!(matches!(read(b""), Err(PuzzleError::NoQuestions { .. })));
        assert!(matches!(read_epd(&PathBuf::from("no.epd")), Err(PuzzleError::File(_))));
    }

    #[test]
    #[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
    fn real_suites_are_read() {
        let open = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/open/epd");
        for (name, questions) in [
            ("wacnew", 300),
            ("STS1-STS15_LAN_v3", 1_500),
            ("ECM_full", 879),
            ("bratko-kopec", 24),
            ("eet", 100),
            // One line begins its operations with `bm bm`.
            ("mate_in_2", 879),
            ("mate_in_5", 902),
            // The other 26 have the solver mated.
            ("matetrack", 6_528),
            ("hard-mates-blass-uri", 24),
        ] {
            let path = open.join(format!("{name}.epd.zst"));
            assert!(path.exists(), "this test needs {}; provide it", path.display());
            let suite = read_epd(&path).unwrap();
            assert_eq!(suite.questions.len(), questions, "{name}: {}", suite.skipped);
            if name.starts_with("STS") {
                assert!(suite.questions.iter().all(|question| question.points.is_some()));
            }
        }
        // Malformed on purpose.
        for name in ["destruction-test", "grief-causers", "kaufman", "mixed"] {
            let suite = read_epd(&open.join(format!("{name}.epd.zst"))).unwrap();
            assert!(suite.skipped.total() > 0, "{name}");
        }
    }
}
