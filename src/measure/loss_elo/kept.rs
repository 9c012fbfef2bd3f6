//! The slopes of kept pages, read from the sheets beside them.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{FEWEST_SETS, LossElo, NetPoint, SetPoints, Slope};
use crate::origin_line::{self, Point};
use crate::page::loss_elo::{HOW, NETS, off_the_line, per_cent};
use crate::sheet::{self, SheetError};
use base::Estimate;
use base::format::counted;
use report::Format::{Count, Text, Words};
use report::{Column, Table};

/// A net of a sheet.
#[derive(Debug, Deserialize)]
struct SheetRow {
    set: String,
    seed: Option<u64>,
    is_reference: bool,
    validation_loss: f64,
    limit: String,
    /// None of the reference.
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
}

impl SheetRow {
    /// `None` for a set other than the reference whose Elo is missing.
    fn net(&self) -> Option<NetPoint> {
        let elo = match (self.elo, self.elo_low, self.elo_high) {
            (Some(value), Some(low), Some(high)) => Estimate::new(value, low, high),
            _ if self.is_reference => Estimate::new(0.0, 0.0, 0.0),
            _ => return None,
        };
        Some(NetPoint { seed: self.seed, loss: self.validation_loss, elo })
    }
}

/// Nets of the page in a folder by limit; `None` of a page without their sheet.
///
/// # Errors
/// A damaged sheet.
pub fn read(folder: &Path) -> Result<Option<Vec<(String, LossElo)>>, SheetError> {
    let path = folder.join(format!("{NETS}.csv"));
    if !path.exists() {
        return Ok(None);
    }
    let rows: Vec<SheetRow> = sheet::rows(&path)?;
    let limits = crate::unique::unique(rows.iter().map(|row| row.limit.as_str()));
    let of_limit = |limit: &str| {
        let sets = sets(rows.iter().filter(|row| row.limit == limit));
        Some((limit.to_owned(), LossElo::of(sets)?))
    };
    Ok(Some(limits.into_iter().filter_map(of_limit).collect()))
}

fn sets<'r>(rows: impl Iterator<Item = &'r SheetRow>) -> Vec<SetPoints> {
    let mut sets: Vec<SetPoints> = Vec::new();
    for (row, net) in rows.filter_map(|row| Some((row, row.net()?))) {
        match sets.iter_mut().find(|set| set.label == row.set) {
            Some(set) => set.nets.push(net),
            None => {
                let (label, is_reference) = (row.set.clone(), row.is_reference);
                sets.push(SetPoints { label, is_reference, nets: vec![net] });
            }
        }
    }
    sets
}

/// A page, one of its limits, or several pages together.
struct KeptRow {
    page: String,
    limit: String,
    found: Option<Found>,
    /// Reason for the absence of a slope.
    reason: String,
}

/// A slope.
#[derive(Clone, Copy)]
struct Found {
    elo: Estimate,
    /// Standard deviation of the sets from the line, in Elo.
    scatter: f64,
    /// Sets and nets beside references.
    sets: usize,
    nets: usize,
}

impl KeptRow {
    fn without(page: &str, reason: String) -> Self {
        Self { page: page.to_owned(), limit: String::new(), found: None, reason }
    }

    fn of(page: &str, limit: &str, loss_elo: &LossElo) -> Self {
        let found =
            |Slope { elo, scatter, sets, .. }| Found { elo, scatter, sets, nets: loss_elo.nets() };
        let (found, reason) = match loss_elo.slope() {
            Ok(slope) => (Some(found(slope)), String::new()),
            Err(problem) => (None, problem.to_string()),
        };
        Self { page: page.to_owned(), limit: limit.to_owned(), found, reason }
    }

    /// A line through the references of the pages with several seeds and games under one limit.
    fn together(limit: &str, pages: &[&LossElo]) -> Self {
        let pages: Vec<&LossElo> =
            pages.iter().copied().filter(|page| page.has_several_seeds()).collect();
        let page = format!("{} together", counted(pages.len() as u64, "page"));
        let (found, reason) = match Found::together(&pages) {
            Some(found) => (Some(found), String::new()),
            None => (None, format!("a line needs {FEWEST_SETS} sets, each with several seeds")),
        };
        Self { page, limit: limit.to_owned(), found, reason }
    }
}

