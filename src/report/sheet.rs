//! Parts of CSV sheets.

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

/// The bytes of a sheet.
pub(super) fn finished(sheet: csv::Writer<Vec<u8>>) -> Result<Vec<u8>, csv::Error> {
    sheet.into_inner().map_err(|error| csv::Error::from(std::io::Error::other(error.to_string())))
}
