//! The features of Black's perspective from those of White's.
//!
//! A rook on the a-file is an own rook to one side and the other's to the other. In blocks without
//! a king each feature of White has one of Black that is active at the same time, so an accumulator
//! finds the rows of one perspective and maps them to the other. The vertical flip exchanges both
//! kinds of diagonals, so the two features may belong to different blocks.
//!
//! The map follows from [minimal causes](MinimalCause). Sets with a predicate without them have no
//! map, nor have sets with several counterparts of one feature.

use std::collections::HashMap;

use super::feature::Feature;
use super::predicate::minimal_cause::MinimalCause;
use super::set::FeatureSet;

/// Black's feature for every feature of White; fused rows follow the features.
#[derive(Clone, Debug)]
pub struct PerspectiveMap(Vec<Feature>);

impl PerspectiveMap {
    /// The map of a set, if it has one.
    pub fn of(set: &FeatureSet) -> Option<Self> {
        let blocks: Vec<CauseIndex> =
            set.blocks().iter().map(|b| b.minimal_causes()).collect::<Option<_>>()?;
        let mut map: Vec<Feature> = (0..set.size() as u32).map(Feature).collect();
        for block in &blocks {
            let pairs = blocks.iter().find_map(|other| matched(block, other))?;
            pairs.into_iter().for_each(|(white, black)| map[white as usize] = Feature(black));
        }
        let fused = map_of_fused_rows(set, &map)?;
        map.extend(fused);
        Some(Self(map))
    }

    /// Black's feature for one of White.
    #[inline]
    pub fn black(&self, feature: Feature) -> Feature {
        self.0[feature.0 as usize]
    }
}

/// The fused row of the mapped features, for every fused row.
fn map_of_fused_rows(set: &FeatureSet, map: &[Feature]) -> Option<Vec<Feature>> {
    let sorted = |mut features: Vec<Feature>| {
        features.sort_unstable();
        features
    };
    let number = (set.size() as u32..).map(Feature);
    let known: HashMap<Vec<Feature>, Feature> =
        set.fused_rows().map(|row| sorted(row.to_vec())).zip(number).collect();
    let mapped = |feature: &Feature| map[feature.0 as usize];
    set.fused_rows()
        .map(|row| known.get(&sorted(row.iter().map(mapped).collect())).copied())
        .collect()
}

/// The features of a block by their minimal causes.
type CauseIndex = HashMap<MinimalCause, u32>;

/// Pairs of a feature of one block and one of the other that are true together for the two sides,
/// if the pairs cover all features of both.
fn matched(block: &CauseIndex, other: &CauseIndex) -> Option<HashMap<u32, u32>> {
    if block.len() != other.len() {
        return None;
    }
    let (mut pairs, mut back) = (HashMap::new(), HashMap::new());
    for (cause, &seen) in block {
        let &black = other.get(&cause.flipped())?;
        let is_one = *pairs.entry(seen).or_insert(black) == black
            && *back.entry(black).or_insert(seen) == seen;
        if !is_one {
            return None;
        }
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::laws::{STARTS, random_game};
    use chess::{Color, Position, Scene};

    fn map(expression: &str) -> Option<PerspectiveMap> {
        PerspectiveMap::of(&FeatureSet::parse(expression).unwrap())
    }

    const WITH: [&str; 11] = [
        "ALL",
        "H + V",
        "D1 + D2",
        "ALL + PH + PV",
        "PD1 + PD2",
        "MB",
        "MC",
        "ATTACKS + ALL",
        "mobility(FILES * ROLES * COUNTS(9) * COLORS)",
        "piece(SQUARES * {pawn} * COLORS)",
        "piece(RANKS / [0, 1, 1, 2, 2, 1, 1, 0] * PIECES)",
    ];

    /// A king decides, a diagonal turns into one that is not there, own pieces
    /// alone, ranks that are distinguished for one side only, no minimal causes, the clock, one-hot
    /// numbers of pieces.
    const WITHOUT: [&str; 8] = [
        "KING-ALL",
        "D1",
        "piece(SQUARES * ROLES * {own})",
        "piece(RANKS / [0, 0, 1, 2, 3, 4, 5, 6] * PIECES)",
        "mirror(ALL)",
        "ALL + CASTLING",
        "ALL + HALFMOVES",
        "QUEENS * ALL",
    ];

    #[test]
    fn sets_have_maps_where_kings_do_not_decide() {
        for expression in WITH {
            assert!(map(expression).is_some(), "{expression}");
        }
        for expression in WITHOUT {
            assert!(map(expression).is_none(), "{expression}");
        }
    }

    proptest! {
        #[test]
        fn mapped_features_are_active_together(start in 0..STARTS.len(), seed in any::<u64>()) {
            let games = random_game(start, seed, 40);
            for expression in WITH {
                let set = FeatureSet::parse(expression).unwrap();
                let map = PerspectiveMap::of(&set).unwrap();
                let sees = |position: &Position, perspective| {
                    let mut active: Vec<Feature> = Vec::new();
                    set.active(&Scene::from(position), perspective, &mut active);
                    active
                };
                for (position, _) in games.iter().step_by(5) {
                    let mut black = sees(position, Color::Black);
                    let mut white = sees(position, Color::White);
                    white.iter_mut().for_each(|feature| *feature = map.black(*feature));
                    black.sort_unstable();
                    white.sort_unstable();
                    prop_assert_eq!(white, black, "{} {}", expression, position);
                }
            }
        }
    }
}
