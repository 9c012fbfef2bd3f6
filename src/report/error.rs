//! Why a report was not written.

use std::io;
use std::path::PathBuf;

use super::plot;

/// Why a report was not written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Two arms go by one name; their rows could not be told apart.
    #[error(
        "two sets of experiment {experiment:?} are both called {label:?}; give their `variant` what sets them apart"
    )]
    SameName {
        /// The experiment.
        experiment: String,
        /// The name.
        label: String,
    },
    /// The disk said no.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No text can be drawn in pixels.
    #[error(
        "no font was found on this machine, so there is no PNG: install one (`apt install \
         fonts-dejavu-core`), or take the SVG"
    )]
    NoFonts,
    /// A picture cannot be made of pixels.
    #[error("cannot draw the picture: {reason}")]
    Raster {
        /// Why.
        reason: String,
    },
    /// A plot failed.
    #[error("cannot draw the plots of {experiment:?}: {source}")]
    Draw {
        /// The experiment, or what else the report is of.
        experiment: String,
        /// Why.
        source: plot::DrawError,
    },
    /// A sheet failed.
    #[error("cannot lay out {name}: {source}")]
    Sheet {
        /// Which sheet.
        name: String,
        /// Why.
        source: csv::Error,
    },
    /// The page failed.
    #[error("cannot lay out the page of {experiment:?}: {source}")]
    Page {
        /// The experiment, or what else the report is of.
        experiment: String,
        /// Why.
        source: askama::Error,
    },
}