impl Found {
    /// `None` with few sets.
    fn together(pages: &[&LossElo]) -> Option<Self> {
        let squares = pages.iter().map(|page| page.elo_squares());
        let (sum, freedom) = squares.fold((0.0, 0.0), |all, of| (all.0 + of.0, all.1 + of.1));
        let spread = sum / freedom.max(1.0);
        let points: Vec<Point> = pages.iter().flat_map(|page| page.leads(spread)).collect();
        if points.len() < FEWEST_SETS {
            return None;
        }
        let elo = origin_line::slope(&points)?;
        let squares: f64 = points.iter().map(|point| point.residual(elo.value).powi(2)).sum();
        let scatter = (squares / (points.len() - 1) as f64).sqrt();
        let nets = pages.iter().map(|page| page.nets()).sum();
        Some(Self { elo, scatter, sets: points.len(), nets })
    }
}

/// Estimator of the row of several pages.
const TOGETHER: &str = "Pages together: a line through their references, where both loss and Elo have no \
     difference, with errors of losses and Elo by seeds and games (York, 1966), widened by the scatter \
     around the line. Pages that share nets count as independent. Losses have to be of one filter, \
     target and exponent.";

/// Lines through the sets of kept pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// One for each page and limit.
    OfEach,
    /// And one for each limit through the sets of all pages, whose losses have to be comparable.
    AndTogether,
}

/// The slopes of the pages in some folders.
///
/// # Errors
/// A damaged sheet.
pub fn table(folders: &[PathBuf], lines: Lines) -> Result<Table, SheetError> {
    let mut rows = Vec::new();
    let mut all: Vec<(String, LossElo)> = Vec::new();
    for folder in crate::unique::unique(folders) {
        let page = folder.display().to_string();
        match read(folder)? {
            None => {
                let reason = format!(
                    "no {NETS}.csv: a page without games and comparable losses, or of an \
                     earlier version"
                );
                rows.push(KeptRow::without(&page, reason));
            }
            Some(limits) => {
                rows.extend(limits.iter().map(|(limit, of)| KeptRow::of(&page, limit, of)));
                all.extend(limits);
            }
        }
    }
    let mut notes = vec![HOW.to_owned()];
    if lines == Lines::AndTogether {
        rows.extend(together(&all));
        notes.push(TOGETHER.to_owned());
    }
    let found = |row: &KeptRow| row.found;
    Ok(Table::of("loss-elo-slopes", "Elo per cent of loss", &rows)
        .column(Column::new("page", "page", Text), |row| &row.page)
        .column(Column::new("limit", "limit", Text), |row| &row.limit)
        .column(per_cent(), move |row| found(row).map(|found| found.elo))
        .column(off_the_line(), move |row| found(row).map(|found| found.scatter))
        .column(Column::new("sets", "sets", Count), move |row| found(row).map(|found| found.sets))
        .column(Column::new("nets", "nets", Count), move |row| found(row).map(|found| found.nets))
        .column(Column::new("no_slope", "no slope", Words), |row| {
            (!row.reason.is_empty()).then(|| row.reason.clone())
        })
        .notes(notes)
        .table())
}

