//! The trait of predicates, and their entries in the language.

use std::fmt;

use super::{Clauses, Compiled, Misuse, Predicate, Tupling};
use crate::concept::Concept;
use crate::picture::{Subject, places_of};
use crate::possible::Arrangement;

/// A predicate. Few methods have a default, so that the compiler names those that a new predicate
/// lacks. An `index` is that of a tuple.
pub(crate) trait Definition: Sync {
    /// Name and usage.
    fn entry(&self) -> Entry;

    /// The tuples over these concepts, or the reason why there are none. Clauses without effect are
    /// dropped, so that a set has one name.
    fn check(&self, concepts: &[Concept], clauses: &mut Clauses) -> Result<Tupling, Misuse>;

    /// Most tuples that can be active together in a position of a game.
    fn max_active(&self, concepts: &[Concept], clauses: Clauses) -> u64;

    /// A tuple in words.
    fn describe(&self, predicate: &Predicate, index: u64) -> String;

    /// The squares and pieces of a tuple, no more than its places.
    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        places_of(predicate, index)
    }

    /// All arrangements that make a tuple true.
    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement>;

    /// Number of causes on the board that make a tuple true, by the definition alone.
    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize;

    /// The predicate as tables; with `valued`, values are counts.
    fn compile(&self, predicate: &Predicate, valued: bool) -> Compiled;
}

/// Entry of a predicate for the parser and the help texts.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// Condition of a feature, for the side that sees it.
    pub(crate) holds: &'static str,
    /// Usage line for error messages.
    pub(crate) usage: &'static str,
    /// A whole set made with it.
    pub(crate) example: &'static str,
    /// Arguments behind its concepts.
    pub(crate) after_comma: AfterComma,
    /// Whether `count(…)` of it makes sense.
    pub(crate) is_countable: bool,
}

impl Entry {
    /// A predicate without arguments after a comma, not countable.
    pub(crate) const fn new(
        name: &'static str,
        holds: &'static str,
        usage: &'static str,
        example: &'static str,
    ) -> Self {
        Self { name, holds, usage, example, after_comma: AfterComma::Nothing, is_countable: false }
    }
}

/// Arguments behind a comma after the concepts of a predicate.
pub(crate) enum AfterComma {
    Nothing,
    /// The distance of the pieces: `files <= 1`.
    Near,
    /// Other concepts.
    Concepts,
}

/// One of the predicates of the language.
#[derive(Clone, Copy)]
pub struct PredicateKind(pub(super) &'static dyn Definition);

impl PredicateKind {
    /// Its name in the language.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Condition of its features, for the side that sees them.
    pub fn holds(self) -> &'static str {
        self.entry().holds
    }

    pub(crate) fn entry(self) -> Entry {
        self.0.entry()
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl PartialEq for PredicateKind {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for PredicateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
