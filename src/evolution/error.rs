//! Errors of a search.

use std::path::PathBuf;

use arena::{ArenaError, OpeningsError};
use base::KeyError;
use base::journal::JournalError;

use super::{MarginGenomeError, SettingsError, SpaceError, WeightGenomeError};

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
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Key(#[from] KeyError),
}
