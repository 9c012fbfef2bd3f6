//! The result table, once, for the page and for the terminal.

use super::lineup::{Entry, Lineup};
use super::model::{EloResult, Report};
use crate::finding::Mark;
use base::estimate::per_cent;
use base::format::{fixed, grouped};

/// One measure of all sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// One per set, in the lineup's order.
    pub values: Vec<Value>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// As written; `—` when not measured.
    pub text: String,
    /// Against the reference, where the measure is such a comparison.
    pub mark: Option<Mark>,
}

impl Value {
    /// The number itself: `+43` of `+43 ± 29`.
    pub fn number(&self) -> &str {
        &self.text[..self.text.len() - self.interval().len()]
    }

    /// What stands behind the number: ` ± 29`, or nothing.
    pub fn interval(&self) -> &str {
        let start = self.text.find(" ±").or_else(|| self.text.find(" ("));
        start.map_or("", |at| &self.text[at..])
    }

    /// With its mark: `+43 ± 29 ▲`.
    pub fn marked(&self) -> String {
        match self.mark {
            Some(mark) => format!("{} {}", self.text, mark.sign()),
            None => self.text.clone(),
        }
    }

    fn of(text: Option<String>) -> Value {
        Value { text: text.unwrap_or_else(|| "—".to_owned()), mark: None }
    }
}

/// The columns that hold anything at all, what decides first: strength, then
/// what explains it, then what it costs.
pub fn of(report: &Report, lineup: &Lineup) -> Vec<Column> {
    let column = |title: &str, value: &dyn Fn(&Entry) -> Option<String>| {
        let values = lineup.entries.iter().map(|entry| Value::of(value(entry))).collect();
        Column { title: title.to_owned(), values }
    };
    let nodes = report
        .puzzles
        .as_ref()
        .map_or(String::new(), |suite| format!(", {} nodes", grouped(suite.nodes)));
    let elo = lineup.limits.iter().map(|&limit| Column {
        title: format!("Elo, {limit}"),
        values: lineup.entries.iter().map(|entry| elo(entry, entry.result(limit))).collect(),
    });
    let loss = match report.losses_compare() {
        true => "validation loss",
        false => "validation loss, not comparable",
    };
    let mut columns: Vec<Column> = elo.collect();
    columns.extend([
        column("Elo, expected on the clock", &|e| e.set.expected.map(|elo| elo.signed())),
        column(loss, &|e| e.set.validation_loss.map(|loss| loss.plain())),
        column(&format!("puzzles{nodes}"), &|e| e.set.puzzle_accuracy.map(per_cent)),
        column("puzzles, one ply", &|e| e.set.one_ply.map(per_cent)),
        column("time per node", &|e| cost(e)),
        // What compares is the cost before it; the interval stands in `results.csv`.
        column("nodes/s, thousands", &|e| Some(thousands(e.set.nodes_per_second?.value))),
        column("rows/node", &|e| rows_per_node(e)),
        column("features", &|e| Some(grouped(e.set.size as u64))),
        column("seeds", &|e| Some(e.set.runs.len().to_string())),
    ]);
    columns.retain(|column| column.values.iter().any(|value| value.text != "—"));
    columns
}

fn elo(entry: &Entry, result: Option<&EloResult>) -> Value {
    match result {
        Some(elo) => Value { text: elo.estimate.signed(), mark: Some(elo.mark()) },
        None if entry.is_reference => Value::of(Some("reference".to_owned())),
        None => Value::of(None),
    }
}

fn thousands(nodes_per_second: f64) -> String {
    fixed(nodes_per_second / 1e3, 0)
}

/// `1.31 ± 0.02` times that of the reference.
fn cost(entry: &Entry) -> Option<String> {
    match entry.is_reference && entry.set.nodes_per_second.is_some() {
        true => Some("1".to_owned()),
        false => entry.set.cost.map(|cost| cost.plain()),
    }
}

/// `3.8`, or with refreshed rows `3.8 + 0.4`.
fn rows_per_node(entry: &Entry) -> Option<String> {
    let updated = fixed(entry.set.rows_updated_per_node?, 2);
    Some(match entry.set.rows_refreshed_per_node {
        Some(refreshed) if refreshed > 0.0 => format!("{updated} + {}", fixed(refreshed, 2)),
        _ => updated,
    })
}
