//! Selections with a name.

use std::time::Duration;

use super::{Criteria, Selection, Strata};
use crate::puzzles::SolvingMode;

/// A named selection with its solving mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Well tested puzzles, equally many of each range of ratings.
    Standard,
    /// The protocol of Lombardo's thesis *Feature set analysis for chess NNUE
    /// networks* (UBA 2024): 100 of each theme and of each 100 rating points
    /// from 1000 to 2999, no mates, more than two legal moves in every position
    /// with the solver to move, 100 ms per move, counted by moves. Its file of 1,000
    /// each needs `--per-theme 1000 --per-bucket 1000`.
    Thesis,
}

impl Preset {
    /// Selection of the preset.
    pub fn selection(self) -> Selection {
        match self {
            Self::Standard => Selection {
                criteria: Criteria {
                    max_deviation: Some(90),
                    min_popularity: Some(80),
                    min_plays: Some(100),
                    ..Criteria::default()
                },
                strata: Strata { per_bucket: Some(500), ..Strata::default() },
                seed: 1,
            },
            Self::Thesis => Selection {
                criteria: Criteria {
                    min_rating: Some(1_000),
                    max_rating: Some(2_999),
                    without_themes: vec!["mate".to_owned(), "oneMove".to_owned()],
                    min_choice: Some(3),
                    without_mates: true,
                    ..Criteria::default()
                },
                strata: Strata {
                    per_bucket: Some(100),
                    bucket_width: 100,
                    per_theme: Some(100),
                    count: None,
                },
                seed: 1,
            },
        }
    }

    /// Solving mode of the preset; `None` if it sets none.
    pub fn mode(self) -> Option<SolvingMode> {
        match self {
            Self::Standard => None,
            Self::Thesis => Some(SolvingMode::Time(Duration::from_millis(100))),
        }
    }
}
