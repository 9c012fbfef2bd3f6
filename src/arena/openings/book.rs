//! Opening books: EPD or FEN lines, or the first moves of PGN games; plain or
//! compressed with zstd.

use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{Opening, Openings, OpeningsError};
use crate::chess::Position;

/// The order in which a book's openings are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookOrder {
    /// As they stand in the file.
    Sequential,
    /// Shuffled by a seed.
    Shuffled(u64),
}

impl Openings {
    /// Reads a book: `.epd` or `.fen` (one position a line, EPD operations
    /// and `#` comments ignored) or `.pgn` (the first `plies` moves of each
    /// game, all if `None`), with `.zst` behind it if compressed.
    ///
    /// Positions that come up twice or in which the game is over are left
    /// out and counted ([`Openings::duplicates`], [`Openings::finished`]).
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or a line or game that makes no sense,
    /// with its number.
    pub fn from_book(
        path: &Path,
        plies: Option<usize>,
        order: BookOrder,
    ) -> Result<Self, OpeningsError> {
        let mut read = match BookKind::of(path)? {
            BookKind::Lines => read_lines(path)?,
            BookKind::Games => read_games(path, plies.unwrap_or(usize::MAX))?,
        };
        if let BookOrder::Shuffled(seed) = order {
            read.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        let mut openings = Self::default();
        for opening in read {
            openings.offer(opening);
        }
        Ok(openings)
    }
}

enum BookKind {
    Lines,
    Games,
}

impl BookKind {
    fn of(path: &Path) -> Result<Self, OpeningsError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let plain = name.strip_suffix(".zst").unwrap_or(&name);
        match plain.rsplit_once('.').map(|(_, extension)| extension) {
            Some("epd" | "fen") => Ok(Self::Lines),
            Some("pgn") => Ok(Self::Games),
            _ => Err(OpeningsError::UnknownKind { path: path.to_owned() }),
        }
    }
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let file = BufReader::new(std::fs::File::open(path)?);
    Ok(if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("zst")) {
        Box::new(BufReader::new(zstd::Decoder::with_buffer(file)?))
    } else {
        Box::new(file)
    })
}

fn read_lines(path: &Path) -> Result<Vec<Opening>, OpeningsError> {
    let io_error = |source| OpeningsError::Io { path: path.to_owned(), source };
    let mut openings = Vec::new();
    for (index, line) in open(path).map_err(io_error)?.lines().enumerate() {
        let line = line.map_err(io_error)?;
        let fen = fen_of_line(&line);
        if fen.is_empty() {
            continue;
        }
        let start = Position::from_fen(&fen).map_err(|error| OpeningsError::Malformed {
            path: path.to_owned(),
            place: format!("line {}", index + 1),
            reason: error.to_string(),
        })?;
        openings.push(Opening::at(start));
    }
    Ok(openings)
}

/// The FEN a line begins with: four fields, and the two counters if they are
/// there (an EPD has operations in their place).
fn fen_of_line(line: &str) -> String {
    let text = line.split('#').next().unwrap_or_default();
    let fields: Vec<&str> = text.split_whitespace().collect();
    let has_counters =
        fields.len() >= 6 && fields[4..6].iter().all(|field| field.parse::<u32>().is_ok());
    fields[..fields.len().min(if has_counters { 6 } else { 4 })].join(" ")
}

fn read_games(path: &Path, plies: usize) -> Result<Vec<Opening>, OpeningsError> {
    let io_error = |source| OpeningsError::Io { path: path.to_owned(), source };
    let mut reader = Reader::new(open(path).map_err(io_error)?);
    let mut openings = Vec::new();
    while let Some(read) = reader.read_game(&mut FirstMoves { plies }).map_err(io_error)? {
        openings.push(read.map_err(|reason| OpeningsError::Malformed {
            path: path.to_owned(),
            place: format!("game {}", openings.len() + 1),
            reason,
        })?);
    }
    Ok(openings)
}

/// Reads the first moves of a PGN game.
struct FirstMoves {
    plies: usize,
}

impl Visitor for FirstMoves {
    type Tags = Opening;
    type Movetext = Opening;
    type Output = Result<Opening, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Opening> {
        ControlFlow::Continue(Opening::at(Position::default()))
    }

