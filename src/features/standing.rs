//! Summands that say where pieces stand, asked together.
//!
//! In `ALL + H + V + D1 + D2` every piece that moves is looked up five times,
//! and mostly switches on or off what each of the five has of it: its square,
//! its rank, its file, its diagonals. Here a piece is looked up once for all
//! such summands; and what it switches if no other of its kind is near is a
//! [bundle](FeatureSet::bundles): one number for a handful of features, whose
//! rows can be added up beforehand.

use std::collections::HashMap;

use super::block::Block;
use super::feature::{Feature, Step};
use super::predicate::atom::Atom;
use super::predicate::relation::Relation;
use super::predicate::sink::Sink;
use super::set::FeatureSet;
use chess::{Bitboard, Color, Orientation, PieceKind, PlacedPiece, Scene, Square};

/// Blocks that are true of a kind of piece on some squares. Squares and kinds
/// are those that the perspective sees.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    blocks: usize,
    /// `[kinds][squares][blocks]`: what such a piece makes true.
    features: Vec<u32>,
    /// `[squares][blocks]`: where another of the kind makes the same true.
    places: Vec<Bitboard>,
    /// `[squares]`: all of these together.
    near: [Bitboard; 64],
}

impl Standing {
    /// Takes out of `blocks` what can be asked together, if that is two blocks or
    /// more.
    pub(crate) fn take_from(blocks: &mut Vec<Block>) -> Option<Self> {
        let layers: Vec<Option<Layer>> = blocks.iter().map(Layer::of).collect();
        if layers.iter().flatten().count() < 2 {
            return None;
        }
        let mut taken = layers.iter().map(Option::is_some);
        blocks.retain(|_| !taken.next().unwrap_or_default());
        let layers: Vec<Layer> = layers.into_iter().flatten().collect();
        let features = PieceKind::all().flat_map(|kind| {
            let layers = &layers;
            Square::ALL.into_iter().flat_map(move |square| {
                layers.iter().map(move |layer| layer.features[kind.index()][square as usize])
            })
        });
        let places = Square::ALL.map(|square| {
            layers.iter().map(|layer| layer.places[square as usize]).collect::<Vec<_>>()
        });
        Some(Self {
            blocks: layers.len(),
            features: features.collect(),
            near: places
                .each_ref()
                .map(|places| places.iter().fold(Bitboard::EMPTY, |all, &place| all | place)),
            places: places.concat(),
        })
    }

    /// The features of each bundle.
    fn bundles(&self) -> impl Iterator<Item = &[Feature]> {
        self.features.chunks_exact(self.blocks).map(bytemuck::cast_slice)
    }

    /// Sends what a move switches off and on. With `bundles_at`, a piece that
    /// switches all that it can sends its bundle instead, counted from there.
    #[inline(always)]
    pub(crate) fn delta<S: Sink>(
        &self,
        step: Step<'_>,
        perspective: Color,
        bundles_at: Option<u32>,
        removed: &mut S,
        added: &mut S,
    ) {
        let orientation = Orientation::of(perspective);
        let switched = |pieces: &[PlacedPiece], without: &Scene, sink: &mut S| {
            for placed in pieces {
                let kind = PieceKind::seen(placed.piece, perspective);
                let others = orientation.squares(without.board().by_piece(placed.piece));
                self.switched(kind, orientation.square(placed.square), others, bundles_at, sink);
            }
        };
        switched(&step.change.removed, step.after, removed);
        switched(&step.change.added, step.before, added);
    }

    /// Sends what a piece makes true and none of `others`, its like, does.
    #[inline(always)]
    fn switched<S: Sink>(
        &self,
        kind: PieceKind,
        square: Square,
        others: Bitboard,
        bundles_at: Option<u32>,
        sink: &mut S,
    ) {
        let (bundle, at) = (64 * kind.index() + square as usize, square as usize);
        if let Some(first) = bundles_at
            && (others & self.near[at]).is_empty()
        {
            return sink.push(first + bundle as u32, 1.0);
        }
        let features = &self.features[bundle * self.blocks..][..self.blocks];
        let places = &self.places[at * self.blocks..][..self.blocks];
        for (&feature, &place) in features.iter().zip(places) {
            // Whether another piece stands there is hard to predict: no branch.
            sink.push_if((others & place).is_empty(), feature);
        }
    }
}

/// A block that tells kinds of pieces on places.
struct Layer {
    features: [[u32; 64]; PieceKind::COUNT],
    places: [Bitboard; 64],
}

