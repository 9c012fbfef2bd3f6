//! The page.

use askama::Template;

use super::{FactorRow, FactorisationReport};
use crate::figure::Figure;
use crate::files::printable;
use base::format::{duration, fixed};

#[derive(Template)]
#[template(path = "factorisation.html")]
struct Page<'a> {
    report: &'a FactorisationReport,
    figures: &'a [Figure],
}

pub(super) fn render(
    report: &FactorisationReport,
    figures: &[Figure],
) -> Result<String, askama::Error> {
    Page { report, figures }.render().map(printable)
}

impl Page<'_> {
    fn error(&self, row: &FactorRow) -> String {
        fixed(row.mean_squared_error, 1)
    }

    fn evaluation(&self, row: &FactorRow) -> String {
        row.evaluation_error.map_or_else(|| "–".to_owned(), |error| fixed(error, 1))
    }

    fn elo(&self, row: &FactorRow) -> String {
        row.elo.map_or_else(|| "–".to_owned(), |elo| elo.signed())
    }

    fn time(&self, row: &FactorRow) -> String {
        duration(row.seconds)
    }
}
