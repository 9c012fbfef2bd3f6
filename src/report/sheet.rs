//! CSV sheets.

use std::borrow::Cow;

use base::estimate::Estimate;

/// The columns of an estimate.
pub(super) fn triple(name: &str) -> [String; 3] {
    [name.to_owned(), format!("{name}_low"), format!("{name}_high")]
}

/// What stands in them.
pub(super) fn ends(estimate: Option<Estimate>) -> [String; 3] {
    estimate.map_or([const { String::new() }; 3], |estimate| {
        // Adding 0 takes the sign from a zero.
        [estimate.value, estimate.low, estimate.high].map(|number| (number + 0.0).to_string())
    })
}

/// A sheet as it is written.
pub(super) struct Sheet(csv::Writer<Vec<u8>>);

impl Sheet {
    /// An empty one.
    pub(super) fn new() -> Self {
        Self(csv::Writer::from_writer(Vec::new()))
    }

    pub(super) fn write_record<T: AsRef<str>>(
        &mut self,
        cells: impl IntoIterator<Item = T>,
    ) -> Result<(), csv::Error> {
        for cell in cells {
            self.0.write_field(&*inert(cell.as_ref()))?;
        }
        self.0.write_record(None::<&[u8]>)
    }

    pub(super) fn finished(self) -> Result<Vec<u8>, csv::Error> {
        self.0.into_inner().map_err(|error| error.into_error().into())
    }
}

/// A cell that no spreadsheet takes for a formula: names of engines and files come from others.
/// Numbers stay as they are.
fn inert(cell: &str) -> Cow<'_, str> {
    let begins_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    match begins_formula && cell.parse::<f64>().is_err() {
        true => format!("'{cell}").into(),
        false => cell.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay() {
        let mut sheet = Sheet::new();
        let formulas = ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"];
        sheet.write_record(formulas).unwrap();
        sheet.write_record(["-12.5", "+3", "-inf", "", "Stockfish", "A=B"]).unwrap();
        let bytes = sheet.finished().unwrap();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&bytes[..]);
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        for (cell, formula) in rows[0].iter().zip(formulas) {
            assert_eq!(cell, format!("'{formula}"));
        }
        assert_eq!(rows[1], ["-12.5", "+3", "-inf", "", "Stockfish", "A=B"][..]);
    }
}
