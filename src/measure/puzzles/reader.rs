//! Puzzles from CSV as Lichess publishes them, plain or zstd.
//!
//! The file is read line by line, since no field of a puzzle can hold a line
//! break: a stray quotation mark then costs one puzzle, not the rest of the
//! file, and every message has its line number.

use std::fmt;
use std::io::{BufRead, Read};
use std::path::Path;
use std::str::FromStr;

use super::{Puzzle, PuzzleError};
use chess::{Move, Position};
use data::{SkipReport, Source, SourceInfo};

/// No puzzle's line is longer.
const LINE_BYTES: u64 = 64 << 10;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Defect of a rejected line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PuzzleDefect {
    /// Fields missing or unreadable.
    Malformed,
    /// A start position that is not legal.
    StartPosition,
    /// A move that is not legal where it should be played.
    IllegalMove,
}

impl fmt::Display for PuzzleDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PuzzleDefect::Malformed => "malformed",
            PuzzleDefect::StartPosition => "illegal start position",
            PuzzleDefect::IllegalMove => "illegal move",
        })
    }
}

/// All good puzzles of a file.
#[derive(Clone, Debug)]
pub struct PuzzleSet {
    /// In file order.
    pub puzzles: Vec<Puzzle>,
    /// Rejected lines.
    pub skipped: SkipReport<PuzzleDefect>,
    pub source: SourceInfo,
}

/// Reads a file of puzzles, the first `limit` of them if a limit is given.
///
/// Errors: the file cannot be read, its header lacks `FEN` or `Moves`, or it
/// has no good puzzle.
pub fn read_puzzles(path: &Path, limit: Option<usize>) -> Result<PuzzleSet, PuzzleError> {
    let mut reader = PuzzleReader::open(path)?;
    let mut puzzles = Vec::new();
    while limit.is_none_or(|limit| puzzles.len() < limit) {
        match reader.next_puzzle()? {
            Some(puzzle) => puzzles.push(puzzle),
            None => break,
        }
    }
    let (source, skipped) = reader.finish()?;
    if puzzles.is_empty() {
        return Err(PuzzleError::no_puzzles(path, &skipped));
    }
    Ok(PuzzleSet { puzzles, skipped, source })
}

pub(crate) struct PuzzleReader {
    source: Source,
    columns: Columns,
    line: Vec<u8>,
    number: u64,
    skipped: SkipReport<PuzzleDefect>,
}

impl PuzzleReader {
    /// Opens a file. A first line with the names of the columns is optional;
    /// without it the order is that of Lichess.
    pub(crate) fn open(path: &Path) -> Result<Self, PuzzleError> {
        Ok(Self {
            source: Source::open(path)?,
            columns: Columns::LICHESS,
            line: Vec::new(),
            number: 0,
            skipped: SkipReport::default(),
        })
    }

