//! Flags that switch search techniques.

use engine::{Technique, Techniques};

/// Techniques that differ from play.
#[derive(Debug, clap::Args)]
pub(crate) struct TechniqueFlags {
    /// Search technique to switch on (repeatable, or comma-separated)
    #[arg(long = "with", value_name = "PART", value_delimiter = ',', hide_possible_values = true)]
    with: Vec<Technique>,
    /// Search technique to switch off (repeatable, or comma-separated); `oplus ablate --list` has the
    /// names
    #[arg(long, value_name = "PART", value_delimiter = ',', hide_possible_values = true)]
    without: Vec<Technique>,
}

impl TechniqueFlags {
    /// Techniques of play with the requested ones added and removed.
    pub(crate) fn techniques(&self) -> Techniques {
        let more = self.with.iter().fold(Techniques::PLAYING, |all, &part| all.with(part));
        self.without.iter().fold(more, |rest, &part| rest.without(part))
    }
}
