//! What Black sees, from what White sees.
//!
//! A rook on the a-file is an own rook to one side and the other's to the
//! other; as long as no king decides what a block means, every feature that
//! White sees has one that Black sees at the same time. An accumulator then
//! needs the rows of one perspective only, and finds those of the other in a
//! table. The diagonals of one kind are those of the other kind from behind, so
//! twins may live in different blocks.
//!
//! This is derived from what makes each feature true ([`Atom`]); sets with a
//! predicate that has no such atoms have no twins, and neither have those in
//! which a feature's twin is not one feature.

use std::collections::HashMap;

use super::feature::Feature;
use super::predicate::atom::Atom;
use super::set::FeatureSet;

/// For every feature that White sees, the one that Black sees with it; bundles
/// behind them.
#[derive(Clone, Debug)]
pub struct Twins(Vec<Feature>);

impl Twins {
    /// Those of a set, if it has them.
    pub fn of(set: &FeatureSet) -> Option<Self> {
        let blocks: Vec<Block> = set.blocks().iter().map(|b| b.atoms()).collect::<Option<_>>()?;
        let mut twins: Vec<Feature> = (0..set.size() as u32).map(Feature).collect();
        for block in &blocks {
            let pairs = blocks.iter().find_map(|other| matched(block, other))?;
            pairs.into_iter().for_each(|(seen, twin)| twins[seen as usize] = Feature(twin));
        }
        let bundles = twins_of_bundles(set, &twins)?;
        twins.extend(bundles);
        Some(Self(twins))
    }

    /// What Black sees with a feature that White sees.
    #[inline]
    pub fn twin(&self, feature: Feature) -> Feature {
        self.0[feature.0 as usize]
    }
}

/// For every bundle the one that has its features' twins.
fn twins_of_bundles(set: &FeatureSet, twins: &[Feature]) -> Option<Vec<Feature>> {
    let sorted = |mut features: Vec<Feature>| {
        features.sort_unstable();
        features
    };
    let number = (set.size() as u32..).map(Feature);
    let known: HashMap<Vec<Feature>, Feature> =
        set.bundles().map(|bundle| sorted(bundle.to_vec())).zip(number).collect();
    let twin = |feature: &Feature| twins[feature.0 as usize];
    set.bundles()
        .map(|bundle| known.get(&sorted(bundle.iter().map(twin).collect())).copied())
        .collect()
}

/// The features that the atoms of a block make true.
type Block = HashMap<Atom, u32>;

/// Pairs of a feature of one block and one of the other that are true together
/// for the two sides, if every feature of either is in one pair.
fn matched(block: &Block, other: &Block) -> Option<HashMap<u32, u32>> {
    if block.len() != other.len() {
        return None;
    }
    let (mut pairs, mut back) = (HashMap::new(), HashMap::new());
    for (atom, &seen) in block {
        let &twin = other.get(&atom.flipped())?;
        let is_one =
            *pairs.entry(seen).or_insert(twin) == twin && *back.entry(twin).or_insert(seen) == seen;
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

    fn twins(expression: &str) -> Option<Twins> {
        Twins::of(&FeatureSet::parse(expression).unwrap())
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
    /// alone, ranks that are told apart for one side only, no atoms.
    const WITHOUT: [&str; 6] = [
        "KING-ALL",
        "D1",
        "piece(SQUARES * ROLES * {own})",
        "piece(RANKS / [0, 0, 1, 2, 3, 4, 5, 6] * PIECES)",
        "mirror(ALL)",
        "ALL + CASTLING",
    ];

    #[test]
    fn only_sets_that_have_twins_have_them() {
        for expression in WITH {
            assert!(twins(expression).is_some(), "{expression}");
        }
        for expression in WITHOUT {
            assert!(twins(expression).is_none(), "{expression}");
        }
    }

    proptest! {
        #[test]
        fn twins_are_true_together(start in 0..STARTS.len(), seed in any::<u64>()) {
            let games = random_game(start, seed, 40);
            for expression in WITH {
                let set = FeatureSet::parse(expression).unwrap();
                let twins = Twins::of(&set).unwrap();
                let sees = |position: &Position, perspective| {
                    let mut active: Vec<Feature> = Vec::new();
                    set.active(&Scene::from(position), perspective, &mut active);
                    active
                };
                for (position, _) in games.iter().step_by(5) {
                    let mut black = sees(position, Color::Black);
                    let mut white = sees(position, Color::White);
                    white.iter_mut().for_each(|feature| *feature = twins.twin(*feature));
                    black.sort_unstable();
                    white.sort_unstable();
                    prop_assert_eq!(white, black, "{} {}", expression, position);
                }
            }
        }
    }
}
