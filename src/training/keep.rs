//! The net that a run ends with.
//!
//! The validation loss of a long run falls, and in the end may rise again as the net
//! overfits; so the default is the net of the epoch with the lowest loss. Stochastic weight
//! averaging over the last epochs (SWA; Izmailov et al., *Averaging weights leads to wider
//! optima and better generalization*, UAI 2018) lies in the middle of the valley along whose
//! walls the steps of a high learning rate jump. It is taken at the ends of epochs, since that costs one pass over the
//! weights an epoch; a mean that decays by the step would cost one every step, half as
//! much again as the optimiser.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::form;
use super::metrics::{EpochMetrics, Shown};

/// Default number of averaged epochs.
const DEFAULT_EPOCHS: u32 = 5;

/// The net that a run ends with. In TOML a name, `"best"`, `"last"` or `"swa"`, or a
/// table: `{ kind = "swa", epochs = 8 }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// That of the epoch with the lowest validation loss, the first of several; without
    /// validation the last.
    #[default]
    Best,
    /// That of the last epoch.
    Last,
    /// Stochastic weight averaging: the mean of the weights at the ends of the last epochs.
    Swa {
        /// Epochs averaged; all of them if there are fewer.
        epochs: u32,
    },
}

impl Keep {
    /// Whether a snapshot of another net than the newest is kept.
    pub fn has_snapshot(self) -> bool {
        self != Keep::Last
    }

    /// Whether the net depends on the number of epochs.
    pub(crate) fn depends_on_length(self) -> bool {
        matches!(self, Keep::Swa { .. })
    }

    /// Number of averaged epochs up to and including `epoch`, of `of` epochs in all; `None` if
    /// `epoch` is not averaged.
    pub(crate) fn swa_count(self, epoch: u32, of: u32) -> Option<u32> {
        let Keep::Swa { epochs } = self else { return None };
        let before = of.saturating_sub(epochs);
        (epoch > before).then(|| epoch - before)
    }
}

/// The table form; the names are those of the kinds.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum KeepTable {
    // Braces, since serde lets a variant without them have any key.
    Best {},
    Last {},
    Swa {
        #[serde(default = "default_epochs")]
        epochs: u32,
    },
}

fn default_epochs() -> u32 {
    DEFAULT_EPOCHS
}

impl From<KeepTable> for Keep {
    fn from(table: KeepTable) -> Self {
        match table {
            KeepTable::Best {} => Keep::Best,
            KeepTable::Last {} => Keep::Last,
            KeepTable::Swa { epochs } => Keep::Swa { epochs },
        }
    }
}

/// `best`, `last`, `swa`; the number of epochs in brackets where it is not the default.
impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::Best => f.write_str("best"),
            Keep::Last => f.write_str("last"),
            Keep::Swa { epochs: DEFAULT_EPOCHS } => f.write_str("swa"),
            Keep::Swa { epochs } => write!(f, "swa (epochs = {epochs})"),
        }
    }
}

impl Serialize for Keep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Keep::Best | Keep::Last => serializer.collect_str(self),
            Keep::Swa { epochs } => KeepTable::Swa { epochs }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "\"best\", \"last\", \"swa\" or { kind = \"swa\", epochs = 8 }";
        form::name_or_table::<D, KeepTable>(deserializer, expecting).map(Keep::from)
    }
}

/// Reads the form of the command line: `best`, `swa`, `swa:epochs=8`.
impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        form::of_option::<KeepTable>(text).map(Keep::from)
    }
}

/// The net that a run ended with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Its epoch; of averaged weights the first one.
    pub first: u32,
    /// Its epoch; of averaged weights the last one.
    pub epoch: u32,
    /// Its mean loss over the validation samples; none without such samples.
    pub validation_loss: Option<f64>,
    /// Their mean loss of `target-scores`, where another loss was trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_score_loss: Option<f64>,
}

impl Kept {
    /// The net of a single epoch.
    pub(crate) fn of(epoch: &EpochMetrics) -> Self {
        Self {
            first: epoch.epoch,
            epoch: epoch.epoch,
            validation_loss: epoch.validation_loss,
            validation_score_loss: epoch.validation_score_loss,
        }
    }

    /// Loss of `target-scores` over the validation samples.
    pub fn score_loss(&self) -> Option<f64> {
        self.validation_score_loss.or(self.validation_loss)
    }
}

/// For a line of a log: `that of epoch 17, validation 0.0013012`.
impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.epoch {
            true => write!(f, "that of epoch {}", self.epoch)?,
            false => write!(f, "the averaged weights of epochs {} to {}", self.first, self.epoch)?,
        }
        self.validation_loss.map_or(Ok(()), |loss| write!(f, ", validation {}", Shown(loss)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Line {
        keep: Keep,
    }

    fn read(text: &str) -> Result<Keep, String> {
        let line: Result<Line, _> = toml::from_str(&format!("keep = {text}"));
        line.map(|line| line.keep).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_name_a_table_or_an_option() {
        let five = Keep::Swa { epochs: 5 };
        assert_eq!(read("\"best\""), Ok(Keep::Best));
        assert_eq!(read("{ kind = \"last\" }"), Ok(Keep::Last));
        assert_eq!(read("\"swa\""), Ok(five));
        assert_eq!(read("{ kind = \"swa\", epochs = 8 }"), Ok(Keep::Swa { epochs: 8 }));
        assert_eq!("swa".parse(), Ok(five));
        assert_eq!("swa:epochs=8".parse(), Ok(Keep::Swa { epochs: 8 }));
        for (text, part) in [
            ("\"worst\"", "unknown variant `worst`, expected one of `best`, `last`, `swa`"),
            ("{ kind = \"best\", epochs = 3 }", "unknown field `epochs`"),
            ("{ kind = \"swa\", epoch = 3 }", "unknown field `epoch`, expected `epochs`"),
            ("3", "\"swa\" or {"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!("best:epochs=3".parse::<Keep>().is_err());
    }

    #[test]
    fn it_survives_writing_and_reading() {
        for keep in [Keep::Best, Keep::Last, Keep::Swa { epochs: 5 }, Keep::Swa { epochs: 1 }] {
            let line = Line { keep };
            assert_eq!(toml::from_str::<Line>(&toml::to_string(&line).unwrap()).unwrap(), line);
        }
    }

    #[test]
    fn the_last_epochs_are_averaged() {
        let places = |epochs, of| -> Vec<Option<u32>> {
            (1..=of).map(|epoch| Keep::Swa { epochs }.swa_count(epoch, of)).collect()
        };
        assert_eq!(places(2, 4), [None, None, Some(1), Some(2)]);
        assert_eq!(places(9, 3), [Some(1), Some(2), Some(3)], "all of a short run");
        assert_eq!(Keep::Best.swa_count(4, 4), None);
    }
}
