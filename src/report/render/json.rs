//! Tables and pages as JSON.
//!
//! A row is an object with the keys of the columns. Numbers are not rounded; unknown and
//! unbounded ones are `null`.

use serde_json::{Map, Value as Json, json};

use crate::finding::{Finding, Mark};
use crate::page::Page;
use crate::table::{Row, Table};
use crate::value::{Cell, Value};
use base::estimate::Estimate;

/// The rows of a table.
pub fn rows(table: &Table) -> Vec<Json> {
    table.rows.iter().map(|row| object(table, row)).collect()
}

/// A page without its plots and its answer, which the HTML alone has: findings, warnings, and the
/// rows of each table by its key.
pub fn page(page: &Page) -> Map<String, Json> {
    let mut all = Map::new();
    let findings: Vec<Json> = page.findings.iter().map(finding).collect();
    all.insert("name".to_owned(), page.title.clone().into());
    all.insert("question".to_owned(), page.question.clone().into());
    all.insert("findings".to_owned(), findings.into());
    all.insert("warnings".to_owned(), page.warnings.clone().into());
    for table in page.tables().filter(|table| !table.key.is_empty()) {
        all.insert(table.key.clone(), rows(table).into());
    }
    all
}

/// Infinite ends are no numbers of JSON, and become `null`.
pub fn estimate(Estimate { value, low, high }: &Estimate) -> Json {
    json!({ "value": value, "low": low, "high": high })
}

fn object(table: &Table, row: &Row) -> Json {
    let cells = table.written().filter_map(|(place, column)| {
        row.cells.get(place).map(|cell| (column.key.clone(), of_cell(cell)))
    });
    cells.collect::<Map<String, Json>>().into()
}

fn of_cell(cell: &Cell) -> Json {
    match &cell.value {
        Value::Missing | Value::Remark(_) => Json::Null,
        Value::Text(text) => text.as_str().into(),
        Value::Flag(flag) => (*flag).into(),
        Value::Count(count) => (*count).into(),
        Value::Counts(counts) => counts.as_slice().into(),
        Value::Number(number) => (*number).into(),
        Value::Estimate(of) => {
            let mut object = estimate(of);
            if let Some(mark) = cell.mark {
                object["verdict"] = verdict(mark).into();
            }
            object
        }
    }
}

fn finding(Finding { mark, subject, text }: &Finding) -> Json {
    json!({ "verdict": verdict(*mark), "subject": subject, "text": text })
}

/// `None` without a comparison.
fn verdict(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Better => Some("better"),
        Mark::Worse => Some("worse"),
        Mark::NotSeparable => Some("not separable"),
        Mark::NoVerdict => Some("no verdict"),
        Mark::Remark => None,
    }
}
