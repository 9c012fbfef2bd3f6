//! Elo at equal time that loss and time per node of kept pages lead to expect, beside the measured.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::sheet::{self, SheetError};
use arena::Limit;
use base::Estimate;
use base::format::{counted, fixed};
use report::Format::{Factor, Fixed, Signed, Text};
use report::{Column, Table};

/// Elo per 1 % of loss and per doubling of the time per node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloSlopes {
    /// Elo gained by a loss lower by 1 %.
    pub per_percent: f64,
    /// Elo lost by a node of twice the time.
    pub per_doubling: f64,
}

impl EloSlopes {
    /// +5.6 ± 1.3 and −269 ± 23 at 5,000 nodes per move (reports/features-or-neurons), rounded.
    pub const MEASURED: Self = Self { per_percent: 6.0, per_doubling: 270.0 };

    /// Elo over a set for a loss lower by `reduction` per cent and `cost` times its time per node.
    pub fn expected(self, reduction: f64, cost: f64) -> f64 {
        self.per_percent * reduction - self.per_doubling * cost.log2()
    }
}

/// A set of a page beside the page's reference.
struct SetRow {
    page: String,
    set: String,
    /// Reduction of the reference's loss, in per cent.
    reduction: f64,
    cost: Estimate,
    expected: f64,
    /// Elo at equal time, where the most nodes were searched.
    measured: Option<Estimate>,
}

impl SetRow {
    /// `None` without loss or time per node.
    fn of(
        page: &str,
        cells: &HashMap<String, String>,
        reference_loss: f64,
        slopes: EloSlopes,
    ) -> Option<Self> {
        let loss = sheet::estimate(cells, "validation_loss")?.value;
        let cost = sheet::estimate(cells, "cost")?;
        let reduction = 100.0 * (1.0 - loss / reference_loss);
        Some(Self {
            page: page.to_owned(),
            set: cells.get("set")?.clone(),
            reduction,
            cost,
            expected: slopes.expected(reduction, cost.value),
            measured: at_equal_time(cells),
        })
    }

    /// Difference from the measured Elo in standard errors; `None` without games.
    fn deviation(&self, expected: f64) -> Option<f64> {
        let measured = self.measured?;
        Some((measured.value - expected) / measured.standard_error()?)
    }
}

fn at_equal_time(cells: &HashMap<String, String>) -> Option<Estimate> {
    let limits = cells.keys().filter_map(|key| Limit::from_slug(key.strip_prefix("elo_")?));
    let played: Vec<(Limit, Estimate)> = limits
        .filter(|limit| limit.is_equal_time())
        .filter_map(|limit| {
            Some((limit, sheet::estimate(cells, &format!("elo_{}", limit.slug()))?))
        })
        .collect();
    let deciding = Limit::deciding(played.iter().map(|(limit, _)| *limit))?;
    played.into_iter().find(|(limit, _)| *limit == deciding).map(|(_, elo)| elo)
}

/// Sets of a page, those without loss or time per node left out.
fn rows(folder: &Path, slopes: EloSlopes) -> Result<Vec<SetRow>, SheetError> {
    let cells: Vec<HashMap<String, String>> = sheet::rows(&folder.join(sheet::RESULTS))?;
    let page = folder.file_name().unwrap_or_default().to_string_lossy();
    let is_reference = |cells: &&HashMap<String, String>| {
        cells.get("is_reference").is_some_and(|text| text == "true")
    };
    let reference = cells.iter().find(is_reference);
    let loss = reference.and_then(|cells| sheet::estimate(cells, "validation_loss"));
    let Some(loss) = loss else { return Ok(Vec::new()) };
    let others = cells.iter().filter(|cells| !is_reference(cells));
    Ok(others.filter_map(|cells| SetRow::of(&page, cells, loss.value, slopes)).collect())
}

