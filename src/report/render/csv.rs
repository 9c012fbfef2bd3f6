//! Tables as CSV.
//!
//! Numbers read back to the same; infinite ends are `inf` and `-inf`, missing values are
//! empty. An estimate has three columns: `elo`, `elo_low`, `elo_high`.

use std::borrow::Cow;

use crate::table::{Column, Format, Table};
use crate::value::{Cell, Value};
use base::estimate::Estimate;
use base::format::ascii;

/// A table as a file holds it.
///
/// # Errors
/// Errors of the writer; memory has none.
pub fn sheet(table: &Table) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns: Vec<(usize, &Column)> = table.written().collect();
    write_record(&mut writer, columns.iter().flat_map(|(_, column)| header(column)))?;
    let missing = Cell::default();
    for row in &table.rows {
        let cells = columns
            .iter()
            .flat_map(|&(place, column)| fields(row.cells.get(place).unwrap_or(&missing), column));
        write_record(&mut writer, cells)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

fn write_record(
    writer: &mut csv::Writer<Vec<u8>>,
    cells: impl Iterator<Item = String>,
) -> Result<(), csv::Error> {
    for cell in cells {
        writer.write_field(&*inert(&cell))?;
    }
    writer.write_record(None::<&[u8]>)
}

pub(super) fn header(Column { key, format, is_estimate, .. }: &Column) -> Vec<String> {
    match format {
        Format::Counts(parts) => parts.iter().map(|part| format!("{key}_{part}")).collect(),
        _ if *is_estimate => vec![key.clone(), format!("{key}_low"), format!("{key}_high")],
        _ => vec![key.clone()],
    }
}

/// As many fields as the column's header has.
fn fields(cell: &Cell, column: &Column) -> Vec<String> {
    let number = |number: f64| match column.decimals {
        Some(decimals) => ascii(number, decimals),
        // Adding 0 takes the sign from a zero.
        None => (number + 0.0).to_string(),
    };
    let mut fields = match &cell.value {
        Value::Missing | Value::Remark(_) => Vec::new(),
        Value::Text(text) => vec![text.clone()],
        Value::Flag(flag) => vec![flag.to_string()],
        Value::Count(count) => vec![count.to_string()],
        Value::Counts(counts) => counts.iter().map(u64::to_string).collect(),
        Value::Number(value) => vec![number(*value)],
        Value::Estimate(Estimate { value, low, high }) => {
            [value, low, high].map(|&end| number(end)).to_vec()
        }
    };
    fields.resize(header(column).len(), String::new());
    fields
}

/// A cell that no spreadsheet takes for a formula: names of engines and files come from others.
/// Numbers stay as they are.
pub(crate) fn inert(cell: &str) -> Cow<'_, str> {
    let begins_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    match begins_formula && cell.parse::<f64>().is_err() {
        true => format!("'{cell}").into(),
        false => cell.into(),
    }
}
