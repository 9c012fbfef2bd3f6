//! Expected Elo at equal time of the sets of kept pages, from loss and time per node.

use std::path::{Path, PathBuf};

use crate::loss_and_cost::loss_reduction;
use crate::sheet::{self, SetCells, SheetError};
use crate::unique::unique;
use arena::Limit;
use base::Estimate;
use base::format::{counted, fixed};
use report::Format::{Factor, Fixed, Signed, Text, Words};
use report::{Column, Table};

/// Elo per 1 % of loss and per doubling of the time per node, both above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloSlopes {
    /// Elo gained by a loss lower by 1 %.
    pub per_percent: f64,
    /// Elo lost by a node of twice the time.
    pub per_doubling: f64,
}

impl EloSlopes {
    /// At equal time, 5,000 nodes per move: the fit through the reference to
    /// reports/features-or-neurons, +6.06 and −265 (experiments/atlas/README.md), rounded.
    pub const MEASURED: Self = Self { per_percent: 6.0, per_doubling: 265.0 };

    /// Elo over a set for a loss lower by `reduction` per cent and `cost` times its time per node.
    pub fn expected(self, reduction: f64, cost: f64) -> f64 {
        self.per_percent * reduction - self.per_doubling * cost.log2()
    }
}

/// A set beside the reference of its page, or a page without an expectation.
struct ExpectedRow {
    page: String,
    set: String,
    found: Option<Expected>,
    /// Reason for the absence of an expectation.
    reason: &'static str,
}

/// The expectation of a set.
#[derive(Clone, Copy)]
struct Expected {
    /// Reduction of the reference's loss, in per cent.
    reduction: f64,
    cost: Estimate,
    elo: f64,
    /// Bounded Elo at equal time, where the page has games.
    measured: Option<(Limit, Estimate)>,
}

impl ExpectedRow {
    fn without(page: &str, set: &str, reason: &'static str) -> Self {
        Self { page: page.to_owned(), set: set.to_owned(), found: None, reason }
    }

    /// A set beside a reference with this loss; `limit` is that of the page's games at equal time.
    fn of(
        page: &str,
        set: &SetCells,
        reference: f64,
        limit: Option<Limit>,
        slopes: EloSlopes,
    ) -> Self {
        let name = set.text("set");
        let Some(loss) = set.estimate("validation_loss") else {
            return Self::without(page, name, "no validation loss");
        };
        let Some(cost) = set.estimate("cost") else {
            return Self::without(page, name, "no time per node");
        };
        let reduction = loss_reduction(loss.value, reference);
        let elo = slopes.expected(reduction, cost.value);
        let measured = set.elo().into_iter().find(|(at, _)| Some(*at) == limit);
        let measured = measured.filter(|(_, elo)| elo.is_bounded());
        let found = Some(Expected { reduction, cost, elo, measured });
        Self { page: page.to_owned(), set: name.to_owned(), found, reason: "" }
    }
}

impl Expected {
    /// Whether the 95 % interval of the games contains the expectation; `None` without games.
    fn is_within(&self) -> Option<bool> {
        self.measured.map(|(_, elo)| elo.covers(self.elo))
    }

    /// Squared difference of the measured Elo from `expected` in standard errors; `None` without games.
    fn squared_difference(&self, expected: f64) -> Option<f64> {
        let (_, elo) = self.measured?;
        Some(((elo.value - expected) / elo.standard_error()?).powi(2))
    }
}

/// Sets of a page, without the reference.
fn rows(folder: &Path, slopes: EloSlopes) -> Result<Vec<ExpectedRow>, SheetError> {
    let page = folder.display().to_string();
    let without = |reason| Ok(vec![ExpectedRow::without(&page, "", reason)]);
    let Some(sets) = sheet::sets(folder)? else { return without("no results.csv") };
    let Some(reference) = sets.iter().find(|set| set.is_reference()) else {
        return without("no reference");
    };
    let Some(loss) = reference.estimate("validation_loss") else {
        return without("no validation loss of the reference");
    };
    let limits = sets.iter().flat_map(SetCells::elo).map(|(limit, _)| limit);
    let limit = Limit::deciding(limits.filter(|limit| limit.is_equal_time()));
    let others = sets.iter().filter(|set| !set.is_reference());
    Ok(others.map(|set| ExpectedRow::of(&page, set, loss.value, limit, slopes)).collect())
}