    fn tag(
        &mut self,
        opening: &mut Opening,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        if name.eq_ignore_ascii_case(b"FEN") {
            match Position::from_fen(&value.decode_utf8_lossy()) {
                Ok(start) => *opening = Opening::at(start),
                Err(error) => return ControlFlow::Break(Err(error.to_string())),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, opening: Opening) -> ControlFlow<Self::Output, Opening> {
        ControlFlow::Continue(opening)
    }

    fn san(&mut self, opening: &mut Opening, san: SanPlus) -> ControlFlow<Self::Output> {
        if opening.moves().len() >= self.plies {
            return ControlFlow::Continue(());
        }
        match opening.position().parse_san(&san.san.to_string()) {
            Ok(played) => opening.push(played),
            Err(error) => return ControlFlow::Break(Err(error.to_string())),
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, opening: Opening) -> Self::Output {
        Ok(opening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn book(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    const EPD: &str = "\
# two openings, one of them twice, and a stalemate
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"start\";
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1

rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
7k/5Q2/6K1/8/8/8/8/8 b - -
";

    #[test]
    fn epd_lines_are_read_and_sorted_out() {
        let (_folder, path) = book("small.epd", EPD.as_bytes());
        let openings = Openings::from_book(&path, None, BookOrder::Sequential).unwrap();
        assert_eq!(openings.as_slice().len(), 2);
        assert_eq!((openings.duplicates(), openings.finished()), (1, 1));
        assert_eq!(openings.as_slice()[0].position().key(), Position::default().key());
    }

    #[test]
    fn compressed_books_read_alike() {
        let packed = zstd::encode_all(EPD.as_bytes(), 1).unwrap();
        let (_folder, path) = book("small.EPD.zst", &packed);
        let openings = Openings::from_book(&path, None, BookOrder::Sequential).unwrap();
        assert_eq!(openings.as_slice().len(), 2);
    }

    const PGN: &str = "\
[Event \"a\"]

1. e4 {king's pawn} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1-0

[SetUp \"1\"]
[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]

1. e4 Kd7 *
";

    #[test]
    fn pgn_games_give_their_first_moves() {
        let (_folder, path) = book("small.pgn", PGN.as_bytes());
        let openings = Openings::from_book(&path, Some(3), BookOrder::Sequential).unwrap();
        let moves: Vec<String> = openings.as_slice().iter().map(Opening::moves_uci).collect();
        assert_eq!(moves, ["e2e4 e7e5 g1f3", "e2e4 e8d7"]);
        assert_eq!(openings.as_slice()[1].start().fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    }

    #[test]
    fn shuffling_is_a_function_of_the_seed() {
        let lines: Vec<String> = Openings::random(1, 30, 4, None)
            .unwrap()
            .as_slice()
            .iter()
            .map(|o| o.position().fen())
            .collect();
        let (_folder, path) = book("many.fen", lines.join("\n").as_bytes());
        let fens = |order| -> Vec<String> {
            let openings = Openings::from_book(&path, None, order).unwrap();
            openings.as_slice().iter().map(|o| o.position().fen()).collect()
        };
        assert_eq!(fens(BookOrder::Sequential), lines);
        assert_eq!(fens(BookOrder::Shuffled(1)), fens(BookOrder::Shuffled(1)));
        assert_ne!(fens(BookOrder::Shuffled(1)), fens(BookOrder::Shuffled(2)));
    }

    #[test]
    fn errors_name_file_and_place() {
        let (_folder, path) = book("bad.epd", b"8/8/8/8/8/8/8/8 w - -\n");
        let error = Openings::from_book(&path, None, BookOrder::Sequential).unwrap_err();
        assert!(error.to_string().contains("bad.epd, line 1"), "{error}");

        let (_folder, path) = book("bad.pgn", b"1. e4 e5 *\n\n1. e4 Ke5 *\n");
        let error = Openings::from_book(&path, None, BookOrder::Sequential).unwrap_err();
        assert!(error.to_string().contains("bad.pgn, game 2"), "{error}");

        let (_folder, path) = book("book.bin", b"");
        let error = Openings::from_book(&path, None, BookOrder::Sequential).unwrap_err();
        assert!(matches!(error, OpeningsError::UnknownKind { .. }));
        let missing = Path::new("no/such/book.epd");
        let error = Openings::from_book(missing, None, BookOrder::Sequential).unwrap_err();
        assert!(matches!(error, OpeningsError::Io { .. }));
    }
}
