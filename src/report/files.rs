//! A page and what lies beside it, on disk.

use std::fs;
use std::path::{Path, PathBuf};

use super::figure::Figure;
use super::plot::Svg;
use super::{ReportError, raster};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFiles {
    pub page: PathBuf,
    pub sheets: Vec<PathBuf>,
    pub plots: Vec<PathBuf>,
}

/// Writes the files of a page, the page itself last.
pub(super) fn write_files(
    dir: &Path,
    figures: &mut dyn Iterator<Item = &Figure>,
    sheets: &[(&str, Vec<u8>)],
    page: &str,
) -> Result<WrittenFiles, ReportError> {
    fs::create_dir_all(dir)
        .map_err(|source| ReportError::Write { path: dir.to_path_buf(), source })?;
    let mut written = WrittenFiles { page: PathBuf::new(), sheets: Vec::new(), plots: Vec::new() };
    for figure in figures {
        let name = format!("{}.svg", figure.id);
        written.plots.push(write_whole(dir, &name, figure.svg.standalone().as_bytes())?);
    }
    for (name, bytes) in sheets {
        written.sheets.push(write_whole(dir, name, bytes)?);
    }
    written.page = write_whole(dir, "index.html", page.as_bytes())?;
    Ok(written)
}

/// Writes `card.svg` and `card.png` into a folder, which exists.
///
/// # Errors
/// A disk that cannot be written, or a machine without fonts: then the first is there.
pub fn write_card(card: &Svg, folder: &Path) -> Result<[PathBuf; 2], ReportError> {
    let svg = write_whole(folder, "card.svg", card.standalone().as_bytes())?;
    Ok([svg, write_whole(folder, "card.png", &raster::png(card)?)?])
}

/// Names may hold control characters, which no page may.
pub(super) fn printable(html: String) -> String {
    html.chars().filter(|&c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// Whole or not at all, so that a reader never sees half of it.
pub(super) fn write_whole(dir: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, ReportError> {
    let path = dir.join(name);
    match base::write_atomically(&path, &[bytes]) {
        Ok(()) => Ok(path),
        Err(error) => Err(ReportError::Write { path, source: error.source }),
    }
}
