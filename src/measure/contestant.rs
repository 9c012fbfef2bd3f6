//! Who is compared: nets that differ by their seed only, and whom they meet.

use base::Key;

use crate::{Factor, Loss, Quantisation, Yardstick, label};
use arena::NetId;

/// A feature set with its layers, as nets of several seeds stand for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contestant {
    /// The feature expression as written, or another name.
    pub features: String,
    /// What else sets it apart; empty if nothing does.
    pub variant: String,
    /// Number of features.
    pub size: usize,
    /// What the grid varies, and what it has of that, the features first; empty outside grids.
    pub factors: Vec<Factor>,
    /// What the losses of its nets are measured by, where that is known.
    pub yardstick: Option<Yardstick>,
    /// Where it stands on a learning curve, if the number of positions is varied.
    pub taught: Option<Taught>,
    pub nets: Vec<Entrant>,
}

/// Whether nets learnt from many positions or few.
#[derive(Clone, Debug, PartialEq)]
pub struct Taught {
    /// The name it goes by, without the number of positions: what stands on one curve.
    pub series: String,
    /// The number that was asked for.
    pub asked: u64,
    /// The job that prepares them, whose result has the number there were.
    pub positions: Key,
}

/// One net.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// Seed of its training, where known.
    pub seed: Option<u64>,
    pub net: NetId,
    /// The job whose result tells of its training, if its result is at hand.
    pub trained: Option<Key>,
    /// Where it lies, for people.
    pub file: Option<String>,
    /// The loss that is to be measured, where there are positions for it.
    pub loss: Option<Loss>,
    /// Likewise what quantisation changed.
    pub quantisation: Option<Quantisation>,
}

impl Entrant {
    /// Of which nothing is known but what it is.
    pub fn new(net: NetId) -> Self {
        Self { seed: None, net, trained: None, file: None, loss: None, quantisation: None }
    }
}

impl Contestant {
    /// Of which nothing is known but its features and its nets.
    pub fn new(features: String, size: usize, nets: Vec<Entrant>) -> Self {
        let (variant, factors) = (String::new(), Vec::new());
        Self { features, variant, size, factors, yardstick: None, taught: None, nets }
    }

    /// The name it goes by.
    pub fn label(&self) -> String {
        label(&self.features, &self.variant)
    }

    /// Which of its nets meets which of another contestant's: those of the same
    /// seed if each has one, else all of both in turn, so that no net's luck
    /// stands for its set.
    pub(crate) fn meetings(&self, other: &Self) -> Vec<(usize, usize)> {
        let seed_of = |net: &Entrant| net.seed;
        let has_seeds = |one: &Self| one.nets.iter().all(|net| net.seed.is_some());
        let twin = |net: &Entrant| other.nets.iter().position(|twin| seed_of(twin) == seed_of(net));
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

    /// The meetings with another, taken together by the net of whoever has fewer: one net
    /// that meets three is one net, and its luck is in all three.
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

    fn contestant(seeds: &[Option<u64>]) -> Contestant {
        let net = |&seed: &Option<u64>| Entrant { seed, ..Entrant::new(NetId::Pesto) };
        Contestant::new("ALL".to_owned(), 768, seeds.iter().map(net).collect())
    }

    #[test]
    fn nets_of_one_seed_meet_and_others_take_turns() {
        let (three, shuffled) =
            (contestant(&[Some(1), Some(2), Some(3)]), contestant(&[Some(3), Some(1), Some(2)]));
        assert_eq!(three.meetings(&shuffled), [(0, 1), (1, 2), (2, 0)]);
        let two = contestant(&[Some(3), Some(1)]);
        assert_eq!(three.meetings(&two), [(0, 1), (2, 0)], "a seed that failed meets nobody");
        let file = contestant(&[None]);
        assert_eq!(file.meetings(&three), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!(three.meetings(&file), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(file.meetings(&file), [(0, 0)]);
        assert_eq!(file.meetings(&contestant(&[])), []);
    }

    #[test]
    fn one_net_is_one_net_however_many_it_meets() {
        let (three, file) = (contestant(&[Some(1), Some(2), Some(3)]), contestant(&[None]));
        let found = |own: &Contestant, other: &Contestant| {
            let meetings = own.meetings(other).into_iter().map(|meeting| (meeting, meeting));
            own.independent(other, meetings.collect()).len()
        };
        assert_eq!([found(&file, &three), found(&three, &file), found(&three, &three)], [1, 1, 3]);
    }
}
