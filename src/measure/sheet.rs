//! Rows of the CSV files beside a kept page.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// A CSV file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}; `oplus report` of the experiment writes it again", path.display())]
pub struct SheetError {
    path: PathBuf,
    source: csv::Error,
}

/// All rows of a file.
///
/// # Errors
/// A missing or damaged file, or a row of another form.
pub(crate) fn rows<Row: DeserializeOwned>(path: &Path) -> Result<Vec<Row>, SheetError> {
    let read =
        || -> csv::Result<Vec<Row>> { csv::Reader::from_path(path)?.into_deserialize().collect() };
    read().map_err(|source| SheetError { path: path.to_owned(), source })
}
