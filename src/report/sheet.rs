//! CSV sheets.

use std::borrow::Cow;

use base::estimate::Estimate;

/// A sheet in the making.
///
/// Names in it come from outside (engines say what they are called), and a spreadsheet takes text
/// that begins like a formula for one and computes it: such text gets an apostrophe in front.
pub(super) struct Csv(csv::Writer<Vec<u8>>);

impl Csv {
    /// A sheet without rows.
    pub(super) fn new() -> Self {
        Self(csv::Writer::from_writer(Vec::new()))
    }

    /// Adds a row of texts and numbers.
    pub(super) fn write_record<T: AsRef<str>>(
        &mut self,
        row: impl IntoIterator<Item = T>,
    ) -> Result<(), csv::Error> {
        for cell in row {
            self.0.write_field(plain(cell.as_ref()).as_bytes())?;
        }
        self.0.write_record(None::<&[u8]>)
    }
}

/// What a spreadsheet does not compute.
fn plain(cell: &str) -> Cow<'_, str> {
    let begins_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    match begins_formula && cell.parse::<f64>().is_err() {
        true => format!("'{cell}").into(),
        false => cell.into(),
    }
}

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

/// The bytes of a sheet.
pub(super) fn finished(Csv(sheet): Csv) -> Result<Vec<u8>, csv::Error> {
    sheet.into_inner().map_err(|error| csv::Error::from(std::io::Error::other(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula_and_numbers_stay_numbers() {
        let mut sheet = Csv::new();
        sheet.write_record(["player", "=HYPERLINK(\"x\")", "+1+1", "-a", "@b"]).unwrap();
        sheet.write_record(["say \"=\"", "-0.5", "+3", "-inf", ""]).unwrap();
        let text = String::from_utf8(finished(sheet).unwrap()).unwrap();
        assert_eq!(
            text,
            "player,\"'=HYPERLINK(\"\"x\"\")\",'+1+1,'-a,'@b\n\"say \"\"=\"\"\",-0.5,+3,-inf,\n"
        );
    }
}
