//! What keeps a search from going on.

use std::path::PathBuf;

use arena::{ArenaError, OpeningsError};

use super::{MarginGenomeError, SettingsError, SpaceError, WeightGenomeError};

/// A search that cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum EvolutionError {
    #[error(transparent)]
    Space(#[from] SpaceError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Margins(#[from] MarginGenomeError),
    #[error(transparent)]
    Weights(#[from] WeightGenomeError),
    #[error(transparent)]
    Arena(#[from] ArenaError),
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// What was told does not belong to what is asked.
    #[error(
        "{}, line {line}: {reason}; it is of another search: remove the folder to begin anew",
        path.display()
    )]
    Journal {
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        reason: String,
    },
}
