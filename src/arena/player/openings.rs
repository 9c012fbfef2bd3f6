//! `genfens N seed S book B`: positions in which self-play begins.

use std::path::Path;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use oplus_arena::{BookOrder, Opening, Openings, RandomPlies};

/// The word that such a line begins with.
pub(super) const COMMAND: &str = "genfens";

/// Random moves from the start position.
const FROM_START: RandomPlies = RandomPlies::between(8, 9);

/// Random moves behind a position of a book, which every thread draws from.
const BEHIND_A_BOOK: RandomPlies = RandomPlies::between(2, 3);

/// Tries for an opening that is not over.
const MOST_TRIES: usize = 10_000;

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
struct Wish<'l> {
    count: usize,
    seed: u64,
    book: Option<&'l str>,
}

impl<'l> Wish<'l> {
    /// Reads a line. What follows behind the book is of other engines.
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

/// The positions that a line asks for.
///
/// # Errors
/// A line that asks for nothing, a book that cannot be read.
pub(super) fn generate(line: &str) -> Result<Vec<String>, super::Failure> {
    let wish = Wish::parse(line)
        .ok_or_else(|| format!("`{line}`: write `genfens N seed S book FILE`, or `book None`"))?;
    let book = match wish.book {
        None => Vec::new(),
        Some(path) => {
            Openings::from_book(Path::new(path), None, BookOrder::Sequential)?.as_slice().to_vec()
        }
    };
    let mut rng = ChaCha8Rng::seed_from_u64(wish.seed);
    let mut fens = Vec::new();
    for _ in 0..wish.count {
        let mut found = (0..MOST_TRIES).filter_map(|_| draw(&book, &mut rng));
        let opening = found.next().ok_or("no opening in which a move can be made")?;
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
        let wish = Wish::parse("genfens 8 seed 42 book None ").unwrap();
        assert_eq!(wish, Wish { count: 8, seed: 42, book: None });
        let wish = Wish::parse("genfens 8 seed 42 book Books/UHO.epd dfrc").unwrap();
        assert_eq!(wish.book, Some("Books/UHO.epd"));
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
