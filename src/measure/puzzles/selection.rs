//! Selections of puzzles from a file.
//!
//! A file of millions of rows is read once, with only the current selection in memory.
//! [`Criteria`] define the eligible puzzles, [`Strata`] the number of each kind. Every puzzle has
//! a lot, a hash of the seed and its id, and each stratum takes the puzzles with the lowest lots.
//! So a selection depends neither on the order of the file nor on its other puzzles, one of 100 is
//! part of one of 1,000, and a puzzle of several strata counts for all of them.

mod criteria;
mod preset;
mod reservoir;
mod selector;

use std::fmt;

pub use criteria::Criteria;
pub use preset::Preset;
pub use selector::SelectionCounts;
pub(crate) use selector::{Selected, Selector};

/// A selection from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Conditions of eligible puzzles.
    pub criteria: Criteria,
    /// Number of each kind.
    pub strata: Strata,
    /// Seed of the lots.
    pub seed: u64,
}

/// Number of puzzles drawn from each stratum. A selection is the union of all draws; without any
/// number it has all puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strata {
    /// Of all eligible ones.
    pub count: Option<usize>,
    /// Of each range of ratings. Unrated puzzles are in none.
    pub per_bucket: Option<usize>,
    /// Rating points that a range spans.
    pub bucket_width: u32,
    pub per_theme: Option<usize>,
}

impl Strata {
    fn is_everything(&self) -> bool {
        [self.count, self.per_bucket, self.per_theme] == [None; 3]
    }
}

impl Default for Strata {
    fn default() -> Self {
        Self { count: None, per_bucket: None, bucket_width: 200, per_theme: None }
    }
}

/// Options of `oplus puzzles select` that repeat the selection:
/// `--min-rating 1000 --per-bucket 500 --seed 1`; `all` if nothing is left out.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut options = self.criteria.options();
        let strata = &self.strata;
        let mut number = |name: &str, value: Option<usize>| {
            options.extend(value.map(|value| format!("--{name} {value}")));
        };
        number("count", strata.count);
        number("per-bucket", strata.per_bucket);
        number("bucket", strata.per_bucket.map(|_| strata.bucket_width as usize));
        number("per-theme", strata.per_theme);
        if !strata.is_everything() {
            options.push(format!("--seed {}", self.seed));
        }
        match options.is_empty() {
            true => f.write_str("all"),
            false => f.write_str(&options.join(" ")),
        }
    }
}
