//! Keys of the `[training]` table, each declared once: name, help, type and default.
//!
//! The file, the flags of a command and their help come from the same lines.

use super::TrainingConfig;

/// A key of the `[training]` table.
#[derive(Clone, Copy, Debug)]
pub struct TrainingKey {
    pub name: &'static str,
    /// One line for help texts.
    help: &'static str,
    /// Default as the file has it.
    pub(super) default: fn() -> Option<toml::Value>,
    pub(super) set: fn(&mut TrainingConfig, &str) -> Result<(), String>,
}

impl TrainingKey {
    pub(super) const fn new(
        name: &'static str,
        help: &'static str,
        default: fn() -> Option<toml::Value>,
        set: fn(&mut TrainingConfig, &str) -> Result<(), String>,
    ) -> Self {
        Self { name, help, default, set }
    }

    /// A sentence without a full stop.
    pub fn help(&self) -> &'static str {
        self.help.trim().trim_end_matches('.')
    }
}

/// A struct with its defaults, and `KEYS`, made of its fields and their documentation.
macro_rules! table {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident {
            $($(#[doc = $help:literal])+ $(#[serde($($serde:tt)+)])? pub $key:ident: $Type:ty = $default:expr,)+
        }
    ) => {
        $(#[$meta])*
        pub struct $Name {
            $($(#[doc = $help])+ $(#[serde($($serde)+)])? pub $key: $Type,)+
        }

        impl Default for $Name {
            fn default() -> Self {
                Self { $($key: $default,)+ }
            }
        }

        impl $Name {
            pub const KEYS: &[TrainingKey] = &[$(
                TrainingKey::new(
                    stringify!($key),
                    concat!($($help),+),
                    || toml::Value::try_from::<$Type>($default).ok(),
                    |config, text| {
                        config.$key = text.parse::<$Type>().map_err(|error| error.to_string())?;
                        Ok(())
                    },
                ),
            )+];
        }
    };
}

pub(super) use table;
