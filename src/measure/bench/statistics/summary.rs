//! Figures from the counts.

use std::ops::Range;

use serde::Serialize;

use features::statistics::{Decade, MoveSums, Seats};
use features::{Feature, Frequencies, MoveCounts, Possibilities, Summand};

/// Examples of dead features given for each block.
const EXAMPLES: usize = 3;

/// Figures of a feature set.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub expression: String,
    /// Positions counted; each is seen from both perspectives.
    pub positions: u64,
    /// Legal moves counted.
    pub legal_moves: u64,
    /// Moves of searches counted; 0 if none were made.
    pub searched_moves: u64,
    /// The summands as written.
    pub blocks: Vec<BlockSummary>,
    /// The whole set.
    pub total: BlockSummary,
}

/// Figures of a summand or of the whole set.
#[derive(Clone, Debug, Serialize)]
pub struct BlockSummary {
    /// As written; `total` for the whole set.
    pub name: String,
    /// Index of its first feature.
    pub offset: usize,
    /// Number of features.
    pub size: usize,
    /// Largest number of its features active for one side.
    pub max_active: usize,
    /// Mean number of active features per perspective.
    pub active: f64,
    /// Per legal move.
    pub legal: MoveSummary,
    /// Per move of a search; `None` if none were made.
    pub searched: Option<MoveSummary>,
    /// How often its features are active.
    #[serde(flatten)]
    pub activity: Activity,
}

/// How often the features of a block are active.
#[derive(Clone, Debug, Serialize)]
pub struct Activity {
    /// Features active in no position counted.
    pub never_active: usize,
    /// Features that no position can show; `None` if they are too many to be
    /// looked at one by one.
    pub impossible: Option<usize>,
    /// A few that might have been active and were not.
    pub never_active_examples: Vec<DeadFeature>,
    /// How many features are how frequent.
    pub histogram: Vec<Bar>,
}

#[derive(Clone, Debug, Serialize)]
pub struct DeadFeature {
    pub index: u32,
    pub says: String,
}

/// A bar of the histogram.
#[derive(Clone, Debug, Serialize)]
pub struct Bar {
    /// Share of the positions, both perspectives of each.
    pub share: &'static str,
    pub features: usize,
}

/// Means per move: over both perspectives, and each alone.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MoveSummary {
    /// Over both perspectives.
    #[serde(flatten)]
    pub both: MoveMeans,
    /// Seen by the side that moves.
    pub mover: MoveMeans,
    /// Seen by the other side.
    pub other: MoveMeans,
}

/// Means per move and perspective.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MoveMeans {
    /// Active features after the move.
    pub active: f64,
    /// Rows added by a move that is no refresh.
    pub added: f64,
    /// Rows removed by a move that is no refresh.
    pub removed: f64,
    /// Rows changed by a move that is no refresh.
    pub rows: f64,
    /// Share of the moves that are a refresh.
    pub refreshes: f64,
}

impl MoveMeans {
    fn of(sums: &MoveSums) -> Self {
        Self {
            active: sums.mean_active(),
            added: sums.mean_added(),
            removed: sums.mean_removed(),
            rows: sums.mean_rows(),
            refreshes: sums.refresh_share(),
        }
    }
}

impl MoveSummary {
    fn of(seats: &Seats) -> Self {
        Self {
            both: MoveMeans::of(&seats.both()),
            mover: MoveMeans::of(&seats.mover),
            other: MoveMeans::of(&seats.other),
        }
    }
}

impl Activity {
    fn of(frequencies: &Frequencies, possible: &Possibilities, range: &Range<usize>) -> Self {
        let examples = frequencies.examples(range, possible, EXAMPLES).into_iter();
        let say = |feature: Feature| DeadFeature {
            index: feature.0,
            says: frequencies.features().describe(feature),
        };
        let bars = Decade::ALL.into_iter().zip(frequencies.histogram(range));
        Self {
            never_active: frequencies.never_seen(range),
            impossible: possible.count_impossible(range.clone()),
            never_active_examples: examples.map(say).collect(),
            histogram: bars
                .map(|(decade, features)| Bar { share: decade.words(), features })
                .collect(),
        }
    }

    /// All blocks together; examples stay with them.
    fn sum<'a>(blocks: impl Iterator<Item = &'a Activity> + Clone) -> Self {
        let features = |at: usize| blocks.clone().map(|block| block.histogram[at].features).sum();
        let bars = (0..).zip(Decade::ALL);
        Self {
            never_active: blocks.clone().map(|block| block.never_active).sum(),
            impossible: blocks.clone().map(|block| block.impossible).sum(),
            never_active_examples: Vec::new(),
            histogram: bars
                .map(|(at, decade)| Bar { share: decade.words(), features: features(at) })
                .collect(),
        }
    }
}

impl Summary {
    /// Summarises the counts of one set.
    pub fn new(
        frequencies: &Frequencies,
        legal: &MoveCounts,
        searched: Option<&MoveCounts>,
    ) -> Self {
        let features = frequencies.features();
        let active = frequencies.mean_active();
        let blocks = blocks(frequencies, &active, legal, searched);
        let total = BlockSummary {
            name: "total".to_owned(),
            offset: 0,
            size: features.size(),
            max_active: features.max_active(),
            active: active.iter().sum(),
            legal: MoveSummary::of(&legal.whole()),
            searched: searched.map(|counts| MoveSummary::of(&counts.whole())),
            activity: Activity::sum(blocks.iter().map(|block| &block.activity)),
        };
        Self {
            expression: features.expression().to_owned(),
            positions: frequencies.views() / 2,
            legal_moves: legal.moves(),
            searched_moves: searched.map_or(0, MoveCounts::moves),
            blocks,
            total,
        }
    }
}

fn blocks(
    frequencies: &Frequencies,
    active: &[f64],
    legal: &MoveCounts,
    searched: Option<&MoveCounts>,
) -> Vec<BlockSummary> {
    let features = frequencies.features();
    let possible = Possibilities::of(features.expr());
    let block = |(at, summand): (usize, &Summand)| BlockSummary {
        name: summand.text.clone(),
        offset: summand.offset,
        size: summand.size,
        max_active: summand.max_active,
        active: active[at],
        legal: MoveSummary::of(&legal.parts()[at]),
        searched: searched.map(|counts| MoveSummary::of(&counts.parts()[at])),
        activity: Activity::of(
            frequencies,
            &possible,
            &(summand.offset..summand.offset + summand.size),
        ),
    };
    features.summands().iter().enumerate().map(block).collect()
}
