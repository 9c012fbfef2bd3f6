//! An experiment by its file or by its name: `experiments/quickstart.toml`, or `quickstart`.

use std::path::{Path, PathBuf};

use super::error::ExperimentError;
use super::read::{self, Overrides};
use super::runs::Runs;
use super::{EXPERIMENT, Experiment, FileKind, Note};

/// Folder of experiment files.
const FOLDER: &str = "experiments";

#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    File(PathBuf),
    /// A run whose file is missing.
    Run(Box<Note>),
}

impl Named {
    /// Finds a path, or a name: `NAME.toml`, `experiments/NAME.toml`, a run.
    ///
    /// # Errors
    /// An unknown name; a note that cannot be read.
    pub fn find(named: &Path, runs: &Runs) -> Result<Self, ExperimentError> {
        let name = named.display().to_string();
        let is_name = named.extension().is_none_or(|extension| extension != "toml");
        if !is_name || named.is_file() {
            return Ok(Self::File(named.to_owned()));
        }
        let file = format!("{name}.toml");
        let places = [PathBuf::from(&file), Path::new(FOLDER).join(&file)];
        if let Some(path) = places.iter().find(|path| path.is_file()) {
            return Ok(Self::File(path.clone()));
        }
        let is_plain = named.components().count() == 1;
        let note = if is_plain { runs.note(&name)? } else { None };
        note.map(|note| Self::Run(Box::new(note))).ok_or(ExperimentError::NotNamed { name })
    }

    /// The name of a study, given by name or by file.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn name(text: &str) -> Result<String, ExperimentError> {
        if !text.ends_with(".toml") {
            return Ok(text.to_owned());
        }
        let file = std::fs::read_to_string(text).unwrap_or_default();
        if FileKind::of(&file) == Some(FileKind::Evolution)
            && let Ok(table) = file.parse::<toml::Table>()
            && let Some(name) = table.get("name").and_then(toml::Value::as_str)
        {
            return Ok(name.to_owned());
        }
        Ok(read::read(Path::new(text), &Overrides::default())?.name)
    }

    /// Reads the experiment.
    ///
    /// # Errors
    /// As [`read::read`].
    pub fn read(&self, overrides: &Overrides) -> Result<Experiment, ExperimentError> {
        match self {
            Self::File(path) => read::read(path, overrides),
            Self::Run(note) if note.kind != EXPERIMENT.name => {
                Err(ExperimentError::OtherKind { kind: note.kind.clone() })
            }
            Self::Run(note) => read::parse("the file of the last run", &note.config, overrides),
        }
    }
}
