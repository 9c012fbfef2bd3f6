//! Extensions and reductions: the depth of a move's search.

use chess::Position;

use super::super::ordering::{Class, Pick};
use super::super::table::{Bound, TtEntry};
use super::super::technique::Technique;
use super::super::value::{Value, is_mate};
use super::margins::{self, ReductionInfo};
use super::node::{Node, NodeInfo};
use super::tree::Tree;

/// Depth of one move's search.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Plies more (or, if negative, fewer) in every search of it.
    pub extension: i32,
    /// Plies fewer in the first search of it.
    pub reduction: i32,
    /// Whether it is the node's first move.
    pub first: bool,
}

/// The outcome of the singular search.
pub(super) enum Extension {
    /// Plies to add to the depth of the move.
    Plies(i32),
    /// Multi-cut: other moves refute too, and the node has this score.
    Refuted(Value),
}

impl Tree<'_> {
    /// Singular extension: if every other move is clearly worse than the TT move,
    /// that one is searched deeper; if others refute too, the node is done
    /// (multi-cut).
    pub(super) fn extension<const PV: bool>(
        &mut self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
        pick: Pick,
    ) -> Extension {
        let Some(known) = self.singular_candidate(node, info, pick) else {
            return Extension::Plies(0);
        };
        let bound = known.score - self.margins.singular(node.depth);
        self.ply_mut(node.ply).excluded = Some(pick.played);
        let score = self.search::<false>(position, node.scout((node.depth - 1) / 2, bound));
        self.ply_mut(node.ply).excluded = None;
        if score < bound {
            let may_double = self.uses(Technique::DoubleExtension);
            let far = bound - self.margins.double_extension();
            let ply = self.ply_mut(node.ply);
            let twice = may_double
                && !PV
                && score < far
                && ply.double_extensions < margins::DOUBLE_EXTENSIONS;
            ply.double_extensions += u8::from(twice);
            Extension::Plies(1 + i32::from(twice))
        } else if !PV && bound >= node.beta && self.uses(Technique::MultiCut) {
            Extension::Refuted(bound)
        } else if known.score >= node.beta && self.uses(Technique::NegativeExtension) {
            Extension::Plies(-1)
        } else {
            Extension::Plies(0)
        }
    }

    /// The TT entry, if its move may be singular.
    fn singular_candidate(&self, node: Node, info: &NodeInfo, pick: Pick) -> Option<TtEntry> {
        let known = info.known?;
        let candidate = self.uses(Technique::SingularExtension)
            && pick.class == Class::TtMove
            && node.depth >= margins::SINGULAR_DEPTH
            && known.depth >= node.depth - margins::SINGULAR_TT_DEPTH
            && known.bound != Bound::Upper
            && !is_mate(known.score)
            && node.ply > 0
            && node.ply < 2 * self.depth as usize
            && self.ply(node.ply).excluded.is_none();
        candidate.then_some(known)
    }

    /// Late move reduction, in plies. `index` counts the node's moves from 1.
    pub(super) fn reduction<const PV: bool>(
        &self,
        position: &Position,
        node: Node,
        info: &NodeInfo,
        pick: Pick,
        index: usize,
    ) -> i32 {
        let early = !self.uses(Technique::LateMoveReduction)
            || node.depth < margins::REDUCTION_DEPTH
            || index < margins::REDUCTION_MOVE;
        if early || pick.class == Class::GoodNoisy {
            return 0;
        }
        let known = ReductionInfo {
            history: self.uses(Technique::HistoryReduction).then_some(pick.history),
            is_killer: pick.class == Class::Killer,
            in_cut_node: node.cut,
            improving: info.improving,
            was_on_pv: info.on_pv,
            on_pv: PV,
            gives_check: info.checks(position).has(pick.played),
        };
        let reduction =
            self.margins.reduction(node.depth, index) + self.margins.reduction_by(&known);
        (reduction / margins::PLY).max(0)
    }
}
