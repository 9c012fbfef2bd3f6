//! Which parts of the search to use, on the command line.

use engine::{Technique, Techniques};

/// Parts of the search that are not as in play.
#[derive(Debug, clap::Args)]
pub(crate) struct TechniqueFlags {
    /// Use a part that play does without (repeatable, or separated by commas)
    #[arg(long = "with", value_name = "PART", value_delimiter = ',', hide_possible_values = true)]
    with: Vec<Technique>,
    /// Leave out a part of the search (repeatable, or separated by commas); `oplus ablate --list`
    /// names them
    #[arg(long, value_name = "PART", value_delimiter = ',', hide_possible_values = true)]
    without: Vec<Technique>,
}

impl TechniqueFlags {
    /// The parts of play and those asked for, less those not wanted.
    pub(crate) fn techniques(&self) -> Techniques {
        let more = self.with.iter().fold(Techniques::PLAYING, |all, &part| all.with(part));
        self.without.iter().fold(more, |rest, &part| rest.without(part))
    }
}
