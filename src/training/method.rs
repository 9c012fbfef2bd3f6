//! Methods of training: regression on scores, or ranking of moves.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::form;
use super::loss::Pqr;

/// A method of training. In TOML a name, `"target-scores"` or `"pqr"`, or a
/// table with the kind and what differs from its defaults:
/// `{ kind = "pqr", kappa = 0.5 }`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Regression on the score, blended with the result.
    #[default]
    TargetScores,
    /// The position after the move played is ranked above one after another move.
    Pqr(Pqr),
}

impl Method {
    /// Whether every sample needs its move played.
    pub fn needs_choices(self) -> bool {
        matches!(self, Method::Pqr(_))
    }

    /// Part of the name of a run; empty for the default method.
    pub fn slug(self) -> &'static str {
        match self {
            Method::TargetScores => "",
            Method::Pqr(_) => "-pqr",
        }
    }

    pub fn positions_per_example(self) -> usize {
        match self {
            Method::TargetScores => 1,
            Method::Pqr(_) => 3,
        }
    }
}

/// `pqr`; what differs from the defaults in brackets.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Method::Pqr(Pqr { kappa, scale_cp }) = *self else {
            return f.write_str("target-scores");
        };
        let usual = Pqr::default();
        let kappa = (kappa != usual.kappa).then(|| format!("kappa = {kappa}"));
        let scale = (scale_cp != usual.scale_cp).then(|| format!("scale_cp = {scale_cp}"));
        let differing: Vec<String> = kappa.into_iter().chain(scale).collect();
        match differing.is_empty() {
            true => f.write_str("pqr"),
            false => write!(f, "pqr ({})", differing.join(", ")),
        }
    }
}

/// Reads the form of the command line: `pqr`, `pqr:kappa=0.5,scale_cp=300`.
impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        form::of_option::<MethodTable>(text).map(Method::from)
    }
}

/// The table form; the names are those of the kinds.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum MethodTable {
    TargetScores(Nothing),
    Pqr(Pqr),
}

/// No key but the kind; serde lets a variant without content have any.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Method::TargetScores => serializer.collect_str(self),
            Method::Pqr(pqr) => MethodTable::Pqr(pqr).serialize(serializer),
        }
    }
}

impl From<MethodTable> for Method {
    fn from(table: MethodTable) -> Self {
        match table {
            MethodTable::TargetScores(Nothing {}) => Method::TargetScores,
            MethodTable::Pqr(pqr) => Method::Pqr(pqr),
        }
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting =
            "a method such as \"pqr\" or a table such as { kind = \"pqr\", kappa = 0.5 }";
        form::name_or_table::<D, MethodTable>(deserializer, expecting).map(Method::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Line {
        method: Method,
    }

    fn read(text: &str) -> Result<Method, String> {
        let line: Result<Line, _> = toml::from_str(&format!("method = {text}"));
        line.map(|line| line.method).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_name_or_a_table() {
        let pqr = Pqr { kappa: 1.0, scale_cp: 361.0 };
        assert_eq!(read("\"target-scores\""), Ok(Method::TargetScores));
        assert_eq!(read("{ kind = \"target-scores\" }"), Ok(Method::TargetScores));
        assert_eq!(read("\"pqr\""), Ok(Method::Pqr(pqr)));
        assert_eq!(read("{ kind = \"pqr\" }"), Ok(Method::Pqr(pqr)));
        let other = Method::Pqr(Pqr { kappa: 2.0, ..pqr });
        assert_eq!(read("{ kind = \"pqr\", kappa = 2 }"), Ok(other));
        for (text, part) in [
            ("\"pqrs\"", "unknown variant `pqrs`, expected `target-scores` or `pqr`"),
            ("{ kind = \"pqrs\" }", "unknown variant `pqrs`"),
            ("{ kind = \"pqr\", kapa = 1 }", "unknown field `kapa`, expected `kappa`"),
            ("{ kind = \"target-scores\", kappa = 1 }", "unknown field `kappa`"),
            ("3", "a method such as"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn the_command_line_has_a_form_of_its_own() {
        assert_eq!("target-scores".parse(), Ok(Method::TargetScores));
        assert_eq!("pqr".parse(), Ok(Method::Pqr(Pqr::default())));
        let other = Method::Pqr(Pqr { kappa: 0.5, scale_cp: 300.0 });
        assert_eq!("pqr:kappa=0.5,scale_cp=300".parse(), Ok(other));
        for text in ["pqrs", "pqr:kapa=1", "pqr:kappa", "target-scores:kappa=1", ""] {
            assert!(text.parse::<Method>().is_err(), "{text}");
        }
    }

    #[test]
    fn it_survives_writing_and_reading() {
        for method in [
            Method::TargetScores,
            Method::Pqr(Pqr::default()),
            Method::Pqr(Pqr { kappa: 0.25, scale_cp: 300.0 }),
        ] {
            let line = Line { method };
            assert_eq!(toml::from_str::<Line>(&toml::to_string(&line).unwrap()).unwrap(), line);
        }
        let name = serde_json::to_string(&Method::TargetScores).unwrap();
        assert_eq!(name, "\"target-scores\"", "names of runs made before depend on it");
    }

    #[test]
    fn it_says_what_is_not_usual() {
        assert_eq!(Method::Pqr(Pqr::default()).to_string(), "pqr");
        let other = Method::Pqr(Pqr { kappa: 0.5, scale_cp: 300.0 });
        assert_eq!(other.to_string(), "pqr (kappa = 0.5, scale_cp = 300)");
    }
}
