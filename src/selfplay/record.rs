//! What is written beside a finished file of self-play: how it was made.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Production;
use super::settings::Settings;
use base::atomic::{WriteError, write_atomically};
use base::files;

/// The settings of a finished file, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// What decided the games.
    pub settings: Settings,
    /// What was made.
    pub made: Production,
}

impl Record {
    /// Where the record of a file stands.
    fn path_of(file: &Path) -> PathBuf {
        file.with_added_extension("selfplay.json")
    }

    /// The record of a file; `None` if there is none that can be read.
    pub(crate) fn read(file: &Path) -> Option<Self> {
        let text = files::read_text(&Self::path_of(file)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes it beside the file.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub(crate) fn write(&self, file: &Path) -> Result<(), WriteError> {
        // Texts and numbers are always valid JSON.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        write_atomically(&Self::path_of(file), &[text.as_bytes(), b"\n"])
    }
}
