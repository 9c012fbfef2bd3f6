//! The page of factorised tables: what was approximated, by which components, how well, and at
//! what price.

mod figures;
mod page;
mod sheets;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::Provenance;
use super::ReportError;
use super::files::{WrittenFiles, write_files};
use base::estimate::Estimate;

/// Numbers of a table by square, a1 first.
pub type Board = [i32; 64];

/// Several approximations of the same tables.
#[derive(Clone, Debug)]
pub struct FactorisationReport {
    /// What was approximated.
    pub tables: String,
    /// The original: pawn to king in the middlegame, then in the endgame.
    pub original: [Board; 12],
    /// The approximations, in the order of the table.
    pub rows: Vec<FactorRow>,
    /// How games were played, in words; empty without games.
    pub games: String,
    /// How the page was made.
    pub provenance: Provenance,
}

/// An approximation.
#[derive(Clone, Debug)]
pub struct FactorRow {
    /// What others share that were found in the same way: `annealing, plain`.
    pub kind: String,
    /// Seed of the search.
    pub seed: u64,
    pub seconds: f64,
    /// Squares of each component, bit 0 is a1.
    pub components: Vec<u64>,
    /// What it makes of the tables.
    pub cells: [Board; 12],
    /// Words in a program.
    pub literals: usize,
    pub bytes: usize,
    /// Over all cells, cp².
    pub mean_squared_error: f64,
    /// Of any cell, cp.
    pub largest_error: i32,
    /// Of evaluations of positions that the search has not seen, cp.
    pub evaluation_error: Option<f64>,
    /// Against the original tables.
    pub elo: Option<Estimate>,
}

impl FactorisationReport {
    /// The approximation that is drawn: of those with twelve components, or the nearest number,
    /// the one with the smallest error, of the evaluation where that is known.
    fn shown(&self) -> Option<&FactorRow> {
        const COMPONENTS: usize = 12;
        let far = |row: &FactorRow| row.components.len().abs_diff(COMPONENTS);
        let error = |row: &FactorRow| row.evaluation_error.unwrap_or(f64::MAX);
        self.rows.iter().min_by(|a, b| {
            let errors = error(a).total_cmp(&error(b));
            let plain = a.mean_squared_error.total_cmp(&b.mean_squared_error);
            far(a).cmp(&far(b)).then(errors).then(plain)
        })
    }
}

impl FactorRow {
    /// `12, annealing, plain, seed 1`.
    pub fn label(&self) -> String {
        format!("{}, {}, seed {}", self.components.len(), self.kind, self.seed)
    }
}

/// Writes `index.html`, `approximations.csv` and the plots into `dir`, which is made if it is not
/// there; the page last.
///
/// # Errors
/// A disk that cannot be written.
pub fn write(report: &FactorisationReport, dir: &Path) -> Result<WrittenFiles, ReportError> {
    let experiment = || report.tables.clone();
    let figures = figures::all(report)
        .map_err(|source| ReportError::Draw { experiment: experiment(), source })?;
    let name = "approximations.csv";
    let sheet = sheets::approximations(report)
        .map_err(|source| ReportError::Sheet { name: name.to_owned(), source })?;
    let page = page::render(report, &figures)
        .map_err(|source| ReportError::Page { experiment: experiment(), source })?;
    write_files(dir, &mut figures.iter(), &[(name, sheet)], &page)
}
