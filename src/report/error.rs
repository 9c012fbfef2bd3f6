//! Why a report was not written.

use std::io;
use std::path::PathBuf;

use super::plot;

/// Why a report was not written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Two variants go by one name; their rows would not be distinguishable.
    #[error(
        "two sets of experiment {experiment:?} have the label {label:?}; give them distinct `variant`s"
    )]
    SameName { experiment: String, label: String },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(
        "no font on this machine, so no PNG: install one (`apt install \
         fonts-dejavu-core`), or take the SVG"
    )]
    NoFonts,
    #[error("cannot draw the picture: {reason}")]
    Raster { reason: String },
    #[error("cannot draw the plots of {experiment:?}: {source}")]
    Draw {
        /// The experiment, or what else the report is of.
        experiment: String,
        source: plot::DrawError,
    },
    #[error("cannot lay out {name}: {source}")]
    Sheet { name: String, source: csv::Error },
    #[error("cannot lay out the page of {experiment:?}: {source}")]
    Page {
        /// The experiment, or what else the report is of.
        experiment: String,
        source: askama::Error,
    },
}
