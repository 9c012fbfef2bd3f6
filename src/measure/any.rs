//! All measurements in one type, to be written down and carried out.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Ablation, Desk, Loss, Match, MeasureError, Measurement, NetId, PriceOfTime, Puzzles,
    Quantisation, Sequential, Speed,
};
use base::{Key, KeyError};

/// A measurement is one file and its name here.
macro_rules! measurements {
    ($($Name:ident),* $(,)?) => {
        /// Any measurement.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Measure {
            $(
                #[doc = concat!("See [`", stringify!($Name), "`](struct@crate::", stringify!($Name), ").")]
                $Name($Name),
            )*
        }

        impl Measure {
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$Name(_) => <$Name as Measurement>::KIND,)* }
            }

            /// The name of what is found.
            ///
            /// # Errors
            /// A definition that cannot be written down.
            pub fn key(&self) -> Result<Key, KeyError> {
                match self { $(Self::$Name(one) => one.key(),)* }
            }

            pub fn nets(&self) -> Vec<&NetId> {
                match self { $(Self::$Name(one) => one.nets(),)* }
            }

            /// Prepared positions that it is measured on.
            pub fn positions(&self) -> Option<Key> {
                match self { $(Self::$Name(one) => one.positions(),)* }
            }

            /// The file of games that it plays, inside the folder of games.
            ///
            /// # Errors
            /// A definition that cannot be written down.
            pub fn games(&self) -> Result<Option<String>, MeasureError> {
                match self { $(Self::$Name(one) => one.games(),)* }
            }

            /// Whether clocks decide what is found.
            pub fn is_timed(&self) -> bool {
                match self { $(Self::$Name(one) => one.is_timed(),)* }
            }

            /// Measures; what is found, as JSON.
            ///
            /// # Errors
            /// As [`Measurement::take`].
            pub fn take(&self, desk: &mut Desk<'_>) -> Result<Value, MeasureError> {
                match self { $(Self::$Name(one) => written(<$Name as Measurement>::KIND, &one.take(desk)?),)* }
            }
        }

        $(
            impl From<$Name> for Measure {
                fn from(one: $Name) -> Self {
                    Self::$Name(one)
                }
            }
        )*
    };
}

measurements!(Loss, Quantisation, Speed, Puzzles, Match, PriceOfTime, Ablation, Sequential);

fn written<T: Serialize>(kind: &str, found: &T) -> Result<Value, MeasureError> {
    let kind = || kind.to_owned();
    Ok(serde_json::to_value(found)
        .map_err(|source| KeyError::Unwritable { kind: kind(), source })?)
}
