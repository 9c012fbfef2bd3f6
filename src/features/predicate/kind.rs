//! What the language has to know of a predicate.

use std::fmt;

use super::{Clauses, Compiled, Misuse, Predicate, Tupling};
use crate::concept::Concept;
use crate::picture::Subject;
use crate::possible::Witness;

/// What a predicate is. Nothing has a default, so that the compiler names what
/// a new predicate leaves unsaid. An `index` is that of a tuple.
pub(crate) trait Definition: Sync {
    /// What it is called and how it is written.
    fn entry(&self) -> Entry;

    /// Which tuples it has over these concepts, or why it makes no sense. Clauses
    /// that say nothing are dropped: a set has one name.
    fn check(&self, concepts: &[Concept], clauses: &mut Clauses) -> Result<Tupling, Misuse>;

    /// Most tuples that can be active together in a position of a game.
    fn max_active(&self, concepts: &[Concept], clauses: Clauses) -> u64;

    /// A tuple in words.
    fn describe(&self, predicate: &Predicate, index: u64) -> String;

    /// The squares and pieces that a tuple speaks of.
    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject>;

    /// All that can make a tuple true, none left out.
    fn witnesses(&self, predicate: &Predicate, index: u64) -> Vec<Witness>;

    /// How many things on the board make a tuple true, by the definition alone.
    #[cfg(test)]
    fn count(&self, predicate: &Predicate, index: u64, facts: &crate::oracle::Facts<'_>) -> usize;

    /// The predicate as tables; with `valued`, numbers instead of whether.
    fn compile(&self, predicate: &Predicate, valued: bool) -> Compiled;
}

/// What the parser and the help texts know of a predicate.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// How it is used, for error messages.
    pub(crate) usage: &'static str,
    /// A whole set made with it.
    pub(crate) example: &'static str,
    /// What may stand behind its concepts.
    pub(crate) after_comma: AfterComma,
    /// Whether `count(…)` of it makes sense.
    pub(crate) is_countable: bool,
}

/// What may stand behind a comma after the concepts of a predicate.
pub(crate) enum AfterComma {
    Nothing,
    /// How near pieces must be: `files <= 1`.
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