/// Expected and measured Elo of the sets of kept pages.
///
/// # Errors
/// Damaged results.
pub fn table(folders: &[PathBuf], slopes: EloSlopes) -> Result<Table, SheetError> {
    let pages = unique(folders).into_iter().map(|folder| rows(folder, slopes));
    let all: Vec<ExpectedRow> =
        pages.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let found = |row: &ExpectedRow| row.found;
    let measured = move |row: &ExpectedRow| found(row)?.measured;
    let is_within = move |row: &ExpectedRow| {
        let is_within = found(row)?.is_within()?;
        Some(if is_within { "yes" } else { "no" })
    };
    Ok(Table::of("expected-elo", "Expected Elo at equal time", &all)
        .column(Column::new("page", "page", Text), |row| &row.page)
        .column(Column::new("set", "feature set", Text), |row| &row.set)
        .column(Column::new("loss_reduction", "loss reduction, %", Fixed(1)), move |row| {
            found(row).map(|found| found.reduction)
        })
        .column(Column::estimate("cost", "time per node", Factor(3)), move |row| {
            found(row).map(|found| found.cost)
        })
        .column(Column::new("expected_elo", "expected Elo", Signed(0)), move |row| {
            found(row).map(|found| found.elo)
        })
        .column(Column::estimate("elo", "measured Elo", Signed(0)), move |row| {
            measured(row).map(|(_, elo)| elo)
        })
        .column(Column::new("limit", "limit", Text), move |row| {
            measured(row).map(|(limit, _)| limit.to_string())
        })
        .column(Column::new("is_within", "in its interval", Text), is_within)
        .column(Column::new("no_expectation", "no expectation", Words), |row| {
            (!row.reason.is_empty()).then_some(row.reason)
        })
        .notes(notes(&all, slopes))
        .table())
}

fn notes(all: &[ExpectedRow], slopes: EloSlopes) -> Vec<String> {
    let EloSlopes { per_percent, per_doubling } = slopes;
    let mut notes = vec![format!(
        "Expected Elo: {} per 1 % of loss less {} per doubling of the time per node, relative to the \
         reference of the page. Losses have to be of one filter, target and exponent.",
        fixed(per_percent, 2),
        fixed(per_doubling, 0)
    )];
    let found = || all.iter().filter_map(|row| row.found);
    let within: Vec<bool> = found().filter_map(|found| found.is_within()).collect();
    let sum = |expected: fn(&Expected) -> f64| -> f64 {
        found().filter_map(|found| found.squared_difference(expected(&found))).sum()
    };
    if !within.is_empty() {
        notes.push(format!(
            "Of {} with games {} lie in the 95 % interval of the games. Sum of squared differences in \
             standard errors: {}; that of 0 Elo for every set: {}.",
            counted(within.len() as u64, "expectation"),
            within.iter().filter(|is_within| **is_within).count(),
            fixed(sum(|found| found.elo), 1),
            fixed(sum(|_| 0.0), 1)
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

    const SLOPES: EloSlopes = EloSlopes { per_percent: 6.0, per_doubling: 270.0 };

    #[test]
    fn a_set_is_expected_by_loss_and_cost_and_judged_by_the_most_nodes() {
        let dir = page(
            "ALL,true,0.004,0.003,0.005,1,1,1,,,,,,\n\
             PV,false,0.0036,0.0035,0.0037,2,1.9,2.1,0,-9,9,-200,-230,-170\n\
             PH,false,0.004,0.0035,0.0045,1,1,1,5,-9,9,,,\n",
        );
        let found: Vec<Expected> =
            rows(dir.path(), SLOPES).unwrap().iter().map(|row| row.found.unwrap()).collect();
        assert_eq!(found.len(), 2);
        assert!((found[0].elo - (60.0 - 270.0)).abs() < 1e-9, "{}", found[0].elo);
        assert_eq!(found[0].measured.unwrap().1.value, -200.0);
        assert!(found[1].elo.abs() < 1e-9);
        assert_eq!(found[1].measured, None, "1,000 nodes do not stand for 5,000");
        // The same folder twice counts once: (10 / 15.3)² and (200 / 15.3)².
        let folders = [dir.path().to_owned(), dir.path().to_owned()];
        let text = table(&folders, SLOPES).unwrap().to_string();
        assert!(text.contains("Of 1 expectation with games 1 lie in"), "{text}");
        assert!(
            text.contains("standard errors: 0.4; that of 0 Elo for every set: 170.7"),
            "{text}"
        );
    }

    #[test]
    fn pages_and_sets_without_an_expectation_have_a_reason() {
        let losses = page("ALL,true,,,,1,1,1,,,,,,\nPV,false,1,1,1,2,1.9,2.1,,,,,,\n");
        let times = page("ALL,true,0.004,0.003,0.005,1,1,1,,,,,,\nPV,false,1,1,1,,,,,,,,,\n");
        let missing = losses.path().join("none");
        let folders = [losses.path().to_owned(), times.path().to_owned(), missing];
        let text = table(&folders, SLOPES).unwrap().to_string();
        for reason in ["no validation loss of the reference", "no time per node", "no results.csv"]
        {
            assert!(text.contains(reason), "{reason}: {text}");
        }
    }

    /// Pages of earlier versions, which mark no reference, and pages of games and searches.
    #[test]
    fn all_kept_pages_are_read() {
        let reports = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports"));
        let folders = std::fs::read_dir(reports).unwrap().map(|entry| entry.unwrap().path());
        let folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
        let text = table(&folders, SLOPES).unwrap().to_string();
        assert!(text.contains("king-relative") && text.contains("no results.csv"), "{text}");
    }
}
