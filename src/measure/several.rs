//! One page of several: sets that meet the same reference in one table.
//!
//! The rows are those of `results.csv` beside each page, so that pages of other machines count too.

use std::path::{Path, PathBuf};

use crate::sheet::{self, SetCells, SheetError};
use crate::unique::unique;
use arena::Limit;
use base::Estimate;
use nnue::Layers;
use report::Format::{Count, Number, Signed, Text};
use report::{Cell, Column, Mark, Page, Section, Table};

/// Results that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SeveralError {
    #[error("{0}: no results.csv; run `oplus report` of the experiment first")]
    NoPage(PathBuf),
    #[error(transparent)]
    Sheet(#[from] SheetError),
    #[error("{0}: no set has Elo; pages without games have nothing in common")]
    NoGames(PathBuf),
}

/// A set of a page.
#[derive(Clone, Debug, PartialEq)]
struct SetRow {
    page: String,
    set: String,
    elo: Vec<(Limit, Estimate)>,
    cost: Option<Estimate>,
    validation_loss: Option<Estimate>,
    seeds: Option<u64>,
    is_reference: bool,
}

impl SetRow {
    fn of(page: &str, cells: &SetCells) -> Self {
        Self {
            page: page.to_owned(),
            set: whole_label(cells),
            elo: cells.elo(),
            cost: cells.estimate("cost"),
            validation_loss: cells.estimate("validation_loss"),
            seeds: cells.text("seeds").parse().ok(),
            is_reference: cells.is_reference(),
        }
    }

    fn elo(&self, limit: Limit) -> Option<Estimate> {
        self.elo.iter().find(|(at, _)| *at == limit).map(|(_, elo)| *elo)
    }

    /// Elo at the first limit at which it has any.
    fn first_elo(&self, limits: &[Limit]) -> f64 {
        let elo = limits.iter().find_map(|&limit| self.elo(limit));
        elo.map_or(0.0, |elo| elo.value)
    }
}

/// The label of a set with its whole line of layers: grids that vary the width alone name the neurons.
fn whole_label(cells: &SetCells) -> String {
    let layers = cells.text("layers");
    let neurons = layers.parse::<Layers>().map(|layers| format!("· {} neurons", layers.width()));
    match neurons {
        Ok(neurons) => cells.text("set").replacen(&neurons, &format!("· {layers}"), 1),
        Err(_) => cells.text("set").to_owned(),
    }
}

/// The sets of a page, with the label of their reference.
struct KeptPage {
    reference: String,
    rows: Vec<SetRow>,
}

