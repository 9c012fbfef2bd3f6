//! Endgame tables.
//!
//! Syzygy tables hold, for every position of a few pieces without castling rights, the result of
//! best play (WDL) and the distance to the next capture or pawn move (DTZ, for the 50-move rule).
//! The user provides the files; `shakmaty-syzygy` reads them.

use std::fmt;
use std::path::PathBuf;

use shakmaty::Chess;
use shakmaty_syzygy::{AmbiguousWdl, Dtz, Tablebase, Wdl};

use super::{GameResult, Move, Position};

/// How a position ends with best play, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TablebaseOutcome {
    /// Lost.
    Loss,
    /// Drawn, if only by the 50-move rule.
    Draw,
    /// Won within the 50-move rule.
    Win,
}

/// Exact outcomes of endgames.
pub trait EndgameTable: fmt::Debug + Send + Sync {
    /// The largest number of pieces, kings included, of its positions.
    fn most_pieces(&self) -> usize;

    /// The outcome of a position whose 50-move counter is at zero; `None` if
    /// the table does not have it.
    fn probe(&self, position: &Position) -> Option<TablebaseOutcome>;

    /// The moves that keep the outcome and make progress; `None` if the table
    /// does not have the position.
    fn best_moves(&self, position: &Position) -> Option<Vec<Move>>;

    /// Result of a game from this position; `None` if the tables do not have it. Tables assume a
    /// 50-move counter of zero, so only positions after captures and pawn moves are probed.
    fn result_from(&self, position: &Position) -> Option<GameResult> {
        let is_small = position.board().occupied().count() <= self.most_pieces();
        let is_known = is_small && position.halfmoves() == 0;
        Some(match is_known.then(|| self.probe(position))?? {
            TablebaseOutcome::Win => GameResult::Win(position.turn()),
            TablebaseOutcome::Loss => GameResult::Win(!position.turn()),
            TablebaseOutcome::Draw => GameResult::Draw,
        })
    }
}

/// Tables in Syzygy's format.
#[derive(Debug)]
pub struct Syzygy {
    tables: Tablebase<Chess>,
    files: usize,
}

/// Folders without tables.
#[derive(Debug, thiserror::Error)]
pub enum SyzygyError {
    /// The folder cannot be listed.
    #[error("{}: the folder of endgame tables cannot be read", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Error of the file system.
        source: std::io::Error,
    },
    /// No tables found.
    #[error("`{paths}` holds no Syzygy tables (files such as KQvK.rtbw)")]
    Empty {
        /// As given.
        paths: String,
    },
}

impl Syzygy {
    /// The tables of some folders, written as the system writes search paths (separated by `:`, on
    /// Windows by `;`). Files are opened on the first probe.
    ///
    /// # Errors
    /// If a folder cannot be read, or none of them holds a table.
    pub fn open(paths: &str) -> Result<Self, SyzygyError> {
        let mut tables = Tablebase::new();
        let mut files = 0;
        for path in std::env::split_paths(paths) {
            match tables.add_directory(&path) {
                Ok(found) => files += found,
                Err(source) => return Err(SyzygyError::Folder { path, source }),
            }
        }
        match files {
            0 => Err(SyzygyError::Empty { paths: paths.to_owned() }),
            _ => Ok(Self { tables, files }),
        }
    }

    /// Number of files.
    pub fn files(&self) -> usize {
        self.files
    }

    /// Moves that keep the draw.
    fn drawing_moves(&self, position: &Position) -> Vec<Move> {
        let holds = |&m: &Move| {
            let after = position.after(m);
            let wdl = self.tables.probe_wdl(&after.shakmaty());
            wdl.is_ok_and(|wdl| outcome(wdl) == TablebaseOutcome::Draw)
        };
        position.legal_moves().into_iter().filter(holds).collect()
    }
}

impl EndgameTable for Syzygy {
    fn most_pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    fn probe(&self, position: &Position) -> Option<TablebaseOutcome> {
        let is_known = position.board().occupied().count() <= self.most_pieces()
            && position.castling_rooks().is_empty();
        let probe = || self.tables.probe_wdl_after_zeroing(&position.shakmaty()).ok();
        let wdl = is_known.then(probe)??;
        Some(match wdl {
            Wdl::Win => TablebaseOutcome::Win,
            Wdl::Loss => TablebaseOutcome::Loss,
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => TablebaseOutcome::Draw,
        })
    }

    fn best_moves(&self, position: &Position) -> Option<Vec<Move>> {
        let (best, dtz) = self.tables.best_move(&position.shakmaty()).ok()??;
        let best = Move::of_shakmaty(best)?;
        if dtz.ignore_rounding() != Dtz(0) {
            return Some(vec![best]);
        }
        let moves = self.drawing_moves(position);
        Some(if moves.is_empty() { vec![best] } else { moves })
    }
}

fn outcome(wdl: AmbiguousWdl) -> TablebaseOutcome {
    match wdl {
        AmbiguousWdl::Win | AmbiguousWdl::MaybeWin => TablebaseOutcome::Win,
        AmbiguousWdl::Loss | AmbiguousWdl::MaybeLoss => TablebaseOutcome::Loss,
        AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => {
            TablebaseOutcome::Draw
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_tables_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        assert!(matches!(Syzygy::open(path), Err(SyzygyError::Empty { .. })));
        let missing = format!("{path}/nowhere");
        assert!(matches!(Syzygy::open(&missing), Err(SyzygyError::Folder { .. })));
    }

    #[test]
    fn damaged_tables_know_nothing() {
        let folder = tempfile::tempdir().unwrap();
        // A legal length of a table.
        std::fs::write(folder.path().join("KQvK.rtbw"), [7; 64 + 16]).unwrap();
        let tables = Syzygy::open(folder.path().to_str().unwrap()).unwrap();
        assert_eq!((tables.files(), tables.most_pieces()), (1, 3));
        let position = Position::from_fen("8/8/8/8/8/2k5/8/K6Q w - - 0 1").unwrap();
        assert_eq!(tables.probe(&position), None);
        assert_eq!(tables.best_moves(&position), None);
    }
}
