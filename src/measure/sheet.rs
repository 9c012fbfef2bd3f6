//! The CSV files beside a kept page.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use arena::Limit;
use base::Estimate;
use serde::de::DeserializeOwned;

/// Results of the sets.
const RESULTS: &str = "results.csv";

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

/// The row of a set in the results of a page.
pub(crate) struct SetCells(HashMap<String, String>);

impl SetCells {
    /// A cell; empty if there is no such column.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.0.get(key).map_or("", String::as_str)
    }

    /// The columns `KEY`, `KEY_low` and `KEY_high`; `None` unless all three have numbers.
    pub(crate) fn estimate(&self, key: &str) -> Option<Estimate> {
        let number = |end: &str| {
            let number: f64 = self.text(&format!("{key}{end}")).parse().ok()?;
            Some(number).filter(|number| !number.is_nan())
        };
        Some(Estimate::new(number("")?, number("_low")?, number("_high")?))
    }

    /// Elo by limit.
    pub(crate) fn elo(&self) -> Vec<(Limit, Estimate)> {
        let limits = self.0.keys().filter_map(|key| Limit::from_slug(key.strip_prefix("elo_")?));
        limits
            .filter_map(|limit| Some((limit, self.estimate(&format!("elo_{}", limit.slug()))?)))
            .collect()
    }

    pub(crate) fn is_reference(&self) -> bool {
        self.text("is_reference") == "true"
    }
}

/// The sets of a page in a folder; `None` without results. Pages of earlier versions mark no reference:
/// it is the only set without Elo.
///
/// # Errors
/// A damaged file.
pub(crate) fn sets(folder: &Path) -> Result<Option<Vec<SetCells>>, SheetError> {
    let path = folder.join(RESULTS);
    if !path.is_file() {
        return Ok(None);
    }
    let mut sets: Vec<SetCells> = rows(&path)?.into_iter().map(SetCells).collect();
    if !sets.iter().any(SetCells::is_reference)
        && let Some(set) = sets.iter_mut().find(|set| set.elo().is_empty())
    {
        set.0.insert("is_reference".to_owned(), "true".to_owned());
    }
    Ok(Some(sets))
}
