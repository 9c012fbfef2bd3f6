//! The page of a comparison: what feature sets bring and what they cost.
//!
//! Plain numbers in ([`BalanceReport`]), a folder out ([`write()`]).

mod page;
mod plots;
mod sheet;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::ReportError;
use super::estimate::{Estimate, Verdict};
use super::files::{WrittenFiles, write_files};

/// Sets beside the one they are compared with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BalanceReport {
    /// Stands above all.
    pub title: String,
    /// How it was measured: name and value.
    pub conditions: Vec<(String, String)>,
    /// Limit of the games at fixed nodes: `4096 nodes a move`.
    pub node_limit: String,
    /// Limit of the games at fixed time: `20 ms a move`.
    pub time_limit: String,
    /// What the others are compared with.
    pub reference: BalanceRow,
    /// The others.
    pub rows: Vec<BalanceRow>,
    /// Elo that twice the time is worth.
    pub price: Option<Estimate>,
    /// What the reader must know before believing the numbers.
    pub warnings: Vec<String>,
}

/// A set's line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BalanceRow {
    /// Its name.
    pub label: String,
    /// Nets, each of another seed.
    pub nets: usize,
    /// Elo over the reference at fixed nodes, and games.
    pub at_nodes: Option<(Estimate, u64)>,
    /// Elo over the reference at fixed time, and games.
    pub at_time: Option<(Estimate, u64)>,
    /// What gain, price and cost let one expect at fixed time.
    pub expected: Option<Estimate>,
    /// Time per node relative to the reference.
    pub cost: Option<Estimate>,
    /// Nodes per second, one thread.
    pub nodes_per_second: Option<Estimate>,
    /// Rows of the first layer added or removed per node.
    pub rows_per_node: Option<f64>,
    /// Rows summed anew after refreshes per node.
    pub refreshed_rows_per_node: Option<f64>,
    /// Share of the puzzles solved, in [0, 1].
    pub puzzles: Option<Estimate>,
    /// That share less the reference's, on the same puzzles.
    pub puzzle_lead: Option<Estimate>,
    /// Validation loss.
    pub validation_loss: Option<Estimate>,
    /// Whether it pays, in words.
    pub verdict: String,
    /// Good news, bad news, or none.
    pub tone: Verdict,
}

/// Writes `index.html`, plots and `balance.csv` into `folder`, which is made if
/// it is not there; the page last.
///
/// # Errors
/// A disk that cannot be written.
pub fn write(report: &BalanceReport, folder: &Path) -> Result<WrittenFiles, ReportError> {
    let name = || report.title.clone();
    let figures =
        plots::of(report).map_err(|source| ReportError::Draw { experiment: name(), source })?;
    let sheet = sheet::of(report)
        .map_err(|source| ReportError::Sheet { name: sheet::NAME.to_owned(), source })?;
    let page = page::render(report, &figures)
        .map_err(|source| ReportError::Page { experiment: name(), source })?;
    write_files(folder, &mut figures.iter(), &[(sheet::NAME, sheet)], &page)
}