    /// The next good puzzle; `None` at the end of the file.
    pub(crate) fn next_puzzle(&mut self) -> Result<Option<Puzzle>, PuzzleError> {
        while self.read_line()? {
            let Ok(line) = std::str::from_utf8(&self.line) else {
                self.skip(RowProblem::malformed("the line is not UTF-8 text".into()));
                continue;
            };
            let line = line.trim_start_matches(BYTE_ORDER_MARK).trim();
            if line.is_empty() {
                continue;
            }
            let fields = fields(line);
            if self.number == 1 && Columns::is_header(&fields) {
                self.columns = Columns::from_header(&fields, self.source.path())?;
                continue;
            }
            match self.columns.puzzle(&fields) {
                Ok(puzzle) => return Ok(Some(puzzle)),
                Err(trouble) => self.skip(trouble),
            }
        }
        Ok(None)
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// Closes the file and returns its source and its skipped lines.
    pub(crate) fn finish(self) -> Result<(SourceInfo, SkipReport<PuzzleDefect>), PuzzleError> {
        Ok((self.source.finish()?, self.skipped))
    }

    /// Reads one line; of an overlong one only the beginning is kept.
    fn read_line(&mut self) -> Result<bool, PuzzleError> {
        self.line.clear();
        let read = (&mut self.source).take(LINE_BYTES).read_until(b'\n', &mut self.line);
        read.map_err(|e| self.source.error(e))?;
        self.number += 1;
        if self.line.len() as u64 == LINE_BYTES && self.line.last() != Some(&b'\n') {
            self.source.skip_until(b'\n').map_err(|e| self.source.error(e))?;
        }
        Ok(!self.line.is_empty())
    }

    fn skip(&mut self, trouble: RowProblem) {
        let (path, number) = (self.source.path(), self.number);
        self.skipped.add(trouble.defect, || {
            format!("{}: line {number}: {}", path.display(), trouble.detail)
        });
    }
}

struct RowProblem {
    defect: PuzzleDefect,
    detail: String,
}

impl RowProblem {
    fn malformed(detail: String) -> Self {
        Self { defect: PuzzleDefect::Malformed, detail }
    }
}

/// The fields of one line of CSV.
fn fields(line: &str) -> Vec<String> {
    if !line.contains('"') {
        return line.split(',').map(str::to_owned).collect();
    }
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
    record.iter().map(str::to_owned).collect()
}

#[derive(Clone, Copy)]
struct Columns {
    id: Option<usize>,
    fen: usize,
    moves: usize,
    rating: Option<usize>,
    deviation: Option<usize>,
    popularity: Option<usize>,
    plays: Option<usize>,
    themes: Option<usize>,
}

impl Columns {
    /// `PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags`.
    const LICHESS: Self = Self {
        id: Some(0),
        fen: 1,
        moves: 2,
        rating: Some(3),
        deviation: Some(4),
        popularity: Some(5),
        plays: Some(6),
        themes: Some(7),
    };

    fn is_header(fields: &[String]) -> bool {
        fields.iter().any(|f| ["PuzzleId", "FEN", "Moves"].contains(&f.trim()))
    }

    fn from_header(fields: &[String], path: &Path) -> Result<Self, PuzzleError> {
        let find = |name: &str| fields.iter().position(|field| field.trim() == name);
        let need = |column| {
            find(column).ok_or_else(|| PuzzleError::MissingColumn {
                path: path.to_owned(),
                column,
                header: fields.join(","),
            })
        };
        Ok(Self {
            id: find("PuzzleId"),
            fen: need("FEN")?,
            moves: need("Moves")?,
            rating: find("Rating"),
            deviation: find("RatingDeviation"),
            popularity: find("Popularity"),
            plays: find("NbPlays"),
            themes: find("Themes"),
        })
    }

    fn puzzle(&self, fields: &[String]) -> Result<Puzzle, RowProblem> {
        let optional = |column: Option<usize>| {
            column.and_then(|i| fields.get(i)).map_or("", |field| field.trim())
        };
        let needed = |column: usize, name: &str| match fields.get(column) {
            Some(field) if !field.trim().is_empty() => Ok(field.trim()),
            _ => Err(RowProblem::malformed(format!(
                "no {name} in column {} ({} columns)",
                column + 1,
                fields.len()
            ))),
        };
        let fen = needed(self.fen, "FEN")?;
        let moves = needed(self.moves, "Moves")?;
        let start = Position::from_fen(fen).map_err(|e| RowProblem {
            defect: PuzzleDefect::StartPosition,
            detail: e.to_string(),
        })?;
        let moves = parse_moves(&start, moves)?;
        Ok(Puzzle {
            rating: number(optional(self.rating), "rating")?,
            rating_deviation: number(optional(self.deviation), "rating deviation")?,
            popularity: number(optional(self.popularity), "popularity")?,
            plays: number(optional(self.plays), "number of plays")?,
            themes: optional(self.themes).split_whitespace().map(str::to_owned).collect(),
            ..Puzzle::new(optional(self.id), start, moves)
        })
    }
}

/// UCI moves separated by spaces.
fn parse_moves(start: &Position, text: &str) -> Result<Vec<Move>, RowProblem> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for uci in text.split_whitespace() {
        let m = position
            .parse_uci(uci)
            .map_err(|e| RowProblem { defect: PuzzleDefect::IllegalMove, detail: e.to_string() })?;
        moves.push(m);
        position.play(m);
    }
    if moves.len() < 2 {
        let detail =
            format!("`{text}` has {} moves, expected the opponent's and a solution", moves.len());
        return Err(RowProblem::malformed(detail));
    }
    Ok(moves)
}

