//! Names of one's own: the same rules for `[define]` in a file and `--define` on the command
//! line.

use serde::{Deserialize, Deserializer};

use features::catalogue::SCHEMES;
use features::{ExpressionError, FeatureSet, Names};

/// A definition that would mislead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefineError {
    #[error("`{name}` is a name of the catalogue: `{known}`")]
    Taken { name: String, known: String },
}

impl DefineError {
    pub const HELP: &str = "choose another name; `oplus features --list` shows the reserved names";
}

/// Adds a definition to the names. One of the catalogue may be repeated unchanged.
///
/// # Errors
/// A name of the catalogue for something else.
pub fn define(names: &mut Names, name: &str, expression: &str) -> Result<(), DefineError> {
    let catalogue = Names::catalogue();
    let scheme = SCHEMES.iter().find(|scheme| scheme.name == name).map(|scheme| scheme.numbers);
    if let Some(known) = catalogue.lookup(name).or(scheme)
        && !means_the_same(known, expression, names)
    {
        let (name, known) = (name.to_owned(), known.to_owned());
        return Err(DefineError::Taken { name, known });
    }
    names.define(name, expression);
    Ok(())
}

/// Whether a definition can be read, so that none is found to be broken only when it is used.
///
/// # Errors
/// The error.
pub fn check(names: &Names, name: &str) -> Result<(), Box<ExpressionError>> {
    if names.scheme(name).is_none() {
        return FeatureSet::compile(name, names).map(|_| ());
    }
    // A list has numbers of elements without their concept.
    let mut errors = Vec::new();
    for concept in ["SQUARES", "FILES", "RANKS", "DIAGS1", "DIAGS2", "ROLES", "COLORS", "PIECES"] {
        match FeatureSet::compile(&format!("piece({concept} / {name})"), names) {
            Ok(_) => return Ok(()),
            Err(error) => errors.push(error),
        }
    }
    // An error of its own text says more than that its length fits no concept.
    let own = errors.iter().position(|error| !error.to_string().contains(" elements"));
    let own = own.unwrap_or(0);
    Err(errors.swap_remove(own))
}

fn means_the_same(known: &str, expression: &str, names: &Names) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    if plain(known) == plain(expression) {
        return true;
    }
    let compiled = FeatureSet::parse(known).ok().zip(FeatureSet::compile(expression, names).ok());
    compiled.is_some_and(|(known, own)| known.canonical() == own.canonical())
}

/// A definition in a file: a text, or a list of numbers as it stands.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected an expression in quotes, or a list of numbers")]
enum Written {
    Text(String),
    Numbers(Vec<i64>),
}

/// Reads definitions, whose lists may stand without quotes.
pub fn written<'de, D, M>(source: D) -> Result<M, D::Error>
where
    D: Deserializer<'de>,
    M: FromIterator<(String, String)>,
{
    let definitions = std::collections::BTreeMap::<String, Written>::deserialize(source)?;
    let text = |written| match written {
        Written::Text(text) => text,
        Written::Numbers(numbers) => format!("{numbers:?}"),
    };
    Ok(definitions.into_iter().map(|(name, written)| (name, text(written))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_definitions_are_found_without_being_used() {
        let mut names = Names::catalogue();
        for (name, text, is_sound) in [
            ("CENTRE", "piece({d4, e4} * PIECES)", true),
            ("HALVES", "[0, 0, 0, 0, 1, 1, 1, 1]", true),
            ("WINGS-ONLY", "[0, -, -, -, -, -, -, 1]", true),
            ("TORN", "piece({d4, e9} * PIECES)", false),
            ("GAP", "[0, 0, 0, 0, 2, 2, 2, 2]", false),
            ("SHORT", "[0, 1, 2]", false),
            ("LETTERS", "[a, b]", false),
        ] {
            define(&mut names, name, text).unwrap();
            assert_eq!(check(&names, name).is_ok(), is_sound, "{name}");
        }
    }

    #[test]
    fn names_of_the_catalogue_keep_their_meaning() {
        let mut names = Names::catalogue();
        let error = define(&mut names, "ALL", "H").unwrap_err().to_string();
        assert!(error.contains("`ALL`") && error.contains("piece(SQUARES * PIECES)"), "{error}");
        assert!(define(&mut names, "ONE-KING", "[0, 0]").is_err());
        // The same in other words is no harm.
        define(&mut names, "ALL", "piece(SQUARES*ROLES*COLORS)").unwrap();
        define(&mut names, "CENTRE", "piece({d4, e4} * PIECES)").unwrap();
        assert!(FeatureSet::compile("ALL + CENTRE", &names).is_ok());
    }
}
