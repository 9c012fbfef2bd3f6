//! Opening books in Polyglot's format.
//!
//! A file of 16-byte entries, big endian, sorted by key: the key of a position
//! (8 bytes), a move (2), its weight (2) and 4 bytes for programs that learn,
//! which are not used here. Keys are Polyglot's Zobrist hashes, which the board
//! library computes too. Described in Michel Van den Bergh's "Book format of
//! PolyGlot" (<http://hgm.nubati.net/book_format.html>).

use std::io;
use std::path::{Path, PathBuf};

use base::{compression, files};
use chess::{Move, Position};

const ENTRY: usize = 16;

/// A book in memory.
#[derive(Debug)]
pub struct Book {
    /// By ascending key.
    entries: Vec<BookEntry>,
}

#[derive(Clone, Copy, Debug)]
struct BookEntry {
    key: u64,
    packed: u16,
    weight: u16,
}

/// A move of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move; legal.
    pub played: Move,
    /// Frequency relative to the others; never 0.
    pub weight: u16,
}

/// A file that is no book.
#[derive(Debug, thiserror::Error)]
#[error("opening book {}: {problem}", path.display())]
pub struct BookError {
    path: PathBuf,
    problem: BookProblem,
}

#[derive(Debug, thiserror::Error)]
enum BookProblem {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("no entries; give a Polyglot book (.bin)")]
    Empty,
    #[error(
        "{extra} bytes at offset {offset}, less than an entry of {ENTRY}; \
         the file is cut off or not a Polyglot book (.bin)"
    )]
    Torn { offset: usize, extra: usize },
    #[error(
        "the entry at offset {offset} has a smaller key than the previous one; \
         give a Polyglot book (.bin), which is sorted"
    )]
    Unsorted { offset: usize },
}

/// No book is longer, unpacked.
const MOST_BYTES: u64 = 1 << 30;

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = files::read(path, MOST_BYTES)?;
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zst")) {
        true => files::read_up_to(compression::unpacked(&bytes[..])?, MOST_BYTES),
        false => Ok(bytes),
    }
}

impl Book {
    /// Reads a book, plain or compressed with zstd (`.zst`).
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or is not a sorted list of whole entries.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let error = |problem| BookError { path: path.to_owned(), problem };
        let bytes = read(path).map_err(|source| error(source.into()))?;
        Self::parse(&bytes).map_err(error)
    }

    fn parse(bytes: &[u8]) -> Result<Self, BookProblem> {
        let (whole, rest) = bytes.as_chunks::<ENTRY>();
        if !rest.is_empty() {
            return Err(BookProblem::Torn { offset: whole.len() * ENTRY, extra: rest.len() });
        }
        let entries: Vec<BookEntry> = whole.iter().map(BookEntry::read).collect();
        if entries.is_empty() {
            return Err(BookProblem::Empty);
        }
        if let Some(before) = entries.windows(2).position(|pair| pair[0].key > pair[1].key) {
            return Err(BookProblem::Unsorted { offset: (before + 1) * ENTRY });
        }
        Ok(Self { entries })
    }

    /// The legal moves that the book would play here, the heaviest first. Of
    /// entries that are not legal here, as when two positions share a key,
    /// by default.
    pub fn moves(&self, position: &Position) -> Vec<BookMove> {
        let key = position.polyglot_key();
        let first = self.entries.partition_point(|entry| entry.key < key);
        let here = self.entries[first..].iter().take_while(|entry| entry.key == key);
        let mut moves: Vec<BookMove> = here
            .filter(|entry| entry.weight > 0)
            .filter_map(|entry| {
                let played = position.parse_uci(&entry.text()?).ok()?;
                Some(BookMove { played, weight: entry.weight })
            })
            .collect();
        moves.sort_by_key(|book_move| std::cmp::Reverse(book_move.weight));
        moves
    }
}

/// A move drawn by weight: `number` may be any number, and over all of them
/// each move comes in proportion to its weight.
pub fn draw(moves: &[BookMove], number: u64) -> Option<BookMove> {
    let total: u64 = moves.iter().map(|book_move| u64::from(book_move.weight)).sum();
    let mut left = number.checked_rem(total)?;
    moves.iter().copied().find(|book_move| {
        let weight = u64::from(book_move.weight);
        let found = left < weight;
        left = left.saturating_sub(weight);
        found
    })
}

