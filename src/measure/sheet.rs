//! Rows of the CSV files beside a kept page.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use base::Estimate;
use serde::de::DeserializeOwned;

/// Results of the sets.
pub(crate) const RESULTS: &str = "results.csv";

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

/// The estimate in the columns `KEY`, `KEY_low` and `KEY_high`; `None` if one is empty or missing.
pub(crate) fn estimate(cells: &HashMap<String, String>, key: &str) -> Option<Estimate> {
    let number = |end: &str| cells.get(&format!("{key}{end}"))?.parse().ok();
    Some(Estimate::new(number("")?, number("_low")?, number("_high")?))
}
