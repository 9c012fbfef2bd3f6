//! Named feature sets, each an expression of the language itself.

use std::collections::BTreeMap;

/// A named set of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct NamedSet {
    /// Name, as written in expressions.
    pub name: &'static str,
    /// What it stands for.
    pub expression: &'static str,
    /// One line for people.
    pub about: &'static str,
}

const fn named(name: &'static str, expression: &'static str, about: &'static str) -> NamedSet {
    NamedSet { name, expression, about }
}

/// The sets that need no definition. Names and sizes are those of Lombardo's
/// thesis, *Feature set analysis for chess NNUE networks* (UBA 2024).
pub const CATALOGUE: &[NamedSet] = &[
    named("ALL", "piece(SQUARES * PIECES)", "which piece stands on which square"),
    named("H", "piece(FILES * PIECES)", "there is such a piece on the file"),
    named("V", "piece(RANKS * PIECES)", "there is such a piece on the rank"),
    named("D1", "piece(DIAGS1 * PIECES)", "there is such a piece on the diagonal (file + rank)"),
    named("D2", "piece(DIAGS2 * PIECES)", "there is such a piece on the diagonal (file - rank)"),
    named("PH", "pair(RANKS * PIECES * PIECES)", "neighbours on a rank, left and right"),
    named("PV", "pair(FILES * PIECES * PIECES)", "neighbours on a file, below and above"),
    named("PD1", "pair(DIAGS1 * PIECES * PIECES)", "neighbours on a diagonal (file + rank)"),
    named("PD2", "pair(DIAGS2 * PIECES * PIECES)", "neighbours on a diagonal (file - rank)"),
    named("KING", "king(SQUARES)", "where the own king stands"),
    named("KING-ALL", "KING * ALL", "every piece, for every square of the own king"),
    named(
        "HALF-KP",
        "KING * piece(SQUARES * (ROLES without {king}) * COLORS)",
        "every piece but the kings, for every square of the own king",
    ),
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

    /// Adds (or replaces) a definition. It is read when it is used; a name of
    /// the catalogue may be redefined.
    pub fn define(&mut self, name: impl Into<String>, expression: impl Into<String>) {
        self.own.insert(name.into(), expression.into());
    }

    /// The expression a name stands for.
    pub fn lookup(&self, name: &str) -> Option<&str> {
        self.own
            .get(name)
            .map(String::as_str)
            .or_else(|| CATALOGUE.iter().find(|set| set.name == name).map(|set| set.expression))
    }

    /// All names, the user's own first.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.own.keys().map(String::as_str).chain(CATALOGUE.iter().map(|set| set.name))
    }
}
