//! Squares of the own king by the features that they have in common.
//!
//! In `KING-ALL` each square of the own king has features of its own, in `HALF-KA-HM` two squares
//! share theirs, in `ALL` all do. A card that sorts the rows of a batch by these groups finds the
//! rows of a feature among those of its group.

use super::super::feature::Feature;
use super::{PieceFeatureTables, SQUARES};
use chess::{Color, Orientation, PackedPosition, PieceKind, Role, Side, Square};

const OWN_KING: PieceKind = PieceKind { role: Role::King, side: Side::Own };

/// The group of each square of the own king: squares of two groups have no feature in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KingGroups {
    of_king: [u8; SQUARES],
}

/// A feature among those of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Below [`KingGroups::count`].
    pub group: usize,
    /// Counted from 0 in each group.
    pub place: usize,
}

impl KingGroups {
    /// The group of a square, as the perspective sees it.
    #[inline]
    pub fn of(&self, king: Square) -> u8 {
        self.of_king[king as usize]
    }

    /// The group of a perspective of a position; the first one without a king.
    #[inline]
    pub fn of_perspective(&self, position: &PackedPosition, perspective: Color) -> u8 {
        let king = position.king(perspective);
        king.map_or(0, |king| self.of(Orientation::of(perspective).square(king)))
    }

    /// Number of groups: 1 to 64.
    pub fn count(&self) -> usize {
        1 + usize::from(self.of_king.into_iter().max().unwrap_or(0))
    }
}

impl PieceFeatureTables {
    /// The finest partition of king squares into groups without shared features, in the order of
    /// their first squares.
    pub fn king_groups(&self) -> KingGroups {
        let mut first = vec![None; self.size()];
        let mut roots: [usize; SQUARES] = std::array::from_fn(|king| king);
        for (Feature(feature), king) in self.features() {
            let other = *first[feature as usize].get_or_insert(king as usize);
            let [a, b] = [root(&roots, other), root(&roots, king as usize)];
            roots[a.max(b)] = a.min(b);
        }
        let mut groups = [None; SQUARES];
        let mut count = 0;
        let of_king = std::array::from_fn(|king| {
            *groups[root(&roots, king)].get_or_insert_with(|| {
                count += 1;
                count - 1
            })
        });
        KingGroups { of_king }
    }

    /// Each feature of a set of `features` among those of its group; `None` of those that no piece
    /// makes true.
    ///
    /// # Panics
    /// If the tables have a feature that the set has not.
    pub fn slots(&self, groups: &KingGroups, features: usize) -> Vec<Option<Slot>> {
        let mut slots = vec![None; features];
        let mut sizes = vec![0; groups.count()];
        for (Feature(feature), king) in self.features() {
            let group = usize::from(groups.of(king));
            slots[feature as usize].get_or_insert_with(|| {
                sizes[group] += 1;
                Slot { group, place: sizes[group] - 1 }
            });
        }
        slots
    }

    /// Features of the largest group.
    pub fn largest_group(&self, groups: &KingGroups) -> usize {
        let slots = self.slots(groups, self.size());
        slots.into_iter().flatten().map(|slot| slot.place + 1).max().unwrap_or(0)
    }

    /// All features, with each square of the own king that they are active with. Entries of the
    /// own king on another square than its own are never looked up.
    fn features(&self) -> impl Iterator<Item = (Feature, Square)> {
        let is_met = |king, (kind, square)| kind != OWN_KING || square == king;
        let pieces = || PieceKind::all().flat_map(|kind| Square::ALL.map(|square| (kind, square)));
        (0..self.planes()).flat_map(move |plane| {
            Square::ALL.into_iter().flat_map(move |king| {
                let met = pieces().filter(move |&piece| is_met(king, piece));
                met.filter_map(move |(kind, square)| {
                    Some((self.feature(plane, king, kind, square)?, king))
                })
            })
        })
    }

    /// One more than the highest feature.
    fn size(&self) -> usize {
        self.features().map(|(Feature(feature), _)| feature as usize + 1).max().unwrap_or(0)
    }
}

fn root(roots: &[usize; SQUARES], mut of: usize) -> usize {
    while roots[of] != of {
        of = roots[of];
    }
    of
}