impl KeptPage {
    fn read(folder: &Path) -> Result<Self, SeveralError> {
        let sets = sheet::sets(folder)?.ok_or_else(|| SeveralError::NoPage(folder.to_owned()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let rows: Vec<SetRow> = sets.iter().map(|cells| SetRow::of(&name, cells)).collect();
        if rows.iter().all(|row| row.elo.is_empty()) {
            return Err(SeveralError::NoGames(folder.to_owned()));
        }
        let reference = rows.iter().find(|row| row.is_reference);
        let reference = reference.map_or(String::new(), |row| row.set.clone());
        Ok(Self { reference, rows })
    }
}

/// A page of the results beside the pages in some folders.
///
/// # Errors
/// A folder without results, damaged results, or results without games.
pub fn page(title: &str, folders: &[PathBuf]) -> Result<Page, SeveralError> {
    let pages = folders.iter().map(|folder| KeptPage::read(folder));
    let pages: Vec<KeptPage> = pages.collect::<Result<_, _>>()?;
    let references = unique(pages.iter().map(|page| page.reference.as_str()));
    let sections = references.iter().enumerate().map(|(number, reference)| {
        let of_it = pages.iter().filter(|page| page.reference == *reference);
        let rows: Vec<&SetRow> = of_it.flat_map(|page| &page.rows).collect();
        Section::from(table(number, reference, rows))
    });
    Ok(Page {
        title: title.to_owned(),
        sections: sections.collect(),
        notes: vec![
            "Each row has the Elo, the intervals and the costs of its own page. Data, filter, \
             training and seeds of two pages can differ: rows of different pages have no test \
             against each other."
                .to_owned(),
        ],
        ..Page::default()
    })
}

/// Sets against one reference, the strongest first.
fn table(number: usize, reference: &str, mut rows: Vec<&SetRow>) -> Table {
    let mut limits = unique(rows.iter().flat_map(|row| &row.elo).map(|(limit, _)| *limit));
    limits.sort();
    rows.sort_by(|a, b| b.first_elo(&limits).total_cmp(&a.first_elo(&limits)));
    let key = match number {
        0 => "results".to_owned(),
        _ => format!("results-{}", number + 1),
    };
    let elo = |row: &SetRow, limit: &Limit| match row.elo(*limit) {
        Some(elo) => Cell::judged(elo),
        None if row.is_reference => Cell::remark("reference"),
        None => Cell::default(),
    };
    Table::of(&key, &format!("Against {reference}"), rows)
        .column(Column::new("set", "feature set", Text), |row| &row.set)
        .column(Column::new("page", "experiment", Text), |row| &row.page)
        .column(Column::new("is_reference", "", Text).for_programs(), |row| row.is_reference)
        .columns(
            limits,
            |limit| {
                let (key, title) = (format!("elo_{}", limit.slug()), format!("Elo, {limit}"));
                Column::estimate(key, title, Signed(1)).means("Over the reference, logistic")
            },
            elo,
        )
        .column(
            Column::estimate("cost", "time per node", Number).means("Relative to the reference"),
            |row| row.cost,
        )
        .column(Column::estimate("validation_loss", "validation loss", Number), |row| {
            row.validation_loss
        })
        .column(Column::new("seeds", "seeds", Count), |row| row.seeds)
        .reference(|row| row.is_reference)
        .caption(format!("{}.", Mark::legend(reference)))
        .summary()
        .wide()
        .table()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(under: &Path, name: &str, rows: &str) -> PathBuf {
        let folder = under.join(name);
        std::fs::create_dir(&folder).unwrap();
        let header = "set,is_reference,elo_nodes_1000,elo_nodes_1000_low,elo_nodes_1000_high,\
                      games_nodes_1000,cost,cost_low,cost_high,seeds\n";
        std::fs::write(folder.join("results.csv"), format!("{header}{rows}")).unwrap();
        folder
    }

    #[test]
    fn sets_of_one_reference_share_a_table_and_others_have_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let a = folder(
            dir.path(),
            "a",
            "ALL,true,,,,,1,1,1,3\nALL + PV,false,20,10,30,800,1.1,1,1.2,3\n",
        );
        let b = folder(
            dir.path(),
            "b",
            "ALL,true,,,,,1,1,1,2\nALL + PH,false,40,30,50,800,1.2,1,1.3,2\n",
        );
        let c =
            folder(dir.path(), "c", "PST,true,,,,,1,1,1,1\nALL,false,90,70,110,800,1.2,1,1.3,1\n");
        let page = page("three", &[a, b, c]).unwrap();
        let tables: Vec<&Table> = page.tables().collect();
        assert_eq!(
            tables.iter().map(|table| &table.title).collect::<Vec<_>>(),
            ["Against ALL", "Against PST"]
        );
        let names: Vec<&str> = tables[0]
            .cells(0)
            .map(|cell| match &cell.value {
                report::Value::Text(text) => text.as_str(),
                _ => "",
            })
            .collect();
        assert_eq!(names, ["ALL + PH", "ALL + PV", "ALL", "ALL"]);
        assert_eq!(tables[1].rows.len(), 2);
    }

    #[test]
    fn folders_without_results_or_games_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let missing = page("x", &[dir.path().join("none")]).unwrap_err().to_string();
        assert!(missing.contains("none: no results.csv"), "{missing}");
        let losses = folder(dir.path(), "losses", "ALL,true,,,,,1,1,1,3\n");
        let problem = page("x", &[losses]).unwrap_err().to_string();
        assert!(problem.contains("no set has Elo"), "{problem}");
    }

    /// Grids of widths have short labels; the references of two of these pages are one net.
    #[test]
    fn references_differ_by_whole_lines_of_layers() {
        let reports = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports"));
        let pages = ["features-or-neurons", "calibration-buckets-64", "calibration-width-64-128"];
        let page = page("widths", &pages.map(|name| reports.join(name))).unwrap();
        let titles: Vec<&str> = page.tables().map(|table| table.title.as_str()).collect();
        let reference = "Against mirror(ALL) · 64 screlu -> 1";
        assert_eq!(titles, [reference.to_owned(), format!("{reference}, buckets 8")]);
    }

    /// Kept pages of this repository, whose references are the same.
    #[test]
    fn kept_pages_are_read() {
        let reports = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports"));
        let folders = ["laptop-axes", "laptop-lines"].map(|name| reports.join(name));
        let page = page("axes and lines", &folders).unwrap();
        assert!(page.tables().all(|table| !table.rows.is_empty()));
    }
}
