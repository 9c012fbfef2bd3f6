//! Selected rows of a feature set: `top(EXPR, "file")` and its stored form,
//! `rows(EXPR, [3, 17, …])`.

use super::prelude::*;
use crate::block::Block;
use chess::View;

/// A set with only some of its rows, in an order of their own.
#[derive(Clone, Debug)]
pub(crate) struct RowsTable {
    blocks: Vec<Block>,
    /// New index by old; `NONE` for rows that are not kept.
    kept: Vec<u32>,
}

/// Passes kept rows on. The inner sink is behind a pointer: selections of selections would nest
/// types without end.
struct Kept<'a> {
    kept: &'a [u32],
    sink: &'a mut dyn Sink,
}

impl Sink for Kept<'_> {
    fn push(&mut self, row: u32, value: f32) {
        let index = self.kept[row as usize];
        if index != NONE {
            self.sink.push(index, value);
        }
    }
}

impl RowsTable {
    /// `rows` of the set of `size` features made of `blocks`.
    pub(crate) fn new(blocks: Vec<Block>, size: usize, rows: &[u32]) -> Self {
        let mut kept = vec![NONE; size];
        (0..).zip(rows).for_each(|(index, &row)| kept[row as usize] = index);
        Self { blocks, kept }
    }

    /// The blocks of the inner set.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The index of a row of the set, if it is kept.
    pub(crate) fn index(&self, row: u32) -> Option<u32> {
        let index = self.kept[row as usize];
        (index != NONE).then_some(index)
    }

    fn kept<'a>(&'a self, sink: &'a mut dyn Sink) -> Kept<'a> {
        Kept { kept: &self.kept, sink }
    }
}

impl Table for RowsTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let mut kept = self.kept(sink);
        self.blocks.iter().for_each(|block| block.active(view, &mut kept));
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let (mut removed, mut added) = (self.kept(removed), self.kept(added));
        for block in &self.blocks {
            if block.delta(step, &mut removed, &mut added) == Update::Refresh {
                return Update::Refresh;
            }
        }
        Update::Rows
    }
}
