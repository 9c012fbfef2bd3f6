//! Leads of the same nets from several opening books.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::lineup::{Entry, Lineup};
use super::model::{BookLead, Report};
use crate::unique::unique;
use arena::Limit;
use report::Format::{Fixed, Signed, Text};
use report::{Cell, Column, Section, Table};

/// Leads of a set under one limit, by book.
struct Row<'a> {
    entry: &'a Entry<'a>,
    limit: Limit,
    leads: Vec<&'a BookLead>,
}

/// `None` with one book.
pub(super) fn section(report: &Report, lineup: &Lineup<'_>) -> Option<Section> {
    let rows = rows(lineup);
    (!rows.is_empty()).then(|| Section::from(table(report, &rows)))
}

fn rows<'a>(lineup: &'a Lineup<'a>) -> Vec<Row<'a>> {
    let of_limit = |limit: Limit| {
        lineup.entries.iter().filter_map(move |entry| {
            let leads = entry.set.books.iter().filter(|lead| lead.limit == limit);
            let leads: Vec<&BookLead> = leads.collect();
            (!leads.is_empty()).then_some(Row { entry, limit, leads })
        })
    };
    lineup.limits.iter().flat_map(|limit| of_limit(*limit)).collect()
}

fn table(report: &Report, rows: &[Row<'_>]) -> Table {
    let books = unique(rows.iter().flat_map(|row| &row.leads).map(|lead| lead.book.as_str()));
    Table::of("books", "By opening book", rows)
        .column(Column::new("set", "feature set", Text), |row| &row.entry.label)
        .column(Column::new("limit", "", Text).for_programs(), |row| row.limit.slug())
        .column(Column::new("limit", "limit", Text).for_people(), |row| row.limit.to_string())
        .columns(
            books,
            |book| {
                Column::estimate(format!("elo_{}", key(book)), format!("Elo, {book}"), Signed(1))
            },
            |row, book| {
                let lead = row.leads.iter().find(|lead| lead.book == *book);
                lead.map_or_else(Cell::default, |lead| {
                    Cell::from(lead.elo).marked(lead.elo.verdict())
                })
            },
        )
        .column(
            Column::new("books_alike", "p", Fixed(3))
                .means("Probability of leads at least this far apart if no book favoured a set"),
            |row| alike(&row.leads),
        )
        .swatches(|row| row.entry.style)
        .caption(format!(
            "Elo over {} per book, with 95 % intervals of games and seeds; the \
             results above are over all books. p: chi-squared test of the differences between \
             books against the noise of the games.",
            report.reference
        ))
        .table()
}

/// A book's name in a column key.
fn key(book: &str) -> String {
    book.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect()
}

/// Cochran's Q of the leads; `None` with fewer than two that have a standard error.
fn alike(leads: &[&BookLead]) -> Option<f64> {
    let known = leads.iter().filter_map(|lead| Some((lead.elo.value, lead.game_error?)));
    let known: Vec<(f64, f64)> = known.map(|(elo, error)| (elo, error.powi(-2))).collect();
    let sum: f64 = known.iter().map(|(_, weight)| weight).sum();
    let mean = known.iter().map(|(elo, weight)| elo * weight).sum::<f64>() / sum;
    let q: f64 = known.iter().map(|(elo, weight)| weight * (elo - mean).powi(2)).sum();
    let freedom = known.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    ChiSquared::new(freedom as f64).ok().map(|chi| chi.sf(q))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::demo;
    use base::Estimate;

    fn lead(book: &str, elo: f64) -> BookLead {
        let (limit, book, elo) = (demo::NODES, book.to_owned(), Estimate::symmetric(elo, 20.0));
        BookLead { limit, book, elo, game_error: elo.standard_error() }
    }

    #[test]
    fn a_book_has_a_column_and_a_set_a_row() {
        let mut report = demo::report();
        assert!(section(&report, &Lineup::of(&report)).is_none());
        report.sets[1].books = vec![lead("8moves", 10.0), lead("endgames v1", 60.0)];
        report.sets[2].books = vec![lead("8moves", 10.0)];
        let lineup = Lineup::of(&report);
        let table = table(&report, &rows(&lineup));
        let keys: Vec<&str> = table.columns.iter().map(|column| column.key.as_str()).collect();
        assert!(keys.contains(&"elo_8moves") && keys.contains(&"elo_endgames_v1"), "{keys:?}");
        assert_eq!(table.rows.len(), 2);
    }

    #[test]
    fn books_apart_are_unlikely_to_be_alike() {
        let of = |elos: [f64; 2]| {
            let leads = elos.map(|elo| lead("a", elo));
            alike(&[&leads[0], &leads[1]]).unwrap()
        };
        assert!((of([5.0, 5.0]) - 1.0).abs() < 1e-9);
        // Apart by 1.96 standard errors of the difference.
        assert!((of([0.0, 20.0 * 2f64.sqrt()]) - 0.05).abs() < 1e-6);
        assert_eq!(alike(&[&lead("a", 1.0)]), None);
    }
}
