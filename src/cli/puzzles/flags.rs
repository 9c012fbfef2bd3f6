//! Flags shared by `solve`, `select` and `epd`.

use std::num::NonZeroU64;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;

use crate::cli::Failure;
use engine::search::STACK_BYTES;
use measure::puzzles::{Preset, Selection, SolvingMode};

/// Selections with a name, as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PresetName {
    /// 500 per 200 rating points; rating deviation at most 90, popularity at
    /// least 80, at least 100 plays
    Standard,
    /// Lombardo's thesis: 100 per theme and per 100 rating points from
    /// 1000 to 2999, no mates, at least three legal moves; 100 ms per move
    Thesis,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Standard => Preset::Standard,
            PresetName::Thesis => Preset::Thesis,
        }
    }
}

/// Selection of puzzles.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Selection of puzzles")]
pub(super) struct SelectionFlags {
    /// Minimum rating
    #[arg(long, value_name = "RATING")]
    min_rating: Option<u32>,
    /// Maximum rating
    #[arg(long, value_name = "RATING")]
    max_rating: Option<u32>,
    /// Maximum rating deviation, in points
    #[arg(long, value_name = "POINTS")]
    max_deviation: Option<u32>,
    /// Minimum popularity, -100 to 100
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    min_popularity: Option<i32>,
    /// Minimum number of plays
    #[arg(long, value_name = "PLAYS")]
    min_plays: Option<u32>,
    /// Only puzzles with this theme (repeatable: with one of them)
    #[arg(long, value_name = "THEME")]
    theme: Vec<String>,
    /// No puzzles with this theme (repeatable)
    #[arg(long, value_name = "THEME")]
    without_theme: Vec<String>,
    /// Minimum number of legal moves in each position of the solver
    #[arg(long, value_name = "MOVES")]
    min_choice: Option<usize>,
    /// No solutions that end in mate
    #[arg(long)]
    without_mates: bool,
    /// Total number of puzzles
    #[arg(long, value_name = "PUZZLES")]
    count: Option<usize>,
    /// Puzzles per rating range
    #[arg(long, value_name = "PUZZLES")]
    per_bucket: Option<usize>,
    /// Width of a range in rating points [default: 200]
    #[arg(long, value_name = "POINTS", value_parser = RangedU64ValueParser::<u32>::new().range(1..=10_000))]
    bucket: Option<u32>,
    /// Puzzles per theme
    #[arg(long, value_name = "PUZZLES")]
    per_theme: Option<usize>,
    /// Seed of the draw [default: 1]
    #[arg(long)]
    seed: Option<u64>,
}

impl SelectionFlags {
    pub(super) fn is_empty(&self) -> bool {
        self.selection(None) == everything()
    }

    /// The preset, if there is one, changed by the flags.
    pub(super) fn selection(&self, preset: Option<PresetName>) -> Selection {
        let mut selection = preset.map_or(everything(), |name| Preset::from(name).selection());
        let criteria = &mut selection.criteria;
        replace(&mut criteria.min_rating, self.min_rating);
        replace(&mut criteria.max_rating, self.max_rating);
        replace(&mut criteria.max_deviation, self.max_deviation);
        replace(&mut criteria.min_popularity, self.min_popularity);
        replace(&mut criteria.min_plays, self.min_plays);
        replace(&mut criteria.min_choice, self.min_choice);
        criteria.themes.extend(self.theme.iter().cloned());
        let more =
            self.without_theme.iter().filter(|theme| !criteria.without_themes.contains(theme));
        let more: Vec<String> = more.cloned().collect();
        criteria.without_themes.extend(more);
        criteria.without_mates |= self.without_mates;
        let strata = &mut selection.strata;
        replace(&mut strata.count, self.count);
        replace(&mut strata.per_bucket, self.per_bucket);
        replace(&mut strata.per_theme, self.per_theme);
        strata.bucket_width = self.bucket.unwrap_or(strata.bucket_width);
        selection.seed = self.seed.unwrap_or(selection.seed);
        selection
    }
}

/// All puzzles; draws have the usual seed.
fn everything() -> Selection {
    Selection { seed: 1, ..Selection::default() }
}

fn replace<T>(value: &mut Option<T>, given: Option<T>) {
    if given.is_some() {
        *value = given;
    }
}

/// Limit of each move.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Limit per move")]
pub(super) struct ModeFlags {
    /// Nodes per move; 0 for one ply
    #[arg(long)]
    nodes: Option<u64>,
    /// Milliseconds per move
    #[arg(long, value_name = "MS")]
    movetime: Option<NonZeroU64>,
    /// No search: the evaluation after each legal move
    #[arg(long)]
    one_ply: bool,
}

impl ModeFlags {
    /// The mode of the flags, else that of the preset, else a number of nodes.
    pub(super) fn mode(&self, preset: Option<PresetName>, nodes: u64) -> SolvingMode {
        match (self.nodes, self.movetime) {
            _ if self.one_ply => SolvingMode::OnePly,
            (Some(nodes), _) => SolvingMode::of_nodes(nodes),
            (None, Some(ms)) => SolvingMode::Time(Duration::from_millis(ms.get())),
            (None, None) => {
                let usual = preset.and_then(|name| Preset::from(name).mode());
                usual.unwrap_or(SolvingMode::of_nodes(nodes))
            }
        }
    }
}

/// Number of threads: all cores by default, half of them where time counts, since searches must
/// not share cores.
pub(super) fn threads(requested: Option<usize>, mode: SolvingMode) -> usize {
    let cores = base::cores();
    requested.unwrap_or(if mode.is_timed() { cores / 2 } else { cores }).max(1)
}

/// Runs work on a pool of threads whose stacks hold a search.
pub(super) fn on_threads<R: Send>(
    threads: usize,
    work: impl FnOnce() -> R + Send,
) -> Result<R, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES);
    Ok(pool.build()?.install(work))
}
