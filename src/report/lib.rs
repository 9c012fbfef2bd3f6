//! Tables, plots, the HTML page: what people look at.
//!
//! Whoever measures fills one of the reports with plain numbers (an
//! [`experiment`], a match or tournament of [`games`], [`puzzles`], [`factorisation`],
//! [`evolution`], [`discovery`]); this room turns it into a page that stands alone: HTML with the plots inside,
//! and every number as CSV beside it. Nothing is measured or estimated here, and nothing is
//! compared without its interval: an [`Estimate`] cannot be made without one.
//!
//! The page needs no network, no script and no font, so that it still opens in
//! ten years and can be sent to a friend. Only one that is watched while its experiment goes
//! on ([`now`]) has a script.

pub mod board;
pub mod cross;
mod error;
pub mod discovery;
pub mod evolution;
pub mod experiment;
pub mod factorisation;
mod figure;
mod files;
pub mod finding;
pub mod network;
pub mod now;
pub mod page;
pub mod plot;
mod provenance;
pub mod puzzles;
mod raster;
pub mod rates;
pub mod render;
mod sheet;
mod shrink;
mod spoilt;
mod swatch;
pub mod table;
pub mod terminal;
mod value;

pub use base::estimate::{Estimate, Verdict};
pub use cross::{CrossTable, Score};
pub use error::ReportError;
pub use experiment::model::{
    CurveSeries, DataRow, EloResult, EpochLoss, Factor, FirstLayerPicture, LearningCurves,
    LearningPanel, OverPeer, PairedPuzzles, Pairing, Pays, PuzzleBucket, PuzzleSuite,
    QuantisationError, Report, RunRow, SeedSpread, SetRow, label,
};
pub use experiment::{live, write, write_card};
pub use figure::Figure;
pub use files::WrittenFiles;
pub use finding::{Finding, Mark};
pub use page::{BoardPart, Page, Part, Section};
use plot::DrawError;
pub use provenance::{DataFile, Machine, Provenance};
pub use spoilt::Spoilt;
pub use table::{Column, Format, Table, TableOf};
pub use value::{Cell, Value};
