//! Quotients of a feature set: `any(x : CONCEPT, EXPR)` and `EXPR / [0, 0, 1, …]`. A class is
//! active if any of its members is.

use super::prelude::*;
use super::sink::difference;
use crate::block::Block;
use chess::View;

/// A set with its features merged into classes.
#[derive(Clone, Debug)]
pub(crate) struct QuotientTable {
    blocks: Vec<Block>,
    class_of: ClassOf,
}

/// The class of each feature of the set.
#[derive(Clone, Debug)]
pub(crate) enum ClassOf {
    /// As listed; `NONE` for features in no class.
    Listed(Vec<u32>),
    /// The index modulo this number.
    Modulo(u32),
}

impl ClassOf {
    #[inline]
    fn of(&self, feature: u32) -> u32 {
        match self {
            Self::Listed(classes) => classes[feature as usize],
            Self::Modulo(size) => feature % size,
        }
    }
}

/// Maps tuples to their classes.
struct Classes<'a> {
    class_of: &'a ClassOf,
    found: Tuples,
}

impl Sink for Classes<'_> {
    fn push(&mut self, feature: u32, _value: f32) {
        let class = self.class_of.of(feature);
        if class != NONE {
            self.found.push((class, 1.0));
        }
    }
}

impl QuotientTable {
    /// Classes of the features of blocks.
    pub(crate) fn new(blocks: Vec<Block>, class_of: ClassOf) -> Self {
        Self { blocks, class_of }
    }

    /// The blocks of the inner set.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn nothing_found(&self) -> Classes<'_> {
        Classes { class_of: &self.class_of, found: Tuples::new() }
    }

    fn classes(&self, view: View<'_>) -> Tuples {
        let mut classes = self.nothing_found();
        self.blocks.iter().for_each(|block| block.active(view, &mut classes));
        distinct(&mut classes.found);
        classes.found
    }
}

impl Table for QuotientTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        self.classes(view).into_iter().for_each(|(class, value)| sink.push(class, value));
    }

    /// Other members may keep a class active, so any change compares all.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let (mut gone, mut come) = (self.nothing_found(), self.nothing_found());
        for block in &self.blocks {
            if block.delta(step, &mut gone, &mut come) == Update::Refresh {
                return Update::Refresh;
            }
        }
        if !gone.found.is_empty() || !come.found.is_empty() {
            let (before, after) = (self.classes(step.before()), self.classes(step.after()));
            difference(&before, &after, removed, added);
        }
        Update::Rows
    }
}
