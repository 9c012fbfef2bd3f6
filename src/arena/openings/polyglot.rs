//! Openings drawn from a Polyglot book by the weights of its moves.

use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Opening, Openings, OpeningsError};
use chess::Position;
use engine::book::{Book, draw};

/// Default length of an opening, in plies; it ends with the book.
const PLIES: usize = 16;

impl Openings {
    /// `count` distinct openings of up to `plies` moves (16 if `None`), or as many
    /// as the book has.
    ///
    /// The same seed gives the same list, and a longer list begins with the
    /// shorter one.
    ///
    /// # Errors
    ///
    /// A file that is no book.
    pub fn from_polyglot(
        path: &Path,
        plies: Option<usize>,
        count: usize,
        seed: u64,
    ) -> Result<Self, OpeningsError> {
        let book = Book::open(path)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let walk = || Some(random_line(&book, plies.unwrap_or(PLIES), &mut rng));
        Ok(Self::collect_distinct(count, walk))
    }
}

fn random_line(book: &Book, plies: usize, rng: &mut ChaCha8Rng) -> Opening {
    let mut opening = Opening::at(Position::default());
    for _ in 0..plies {
        let Some(next) = draw(&book.moves(opening.position()), rng.random()) else { break };
        opening.push(next.played);
    }
    opening
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1. e4 (twice as often as 1. d4), and 1... e5 and 1... c5 after it.
    fn book() -> (tempfile::TempDir, std::path::PathBuf) {
        let mut entries: Vec<(u64, u16, u16)> = Vec::new();
        let square = |text: &str| {
            let [file, rank] = text.as_bytes() else { panic!("{text}") };
            u16::from(rank - b'1') * 8 + u16::from(file - b'a')
        };
        let mut add = |position: &Position, text: &str, weight| {
            let packed = square(&text[..2]) << 6 | square(&text[2..]);
            entries.push((position.polyglot_key(), packed, weight));
        };
        let start = Position::default();
        add(&start, "e2e4", 2);
        add(&start, "d2d4", 1);
        let king_pawn = start.after(start.parse_uci("e2e4").unwrap());
        add(&king_pawn, "e7e5", 1);
        add(&king_pawn, "c7c5", 1);
        entries.sort_by_key(|entry| entry.0);
        let bytes: Vec<u8> = entries
            .iter()
            .flat_map(|(key, packed, weight)| {
                let fields = [&key.to_be_bytes()[..], &packed.to_be_bytes(), &weight.to_be_bytes()];
                [fields.concat(), vec![0; 4]].concat()
            })
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.bin");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn all_lines_of_a_book_come_up_and_no_more() {
        let (_folder, path) = book();
        let all = Openings::from_polyglot(&path, None, 3, 1).unwrap();
        let mut lines: Vec<String> = all.as_slice().iter().map(Opening::moves_uci).collect();
        lines.sort_unstable();
        assert_eq!(lines, ["d2d4", "e2e4 c7c5", "e2e4 e7e5"]);
        let more = Openings::from_polyglot(&path, None, 4, 1).unwrap();
        assert_eq!(more.as_slice().len(), 3);
        let first = Openings::from_polyglot(&path, Some(1), 2, 1).unwrap();
        assert!(first.as_slice().iter().all(|opening| opening.moves().len() == 1));
    }

    #[test]
    fn errors_say_why_a_file_is_no_book() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("torn.bin");
        std::fs::write(&path, [0; 20]).unwrap();
        let error = Openings::from_polyglot(&path, None, 1, 1).unwrap_err().to_string();
        assert!(error.contains("torn.bin") && error.contains("less than an entry"), "{error}");
    }
}
