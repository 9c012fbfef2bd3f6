//! Fusion of piece-placement summands.
//!
//! In `ALL + H + V + D1 + D2` a piece that moves changes a feature of each of five summands: its
//! square, rank, file and diagonals. Fused, the piece is looked up once. If no other piece of its
//! kind makes any of these features true, they change together, as one
//! [fused row](FeatureSet::fused_rows): the sum of their rows, added up beforehand.

use std::collections::HashMap;

use super::block::Block;
use super::feature::{Feature, Step};
use super::predicate::minimal_cause::MinimalCause;
use super::predicate::relation::Relation;
use super::predicate::sink::Sink;
use super::set::FeatureSet;
use chess::{Bitboard, Color, Orientation, PieceKind, PlacedPiece, Scene, Square};

/// Blocks whose features are kinds of pieces on sets of squares, as the perspective sees them.
#[derive(Clone, Debug)]
pub(crate) struct PlacementFusion {
    blocks: usize,
    /// `[kinds][squares][blocks]`: the feature of each block that such a piece makes true.
    features: Vec<u32>,
    /// `[squares][blocks]`: squares on which a piece of the same kind makes the same feature true.
    places: Vec<Bitboard>,
    /// `[squares]`: their union over the blocks.
    near: [Bitboard; 64],
}

impl PlacementFusion {
    /// Takes the blocks that can be fused out of `blocks`, if there are two or more.
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

    /// The features of each row.
    fn fused_rows(&self) -> impl Iterator<Item = &[Feature]> {
        self.features.chunks_exact(self.blocks).map(bytemuck::cast_slice)
    }

    /// Sends the features that a move removes and adds. With `fused_at`, a piece that changes all
    /// its features sends their fused row instead, counted from there.
    #[inline(always)]
    pub(crate) fn delta<S: Sink>(
        &self,
        step: Step<'_>,
        perspective: Color,
        fused_at: Option<u32>,
        removed: &mut S,
        added: &mut S,
    ) {
        let orientation = Orientation::of(perspective);
        let switched = |pieces: &[PlacedPiece], without: &Scene, sink: &mut S| {
            for placed in pieces {
                let kind = PieceKind::seen(placed.piece, perspective);
                let others = orientation.squares(without.board().by_piece(placed.piece));
                self.switched(kind, orientation.square(placed.square), others, fused_at, sink);
            }
        };
        switched(&step.change.removed, step.after, removed);
        switched(&step.change.added, step.before, added);
    }

    /// Sends the features of a piece that no piece of its kind on `others` makes true.
    #[inline(always)]
    fn switched<S: Sink>(
        &self,
        kind: PieceKind,
        square: Square,
        others: Bitboard,
        fused_at: Option<u32>,
        sink: &mut S,
    ) {
        let (place, at) = (64 * kind.index() + square as usize, square as usize);
        if let Some(first) = fused_at
            && (others & self.near[at]).is_empty()
        {
            return sink.push(first + place as u32, 1.0);
        }
        let features = &self.features[place * self.blocks..][..self.blocks];
        let places = &self.places[at * self.blocks..][..self.blocks];
        for (&feature, &place) in features.iter().zip(places) {
            // Whether another piece stands there is hard to predict: no branch.
            sink.push_if((others & place).is_empty(), feature);
        }
    }
}

/// A block of all kinds of pieces on sets of squares.
struct Layer {
    features: [[u32; 64]; PieceKind::COUNT],
    places: [Bitboard; 64],
}

impl Layer {
    /// `None` of other blocks, of those that leave a piece out, and of those that merge kinds.
    fn of(block: &Block) -> Option<Self> {
        let minimal_causes = block.minimal_causes()?;
        if minimal_causes.len() != PieceKind::COUNT * Square::ALL.len() {
            return None;
        }
        let mut features = [[0; 64]; PieceKind::COUNT];
        for kind in PieceKind::all() {
            for square in Square::ALL {
                let cause = MinimalCause::Mark(Relation::Stands, square, kind);
                features[kind.index()][square as usize] = *minimal_causes.get(&cause)?;
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
    /// Whether there are [fused rows](Self::fused_rows).
    #[inline]
    pub fn has_fused_rows(&self) -> bool {
        self.fusion.is_some()
    }

    /// Features that a kind of piece on a square makes true, for all kinds and squares; none for
    /// sets with fewer than two piece-placement summands. In a
    /// [fused delta](Self::fused_delta) these lists count from [`size`](Self::size) on.
    pub fn fused_rows(&self) -> impl Iterator<Item = &[Feature]> {
        self.fusion.iter().flat_map(PlacementFusion::fused_rows)
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

    /// One such summand, sets without some pieces, merged kinds, copies selected by a king, counts.
    const WITHOUT: [&str; 6] = [
        "ALL + PH + PV",
        "ALL + piece(FILES * {pawn} * COLORS)",
        "ALL + piece(FILES * ROLES)",
        "KING-ALL + H",
        "ALL + mirror(V)",
        "count(H) + ALL",
    ];

    #[test]
    fn fused_rows_are_the_features_of_a_piece() {
        for expression in WITH {
            let set = FeatureSet::parse(expression).unwrap();
            assert_eq!(set.fused_rows().count(), PieceKind::COUNT * 64, "{expression}");
            for row in set.fused_rows() {
                let values: Vec<String> = row.iter().map(|&f| set.describe(f)).collect();
                let kind = values[0].split(" on ").next().unwrap();
                assert!(values.iter().all(|values| values.starts_with(kind)), "{values:?}");
            }
        }
        for expression in WITHOUT {
            let set = FeatureSet::parse(expression).unwrap();
            assert!(!set.has_fused_rows() && set.fused_rows().next().is_none(), "{expression}");
        }
    }

    proptest! {
        #[test]
        fn fused_rows_stand_for_their_features(start in 0..STARTS.len(), seed in any::<u64>()) {
            let game = random_game(start, seed, 40);
            for expression in WITH {
                let set = FeatureSet::parse(expression).unwrap();
                let fused: Vec<&[Feature]> = set.fused_rows().collect();
                let whole = |features: &[Feature]| -> Vec<Feature> {
                    let parts = features.iter().flat_map(|feature| {
                        match (feature.0 as usize).checked_sub(set.size()) {
                            Some(row) => fused[row].to_vec(),
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
                        let (mut plain, mut fused) = (Delta::default(), Delta::default());
                        let update = set.delta(step, side, &mut plain);
                        prop_assert_eq!(update, set.fused_delta(step, side, &mut fused));
                        if update == Update::Refresh {
                            continue;
                        }
                        prop_assert!(fused.added.len() <= plain.added.len());
                        prop_assert_eq!(whole(&fused.added), whole(&plain.added));
                        prop_assert_eq!(whole(&fused.removed), whole(&plain.removed));
                    }
                }
            }
        }
    }
}
