//! Tables of typed figures, plots and pages, for terminals, CSV, JSON and HTML.
//!
//! Rooms make a [`Table`] of their own records and a [`Page`] of findings, tables, plots and
//! boards; the page stands alone, with every number as CSV beside it. Nothing is measured or
//! estimated here, and nothing is compared without its interval: an [`Estimate`] cannot be made
//! without one.
//!
//! The page needs no network, no script and no font, so that it still opens in
//! ten years and can be sent to a friend. Only one that is watched while its experiment goes
//! on ([`now`]) has a script.

pub mod board;
pub mod cross;
mod error;
mod figure;
mod files;
pub mod finding;
pub mod network;
pub mod now;
pub mod page;
pub mod plot;
mod provenance;
mod raster;
pub mod render;
mod shrink;
mod swatch;
pub mod table;
mod value;

pub use base::estimate::{Estimate, Separation};
pub use cross::{CrossScore, CrossTable};
pub use error::ReportError;
pub use figure::Figure;
pub use files::{WrittenFiles, write_card};
pub use finding::{Fact, Finding, Mark};
pub use page::{BoardPart, Page, Part, Section};
pub use plot::boards::FirstLayerPicture;
pub use plot::learning::{CurveSeries, LearningPanel};
pub use plot::losses::EpochLoss;
pub use plot::ratings::PuzzleBucket;
pub use provenance::{DataFile, Machine, Provenance};
pub use table::{Column, Format, Table, TableOf};
pub use value::{Cell, Value};
