//! Draws a selection from a stream of puzzles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use super::Selection;
use super::criteria::Rejection;
use super::reservoir::{Lot, Reservoir, SampledPuzzle};
use crate::puzzles::Puzzle;

/// Most themes remembered of a file; real files have fewer.
const MOST_THEMES: usize = 10_000;

/// Draws a selection in one pass over the puzzles.
#[derive(Debug)]
pub(crate) struct Selector {
    selection: Selection,
    counts: SelectionCounts,
    of_all: Option<Reservoir>,
    of_bucket: BTreeMap<u32, Reservoir>,
    of_theme: BTreeMap<String, Reservoir>,
}

/// Counts of the puzzles of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectionCounts {
    /// Puzzles read.
    pub seen: u64,
    /// Rejected puzzles, by the first condition that they fail.
    rejected: BTreeMap<Rejection, u64>,
    /// Every theme that occurs in the file.
    pub themes: BTreeSet<String>,
}

impl SelectionCounts {
    /// Puzzles that satisfy the criteria.
    pub fn eligible(&self) -> u64 {
        self.seen - self.rejected.values().sum::<u64>()
    }
}

/// `9 of 37 puzzles will do (left out: 20 rating, 8 themes)`.
impl fmt::Display for SelectionCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} puzzles meet the conditions", self.eligible(), self.seen)?;
        let of = |(rejection, count): (&Rejection, &u64)| format!("{count} {rejection}");
        let reasons: Vec<String> = self.rejected.iter().map(of).collect();
        match reasons.is_empty() {
            true => Ok(()),
            false => write!(f, " (dropped: {})", reasons.join(", ")),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Selected {
    /// In the order of the file.
    pub puzzles: Vec<Puzzle>,
    /// Counts over the whole file.
    pub counts: SelectionCounts,
}

impl Selector {
    pub(crate) fn new(selection: Selection) -> Self {
        let of_all = match selection.strata.is_everything() {
            true => Some(Reservoir::new(usize::MAX)),
            false => selection.strata.count.map(Reservoir::new),
        };
        Self {
            selection,
            counts: SelectionCounts::default(),
            of_all,
            of_bucket: BTreeMap::new(),
            of_theme: BTreeMap::new(),
        }
    }

    pub(crate) fn offer(&mut self, puzzle: Puzzle) {
        self.note_themes(&puzzle);
        let row = self.counts.seen;
        self.counts.seen += 1;
        if let Some(rejection) = self.selection.criteria.rejection(&puzzle) {
            *self.counts.rejected.entry(rejection).or_default() += 1;
            return;
        }
        self.draw(SampledPuzzle { row, puzzle });
    }

    fn note_themes(&mut self, puzzle: &Puzzle) {
        let known = &mut self.counts.themes;
        for theme in &puzzle.themes {
            if !known.contains(theme) && known.len() < MOST_THEMES {
                known.insert(theme.clone());
            }
        }
    }

    /// Offers a candidate to each of its strata.
    fn draw(&mut self, candidate: SampledPuzzle) {
        let lot = lot(self.selection.seed, &candidate.puzzle);
        let candidate = Rc::new(candidate);
        let strata = &self.selection.strata;
        let keep = |reservoir: &mut Reservoir| {
            if reservoir.wants(lot) {
                reservoir.keep(lot, candidate.clone());
            }
        };
        self.of_all.iter_mut().for_each(keep);
        if let (Some(count), Some(rating)) = (strata.per_bucket, candidate.puzzle.rating) {
            let bucket = rating / strata.bucket_width.max(1);
            keep(self.of_bucket.entry(bucket).or_insert_with(|| Reservoir::new(count)));
        }
        for theme in candidate.puzzle.themes.iter().filter(|_| strata.per_theme.is_some()) {
            if !self.of_theme.contains_key(theme) {
                let count = strata.per_theme.unwrap_or_default();
                self.of_theme.insert(theme.clone(), Reservoir::new(count));
            }
            self.of_theme.get_mut(theme).into_iter().for_each(keep);
        }
    }

    /// Number of puzzles in all reservoirs, counted once per reservoir.
    #[cfg(test)]
    fn held(&self) -> usize {
        let reservoirs =
            self.of_all.iter().chain(self.of_bucket.values()).chain(self.of_theme.values());
        reservoirs.map(Reservoir::len).sum()
    }

    /// The selection, at the end of the file.
    pub(crate) fn finish(self) -> Selected {
        let of_all = self.of_all.into_iter().flat_map(Reservoir::into_kept);
        let of_bucket = self.of_bucket.into_values().flat_map(Reservoir::into_kept);
        let of_theme = self.of_theme.into_values().flat_map(Reservoir::into_kept);
        let chosen = of_all.chain(of_bucket).chain(of_theme);
        let by_row: BTreeMap<u64, Rc<SampledPuzzle>> =
            chosen.map(|candidate| (candidate.row, candidate)).collect();
        let puzzle = |candidate: Rc<SampledPuzzle>| Rc::unwrap_or_clone(candidate).puzzle;
        Selected { puzzles: by_row.into_values().map(puzzle).collect(), counts: self.counts }
    }
}

/// Drawn from the seed and the id; from the position where there is no id.
fn lot(seed: u64, puzzle: &Puzzle) -> Lot {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    match puzzle.id.is_empty() {
        true => hasher.update(puzzle.start.fen().as_bytes()),
        false => hasher.update(puzzle.id.as_bytes()),
    };
    let mut bytes = [0; size_of::<Lot>()];
    hasher.finalize_xof().fill(&mut bytes);
    Lot::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::puzzles::selection::{Criteria, Strata};
    use chess::Position;

    const THEMES: [&str; 4] = ["fork", "pin", "mate", "zugzwang"];

    /// Puzzles with shifting ratings and themes, all of one position.
    fn puzzles(kinds: &[(Option<u32>, u8)]) -> Vec<Puzzle> {
        let one = |(i, &(rating, themes)): (usize, &(Option<u32>, u8))| Puzzle {
            rating,
            themes: (0..4)
                .filter(|bit| themes & (1 << bit) != 0)
                .map(|bit| THEMES[bit].to_owned())
                .collect(),
            ..Puzzle::new(format!("p{i}"), Position::default(), Vec::new())
        };
        kinds.iter().enumerate().map(one).collect()
    }

    fn select(puzzles: &[Puzzle], selection: &Selection) -> Vec<String> {
        let mut selector = Selector::new(selection.clone());
        puzzles.iter().cloned().for_each(|puzzle| selector.offer(puzzle));
        selector.finish().puzzles.into_iter().map(|puzzle| puzzle.id).collect()
    }

    fn kinds() -> impl Strategy<Value = Vec<(Option<u32>, u8)>> {
        let rating = prop_oneof![1 => Just(None), 9 => (400..2_000u32).prop_map(Some)];
        prop::collection::vec((rating, 0..16u8), 0..120)
    }

    fn strata() -> impl Strategy<Value = Strata> {
        let few = || prop::option::of(0..12usize);
        (few(), few(), few(), 1..600u32).prop_map(|(count, per_bucket, per_theme, bucket_width)| {
            Strata { count, per_bucket, bucket_width, per_theme }
        })
    }

    proptest! {
        /// Every kind has the requested number of puzzles, or all that exist; reservoirs never hold
        /// more.
        #[test]
        fn every_kind_is_served(kinds in kinds(), strata in strata(), seed: u64) {
            let puzzles = puzzles(&kinds);
            let selection = Selection { strata, seed, ..Selection::default() };
            let mut selector = Selector::new(selection);
            let is_everything = strata.is_everything();
            for puzzle in puzzles.clone() {
                selector.offer(puzzle);
                let [count, per_bucket, per_theme] =
                    [strata.count, strata.per_bucket, strata.per_theme].map(Option::unwrap_or_default);
                let buckets = selector.of_bucket.len();
                let most = count + per_bucket * buckets + per_theme * THEMES.len();
                prop_assert!(is_everything || selector.held() <= most);
            }
            let chosen = selector.finish().puzzles;
            let check = |wanted: Option<usize>, is_of_kind: &dyn Fn(&Puzzle) -> bool| {
                let of = |puzzles: &[Puzzle]| puzzles.iter().filter(|p| is_of_kind(p)).count();
                wanted.is_none_or(|wanted| of(&chosen) >= wanted.min(of(&puzzles)))
            };
            prop_assert!(check(strata.count, &|_| true));
            for theme in THEMES {
                prop_assert!(check(strata.per_theme, &|p| p.themes.iter().any(|t| t == theme)));
            }
            let bucket = |p: &Puzzle| p.rating.map(|rating| rating / strata.bucket_width);
            for one in puzzles.iter().filter_map(bucket) {
                prop_assert!(check(strata.per_bucket, &|p| bucket(p) == Some(one)));
            }
            if is_everything {
                prop_assert_eq!(chosen.len(), puzzles.len());
            }
        }

        /// A single kind has exactly the requested number of puzzles.
        #[test]
        fn one_kind_is_not_overserved(kinds in kinds(), per_bucket in 0..12usize, seed: u64) {
            let strata = Strata { per_bucket: Some(per_bucket), ..Strata::default() };
            let puzzles = puzzles(&kinds);
            let chosen = select(&puzzles, &Selection { strata, seed, ..Selection::default() });
            let mut sizes = BTreeMap::<u32, usize>::new();
            for rating in puzzles.iter().filter_map(|puzzle| puzzle.rating) {
                *sizes.entry(rating / 200).or_default() += 1;
            }
            prop_assert_eq!(chosen.len(), sizes.values().map(|&n| n.min(per_bucket)).sum::<usize>());
        }

        /// The order of the file, and rows that come twice, change nothing.
        #[test]
        fn the_order_of_the_file_does_not_matter(
            kinds in kinds(), strata in strata(), seed: u64, turn in 0..120usize,
        ) {
            let puzzles = puzzles(&kinds);
            let selection = Selection { strata, seed, ..Selection::default() };
            let mut turned = puzzles.clone();
            turned.rotate_left(turn.min(puzzles.len()));
            turned.extend(puzzles.iter().take(turn).cloned());
            let sorted = |mut ids: Vec<String>| { ids.sort(); ids };
            let (there, here) = (select(&turned, &selection), select(&puzzles, &selection));
            prop_assert_eq!(sorted(there), sorted(here));
        }

        /// A smaller selection is part of a larger one.
        #[test]
        fn selections_are_nested(kinds in kinds(), few in 0..10usize, more in 0..10usize, seed: u64) {
            let puzzles = puzzles(&kinds);
            let of = |n| {
                let strata =
                    Strata { per_bucket: Some(n), per_theme: Some(n), ..Strata::default() };
                select(&puzzles, &Selection { strata, seed, ..Selection::default() })
            };
            let larger = of(few + more);
            prop_assert!(of(few).iter().all(|id| larger.contains(id)));
        }
    }

    #[test]
    fn the_seed_decides_and_every_puzzle_has_its_chance() {
        let puzzles = puzzles(&[(Some(1_000), 1); 20]);
        let mut times = BTreeMap::<String, u32>::new();
        for seed in 0..2_000 {
            let strata = Strata { count: Some(5), ..Strata::default() };
            for id in select(&puzzles, &Selection { strata, seed, ..Selection::default() }) {
                *times.entry(id).or_default() += 1;
            }
        }
        // 500 expected each; five standard deviations of a binomial.
        assert_eq!(times.len(), 20);
        assert!(times.values().all(|&n| n.abs_diff(500) < 97), "{times:?}");
    }

    #[test]
    fn counts_name_the_reasons_of_rejections() {
        let criteria = Criteria {
            min_rating: Some(1_000),
            themes: vec!["fork".to_owned()],
            ..Criteria::default()
        };
        let selection = Selection { criteria, ..Selection::default() };
        let mut selector = Selector::new(selection);
        let kinds = [(Some(999), 1), (None, 1), (Some(1_000), 2), (Some(1_000), 3)];
        puzzles(&kinds).into_iter().for_each(|puzzle| selector.offer(puzzle));
        let Selected { puzzles, counts } = selector.finish();
        assert_eq!(puzzles.len(), 1);
        assert_eq!(
            counts.to_string(),
            "1 of 4 puzzles meet the conditions (dropped: 2 rating, 1 themes)"
        );
        assert_eq!(counts.themes.iter().collect::<Vec<_>>(), ["fork", "pin"]);
    }
}
