//! What keeps a search from going on.

use std::path::PathBuf;

use arena::{ArenaError, OpeningsError};

use super::{MarginGenomeError, SettingsError, SpaceError, WeightGenomeError};

/// A search that cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum EvolutionError {
    /// Genes that make no sense.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// Settings that make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Margins that cannot be searched for.
    #[error(transparent)]
    Margins(#[from] MarginGenomeError),
    /// Weights that cannot be searched for.
    #[error(transparent)]
    Weights(#[from] WeightGenomeError),
    /// Games that cannot be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// Openings that cannot be had.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The folder of the search.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// What was told does not belong to what is asked.
    #[error(
        "{}, line {line}: {reason}; it is of another search: remove the folder to begin anew",
        path.display()
    )]
    Journal {
        /// The journal.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}
