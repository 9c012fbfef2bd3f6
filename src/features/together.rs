//! Upper bounds on features that are active together.
//!
//! A square holds one piece, and a king stands on one square: only one of the features that need it
//! can be active. The quantiser bounds sums of weights by this, so that it need not allow for 32
//! queens on one square.

use std::collections::BTreeMap;
use std::ops::Range;

use super::block::Block;
use super::predicate::minimal_cause::MinimalCause;
use super::predicate::relation::Relation;
use super::set::SetPart;

/// Features with few active ones. They may come in several copies, only one with active features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Together {
    /// Where the copies begin.
    pub copies: Vec<u32>,
    /// Features of a copy, from its beginning.
    pub groups: Groups,
    /// Most groups with an active feature.
    pub most: usize,
}

/// Groups of features with at most one active feature each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Groups {
    /// Every feature is a group of its own.
    Single(Range<u32>),
    /// Features that exclude each other.
    Exclusive(Vec<Vec<u32>>),
}

impl Groups {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Single(features) => features.len(),
            Self::Exclusive(groups) => groups.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The features of a group.
    pub fn of(&self, group: usize) -> impl Iterator<Item = u32> {
        let (single, exclusive) = match self {
            Self::Single(features) => (Some(features.start + group as u32), &[][..]),
            Self::Exclusive(groups) => (None, &*groups[group]),
        };
        single.into_iter().chain(exclusive.iter().copied())
    }
}

impl SetPart<'_> {
    /// Bounds on the active features of this summand.
    pub fn together(&self) -> Vec<Together> {
        let summand = self.summand();
        let blocks: Option<Vec<Together>> =
            self.blocks().iter().map(|block| of_block(block, summand.max_active)).collect();
        blocks.unwrap_or_else(|| {
            let features = summand.offset as u32..(summand.offset + summand.size) as u32;
            let groups = Groups::Single(features);
            vec![Together { copies: vec![0], groups, most: summand.max_active }]
        })
    }
}

/// The bound for a block of pieces with distinct squares, for every square of a king or for none;
/// `None` of other blocks.
fn of_block(block: &Block, most: usize) -> Option<Together> {
    let mut squares: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (cause, feature) in block.copy_causes()? {
        let MinimalCause::Mark(Relation::Stands, square, _) = cause else { return None };
        squares.entry(square).or_default().push(feature);
    }
    let groups: Vec<Vec<u32>> = squares.into_values().collect();
    let mut features: Vec<u32> = groups.concat();
    features.sort_unstable();
    // Two kinds of pieces may share a feature, but not two squares.
    let of_squares = groups.iter().map(|group| distinct(group)).sum::<usize>();
    features.dedup();
    if features.len() < of_squares {
        return None;
    }
    let most = most.min(groups.len());
    Some(Together { copies: block.copies(), groups: Groups::Exclusive(groups), most })
}

fn distinct(features: &[u32]) -> usize {
    let mut features = features.to_vec();
    features.sort_unstable();
    features.dedup();
    features.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalogue::CATALOGUE;
    use crate::tests::laws::{STARTS, random_game};
    use crate::{Feature, FeatureSet};
    use chess::{Color, Scene};

    /// Whether the active features keep the bound.
    fn keeps(together: &Together, active: &[u32]) -> bool {
        let of_copy = |start: u32| {
            let lit = (0..together.groups.len())
                .map(|group| {
                    let mut features: Vec<u32> = together.groups.of(group).collect();
                    features.sort_unstable();
                    features.dedup();
                    features.into_iter().filter(|f| active.contains(&(start + f))).count()
                })
                .filter(|&count| count > 0)
                .collect::<Vec<_>>();
            assert!(lit.iter().all(|&count| count == 1), "two of a group");
            lit.len()
        };
        let lit: Vec<usize> = together.copies.iter().map(|&start| of_copy(start)).collect();
        lit.iter().filter(|&&count| count > 0).count() <= 1
            && lit.iter().sum::<usize>() <= together.most
    }

    #[test]
    fn a_square_holds_one_piece_and_a_king_stands_once() {
        let together = |text: &str| {
            let set = FeatureSet::parse(text).unwrap();
            let part = set.parts().next().unwrap();
            part.together().remove(0)
        };
        let all = together("ALL");
        assert_eq!((all.copies.len(), all.groups.len(), all.most), (1, 64, 32));
        let king_all = together("KING-ALL");
        assert_eq!((king_all.copies.len(), king_all.groups.len(), king_all.most), (64, 64, 32));
        let lines = together("H");
        assert_eq!((lines.copies.len(), lines.groups.clone()), (1, Groups::Single(0..96)));
        assert_eq!(together("HALF-KA-HM").copies.len(), 32);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn positions_keep_it(start in 0..STARTS.len(), seed in any::<u64>()) {
            let game = random_game(start, seed, 60);
            let names = CATALOGUE.iter().map(|set| FeatureSet::parse(set.name).unwrap());
            // Sets of other kinds have only their maximum.
            for set in names.filter(|set| !set.is_valued() && set.size() < 60_000) {
                for (position, _) in game.iter().skip(10).step_by(25) {
                    for part in set.parts() {
                        let mut active: Vec<Feature> = Vec::new();
                        part.active(&Scene::from(position), Color::Black, &mut active);
                        let active: Vec<u32> = active.iter().map(|feature| feature.0).collect();
                        for together in part.together() {
                            prop_assert!(keeps(&together, &active), "{} {position}", set.expression());
                        }
                    }
                }
            }
        }
    }
}
