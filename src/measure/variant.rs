//! Variants: nets that differ only in their seed, and the pairings of their matches.

use serde::{Deserialize, Serialize};

use base::Key;

use crate::{GridFactor, HeldOutSplit, Quantisation, ValidationLoss, label};
use arena::NetId;

/// A feature set with layers and settings, as nets of several seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// The feature expression as written, or another name.
    pub features: String,
    /// Other settings that the grid varies, as text.
    pub variant: String,
    /// Number of features.
    pub size: usize,
    /// Levels on the axes of the grid, the features first; empty outside grids.
    pub factors: Vec<GridFactor>,
    /// Held-out split and targets of its losses, where they are known.
    pub held_out_split: Option<HeldOutSplit>,
    /// Its place on a learning curve, where the grid varies the number of positions.
    pub data_size: Option<DataSize>,
    pub nets: Vec<VariantNet>,
}

/// Number of training positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataSize {
    /// Label without the number of positions: the name of the curve.
    pub series: String,
    /// The requested number.
    pub requested: u64,
    /// Key of the job that prepares them; its result has the actual number.
    pub positions: Key,
}

/// One net.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantNet {
    /// Seed of its training, where known.
    pub seed: Option<u64>,
    pub net: NetId,
    /// The training job, where its result is known.
    pub trained: Option<Key>,
    /// Path of the file, for people.
    pub file: Option<String>,
    /// The measurement of its loss, where there are positions.
    pub loss: Option<ValidationLoss>,
    /// The measurement of its quantisation error.
    pub quantisation: Option<Quantisation>,
}

impl VariantNet {
    /// A net without training record.
    pub fn new(net: NetId) -> Self {
        Self { seed: None, net, trained: None, file: None, loss: None, quantisation: None }
    }
}

impl Variant {
    /// A variant outside grids.
    pub fn new(features: String, size: usize, nets: Vec<VariantNet>) -> Self {
        let (variant, factors) = (String::new(), Vec::new());
        Self { features, variant, size, factors, held_out_split: None, data_size: None, nets }
    }

    /// Label for people.
    pub fn label(&self) -> String {
        label(&self.features, &self.variant)
    }

    /// Pairs of nets of two variants: nets of the same seed if all have one, otherwise all nets in
    /// turn, so that no single net stands for its set.
    pub fn meetings(&self, other: &Self) -> Vec<(usize, usize)> {
        let seed_of = |net: &VariantNet| net.seed;
        let has_seeds = |one: &Self| one.nets.iter().all(|net| net.seed.is_some());
        let twin =
            |net: &VariantNet| other.nets.iter().position(|twin| seed_of(twin) == seed_of(net));
        if has_seeds(self) && has_seeds(other) {
            let twins: Vec<(usize, usize)> =
                self.nets.iter().enumerate().filter_map(|(i, net)| Some((i, twin(net)?))).collect();
            if !twins.is_empty() {
                return twins;
            }
        }
        let (own, others) = (self.nets.len(), other.nets.len());
        match own.min(others) {
            0 => Vec::new(),
            _ => (0..own.max(others)).map(|turn| (turn % own, turn % others)).collect(),
        }
    }

    /// Matches with another variant, grouped by the nets of the side with fewer nets: the luck of a
    /// net is in all of its matches.
    pub(crate) fn independent<T>(
        &self,
        other: &Self,
        meetings: Vec<((usize, usize), T)>,
    ) -> Vec<Vec<T>> {
        let by_own = self.nets.len() <= other.nets.len();
        let mut groups: Vec<(usize, Vec<T>)> = Vec::new();
        for ((own, others), found) in meetings {
            let net = if by_own { own } else { others };
            match groups.iter_mut().find(|(known, _)| *known == net) {
                Some((_, group)) => group.push(found),
                None => groups.push((net, vec![found])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(seeds: &[Option<u64>]) -> Variant {
        let net = |&seed: &Option<u64>| VariantNet { seed, ..VariantNet::new(NetId::Pesto) };
        Variant::new("ALL".to_owned(), 768, seeds.iter().map(net).collect())
    }

    #[test]
    fn nets_of_one_seed_meet_and_others_take_turns() {
        let (three, shuffled) =
            (variant(&[Some(1), Some(2), Some(3)]), variant(&[Some(3), Some(1), Some(2)]));
        assert_eq!(three.meetings(&shuffled), [(0, 1), (1, 2), (2, 0)]);
        let two = variant(&[Some(3), Some(1)]);
        assert_eq!(three.meetings(&two), [(0, 1), (2, 0)], "a seed that failed meets nobody");
        let file = variant(&[None]);
        assert_eq!(file.meetings(&three), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!(three.meetings(&file), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(file.meetings(&file), [(0, 0)]);
        assert_eq!(file.meetings(&variant(&[])), []);
    }

    #[test]
    fn one_net_is_one_net_however_many_it_meets() {
        let (three, file) = (variant(&[Some(1), Some(2), Some(3)]), variant(&[None]));
        let found = |own: &Variant, other: &Variant| {
            let meetings = own.meetings(other).into_iter().map(|meeting| (meeting, meeting));
            own.independent(other, meetings.collect()).len()
        };
        assert_eq!([found(&file, &three), found(&three, &file), found(&three, &three)], [1, 1, 3]);
    }
}