/// A number that may be left out.
fn number<T: FromStr>(text: &str, what: &str) -> Result<Option<T>, RowProblem> {
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = text.parse().map(Some);
    parsed.map_err(|_| RowProblem::malformed(format!("the {what} `{text}` is not a whole number")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const HEADER: &str =
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n";
    const MATE: &str = "m1,6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,a7a6 d1d8,400,97,55,314,mate mateIn1,https://x,\n";
    const BARE: &str = "b2,6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,a7a6 d1d8,,,,,,,\n";

    fn read(text: &str) -> Result<PuzzleSet, PuzzleError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.csv");
        std::fs::write(&path, text).unwrap();
        read_puzzles(&path, None)
    }

    #[test]
    fn with_and_without_header() {
        for text in [format!("{HEADER}{MATE}{BARE}"), format!("{MATE}\n{BARE}")] {
            let set = read(&text).unwrap();
            assert_eq!(set.skipped.total(), 0);
            let [mate, bare] = &set.puzzles[..] else { panic!("{text}") };
            assert_eq!((&mate.id[..], mate.rating, mate.solver_moves()), ("m1", Some(400), 1));
            assert_eq!(mate.themes, ["mate", "mateIn1"]);
            assert_eq!((mate.rating_deviation, mate.popularity), (Some(97), Some(55)));
            assert_eq!((mate.plays, bare.plays), (Some(314), None));
            assert_eq!((&bare.id[..], bare.rating, bare.themes.len()), ("b2", None, 0));
        }
    }

    #[test]
    fn columns_may_stand_in_any_order() {
        let text = "Moves,Themes,FEN\r\na7a6 d1d8,mate,6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1\r\n";
        let set = read(text).unwrap();
        assert_eq!((set.puzzles[0].themes.len(), set.puzzles[0].rating), (1, None));
        let error = read("PuzzleId,Fen,Moves\n").unwrap_err();
        assert!(matches!(error, PuzzleError::MissingColumn { column: "FEN", .. }), "{error}");
    }

    #[test]
    fn quoted_fields_are_understood() {
        let quoted: Vec<String> = MATE.trim().split(',').map(|f| format!("\"{f}\"")).collect();
        assert_eq!(read(&quoted.join(",")).unwrap().puzzles[0].rating, Some(400));
    }

    #[test]
    fn messages_of_bad_lines_have_the_number() {
        let text = format!(
            "{HEADER}{MATE}x,y\n{}{}{}{}\"{}{}{MATE}",
            MATE.replace("d1d8", "d1d9"),
            MATE.replace("3R2K1", "3R4"),
            MATE.replace("a7a6 d1d8", "a7a6"),
            MATE.replace("400", "often"),
            MATE.replace('\n', ""),
            "z".repeat(200_000) + "\n",
        );
        let set = read(&text).unwrap();
        assert_eq!(set.puzzles.len(), 2);
        assert_eq!(
            set.skipped.to_string(),
            "6 skipped (4 malformed, 1 illegal start position, 1 illegal move)"
        );
        for (message, part) in set.skipped.first().iter().zip([
            "line 3: no Moves in column 3 (2 columns)",
            "line 4: illegal move `d1d9`",
            "line 5: not a legal position",
        ]) {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_file_without_puzzles_is_an_error() {
        let error = read("[Event \"?\"]\n\n1. e4 *\n").unwrap_err().to_string();
        assert!(error.contains("2 skipped (2 malformed)") && error.contains("line 1"), "{error}");
        assert!(matches!(read(""), Err(PuzzleError::NoPuzzles { .. })));
        assert!(matches!(read_puzzles(&PathBuf::from("no.csv"), None), Err(PuzzleError::File(_))));
    }

    #[test]
    #[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
    fn real_files_are_read_whole() {
        let open = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/open/puzzles");
        for (name, rows) in [
            ("lichess_puzzles_full.csv.zst", 37_729),
            ("lichess_puzzles_unrated.csv.zst", 32_329),
            ("puzzles_bench.csv.zst", 5_500),
        ] {
            let path = open.join(name);
            assert!(path.exists(), "this test needs {}; provide it", path.display());
            let set = read_puzzles(&path, None).unwrap();
            assert_eq!((set.puzzles.len(), set.skipped.total()), (rows, 0), "{name}");
        }
    }
}
