//! The page of all approximations in a folder.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::cli::Failure;
use crate::cli::command_line::command_line;
use base::Estimate;
use engine::PieceTables;
use linear::{Cells, Record, cells_of};
use report::Provenance;
use report::factorisation::{self, Board, FactorRow, FactorisationReport};

/// Writes it; where it is.
pub(super) fn write(
    folder: &Path,
    tables: &str,
    original: &PieceTables,
    began: Instant,
) -> Result<PathBuf, Failure> {
    let mut records = Record::all_in(folder)?;
    records.retain(|record| record.tables == tables);
    records.sort_by_key(|record| (record.kind(), record.components.len(), record.seed));
    let games = records.iter().find_map(|record| record.games.clone());
    let report = FactorisationReport {
        tables: tables.to_owned(),
        original: boards(&cells_of(original)),
        rows: records.iter().filter_map(row).collect(),
        games: games.map(|games| format!("Games: {}.", games.terms)).unwrap_or_default(),
        provenance: Provenance::here(command_line(), base::cores(), began.elapsed().as_secs_f64()),
    };
    Ok(factorisation::write(&report, folder)?.page)
}

fn row(record: &Record) -> Option<FactorRow> {
    let factors = record.factors()?;
    let elo = record.games.as_ref().map(|games| {
        let [value, low, high] = games.elo;
        Estimate::new(value, low, high)
    });
    Some(FactorRow {
        kind: record.kind(),
        seed: record.seed,
        seconds: record.seconds,
        components: factors.components(),
        cells: boards(&factors.cells()),
        literals: record.literals,
        bytes: record.bytes,
        mean_squared_error: record.mean_squared_error,
        largest_error: record.largest_error,
        evaluation_error: record.evaluation_error.map(|error| error.held_out),
        elo,
    })
}

fn boards(cells: &Cells<i32>) -> [Board; 12] {
    std::array::from_fn(|table| std::array::from_fn(|square| cells[square][table]))
}
