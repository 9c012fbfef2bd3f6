//! The page of all approximations in a folder.

use std::path::{Path, PathBuf};

use super::name;
use crate::cli::Failure;
use base::Estimate;
use engine::PieceTables;
use linear::{Cells, Record, cells_of};
use report::factorisation::{self, Board, FactorRow, FactorisationReport};

/// Writes it; where it is.
pub(super) fn write(
    folder: &Path,
    tables: &str,
    original: &PieceTables,
) -> Result<PathBuf, Failure> {
    let mut records = records(folder, tables)?;
    records.sort_by_key(|record| {
        (name(&record.method), name(&record.loss), record.components.len(), record.seed)
    });
    let games = records.iter().find_map(|record| record.games.clone());
    let rows: Vec<FactorRow> = records.iter().filter_map(row).collect();
    let report = FactorisationReport {
        tables: tables.to_owned(),
        original: boards(&cells_of(original)),
        shown: shown(&rows),
        rows,
        games: games.map(|games| format!("Games: {}.", games.terms)).unwrap_or_default(),
    };
    Ok(factorisation::write(&report, folder).map_err(Failure::from_error)?.page)
}

/// All that the folder holds of these tables.
fn records(folder: &Path, tables: &str) -> Result<Vec<Record>, Failure> {
    let mut records = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Failure::from_error)? {
        let path = entry.map_err(Failure::from_error)?.path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let bytes = std::fs::read(&path).map_err(Failure::from_error)?;
        // Other people's files may lie there.
        if let Ok(record) = serde_json::from_slice::<Record>(&bytes) {
            records.push(record);
        }
    }
    records.retain(|record| record.tables == tables);
    Ok(records)
}

fn row(record: &Record) -> Option<FactorRow> {
    let factors = record.factors()?;
    let elo = record.games.as_ref().map(|games| {
        let [value, low, high] = games.elo;
        Estimate::new(value, low, high)
    });
    Some(FactorRow {
        kind: format!("{}, {}", name(&record.method), name(&record.loss)),
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

/// Of those with twelve components, or the nearest number, the one with the smallest error: of the
/// evaluation where that is known.
fn shown(rows: &[FactorRow]) -> usize {
    let key = |row: &FactorRow| {
        let far = row.components.len().abs_diff(12) as f64;
        (far, row.evaluation_error.unwrap_or(f64::MAX), row.mean_squared_error)
    };
    let places = rows.iter().enumerate();
    let best = places
        .min_by(|(_, a), (_, b)| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    best.map_or(0, |(place, _)| place)
}

fn boards(cells: &Cells<i32>) -> [Board; 12] {
    std::array::from_fn(|table| std::array::from_fn(|square| cells[square][table]))
}
