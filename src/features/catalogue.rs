//! Named feature sets and schemes, each written in the language itself.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A named set of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct NamedSet {
    /// Name, as written in expressions.
    pub name: &'static str,
    /// Definition in the language.
    pub expression: &'static str,
    /// One line for people.
    pub about: &'static str,
}

/// The sets that need no definition. Names and sizes up to MC are those of
/// Lombardo's thesis, *Feature set analysis for chess NNUE networks* (UBA
/// 2024); HALF-KP and its kin are Stockfish's; pawn-relative places are Nalwald's (2023); the
/// LEORIK models are Thomas
/// Jahn's (2023), with `own` and `enemy_king` for his two kings.
pub static CATALOGUE: LazyLock<Vec<NamedSet>> = LazyLock::new(|| {
    let mut lines = include_str!("catalogue.txt").lines();
    let named = || {
        let about = lines.next()?.strip_prefix("# ")?;
        let (name, expression) = lines.next()?.split_once(" = ")?;
        Some(NamedSet { name, expression, about })
    };
    std::iter::from_fn(named).collect()
});

/// A named numbering of the elements of a concept.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// Name, as written after `/`.
    pub name: &'static str,
    /// Class numbers of the elements.
    pub numbers: &'static str,
    /// One line for people.
    pub about: &'static str,
}

/// The schemes that need no definition.
pub const SCHEMES: &[Scheme] = &[
    Scheme {
        name: "LEFT-HALF",
        numbers: "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]",
        about: "SQUARES on files a to d, each a class of its own",
    },
    Scheme {
        name: "BUCKETS-9",
        numbers: "[0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]",
        about: "SQUARES on files a to d, finer near the first rank",
    },
    Scheme {
        name: "ONE-KING",
        numbers: "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]",
        about: "PIECES with both kings in one class",
    },
];

/// The names an expression may use: the catalogue and the user's own.
#[derive(Clone, Debug, Default)]
pub struct Names {
    own: BTreeMap<String, String>,
}

impl Names {
    /// The catalogue alone.
    pub fn catalogue() -> Self {
        Self::default()
    }

    /// Adds or replaces a definition: an expression, or a list of numbers for use after `/`. It is
    /// parsed at each use; names of the catalogue may be redefined.
    pub fn define(&mut self, name: impl Into<String>, expression: impl Into<String>) {
        self.own.insert(name.into(), expression.into());
    }

    /// Expression of a name.
    pub fn lookup(&self, name: &str) -> Option<&str> {
        self.own
            .get(name)
            .map(String::as_str)
            .or_else(|| CATALOGUE.iter().find(|set| set.name == name).map(|set| set.expression))
    }

    /// List of numbers of a name.
    pub fn scheme(&self, name: &str) -> Option<&str> {
        let own = self.own.get(name).map(String::as_str);
        own.filter(|text| is_list(text)).or_else(|| {
            SCHEMES.iter().find(|scheme| scheme.name == name).map(|scheme| scheme.numbers)
        })
    }

    /// All names of sets, the user's own first.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().filter(|(_, text)| !is_list(text)).map(|(name, _)| name.as_str());
        own.chain(CATALOGUE.iter().map(|set| set.name))
    }

    /// All names of schemes, the user's own first.
    pub fn schemes(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().filter(|(_, text)| is_list(text)).map(|(name, _)| name.as_str());
        own.chain(SCHEMES.iter().map(|scheme| scheme.name))
    }
}

fn is_list(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_catalogue_is_read() {
        assert_eq!(2 * CATALOGUE.len(), include_str!("catalogue.txt").lines().count());
    }
}
