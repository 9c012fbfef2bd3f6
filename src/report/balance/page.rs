//! The page of a comparison: words, table and pictures put into the template.

use askama::Template;

use super::plots::style;
use super::{BalanceReport, BalanceRow, sheet};
use crate::estimate::{Estimate, Verdict};
use crate::figure::Figure;
use crate::files::printable;
use crate::spoilt::MOST_FORFEITS;
use crate::swatch::swatch;
use base::format::{fixed, grouped};

#[derive(Template)]
#[template(path = "balance.html")]
struct Page<'a> {
    report: &'a BalanceReport,
    figures: &'a [Figure],
    sheet: &'a str,
}

/// Renders the page.
pub fn render(report: &BalanceReport, figures: &[Figure]) -> Result<String, askama::Error> {
    let page = Page { report, figures, sheet: sheet::NAME };
    page.render().map(printable)
}

impl Page<'_> {
    fn all_rows(&self) -> Vec<&BalanceRow> {
        std::iter::once(&self.report.reference).chain(&self.report.rows).collect()
    }

    fn swatch_of(&self, row: &BalanceRow) -> String {
        swatch(&style(self.report, &row.label))
    }

    fn is_reference(&self, row: &BalanceRow) -> bool {
        std::ptr::eq(row, &self.report.reference)
    }

    fn played(&self, elo: &Option<(Estimate, u64)>) -> String {
        elo.map_or("—".to_owned(), |(elo, _)| elo.signed())
    }

    fn games(&self, elo: &Option<(Estimate, u64)>) -> String {
        elo.map_or(String::new(), |(_, games)| format!("{} games", grouped(games)))
    }

    fn signed(&self, estimate: &Option<Estimate>) -> String {
        estimate.map_or("—".to_owned(), |estimate| estimate.signed())
    }

    fn plain(&self, estimate: &Option<Estimate>) -> String {
        estimate.map_or("—".to_owned(), |estimate| estimate.plain())
    }

    /// Nodes per second in thousands.
    fn thousands(&self, estimate: &Option<Estimate>) -> String {
        self.plain(&estimate.map(|estimate| estimate.scaled(1e-3)))
    }

    fn points(&self, share: &Option<Estimate>) -> String {
        self.signed(&share.map(|share| share.scaled(100.0)))
    }

    fn per_cent(&self, share: &Option<Estimate>) -> String {
        share.map_or("—".to_owned(), |share| format!("{} %", share.scaled(100.0).plain()))
    }

    fn rows_per_node(&self, row: &BalanceRow) -> String {
        let Some(rows) = row.rows_per_node else { return "—".to_owned() };
        match row.refreshed_rows_per_node {
            Some(refreshed) if refreshed > 0.0 => {
                format!("{} + {}", fixed(rows, 1), fixed(refreshed, 1))
            }
            _ => fixed(rows, 1),
        }
    }

    fn most_forfeits(&self) -> f64 {
        100.0 * MOST_FORFEITS
    }

    fn tone(&self, row: &BalanceRow) -> &'static str {
        match row.tone {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Open => "open",
        }
    }
}
