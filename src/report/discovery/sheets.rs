//! The numbers of the page as CSV.

use super::DiscoveryReport;
use crate::sheet::{Sheet, ends, triple};

type Layout = fn(&DiscoveryReport) -> Result<Vec<u8>, csv::Error>;

/// All sheets by their names.
pub(super) const ALL: &[(&str, Layout)] = &[
    ("screened.csv", screened),
    ("tried.csv", tried),
    ("pruned.csv", pruned),
    ("tests.csv", tests),
];

fn begun<const N: usize>(columns: [&str; N], estimates: &[&str]) -> Result<Sheet, csv::Error> {
    let mut sheet = Sheet::new();
    let estimates = estimates.iter().flat_map(|name| triple(name));
    sheet.write_record(columns.map(String::from).into_iter().chain(estimates))?;
    Ok(sheet)
}

fn screened(report: &DiscoveryReport) -> Result<Vec<u8>, csv::Error> {
    let columns = ["round", "base", "candidate", "features", "q", "ns_per_move", "trained"];
    let mut sheet = begun(columns, &["gain"])?;
    for (round, of) in report.rounds.iter().enumerate() {
        for row in &of.screened {
            let cells = [
                (round + 1).to_string(),
                of.base.clone(),
                row.candidate.clone(),
                row.features.to_string(),
                row.q.to_string(),
                row.ns.to_string(),
                row.was_trained.to_string(),
            ];
            sheet.write_record(cells.into_iter().chain(ends(Some(row.gain))))?;
        }
    }
    sheet.finished()
}

fn tried(report: &DiscoveryReport) -> Result<Vec<u8>, csv::Error> {
    let columns = ["round", "base", "candidate", "share_of_training", "expected_elo", "fate"];
    let mut sheet = begun(columns, &["gain", "cost"])?;
    for (round, of) in report.rounds.iter().enumerate() {
        for row in &of.tried {
            let cells = [
                (round + 1).to_string(),
                of.base.clone(),
                row.candidate.clone(),
                row.share.map_or_else(String::new, |share| share.to_string()),
                row.expected.to_string(),
                row.fate.clone(),
            ];
            sheet.write_record(cells.into_iter().chain(ends(row.gain)).chain(ends(row.cost)))?;
        }
    }
    sheet.finished()
}

fn pruned(report: &DiscoveryReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = begun(["round", "candidate", "of", "rows", "borne"], &["gain"])?;
    for (round, of) in report.rounds.iter().enumerate() {
        for row in &of.pruned {
            let cells = [
                (round + 1).to_string(),
                row.candidate.clone(),
                row.of.to_string(),
                row.rows.to_string(),
                row.is_borne.to_string(),
            ];
            sheet.write_record(cells.into_iter().chain(ends(row.gain)))?;
        }
    }
    sheet.finished()
}

fn tests(report: &DiscoveryReport) -> Result<Vec<u8>, csv::Error> {
    let columns = ["round", "challenger", "base", "limit", "games", "llr", "decision"];
    let mut sheet = begun(columns, &["elo"])?;
    for (round, of) in report.rounds.iter().enumerate() {
        for row in &of.tests {
            let cells = [
                (round + 1).to_string(),
                row.challenger.clone(),
                of.base.clone(),
                row.limit.clone(),
                row.games.to_string(),
                row.llr.to_string(),
                row.decision.clone(),
            ];
            sheet.write_record(cells.into_iter().chain(ends(row.elo)))?;
        }
    }
    sheet.finished()
}