impl Layer {
    /// `None` of other blocks, and of those that leave a piece out, or take kinds
    /// for each other.
    fn of(block: &Block) -> Option<Self> {
        let atoms = block.atoms()?;
        if atoms.len() != PieceKind::COUNT * Square::ALL.len() {
            return None;
        }
        let mut features = [[0; 64]; PieceKind::COUNT];
        for kind in PieceKind::all() {
            for square in Square::ALL {
                let atom = Atom::Mark(Relation::Stands, square, kind);
                features[kind.index()][square as usize] = *atoms.get(&atom)?;
            }
        }
        let place = |of: &[u32; 64], square: Square| -> Bitboard {
            let same = |other: &Square| of[*other as usize] == of[square as usize];
            Square::ALL.into_iter().filter(same).collect()
        };
        let places = Square::ALL.map(|square| place(&features[0], square));
        let alike = |of: &[u32; 64]| Square::ALL.map(|square| place(of, square)) == places;
        let mut kind_of = HashMap::new();
        let mut is_own = |(kind, of): (usize, &[u32; 64])| {
            of.iter().all(|&feature| *kind_of.entry(feature).or_insert(kind) == kind)
        };
        let are_apart = features.iter().enumerate().all(&mut is_own);
        (are_apart && features.iter().all(alike)).then_some(Self { features, places })
    }
}

impl FeatureSet {
    /// Whether there are [bundles](Self::bundles).
    #[inline]
    pub fn has_bundles(&self) -> bool {
        self.standing.is_some()
    }

    /// Features that a piece often switches together, as lists, which count from
    /// [`size`](Self::size) on where a delta is asked for in
    /// [bundles](Self::bundled_delta): all that a kind of piece on a square makes
    /// true. None of sets that say in one way only where pieces stand.
    pub fn bundles(&self) -> impl Iterator<Item = &[Feature]> {
        self.standing.iter().flat_map(Standing::bundles)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::feature::{Delta, Update};
    use crate::tests::laws::{STARTS, random_game};

    const WITH: [&str; 6] = [
        "ALL + H + V + D1 + D2",
        "H + V",
        "D1 + PH + ALL",
        "KING-ALL + ALL + V",
        "ALL + piece(RANKS / [0, 1, 1, 2, 2, 1, 1, 0] * PIECES)",
        "MB + H + ALL",
    ];

    /// One such summand, pieces left out, kinds taken for each other, copies that
    /// a king selects, counts.
    const WITHOUT: [&str; 6] = [
        "ALL + PH + PV",
        "ALL + piece(FILES * {pawn} * COLORS)",
        "ALL + piece(FILES * ROLES)",
        "KING-ALL + H",
        "ALL + mirror(V)",
        "count(H) + ALL",
    ];

    #[test]
    fn bundles_are_what_a_piece_makes_true() {
        for expression in WITH {
            let set = FeatureSet::parse(expression).unwrap();
            assert_eq!(set.bundles().count(), PieceKind::COUNT * 64, "{expression}");
            for bundle in set.bundles() {
                let said: Vec<String> = bundle.iter().map(|&f| set.describe(f)).collect();
                let kind = said[0].split(" on ").next().unwrap();
                assert!(said.iter().all(|said| said.starts_with(kind)), "{said:?}");
            }
        }
        for expression in WITHOUT {
            let set = FeatureSet::parse(expression).unwrap();
            assert!(!set.has_bundles() && set.bundles().next().is_none(), "{expression}");
        }
    }

    proptest! {
        #[test]
        fn bundles_stand_for_their_features(start in 0..STARTS.len(), seed in any::<u64>()) {
            let game = random_game(start, seed, 40);
            for expression in WITH {
                let set = FeatureSet::parse(expression).unwrap();
                let bundles: Vec<&[Feature]> = set.bundles().collect();
                let whole = |features: &[Feature]| -> Vec<Feature> {
                    let parts = features.iter().flat_map(|feature| {
                        match (feature.0 as usize).checked_sub(set.size()) {
                            Some(bundle) => bundles[bundle].to_vec(),
                            None => vec![*feature],
                        }
                    });
                    let mut parts: Vec<Feature> = parts.collect();
                    parts.sort_unstable();
                    parts
                };
                for (position, m) in &game {
                    let (before, change) = (Scene::from(position), position.change(*m));
                    let after = Scene::from(&position.after(*m));
                    let step = Step { before: &before, after: &after, change: &change };
                    for side in Color::ALL {
                        let (mut plain, mut bundled) = (Delta::default(), Delta::default());
                        let update = set.delta(step, side, &mut plain);
                        prop_assert_eq!(update, set.bundled_delta(step, side, &mut bundled));
                        if update == Update::Refresh {
                            continue;
                        }
                        prop_assert!(bundled.added.len() <= plain.added.len());
                        prop_assert_eq!(whole(&bundled.added), whole(&plain.added));
                        prop_assert_eq!(whole(&bundled.removed), whole(&plain.removed));
                    }
                }
            }
        }
    }
}
