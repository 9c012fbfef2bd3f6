//! Opening books: EPD or FEN lines, or the first moves of games; plain or
//! compressed.

use std::path::Path;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{Opening, Openings, OpeningsError};
use data::{BadMessage, Entry, EntryReader, Game};

/// The order in which a book's openings are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookOrder {
    /// As they stand in the file.
    Sequential,
    /// Shuffled by a seed.
    Shuffled(u64),
}

impl Openings {
    /// Reads a book in any format of [`EntryReader`]: positions, one a line, or games, with their
    /// first `plies` moves (all if `None`). Each may be compressed with zstd.
    ///
    /// Positions that come up twice or in which the game is over are left
    /// out and counted ([`Openings::duplicates`], [`Openings::finished`]).
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or an invalid line or game, with its place.
    pub fn from_book(
        path: &Path,
        plies: Option<usize>,
        order: BookOrder,
    ) -> Result<Self, OpeningsError> {
        let plies = plies.unwrap_or(usize::MAX);
        let mut read = read(path, plies)?;
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

fn read(path: &Path, plies: usize) -> Result<Vec<Opening>, OpeningsError> {
    let mut reader = EntryReader::open(path)?;
    let opening = |entry| match entry {
        Entry::Game(game) => first_moves(&game, plies),
        Entry::Position(listed) => Opening::at(listed.position),
    };
    let mut openings = Vec::new();
    while let Some(batch) = reader.next_batch(opening)? {
        for opening in batch {
            let bad =
                |bad: BadMessage| OpeningsError::BadEntry { path: path.to_owned(), error: bad.bad };
            openings.push(opening.map_err(bad)?);
        }
    }
    Ok(openings)
}

fn first_moves(game: &Game, plies: usize) -> Opening {
    let mut opening = Opening::at(game.start.clone());
    game.moves.iter().take(plies).for_each(|game_move| opening.push(game_move.played));
    opening
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomPlies;
    use chess::Position;
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

    /// Positions that the referee ends before the first move are no openings.
    #[test]
    fn openings_that_are_drawn_are_left_out() {
        let late = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        let lines = format!("{late} 99 80\n4k3/8/8/8/8/8/3P4/4K3 w - - 100 80\n");
        let (_folder, path) = book("late.fen", lines.as_bytes());
        let openings = Openings::from_book(&path, None, BookOrder::Sequential).unwrap();
        assert_eq!((openings.as_slice().len(), openings.finished()), (1, 1));

        let dance = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 1/2-1/2\n\n";
        let (_folder, path) = book("dance.pgn", dance.as_bytes());
        for (plies, kept) in [(None, 0), (Some(7), 1)] {
            let openings = Openings::from_book(&path, plies, BookOrder::Sequential).unwrap();
            assert_eq!(openings.as_slice().len(), kept);
            assert_eq!(openings.finished(), 1 - kept);
        }
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
        let lines: Vec<String> = Openings::random(1, 30, RandomPlies::exactly(4), None)
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
        assert!(error.to_string().contains("bad.pgn, line 3"), "{error}");

        for missing in ["no/such/book.epd", "no/such/book.pgn"] {
            let read = Openings::from_book(Path::new(missing), None, BookOrder::Sequential);
            let error = read.unwrap_err();
            assert!(matches!(error, OpeningsError::File(_)), "{error}");
            assert!(error.to_string().contains(missing), "{error}");
        }
    }
}
