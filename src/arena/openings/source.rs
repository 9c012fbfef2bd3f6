//! Sources of the openings of a match.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::{Balance, BookOrder, Openings, OpeningsError, RandomPlies};
use chess::Position;
use engine::{Limits, NetEvaluator, Searcher, Techniques};
use nnue::bundled;

/// Nodes of the search for an opening's balance.
const JUDGING_NODES: u64 = 2_000;

/// A book, or random moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningSource {
    Random {
        plies: RandomPlies,
        /// Largest score, in centipawns, of a short search with the bundled net; openings above it
        /// are left out.
        balance_cp: Option<u32>,
    },
    /// A book: EPD, FEN or PGN, plain or compressed, or Polyglot (`.bin`).
    Book {
        path: PathBuf,
        /// Most moves of each game or line.
        plies: Option<usize>,
        /// In the order of the file; drawn by the seed otherwise.
        sequential: bool,
    },
}

impl OpeningSource {
    /// At least `pairs` openings if it has as many; a book of games or positions is read whole, so
    /// that its size is known. Balanced openings need a search each: `progress` gets the count
    /// found so far.
    ///
    /// # Errors
    ///
    /// A book that cannot be read.
    pub fn open(
        &self,
        pairs: usize,
        seed: u64,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Openings, OpeningsError> {
        match self {
            Self::Random { plies, balance_cp: None } => {
                Ok(Openings::random(seed, pairs, *plies, None))
            }
            Self::Random { plies, balance_cp: Some(bound_cp) } => {
                let (mut judge, mut found) = (judge(), 0);
                let mut judge = |position: &Position| {
                    let score = judge(position);
                    found += usize::from(score.unsigned_abs() <= *bound_cp);
                    progress(found);
                    score
                };
                let balance = Balance { bound_cp: *bound_cp, judge: &mut judge };
                Ok(Openings::random(seed, pairs, *plies, Some(balance)))
            }
            Self::Book { path, plies, .. } if is_polyglot(path) => {
                Openings::from_polyglot(path, *plies, pairs, seed)
            }
            Self::Book { path, plies, sequential } => {
                let order =
                    if *sequential { BookOrder::Sequential } else { BookOrder::Shuffled(seed) };
                Openings::from_book(path, *plies, order)
            }
        }
    }

    /// Whether it uses all openings of a file, instead of drawing them.
    pub fn is_read_whole(&self) -> bool {
        matches!(self, Self::Book { path, .. } if !is_polyglot(path))
    }

    /// Whether finding openings takes long.
    pub fn is_slow(&self) -> bool {
        matches!(self, Self::Random { balance_cp: Some(_), .. })
    }
}

fn is_polyglot(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.trim_end_matches(".zst").ends_with(".bin")
}

/// A short search that is cleared between positions.
fn judge() -> impl FnMut(&Position) -> i32 {
    let evaluator = Box::new(NetEvaluator::new(bundled()));
    let mut searcher = Searcher::new(evaluator, 1).with_techniques(Techniques::JUDGING);
    let limits = Limits::nodes(JUDGING_NODES);
    move |position| {
        searcher.new_game();
        searcher.search(position, &[], &limits, &AtomicBool::new(false), &mut |_| {}).centipawns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_openings_are_balanced() {
        let fens = |balance_cp| -> Vec<String> {
            let source = OpeningSource::Random { plies: RandomPlies::exactly(8), balance_cp };
            let openings = source.open(20, 5, &mut |_| {}).unwrap();
            openings.as_slice().iter().map(|opening| opening.position().fen()).collect()
        };
        let (any, level) = (fens(None), fens(Some(30)));
        let mut judge = judge();
        let mut score = |fen: &String| judge(&Position::from_fen(fen).unwrap()).abs();
        assert!(level.iter().all(|fen| score(fen) <= 30));
        assert!(any.iter().any(|fen| score(fen) > 30));
        assert_eq!(level, fens(Some(30)));
    }
}
