//! The numbers of the page as CSV.

use super::FactorisationReport;
use crate::sheet::{Sheet, ends, triple};

/// One row per approximation.
pub(super) fn approximations(report: &FactorisationReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = [
        "approximation",
        "components",
        "kind",
        "seed",
        "seconds",
        "literals",
        "bytes",
        "mean_squared_error",
        "largest_error",
        "evaluation_error",
    ];
    sheet.write_record(head.map(String::from).into_iter().chain(triple("elo")))?;
    for row in &report.rows {
        let numbers = [
            row.label(),
            row.components.len().to_string(),
            row.kind.clone(),
            row.seed.to_string(),
            format!("{:.1}", row.seconds),
            row.literals.to_string(),
            row.bytes.to_string(),
            format!("{:.3}", row.mean_squared_error),
            row.largest_error.to_string(),
            row.evaluation_error.map(|error| format!("{error:.3}")).unwrap_or_default(),
        ];
        sheet.write_record(numbers.into_iter().chain(ends(row.elo)))?;
    }
    sheet.finished()
}
