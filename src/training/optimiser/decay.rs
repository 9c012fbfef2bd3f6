//! Decoupled weight decay, the same for the whole net or another for each part of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::form;

/// Share of every weight that is lost per step and unit of learning rate (Loshchilov and
/// Hutter 2019), by the part of the net that it stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightDecay {
    /// Decay of the rows of features.
    pub transformer: f64,
    /// Decay of the dense layers.
    pub upper: f64,
}

impl WeightDecay {
    /// The same everywhere.
    pub const fn even(share: f64) -> Self {
        Self { transformer: share, upper: share }
    }

    pub fn parts(self) -> [f64; 2] {
        [self.transformer, self.upper]
    }

    fn is_even(self) -> bool {
        self.transformer == self.upper
    }
}

impl fmt::Display for WeightDecay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            even if even.is_even() => write!(f, "{}", even.upper),
            Self { transformer, upper } => {
                write!(f, "{{ transformer = {transformer}, upper = {upper} }}")
            }
        }
    }
}

/// A text that is no weight decay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no weight decay: write a number such as 0.1, or one for the rows of features and \
     one for the dense layers such as 0.1,0.01"
)]
pub struct WrongWeightDecay(String);

/// Reads the form of the command line: `0.1`, or `0.1,0.01` for transformer and upper layers.
impl FromStr for WeightDecay {
    type Err = WrongWeightDecay;

    fn from_str(text: &str) -> Result<Self, WrongWeightDecay> {
        let number =
            |part: &str| part.trim().parse().map_err(|_| WrongWeightDecay(text.to_owned()));
        match text.split_once(',') {
            Some((transformer, upper)) => {
                Ok(Self { transformer: number(transformer)?, upper: number(upper)? })
            }
            None => number(text).map(Self::even),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ByPart {
    transformer: f64,
    upper: f64,
}

impl Serialize for WeightDecay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            even if even.is_even() => even.upper.serialize(serializer),
            Self { transformer, upper } => ByPart { transformer, upper }.serialize(serializer),
        }
    }
}

impl From<f64> for WeightDecay {
    fn from(share: f64) -> Self {
        Self::even(share)
    }
}

impl From<ByPart> for WeightDecay {
    fn from(ByPart { transformer, upper }: ByPart) -> Self {
        Self { transformer, upper }
    }
}

impl<'de> Deserialize<'de> for WeightDecay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a number or a table such as { transformer = 0.1, upper = 0.01 }";
        form::number_or_table::<D, Self, ByPart>(deserializer, expecting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Table {
        decay: WeightDecay,
    }

    #[test]
    fn a_number_is_for_all_parts_and_a_table_for_each() {
        let by_part = WeightDecay { transformer: 0.1, upper: 0.0 };
        for (text, expected) in [
            ("decay = 0.5", WeightDecay::even(0.5)),
            ("decay = 1", WeightDecay::even(1.0)),
            ("decay = { transformer = 0.1, upper = 0.0 }", by_part),
        ] {
            let table: Table = toml::from_str(text).unwrap();
            assert_eq!(table.decay, expected);
            assert_eq!(toml::from_str::<Table>(&toml::to_string(&table).unwrap()), Ok(table));
        }
        assert_eq!("0.1".parse(), Ok(WeightDecay::even(0.1)));
        assert_eq!("0.1, 0".parse(), Ok(by_part));
        for wrong in ["", "much", "0.1,", "0.1..0.2"] {
            assert_eq!(wrong.parse::<WeightDecay>(), Err(WrongWeightDecay(wrong.to_owned())));
        }
        let error = toml::from_str::<Table>("decay = { dense = 0.1 }").unwrap_err();
        assert!(error.message().contains("`transformer`"), "{error}");
    }
}
