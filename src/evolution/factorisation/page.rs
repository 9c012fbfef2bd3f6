//! The page of factorised tables: approximations, their components, errors, sizes and Elo.

mod plots;
#[cfg(test)]
mod tests;

use base::Estimate;
use report::Format::{Count, Fixed, Id, Seconds, Signed, Text};
use report::{Column, Page, Provenance, ReportError, Section, Table};

use super::{Cells, Factors, Record};

/// An approximation of the page.
struct Approximation<'r> {
    record: &'r Record,
    factors: Factors,
}

/// The page of all approximations of the same tables.
///
/// # Errors
/// A plot that cannot be drawn.
pub fn of(
    tables: &str,
    original: &Cells<i32>,
    records: &[Record],
    provenance: Provenance,
) -> Result<Page, ReportError> {
    let row = |record| Some(Approximation { record, factors: Record::factors(record)? });
    let rows: Vec<Approximation<'_>> = records.iter().filter_map(row).collect();
    let games = records.iter().find_map(|record| record.games.as_ref());
    let games = games.map_or_else(String::new, |games| format!("Games: {}.", games.terms));
    let plots = plots::all(original, &rows, &games)
        .map_err(|source| ReportError::Draw { experiment: tables.to_owned(), source })?;
    let mut table = approximations(rows.iter().map(|row| row.record));
    table.caption = format!(
        "Mean squared error: over all 768 cells, with zero error for impossible pawn squares. \
         Error of the evaluation: root mean square over held-out positions. \
         Elo: against the original tables, 95 % intervals. {games}"
    );
    Ok(Page {
        title: format!("Compressed tables: {tables}"),
        question: "Piece-square tables as binary components times small whole numbers.".to_owned(),
        sections: [table.into()].into_iter().chain(plots.into_iter().map(Section::from)).collect(),
        provenance,
        ..Page::default()
    })
}

/// A row for each approximation.
pub fn approximations<'r>(records: impl IntoIterator<Item = &'r Record>) -> Table {
    Table::of("approximations", "Approximations", records)
        .column(Column::new("approximation", "approximation", Text), Record::label)
        .column(Column::new("components", "components", Count), |it| it.components.len())
        .column(Column::new("kind", "", Text).for_programs(), Record::kind)
        .column(Column::new("seed", "", Id).for_programs(), |it| it.seed)
        .column(Column::new("seconds", "time", Seconds).rounded(1), |it| it.seconds)
        .column(Column::new("literals", "literals", Count), |it| it.literals)
        .column(Column::new("bytes", "bytes", Count), |it| it.bytes)
        .column(
            Column::new("mean_squared_error", "mean squared error", Fixed(1))
                .unit("cp²")
                .rounded(3),
            |it| it.mean_squared_error,
        )
        .column(Column::new("largest_error", "largest error", Fixed(0)).unit("cp"), |it| {
            f64::from(it.largest_error)
        })
        .column(
            Column::new("evaluation_error", "error of the evaluation", Fixed(1))
                .unit("cp")
                .rounded(3),
            |it| it.evaluation_error.map(|error| error.held_out),
        )
        .column(Column::estimate("elo", "Elo", Signed(1)), elo)
        .table()
}

fn elo(record: &Record) -> Option<Estimate> {
    let [value, low, high] = record.games.as_ref()?.elo;
    Some(Estimate::new(value, low, high))
}

/// The approximation of the plots: of those with twelve components, or the nearest number, the one
/// with the smallest error, of the evaluation where that is known.
fn drawn<'a, 'r>(rows: &'a [Approximation<'r>]) -> Option<&'a Approximation<'r>> {
    const COMPONENTS: usize = 12;
    let far = |row: &Approximation<'_>| row.record.components.len().abs_diff(COMPONENTS);
    let error =
        |row: &Approximation<'_>| row.record.evaluation_error.map_or(f64::MAX, |it| it.held_out);
    rows.iter().min_by(|a, b| {
        let errors = error(a).total_cmp(&error(b));
        let plain = a.record.mean_squared_error.total_cmp(&b.record.mean_squared_error);
        far(a).cmp(&far(b)).then(errors).then(plain)
    })
}
