//! Which net a run ends with.
//!
//! The validation loss of a long run falls, and in the end may rise again while the
//! net learns its positions by heart; so the net of the epoch with the lowest loss is
//! kept unless somebody wants another. The average over the last epochs (Izmailov et
//! al., *Averaging weights leads to wider optima and better generalization*, UAI 2018)
//! lies in the middle of the valley along whose walls the steps of a high learning
//! rate jump. It is taken at the ends of epochs, since that costs one pass over the
//! weights an epoch; a mean that decays by the step would cost one every step, half as
//! much again as the optimiser.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::form;
use super::metrics::{EpochMetrics, Shown};

/// Epochs that are averaged where nothing is said.
const USUAL_WINDOW: u32 = 5;

/// Which net a run ends with. In TOML a name, `"best"`, `"last"` or `"average"`, or a
/// table: `{ kind = "average", epochs = 8 }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// That of the epoch with the lowest validation loss, the first of several; without
    /// validation the last.
    #[default]
    Best,
    /// That of the last epoch.
    Last,
    /// The mean of the weights at the ends of the last epochs.
    Average {
        /// How many; all of them if there are fewer.
        epochs: u32,
    },
}

impl Keep {
    /// Whether another net than the newest has to be remembered.
    pub fn remembers(self) -> bool {
        self != Keep::Last
    }

    /// Whether what is kept depends on how many epochs there will be.
    pub(crate) fn knows_the_end(self) -> bool {
        matches!(self, Keep::Average { .. })
    }

    /// The how manieth of the averaged epochs one is, of so many in all; nothing if it is
    /// none of them.
    pub(crate) fn place_in_average(self, epoch: u32, of: u32) -> Option<u32> {
        let Keep::Average { epochs } = self else { return None };
        let before = of.saturating_sub(epochs);
        (epoch > before).then(|| epoch - before)
    }
}

/// The table form; the names are those of the kinds.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Table {
    // Braces, since serde lets a variant without them have any key.
    Best {},
    Last {},
    Average {
        #[serde(default = "usual_window")]
        epochs: u32,
    },
}

fn usual_window() -> u32 {
    USUAL_WINDOW
}

impl From<Table> for Keep {
    fn from(table: Table) -> Self {
        match table {
            Table::Best {} => Keep::Best,
            Table::Last {} => Keep::Last,
            Table::Average { epochs } => Keep::Average { epochs },
        }
    }
}

/// `best`, `last`, `average`; the number of epochs in brackets where it is not the usual.
impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::Best => f.write_str("best"),
            Keep::Last => f.write_str("last"),
            Keep::Average { epochs: USUAL_WINDOW } => f.write_str("average"),
            Keep::Average { epochs } => write!(f, "average (epochs = {epochs})"),
        }
    }
}

impl Serialize for Keep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Keep::Best | Keep::Last => serializer.collect_str(self),
            Keep::Average { epochs } => Table::Average { epochs }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "\"best\", \"last\", \"average\" or { kind = \"average\", epochs = 8 }";
        form::name_or_table::<D, Table>(deserializer, expecting).map(Keep::from)
    }
}

/// Reads the form of the command line: `best`, `average`, `average:epochs=8`.
impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        form::of_option::<Table>(text).map(Keep::from)
    }
}

/// The net that a run ended with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// First of the epochs that it is of: of an average the first that went into it.
    pub first: u32,
    /// Last of them; the same but of an average.
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
            false => write!(f, "the average of epochs {} to {}", self.first, self.epoch)?,
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
        let five = Keep::Average { epochs: 5 };
        assert_eq!(read("\"best\""), Ok(Keep::Best));
        assert_eq!(read("{ kind = \"last\" }"), Ok(Keep::Last));
        assert_eq!(read("\"average\""), Ok(five));
        assert_eq!(read("{ kind = \"average\", epochs = 8 }"), Ok(Keep::Average { epochs: 8 }));
        assert_eq!("average".parse(), Ok(five));
        assert_eq!("average:epochs=8".parse(), Ok(Keep::Average { epochs: 8 }));
        for (text, part) in [
            ("\"worst\"", "unknown variant `worst`, expected one of `best`, `last`, `average`"),
            ("{ kind = \"best\", epochs = 3 }", "unknown field `epochs`"),
            ("{ kind = \"average\", epoch = 3 }", "unknown field `epoch`, expected `epochs`"),
            ("3", "\"average\" or {"),
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains(part), "{text}: {told}");
        }
        assert!("best:epochs=3".parse::<Keep>().is_err());
    }

    #[test]
    fn it_survives_writing_and_reading() {
        for keep in
            [Keep::Best, Keep::Last, Keep::Average { epochs: 5 }, Keep::Average { epochs: 1 }]
        {
            let line = Line { keep };
            assert_eq!(toml::from_str::<Line>(&toml::to_string(&line).unwrap()).unwrap(), line);
        }
    }

    #[test]
    fn the_last_epochs_are_averaged() {
        let places = |epochs, of| -> Vec<Option<u32>> {
            (1..=of).map(|epoch| Keep::Average { epochs }.place_in_average(epoch, of)).collect()
        };
        assert_eq!(places(2, 4), [None, None, Some(1), Some(2)]);
        assert_eq!(places(9, 3), [Some(1), Some(2), Some(3)], "all of a short run");
        assert_eq!(Keep::Best.place_in_average(4, 4), None);
    }
}