impl BookEntry {
    fn read(bytes: &[u8; ENTRY]) -> Self {
        let number = |at: std::ops::Range<usize>| {
            bytes[at].iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte))
        };
        Self { key: number(0..8), packed: number(8..10) as u16, weight: number(10..12) as u16 }
    }

    /// The move in UCI notation, castling as king takes rook; `None` for a promotion to an unknown
    /// piece.
    fn text(&self) -> Option<String> {
        let square = |shift: u16| {
            let index = (self.packed >> shift & 63) as u8;
            [b'a' + index % 8, b'1' + index / 8].map(char::from)
        };
        let promotion = ["", "n", "b", "r", "q"].get(usize::from(self.packed >> 12 & 7))?;
        let squares: String = square(6).into_iter().chain(square(0)).collect();
        Some(squares + promotion)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use base::zst;

    /// An entry as the format has it.
    fn entry(position: &Position, text: &str, weight: u16) -> Vec<u8> {
        let bytes = text.as_bytes();
        let square = |at: usize| u16::from(bytes[at] - b'a') | u16::from(bytes[at + 1] - b'1') << 3;
        let promotion = bytes.get(4).map_or(0, |piece| " nbrq".find(char::from(*piece)).unwrap());
        let packed = square(2) | square(0) << 6 | (promotion as u16) << 12;
        let mut entry = position.polyglot_key().to_be_bytes().to_vec();
        entry.extend(packed.to_be_bytes());
        entry.extend(weight.to_be_bytes());
        entry.extend([0; 4]);
        entry
    }

    fn book(entries: &[(&str, &str, u16)]) -> Book {
        let mut entries: Vec<_> = entries
            .iter()
            .map(|(fen, text, weight)| entry(&Position::from_fen(fen).unwrap(), text, *weight))
            .collect();
        entries.sort();
        Book::parse(&entries.concat()).unwrap()
    }

    fn texts(book: &Book, fen: &str) -> Vec<(String, u16)> {
        let position = Position::from_fen(fen).unwrap();
        book.moves(&position).iter().map(|m| (position.uci(m.played), m.weight)).collect()
    }

    /// The keys that the format's description gives as examples.
    #[test]
    fn keys_are_polyglots() {
        for (moves, key) in [
            ("", 0x463b_9618_1691_fc9c_u64),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            let mut position = Position::default();
            for text in moves.split_whitespace() {
                position.play(position.parse_uci(text).unwrap());
            }
            assert_eq!(position.polyglot_key(), key, "{moves}");
        }
    }

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const PROMOTION: &str = "8/P3k3/8/8/8/8/8/4K3 w - - 0 1";

    #[test]
    fn moves_are_found_by_weight() {
        let start = Position::default().fen();
        let book = book(&[
            (&start, "d2d4", 3),
            (&start, "e2e4", 7),
            (&start, "e2e5", 99),
            (&start, "g1f3", 0),
            (CASTLING, "e1h1", 2),
            (CASTLING, "e1a1", 1),
            (PROMOTION, "a7a8n", 1),
        ]);
        let named = |moves: &[(&str, u16)]| -> Vec<(String, u16)> {
            moves.iter().map(|(text, weight)| ((*text).to_owned(), *weight)).collect()
        };
        assert_eq!(texts(&book, &start), named(&[("e2e4", 7), ("d2d4", 3)]));
        assert_eq!(texts(&book, CASTLING), named(&[("e1g1", 2), ("e1c1", 1)]));
        assert_eq!(texts(&book, PROMOTION), named(&[("a7a8n", 1)]));
        assert_eq!(texts(&book, "4k3/8/8/8/8/8/8/4K3 w - - 0 1"), []);
    }

    #[test]
    fn packed_books_may_begin_with_a_frame_to_skip() {
        let plain = entry(&Position::default(), "e2e4", 1);
        let packed = zstd::encode_all(&plain[..], 1).unwrap();
        let skipped = zst::SKIPPABLE.to_le_bytes();
        let file = [&skipped[..], &[2, 0, 0, 0, 7, 7], &packed].concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.bin.zst");
        std::fs::write(&path, file).unwrap();
        assert_eq!(Book::open(&path).unwrap().moves(&Position::default()).len(), 1);
    }

    #[test]
    fn moves_are_drawn_as_often_as_they_weigh() {
        let start = Position::default().fen();
        let moves = book(&[(&start, "d2d4", 3), (&start, "e2e4", 7)]).moves(&Position::default());
        let drawn = (0..100).filter(|&number| draw(&moves, number) == Some(moves[0])).count();
        assert_eq!(drawn, 70);
        assert_eq!(draw(&[], 5), None);
    }

    #[test]
    fn errors_name_the_place_in_a_bad_book() {
        let error = |bytes: &[u8]| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("my.bin");
            std::fs::write(&path, bytes).unwrap();
            Book::open(&path).unwrap_err().to_string()
        };
        let one = entry(&Position::default(), "e2e4", 1);
        let other = entry(&Position::from_fen(CASTLING).unwrap(), "e1h1", 1);
        let mut sorted = [one.clone(), other];
        sorted.sort();
        assert!(error(&one[..15]).contains("my.bin: 15 bytes at offset 0"));
        assert!(error(&[&one[..], &[1, 2]].concat()).contains("2 bytes at offset 16"));
        assert!(error(&[&sorted[1][..], &sorted[0][..]].concat()).contains("at offset 16 has a"));
        assert!(error(b"").contains("no entries"));
        let missing = Book::open(Path::new("no/such.bin")).unwrap_err().to_string();
        assert!(missing.starts_with("opening book no/such.bin: "), "{missing}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(mut bytes: Vec<u8>, whole: bool) {
            if whole {
                bytes.truncate(bytes.len() / ENTRY * ENTRY);
                // Entries of one position: sorted, and found.
                let key = Position::default().polyglot_key().to_be_bytes();
                bytes.chunks_mut(ENTRY).for_each(|entry| entry[..8].copy_from_slice(&key));
            }
            if let Ok(book) = Book::parse(&bytes) {
                for book_move in book.moves(&Position::default()) {
                    prop_assert!(Position::default().is_legal(book_move.played));
                }
            }
        }
    }
}
