//! How often features are active.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::{Feature, FeatureSet, Possibilities, Sink};
use chess::{Color, Position, Scene};

/// How often each feature was active, over positions seen by both sides.
#[derive(Clone, Debug)]
pub struct Frequencies {
    features: Arc<FeatureSet>,
    views: u64,
    /// Active features per summand, over all views.
    active: Vec<u64>,
    /// Views in which a feature was active. Features never seen have no entry,
    /// so that a set of a billion costs no memory.
    seen: HashMap<u32, u64>,
}

/// Counts features one by one.
struct FeatureCounter<'a> {
    seen: &'a mut HashMap<u32, u64>,
    active: u64,
}

impl Sink for FeatureCounter<'_> {
    fn push(&mut self, index: u32, _value: f32) {
        *self.seen.entry(index).or_default() += 1;
        self.active += 1;
    }
}

impl Frequencies {
    /// Nothing counted yet.
    pub fn new(features: Arc<FeatureSet>) -> Self {
        let active = vec![0; features.summands().len()];
        Self { features, views: 0, active, seen: HashMap::new() }
    }

    /// Counts a position, from both perspectives.
    pub fn record(&mut self, position: &Position) {
        let scene = Scene::from(position);
        for perspective in Color::ALL {
            self.views += 1;
            for (part, active) in self.features.parts().zip(&mut self.active) {
                let mut counter = FeatureCounter { seen: &mut self.seen, active: 0 };
                part.active(&scene, perspective, &mut counter);
                *active += counter.active;
            }
        }
    }

    /// Adds the counts of another counter of the same set.
    pub fn merge(&mut self, other: Self) {
        debug_assert_eq!(self.features.canonical(), other.features.canonical());
        self.views += other.views;
        self.active.iter_mut().zip(other.active).for_each(|(sum, more)| *sum += more);
        for (index, count) in other.seen {
            *self.seen.entry(index).or_default() += count;
        }
    }

    /// The set.
    pub fn features(&self) -> &Arc<FeatureSet> {
        &self.features
    }

    /// Positions times two: each is seen by both sides.
    pub fn views(&self) -> u64 {
        self.views
    }

    /// Mean number of active features of each summand per view; 0 without any.
    pub fn mean_active(&self) -> Vec<f64> {
        self.active.iter().map(|&sum| sum as f64 / self.views.max(1) as f64).collect()
    }

    /// Share of the views in which a feature was active, 0 to 1.
    pub fn share(&self, feature: Feature) -> f64 {
        self.count(feature.0) as f64 / self.views.max(1) as f64
    }

    fn count(&self, index: u32) -> u64 {
        self.seen.get(&index).copied().unwrap_or(0)
    }

    /// How many features of a range of indices were active in no view.
    pub fn never_seen(&self, range: &Range<usize>) -> usize {
        range.len() - self.seen.keys().filter(|&&index| range.contains(&(index as usize))).count()
    }

    /// At most `count` features of a range that are possible but were never active, spread over the
    /// range.
    pub fn examples(
        &self,
        range: &Range<usize>,
        possible: &Possibilities,
        count: usize,
    ) -> Vec<Feature> {
        let is_one = |&index: &u32| self.count(index) == 0 && possible.is_possible(index);
        let step = range.len().div_ceil(count.max(1)).max(1);
        let stretches = range.clone().step_by(step).take(count);
        let first = |start: usize| {
            (start..(start + step).min(range.end)).map(|index| index as u32).find(is_one)
        };
        stretches.filter_map(first).map(Feature).collect()
    }

    /// How many features of a range fall into each decade of frequency.
    pub fn histogram(&self, range: &Range<usize>) -> [usize; Decade::ALL.len()] {
        let mut histogram = [0; Decade::ALL.len()];
        histogram[Decade::Never as usize] = self.never_seen(range);
        for (&index, &count) in &self.seen {
            if range.contains(&(index as usize)) {
                histogram[Decade::of(count, self.views) as usize] += 1;
            }
        }
        histogram
    }

    /// The `count` most frequent features, most frequent first, equal ones in
    /// index order; fewer if fewer were ever active.
    pub fn top(&self, count: usize) -> Vec<Feature> {
        let mut seen: Vec<(u32, u64)> = self.seen.iter().map(|(&i, &n)| (i, n)).collect();
        seen.sort_unstable_by_key(|&(index, count)| (Reverse(count), index));
        seen.into_iter().take(count).map(|(index, _)| Feature(index)).collect()
    }
}

/// How frequent a feature is, by powers of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decade {
    /// In no view.
    Never,
    /// In less than one view of 10,000.
    Below10000th,
    /// In less than one of 1,000.
    Below1000th,
    /// In less than one of 100.
    Below100th,
    /// In less than one of ten.
    Below10th,
    /// In one of ten or more.
    Tenth,
}

impl Decade {
    /// From never to always.
    pub const ALL: [Decade; 6] = [
        Decade::Never,
        Decade::Below10000th,
        Decade::Below1000th,
        Decade::Below100th,
        Decade::Below10th,
        Decade::Tenth,
    ];

    fn of(count: u64, views: u64) -> Self {
        let below = |share: u64| count * share < views;
        match count {
            0 => Decade::Never,
            _ if below(10_000) => Decade::Below10000th,
            _ if below(1_000) => Decade::Below1000th,
            _ if below(100) => Decade::Below100th,
            _ if below(10) => Decade::Below10th,
            _ => Decade::Tenth,
        }
    }

    /// Shares of the views, for people.
    pub fn words(self) -> &'static str {
        match self {
            Decade::Never => "never",
            Decade::Below10000th => "below 0.01 %",
            Decade::Below1000th => "0.01 to 0.1 %",
            Decade::Below100th => "0.1 to 1 %",
            Decade::Below10th => "1 to 10 %",
            Decade::Tenth => "10 % or more",
        }
    }
}
