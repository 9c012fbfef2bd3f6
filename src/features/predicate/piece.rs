//! `piece(…)`: a piece of that role and colour stands on that place.
//!
//! With a square (or a file and a rank), a role and a colour a tuple says
//! exactly one thing about one piece. With less, several pieces can make the
//! same tuple true (two rooks on a file), and the tuple is active if *any*
//! does: a set, not a count. What a move changes then depends on whether
//! another such piece remains, which two mask lookups answer.

use super::{Indices, Misuse, ViewStep, describe_place, place_part, strides};
use crate::chess::{Bitboard, PieceKind, Role, Side, Square, View};
use crate::features::concept::{self, Axis, Concept};

/// How `piece` is used.
pub const USAGE: &str = "piece takes places (SQUARES, FILES, RANKS, DIAGS1, DIAGS2), ROLES and COLORS, each at most once: `piece(FILES * ROLES * COLORS)`";

const NONE: u32 = u32::MAX;

/// Checks the concepts.
pub fn check(concepts: &[Concept]) -> Result<(), Misuse> {
    for (i, concept) in concepts.iter().enumerate() {
        if concepts[..i].iter().any(|earlier| earlier.axis() == concept.axis()) {
            let name = concept.axis().name();
            return Err(Misuse::of(i, format!("`piece` is given {name} twice"), "a second time"));
        }
    }
    if concepts.iter().any(|concept| concept.axis().is_place()) {
        return Ok(());
    }
    Err(Misuse::missing(
        "`piece` needs to know where: a square, file, rank or diagonal",
        "no place among these",
    ))
}

/// Most tuples active together: no side has more than 16 pieces, nor more of
/// a role than promotion allows.
pub fn max_active(concepts: &[Concept]) -> u64 {
    // Pawns may promote: 2 + 8 knights, bishops, rooks; 1 + 8 queens.
    const MOST: [u64; 6] = [8, 10, 10, 10, 9, 1];
    let of_axis = |axis: Axis| concepts.iter().find(|concept| concept.axis() == axis);
    let per_side = match of_axis(Axis::Role) {
        Some(roles) => roles.elements().iter().map(|&role| MOST[usize::from(role)]).sum(),
        None => 16,
    };
    let sides = of_axis(Axis::Color).map_or(2, Concept::len) as u64;
    per_side.min(16) * sides
}

/// `own rook on d4`.
pub fn describe(concepts: &[Concept], tuple: &[u8]) -> String {
    let mut side = String::new();
    let mut role = "piece".to_owned();
    let mut places = Vec::new();
    for (concept, &element) in concepts.iter().zip(tuple) {
        let axis = concept.axis();
        match axis {
            Axis::Role => role = axis.word(element),
            Axis::Color => side = format!("{} ", axis.word(element)),
            _ => places.push(describe_place(axis, element)),
        }
    }
    format!("{side}{role} on {}", places.join(", "))
}

/// The predicate as tables by square and kind of piece.
#[derive(Clone, Debug)]
pub struct PieceTable {
    /// `[square][kind]`: the tuple that such a piece there makes true, or `NONE`.
    tuple: [[u32; PieceKind::COUNT]; 64],
    /// Whether no two pieces can make the same tuple true.
    injective: bool,
    /// Squares on which the same kind makes the same tuple true.
    same_place: [Bitboard; 64],
    /// Kinds that make the same tuple true on the same square.
    same_kind: [Vec<PieceKind>; PieceKind::COUNT],
}

impl PieceTable {
    /// Tables for checked concepts.
    pub fn new(concepts: &[Concept]) -> Self {
        let strides = strides(concepts);
        let place: Vec<Option<u32>> =
            Square::ALL.iter().map(|&square| place_part(concepts, &strides, square)).collect();
        let kind: Vec<Option<u32>> =
            PieceKind::all().map(|kind| kind_part(concepts, &strides, kind)).collect();

        let mut tuple = [[NONE; PieceKind::COUNT]; 64];
        for (row, place) in tuple.iter_mut().zip(&place) {
            for (entry, kind) in row.iter_mut().zip(&kind) {
                *entry = place.zip(*kind).map_or(NONE, |(place, kind)| place + kind);
            }
        }
        let same_place = std::array::from_fn(|a| {
            Square::ALL
                .iter()
                .copied()
                .filter(|&b| place[a].is_some() && place[usize::from(b)] == place[a])
                .collect()
        });
        let same_kind: [Vec<PieceKind>; PieceKind::COUNT] = std::array::from_fn(|a| {
            PieceKind::all().filter(|b| kind[a].is_some() && kind[b.index()] == kind[a]).collect()
        });
        let injective = same_place.iter().all(|squares: &Bitboard| squares.count() <= 1)
            && same_kind.iter().all(|kinds| kinds.len() <= 1);
        Self { tuple, injective, same_place, same_kind }
    }

    #[inline]
    fn lookup(&self, square: Square, kind: PieceKind) -> Option<u32> {
        let tuple = self.tuple[square as usize][kind.index()];
        (tuple != NONE).then_some(tuple)
    }

    /// Pieces of the view that make the same tuple true as `kind` on `square`.
    #[inline]
    fn witnesses(&self, view: &View, square: Square, kind: PieceKind) -> Bitboard {
        let kinds = &self.same_kind[kind.index()];
        let pieces = kinds.iter().fold(Bitboard::EMPTY, |all, &kind| all | view.pieces(kind));
        pieces & self.same_place[square as usize]
    }

    /// Active tuples.
    #[inline]
    pub fn active(&self, view: &View, out: &mut Indices) {
        for role in Role::ALL {
            for side in Side::ALL {
                let kind = PieceKind { role, side };
                for square in view.pieces(kind) {
                    let Some(tuple) = self.lookup(square, kind) else { continue };
                    // Of several witnesses only the first speaks.
                    if self.injective || self.witnesses(view, square, kind).first() == Some(square)
                    {
                        out.push(tuple);
                    }
                }
            }
        }
    }

    /// Tuples a move switches off and on.
    #[inline]
    pub fn delta(&self, step: &ViewStep<'_>, removed: &mut Indices, added: &mut Indices) {
        if self.injective {
            removed.extend(step.removed().filter_map(|(square, kind)| self.lookup(square, kind)));
            added.extend(step.added().filter_map(|(square, kind)| self.lookup(square, kind)));
            return;
        }
        for (square, kind) in step.removed() {
            let Some(tuple) = self.lookup(square, kind) else { continue };
            if self.witnesses(step.after(), square, kind).is_empty() && !removed.contains(&tuple) {
                removed.push(tuple);
            }
        }
        for (square, kind) in step.added() {
            let Some(tuple) = self.lookup(square, kind) else { continue };
            if self.witnesses(step.before(), square, kind).is_empty() && !added.contains(&tuple) {
                added.push(tuple);
            }
        }
    }
}

/// What role and colour add to the index; `None` if the kind is in no tuple.
fn kind_part(concepts: &[Concept], strides: &[u32], kind: PieceKind) -> Option<u32> {
    concepts.iter().zip(strides).try_fold(0, |sum, (concept, stride)| {
        let position = match concept.axis() {
            Axis::Role => concept.elements().iter().position(|&e| concept::role(e) == kind.role)?,
            Axis::Color => {
                concept.elements().iter().position(|&e| concept::side(e) == kind.side)?
            }
            _ => 0,
        };
        Some(sum + position as u32 * stride)
    })
}
