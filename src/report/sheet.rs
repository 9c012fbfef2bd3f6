//! CSV sheets that are laid out by hand, until they are [`Table`](crate::Table)s.

use crate::render::csv::inert;
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
