//! The settings of one player: `KEY=VALUE`, with the keys of fastchess.

use std::time::Duration;

use clap::ValueEnum;

use crate::jitter::Jitter;
use crate::time_control::{TimeControl, TimeControlError};
use engine::{MarginError, Margins, Technique, Techniques};

/// Settings of a player, all optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerSettings {
    /// Its name in the results.
    pub name: Option<String>,
    /// Limits of its moves.
    pub limits: Spending,
    /// Parts of our own search that are switched.
    pub techniques: Switched,
    /// Margins of our own search, if not the default.
    pub margins: Option<Margins>,
    /// Options of the engine and their values, in the order given.
    pub options: Vec<(String, String)>,
}

/// Parts of our own search that a player has or lacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Switched {
    with: Vec<Technique>,
    without: Vec<Technique>,
}

impl Switched {
    /// Whether nothing is switched.
    pub fn is_empty(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }

    /// These techniques after switching.
    pub fn of(&self, usual: Techniques) -> Techniques {
        let more = self.with.iter().fold(usual, |all, &part| all.with(part));
        self.without.iter().fold(more, |rest, &part| rest.without(part))
    }
}

/// Limits of a player; those of the match if all are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies of each search.
    pub depth: Option<u32>,
    /// Variation of its nodes in per cent; see [`Jitter`].
    pub jitter: Option<u8>,
    /// A clock.
    pub time_control: Option<TimeControl>,
}

/// An invalid setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// An unknown key.
    #[error(
        "`{0}` is not a setting of a player; write KEY=VALUE with one of name, nodes, jitter, depth, \
         movetime (milliseconds), tc, with, without, margin.NAME, option.NAME"
    )]
    Unknown(String),
    /// A value that is no number.
    #[error("`{key}` needs a whole number from 1, not `{value}`")]
    Number { key: String, value: String },
    /// An unknown part of our search.
    #[error("the bundled search has no part `{0}`; `oplus ablate --list` lists the parts")]
    Technique(String),
    /// An unknown margin, or one out of range.
    #[error(transparent)]
    Margin(#[from] MarginError),
    /// Jitter out of range.
    #[error("jitter must be between 1 and {most} per cent, not {0}", most = Jitter::MOST)]
    Jitter(u32),
    /// Jitter without a node limit.
    #[error("jitter needs nodes=N")]
    JitterWithoutNodes,
    /// A value that is no time control.
    #[error(transparent)]
    TimeControl(#[from] TimeControlError),
    /// Both a clock and a fixed time.
    #[error("a player has a clock (tc) or a fixed time (movetime), not both")]
    TwoClocks,
}

impl PlayerSettings {
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, SettingError> {
        let mut settings = Self::default();
        texts.iter().try_for_each(|text| settings.take(text.as_ref()))?;
        Ok(settings)
    }

    fn take(&mut self, text: &str) -> Result<(), SettingError> {
        let unknown = || SettingError::Unknown(text.to_owned());
        let (key, value) = text.split_once('=').ok_or_else(unknown)?;
        match key.trim() {
            "name" => self.name = Some(value.to_owned()),
            "nodes" => self.limits.nodes = Some(number(key, value)?),
            "with" => self.techniques.with.push(technique(value)?),
            "without" => self.techniques.without.push(technique(value)?),
            "jitter" => self.limits.jitter = Some(jitter(key, value)?),
            "depth" => self.limits.depth = Some(number(key, value)?),
            "movetime" => {
                let time = Duration::from_millis(number::<u32>(key, value)?.into());
                self.limits.set_clock(TimeControl::PerMove(time))?;
            }
            "tc" => self.limits.set_clock(value.parse()?)?,
            key if key.starts_with("margin.") => {
                let value: i32 = value.trim().parse().map_err(|_| SettingError::Number {
                    key: key.to_owned(),
                    value: value.to_owned(),
                })?;
                let before = self.margins.take().unwrap_or_default();
                self.margins = Some(before.with([(&key["margin.".len()..], value)])?);
            }
            key => {
                let name = key.strip_prefix("option.").ok_or_else(unknown)?;
                self.options.push((name.trim().to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }
}

impl Spending {
    /// Whether anything is limited.
    pub fn is_limited(&self) -> bool {
        *self != Self::default()
    }

    /// The same if its parts are compatible.
    pub fn checked(self) -> Result<Self, SettingError> {
        match self.jitter {
            Some(percent) if Jitter::new(percent, 0).is_none() => {
                Err(SettingError::Jitter(percent.into()))
            }
            Some(_) if self.nodes.is_none() => Err(SettingError::JitterWithoutNodes),
            _ => Ok(self),
        }
    }

    pub fn set_clock(&mut self, control: TimeControl) -> Result<(), SettingError> {
        match self.time_control.replace(control) {
            None => Ok(()),
            Some(_) => Err(SettingError::TwoClocks),
        }
    }
}

fn technique(value: &str) -> Result<Technique, SettingError> {
    Technique::from_str(value.trim(), true).map_err(|_| SettingError::Technique(value.to_owned()))
}

fn jitter(key: &str, value: &str) -> Result<u8, SettingError> {
    let percent: u32 = number(key, value)?;
    u8::try_from(percent).map_err(|_| SettingError::Jitter(percent))
}

fn number<T: std::str::FromStr + Default + PartialEq>(
    key: &str,
    value: &str,
) -> Result<T, SettingError> {
    let number = value.trim().replace('_', "").parse().ok().filter(|n| *n != T::default());
    number.ok_or_else(|| SettingError::Number { key: key.to_owned(), value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<PlayerSettings, SettingError> {
        PlayerSettings::parse(texts)
    }

    #[test]
    fn settings_are_those_of_fastchess() {
        let settings =
            read(&["name=SF 6", "option.Skill Level=6", "tc=1+0.02", "nodes=20_000"]).unwrap();
        assert_eq!(settings.name.as_deref(), Some("SF 6"));
        assert_eq!(settings.options, [("Skill Level".to_owned(), "6".to_owned())]);
        assert_eq!(settings.limits.nodes, Some(20_000));
        assert_eq!(settings.limits.time_control, Some("1+0.02".parse().unwrap()));
        let lacking = read(&["without=null-move", "with=correction-history"]).unwrap().techniques;
        let expected =
            Techniques::JUDGING.with(Technique::CorrectionHistory).without(Technique::NullMove);
        assert_eq!(lacking.of(Techniques::JUDGING), expected);
        let fixed = read(&["movetime=10"]).unwrap().limits;
        assert_eq!(fixed.time_control, Some("0.01/move".parse().unwrap()));
        assert!(fixed.is_limited() && !Spending::default().is_limited());
    }

    #[test]
    fn invalid_settings_are_named() {
        let error = |text: &str| read(&[text]).unwrap_err().to_string();
        assert!(error("hash=16").contains("`hash=16` is not a setting"));
        assert!(error("fast").contains("option.NAME"));
        assert!(error("without=null").contains("has no part `null`"));
        assert!(error("nodes=0").contains("`nodes` needs a whole number"));
        assert!(error("depth=-1").contains("not `-1`"));
        assert!(error("tc=fast").contains("`fast` is not a time control"));
        assert_eq!(read(&["tc=1", "movetime=10"]), Err(SettingError::TwoClocks));
    }
}