/// Expected and measured Elo of the sets of kept pages.
///
/// # Errors
/// A folder without results, or damaged results.
pub fn table(folders: &[PathBuf], slopes: EloSlopes) -> Result<Table, SheetError> {
    let pages = folders.iter().map(|folder| rows(folder, slopes));
    let all: Vec<SetRow> = pages.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let is_within =
        |row: &SetRow| row.measured.map(|elo| if elo.covers(row.expected) { "yes" } else { "no" });
    Ok(Table::of("expected-elo", "Elo at equal time from loss and time per node", &all)
        .column(Column::new("page", "page", Text), |row| &row.page)
        .column(Column::new("set", "feature set", Text), |row| &row.set)
        .column(Column::new("loss_reduction", "loss reduction, %", Fixed(1)), |row| row.reduction)
        .column(Column::estimate("cost", "time per node", Factor(3)), |row| row.cost)
        .column(Column::new("expected_elo", "expected Elo", Signed(0)), |row| row.expected)
        .column(Column::estimate("elo", "Elo at equal time", Signed(0)), |row| row.measured)
        .column(Column::new("is_within", "in the interval", Text), is_within)
        .notes(notes(&all, slopes))
        .table())
}

fn notes(all: &[SetRow], slopes: EloSlopes) -> Vec<String> {
    let EloSlopes { per_percent, per_doubling } = slopes;
    let mut notes = vec![format!(
        "Expected: {} Elo per 1 % of loss, less {} per doubling of the time per node, relative to the \
         reference of the page. Slopes hold for one filter, target and size of nets.",
        fixed(per_percent, 2),
        fixed(per_doubling, 0)
    )];
    let squares = |expected: &dyn Fn(&SetRow) -> f64| -> f64 {
        let deviations = all.iter().filter_map(|row| row.deviation(expected(row)));
        deviations.map(|deviation| deviation.powi(2)).sum()
    };
    let played: Vec<&SetRow> = all.iter().filter(|row| row.measured.is_some()).collect();
    if !played.is_empty() {
        let within = |row: &&&SetRow| row.measured.is_some_and(|elo| elo.covers(row.expected));
        notes.push(format!(
            "Of {} with games {} lie in the 95 % interval. Sum of squared differences in standard errors: \
             {}; that of 0 Elo for every set: {}.",
            counted(played.len() as u64, "expectation"),
            played.iter().filter(within).count(),
            fixed(squares(&|row| row.expected), 1),
            fixed(squares(&|_| 0.0), 1)
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "set,is_reference,validation_loss,validation_loss_low,validation_loss_high,\
        cost,cost_low,cost_high,elo_equal_1000,elo_equal_1000_low,elo_equal_1000_high,\
        elo_equal_5000,elo_equal_5000_low,elo_equal_5000_high\n";

    fn page(rows: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("results.csv"), format!("{HEADER}{rows}")).unwrap();
        dir
    }

    #[test]
    fn a_set_is_expected_by_loss_and_cost_and_judged_by_the_most_nodes() {
        let dir = page(
            "ALL,true,0.004,0.003,0.005,1,1,1,,,,,,\n\
             PV,false,0.0036,0.0035,0.0037,2,1.9,2.1,0,-9,9,-200,-230,-170\n\
             PH,false,0.004,0.0035,0.0045,1,1,1,,,,,,\n",
        );
        let found = rows(dir.path(), EloSlopes::MEASURED).unwrap();
        assert_eq!(found.len(), 2);
        assert!((found[0].expected - (60.0 - 270.0)).abs() < 1e-9, "{}", found[0].expected);
        assert_eq!(found[0].measured.unwrap().value, -200.0);
        assert!(found[1].expected.abs() < 1e-9 && found[1].measured.is_none());
        let text = table(&[dir.path().to_owned()], EloSlopes::MEASURED).unwrap().to_string();
        assert!(text.contains("Of 1 expectation with games 1 lie in"), "{text}");
        // (10 / 15.3)² and (200 / 15.3)².
        assert!(
            text.contains("standard errors: 0.4; that of 0 Elo for every set: 170.7"),
            "{text}"
        );
    }

    #[test]
    fn pages_without_losses_have_no_expectations_and_missing_ones_are_named() {
        let dir = page("ALL,true,,,,1,1,1,,,,,,\nPV,false,,,,2,1.9,2.1,,,,,,\n");
        assert!(rows(dir.path(), EloSlopes::MEASURED).unwrap().is_empty());
        let missing = dir.path().join("none");
        let error = table(&[missing], EloSlopes::MEASURED).unwrap_err().to_string();
        assert!(error.contains("none") && error.contains("results.csv"), "{error}");
    }
}
