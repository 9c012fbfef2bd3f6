//! Kinds of pieces that make the same tuples true, and changes of their marks in a move.

use arrayvec::ArrayVec;

use super::Relation;
use crate::predicate::ViewStep;
use crate::predicate::coding::NONE;
use chess::{Bitboard, Color, Piece, PieceKind, Scene};

/// Kinds of pieces that make the same tuples true.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::predicate) struct KindClass {
    kinds: ArrayVec<PieceKind, { PieceKind::COUNT }>,
    /// Index offset.
    part: u32,
}

impl KindClass {
    /// Classes of kinds with equal index parts, and the class of each kind.
    pub(in crate::predicate) fn all(
        parts: &[u32; PieceKind::COUNT],
    ) -> (Vec<KindClass>, [Option<u8>; PieceKind::COUNT]) {
        let mut classes: Vec<KindClass> = Vec::new();
        let mut class_of = [None; PieceKind::COUNT];
        for kind in PieceKind::all() {
            let part = parts[kind.index()];
            if part == NONE {
                continue;
            }
            let same = |class: &KindClass| class.part == part;
            let at = classes.iter().position(same).unwrap_or_else(|| {
                classes.push(KindClass { kinds: ArrayVec::new(), part });
                classes.len() - 1
            });
            classes[at].kinds.push(kind);
            class_of[kind.index()] = Some(at as u8);
        }
        (classes, class_of)
    }

    #[inline]
    pub(in crate::predicate) fn first(&self) -> PieceKind {
        self.kinds[0]
    }

    /// Index offset of the class.
    #[inline]
    pub(in crate::predicate) fn part(&self) -> u32 {
        self.part
    }

    /// Their [`PieceKind::index`]es, as bits.
    pub(in crate::predicate) fn bits(&self) -> u16 {
        self.kinds.iter().fold(0, |bits, kind| bits | 1 << kind.index())
    }

    /// The pieces of the class, seen by a side.
    #[inline]
    pub(in crate::predicate) fn pieces(
        &self,
        perspective: Color,
    ) -> impl Iterator<Item = Piece> + '_ {
        self.kinds
            .iter()
            .map(move |kind| Piece { role: kind.role, color: kind.side.color(perspective) })
    }

    /// Squares that pieces of the class mark, not turned.
    #[inline]
    pub(in crate::predicate) fn squares(
        &self,
        relation: Relation,
        scene: &Scene,
        perspective: Color,
    ) -> Bitboard {
        self.pieces(perspective)
            .fold(Bitboard::EMPTY, |all, piece| all | relation.squares(scene, piece))
    }
}

/// The classes whose marks a move may change, as bits.
#[inline]
pub(super) fn touched(
    relation: Relation,
    class_of: &[Option<u8>; PieceKind::COUNT],
    classes: usize,
    step: &ViewStep<'_>,
) -> u16 {
    if relation != Relation::Stands {
        return ((1u32 << classes) - 1) as u16;
    }
    step.removed().chain(step.added()).fold(0, |bits, (_, kind)| match class_of[kind.index()] {
        Some(class) => bits | 1 << class,
        None => bits,
    })
}

/// Marks before and after a move, not turned, of each class that it changed.
#[inline]
pub(super) fn changes<'t>(
    relation: Relation,
    classes: &'t [KindClass],
    mut touched: u16,
    step: &'t ViewStep<'_>,
) -> impl Iterator<Item = (usize, Bitboard, Bitboard)> + 't {
    let (before, after) = (step.before().scene(), step.after().scene());
    std::iter::from_fn(move || {
        while touched != 0 {
            let at = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            let old = classes[at].squares(relation, before, step.perspective());
            let new = classes[at].squares(relation, after, step.perspective());
            if old != new {
                return Some((at, old, new));
            }
        }
        None
    })
}
