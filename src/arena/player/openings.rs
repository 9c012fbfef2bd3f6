//! `genfens N seed S book B`: start positions of self-play.

use std::path::Path;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use oplus_arena::{BookOrder, Opening, Openings, RandomPlies};

/// First word of such a line.
pub(super) const COMMAND: &str = "genfens";

/// Random moves from the start position.
const FROM_START: RandomPlies = RandomPlies::between(8, 9);

/// Random moves after a position of a book, which all threads share.
const BEHIND_A_BOOK: RandomPlies = RandomPlies::between(2, 3);

/// Tries for an opening that is not over.
const MOST_TRIES: usize = 10_000;

/// A parsed `genfens` line.
#[derive(Debug, PartialEq, Eq)]
struct Request<'l> {
    count: usize,
    seed: u64,
    book: Option<&'l str>,
}

impl<'l> Request<'l> {
    /// Reads a line. Words after the book are for other engines.
    fn parse(line: &'l str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [COMMAND, count, "seed", seed, rest @ ..] => {
                let book = match rest {
                    [] => None,
                    ["book", book, ..] => Some(*book),
                    _ => return None,
                };
                let book = book.filter(|book| !book.eq_ignore_ascii_case("none"));
                Some(Self { count: count.parse().ok()?, seed: seed.parse().ok()?, book })
            }
            _ => None,
        }
    }
}

/// The positions of a line.
///
/// # Errors
/// An invalid line, a book that cannot be read.
pub(super) fn generate(line: &str) -> Result<Vec<String>, super::Failure> {
    let request = Request::parse(line)
        .ok_or_else(|| format!("`{line}`: write `genfens N seed S book FILE`, or `book None`"))?;
    let book = match request.book {
        None => Vec::new(),
        Some(path) => {
            Openings::from_book(Path::new(path), None, BookOrder::Sequential)?.as_slice().to_vec()
        }
    };
    let mut rng = ChaCha8Rng::seed_from_u64(request.seed);
    let mut fens = Vec::new();
    for _ in 0..request.count {
        let mut found = (0..MOST_TRIES).filter_map(|_| draw(&book, &mut rng));
        let opening = found.next().ok_or("no opening with a legal move")?;
        fens.push(opening.position().fen());
    }
    Ok(fens)
}

/// An opening, unless the game is over there.
fn draw(book: &[Opening], rng: &mut ChaCha8Rng) -> Option<Opening> {
    let (start, plies) = match book.choose(rng) {
        Some(opening) => (opening.clone(), BEHIND_A_BOOK),
        None => (Opening::at(chess::Position::default()), FROM_START),
    };
    start.followed(rng, plies).filter(|opening| opening.position().end().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_openbench_writes_them() {
        let request = Request::parse("genfens 8 seed 42 book None ").unwrap();
        assert_eq!(request, Request { count: 8, seed: 42, book: None });
        let request = Request::parse("genfens 8 seed 42 book Books/UHO.epd dfrc").unwrap();
        assert_eq!(request.book, Some("Books/UHO.epd"));
        for line in ["genfens", "genfens x seed 1", "genfens 1 seed 1 magic", "genfens 1"] {
            assert!(generate(line).unwrap_err().to_string().contains("genfens N"), "{line}");
        }
    }

    #[test]
    fn openings_are_those_of_the_seed() {
        let fens = |seed: u64| generate(&format!("genfens 20 seed {seed} book None")).unwrap();
        assert_eq!(fens(1), fens(1));
        assert_ne!(fens(1), fens(2));
        let twenty = fens(3);
        assert!(twenty.iter().all(|fen| fen.split(' ').count() == 6));
        let different: std::collections::BTreeSet<&String> = twenty.iter().collect();
        assert_eq!(different.len(), 20);
    }
}
