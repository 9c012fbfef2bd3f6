//! What is written beside a finished file: how it was made.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::settings::Settings;
use base::atomic::{WriteError, write_atomically};
use base::files;

/// The settings of a finished file, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record<M> {
    /// What decided its content.
    pub settings: Settings,
    pub made: M,
}

/// Where the record of a file stands.
fn path_of(file: &Path, kind: &str) -> PathBuf {
    file.with_added_extension(format!("{kind}.json"))
}

impl<M: DeserializeOwned> Record<M> {
    /// The record of a file; `None` if there is none of that kind that can be read.
    pub(crate) fn read(file: &Path, kind: &str) -> Option<Self> {
        let text = files::read_text(&path_of(file, kind)).ok()?;
        serde_json::from_str(&text).ok()
    }
}

impl<M: Serialize> Record<M> {
    /// Writes it beside the file.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub(crate) fn write(&self, file: &Path, kind: &str) -> Result<(), WriteError> {
        // Texts and numbers are always valid JSON.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        write_atomically(&path_of(file, kind), &[text.as_bytes(), b"\n"])
    }
}