/// A row for each limit.
fn together(all: &[(String, LossElo)]) -> Vec<KeptRow> {
    let limits = crate::unique::unique(all.iter().map(|(limit, _)| limit.as_str()));
    let of_limit = |limit: &str| {
        let pages = all.iter().filter(|(of, _)| of == limit).map(|(_, page)| page);
        KeptRow::together(limit, &pages.collect::<Vec<_>>())
    };
    limits.into_iter().map(of_limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss_elo::NoSlope;

    fn folder(sheet: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("loss-elo.csv"), sheet).unwrap();
        dir
    }

    const HEADER: &str = "set,seed,is_reference,validation_loss,limit,elo,elo_low,elo_high\n";

    #[test]
    fn pages_without_a_slope_stay_in_the_table() {
        let none = tempfile::tempdir().unwrap();
        let few = folder(&format!(
            "{HEADER}ALL,1,true,0.004,nodes_1000,,,\nH,1,false,0.005,nodes_1000,-40,-60,-20\n"
        ));
        let folders = [none.path().to_owned(), few.path().to_owned()];
        let table = table(&folders, Lines::OfEach).unwrap();
        assert_eq!(table.rows.len(), 2);
        let text = table.to_string();
        assert!(text.contains("no loss-elo.csv") && text.contains("1 set besides"), "{text}");
    }

    /// Slopes and margins of kept pages as another program computes them.
    #[test]
    fn kept_pages_have_the_slopes_of_another_implementation() {
        let reports = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports"));
        let slope = |page: &str| {
            let limits = read(&reports.join(page)).unwrap().unwrap();
            limits[0].1.slope()
        };
        for (page, value, margin) in [
            ("king-relative", 8.206, 2.646),
            ("laptop-axes", 8.795, 3.336),
            ("laptop-lines", 5.720, 0.775),
            ("laptop-pairs", 5.084, 0.571),
        ] {
            let elo = slope(page).unwrap().elo;
            assert!((elo.value - value).abs() < 0.002, "{page}: {elo:?}");
            assert!((elo.margin() - margin).abs() < 0.002, "{page}: {elo:?}");
        }
        assert_eq!(slope("layers"), Err(NoSlope::LossesAlike));
        assert_eq!(slope("lichess-first"), Err(NoSlope::FewSets(1)));
    }

    /// A page of one set in two seeds, whose losses differ a little.
    fn page_of(reduction: f64, elo: f64) -> tempfile::TempDir {
        let (low, high) = (elo - 10.0, elo + 10.0);
        let row = |seed: u64, is_reference: bool, reduction: f64| {
            let loss = 0.004 * (1.0 - reduction / 100.0) + 1e-7 * seed as f64;
            let set = if is_reference { "ALL" } else { "H" };
            let elo = if is_reference { ",,".to_owned() } else { format!("{elo},{low},{high}") };
            format!("{set},{seed},{is_reference},{loss},nodes_1000,{elo}\n")
        };
        let rows = [row(1, true, 0.0), row(2, true, 0.0)];
        let others = [row(1, false, reduction), row(2, false, reduction)];
        folder(&[&[HEADER.to_owned()], &rows[..], &others[..]].concat().concat())
    }

    #[test]
    fn pages_of_one_set_each_have_a_line_together() {
        let pages = [page_of(1.0, 8.0), page_of(-2.0, -16.0), page_of(5.0, 40.0)];
        let folders: Vec<PathBuf> = pages.iter().map(|page| page.path().to_owned()).collect();
        let rows = |folders, lines| super::table(folders, lines).unwrap().rows.len();
        assert_eq!(rows(&folders, Lines::OfEach), 3);
        let text = table(&folders, Lines::AndTogether).unwrap().to_string();
        assert!(text.contains("3 pages together") && text.contains("+8.0 ±"), "{text}");
        let twice = [folders[0].clone(), folders[0].clone(), folders[1].clone()];
        let text = table(&twice, Lines::AndTogether).unwrap().to_string();
        assert!(
            text.contains("2 pages together") && text.contains("a line needs 3 sets"),
            "{text}"
        );
    }

    #[test]
    fn nets_without_elo_have_no_place() {
        let sheet = folder(&format!(
            "{HEADER}ALL,1,true,0.004,nodes_1000,,,\nH,1,false,0.005,nodes_1000,,,\n"
        ));
        assert_eq!(read(sheet.path()).unwrap().unwrap(), []);
    }

    #[test]
    fn damaged_sheets_are_named_with_their_line() {
        let dir = folder(&format!("{HEADER}ALL,1,true,much,nodes_1000,,,\n"));
        let problem = table(&[dir.path().to_owned()], Lines::OfEach).unwrap_err().to_string();
        assert!(problem.contains("loss-elo.csv") && problem.contains("line: 2"), "{problem}");
    }
}
