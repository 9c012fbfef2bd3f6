//! Which parts of the search to use, on the command line.

use crate::engine::{Technique, Techniques};

/// Parts of the search to leave out.
#[derive(Debug, clap::Args)]
pub struct TechniqueFlags {
    /// Leave out a part of the search (repeatable, or separated by commas); `oplus ablate --list`
    /// names them
    #[arg(long, value_name = "PART", value_delimiter = ',', hide_possible_values = true)]
    without: Vec<Technique>,
}

impl TechniqueFlags {
    /// The same parts less those named.
    pub fn of(&self, all: Techniques) -> Techniques {
        self.without.iter().fold(all, |rest, &part| rest.without(part))
    }
}
