//! `king_offset(FILE_STEPS * RANK_STEPS * PIECES)`: how many files and ranks
//! the own king stands from a piece of that kind. A move of the own king is a
//! refresh.

use super::coding::{Coding, NONE, all_distinct};
use super::sink::{Sink, Tuples, distinct};
use super::{Misuse, ViewStep, check_each, compare};
use crate::concept::{Axis, Concept};
use crate::feature::Update;
use chess::{PieceKind, Square, View};

/// How `king_offset` is used.
pub const USAGE: &str = "king_offset takes FILE_STEPS, RANK_STEPS, ROLES and COLORS, each at most once: `king_offset(FILE_STEPS * RANK_STEPS * PIECES)`";

/// Checks the concepts.
pub fn check(concepts: &[Concept]) -> Result<(), Misuse> {
    let is_step = |axis: Axis| matches!(axis, Axis::FileStep | Axis::RankStep);
    let takes = |axis: Axis| is_step(axis) || axis.is_kind();
    check_each("king_offset", concepts, takes, "neither steps nor piece")?;
    if concepts.iter().any(|concept| is_step(concept.axis())) {
        return Ok(());
    }
    Err(Misuse::missing("`king_offset` needs FILE_STEPS or RANK_STEPS", "no steps among these"))
}

/// `other rook 3 files left of and 2 ranks above the own king`.
pub fn describe(concepts: &[Concept], classes: &[usize]) -> String {
    let (mut color, mut role, mut steps) = (String::new(), "piece".to_owned(), Vec::new());
    for (concept, &class) in concepts.iter().zip(classes) {
        let words = concept.words(class);
        match concept.axis() {
            Axis::Color => color = format!("{words} "),
            Axis::FileStep => steps.push(format!("{words} files")),
            Axis::RankStep => steps.push(format!("{words} ranks")),
            _ => role = words,
        }
    }
    format!("own king {} from {color}{role}", steps.join(" and "))
}

/// The predicate as tables.
#[derive(Clone, Debug)]
pub struct KingOffsetTable {
    files: Vec<u32>,
    ranks: Vec<u32>,
    kinds: [u32; PieceKind::COUNT],
    injective: bool,
}

impl KingOffsetTable {
    /// Tables for checked concepts.
    pub fn new(concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let (files, ranks) = (coding.along(Axis::FileStep), coding.along(Axis::RankStep));
        let kinds = coding.kinds();
        // The steps then tell the square, which holds one piece.
        let injective = all_distinct(&files) && all_distinct(&ranks);
        Self { files, ranks, kinds, injective }
    }

    /// The tuple that a piece makes true.
    #[inline]
    pub fn tuple(&self, king: Square, square: Square, kind: PieceKind) -> Option<u32> {
        let file = self.files[usize::from(Axis::FileStep.of_step(king, square))];
        let rank = self.ranks[usize::from(Axis::RankStep.of_step(king, square))];
        let kind = self.kinds[kind.index()];
        (file != NONE && rank != NONE && kind != NONE).then(|| file + rank + kind)
    }

    /// Whether no two pieces can make the same tuple true.
    pub fn is_injective(&self) -> bool {
        self.injective
    }

    /// Active tuples.
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let Some(king) = view.own_king() else { return };
        let tuples = view.iter().filter_map(|(square, kind)| self.tuple(king, square, kind));
        if self.injective {
            return tuples.for_each(|tuple| sink.push(tuple, 1.0));
        }
        let mut tuples: Tuples = tuples.map(|tuple| (tuple, 1.0)).collect();
        distinct(&mut tuples);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    /// Tuples a move switches off and on; a move of the own king is a refresh.
    pub fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let king = step.before().own_king();
        if king != step.after().own_king() {
            return Update::Refresh;
        }
        let Some(king) = king else { return Update::Rows };
        if !self.injective {
            return compare(step, removed, added, |view, list| self.active(view, list));
        }
        step.exchanged(|square, kind| self.tuple(king, square, kind), removed, added);
        Update::Rows
    }
}
