//! The `[discover]` table: settings of a search for a better set than those of the grid.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::config::{Experiment, Scale};
use crate::read::names;
use crate::validate::ValidationError;
use discovery::{By, Candidate, GRAMMARS, Grammar};
use measure::expected_elo::EloSlopes;

/// The `[discover]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discover {
    /// Most rounds.
    pub rounds: NonZeroU32,
    /// Seed of the nets of the search; those of the grid judge the result.
    pub seed: u64,
    /// Grammar of candidates; `none` for those of `candidates` alone.
    pub grammar: String,
    /// More candidates.
    pub candidates: Vec<String>,
    /// Features of a set of the grammar at most.
    pub most_features: usize,
    /// Criterion by which candidates are chosen for training.
    pub by: By,
    /// Positions to screen on.
    pub screened: NonZeroU64,
    /// Centipawns that a weight of a screened candidate rarely exceeds.
    pub prior: f64,
    /// Candidates trained in a round.
    pub trained: usize,
    /// Shares of the training after which the better half of them goes on; the last is 1.
    pub stages: Vec<f64>,
    /// Shares of the rows that are tried when one is pruned, falling.
    pub keep: Vec<f64>,
    /// Share of its gain that pruning may cost.
    pub lose: f64,
    /// Sets of fewer features are not pruned.
    pub prune_from: usize,
    /// Prior of Elo per per cent of the loss at fixed nodes, before games are played.
    pub elo_per_percent: f64,
    /// Prior of Elo per doubling of the time of a node.
    pub elo_per_doubling: f64,
    /// Games of each test at most.
    pub games: NonZeroU64,
    /// Nodes a move in the first test, and of the holder in the second, at equal time.
    pub nodes: NonZeroU64,
    /// Elo under the alternative of both tests, where 0 is the other hypothesis.
    pub elo1: f64,
}

impl Default for Discover {
    fn default() -> Self {
        Self {
            rounds: const { NonZeroU32::new(3).unwrap() },
            seed: 1_000,
            grammar: "default".to_owned(),
            candidates: Vec::new(),
            most_features: 100_000,
            by: By::Pay,
            screened: const { NonZeroU64::new(500_000).unwrap() },
            prior: 20.0,
            trained: 4,
            stages: vec![0.5, 1.0],
            keep: vec![0.5, 0.25, 0.1],
            lose: 0.2,
            prune_from: 1_000,
            elo_per_percent: EloSlopes::MEASURED.per_percent,
            elo_per_doubling: EloSlopes::MEASURED.per_doubling,
            games: const { NonZeroU64::new(1_000).unwrap() },
            nodes: const { NonZeroU64::new(1_000).unwrap() },
            elo1: 10.0,
        }
    }
}

/// The word for no grammar.
const NONE: &str = "none";

impl Discover {
    /// The grammar that proposes candidates.
    pub fn grammar(&self) -> Option<&'static Grammar> {
        Grammar::named(&self.grammar)
    }

    /// Prior of Elo from loss and time per node.
    pub(crate) fn slopes(&self) -> EloSlopes {
        EloSlopes { per_percent: self.elo_per_percent, per_doubling: self.elo_per_doubling }
    }

    /// Multiplies games, and positions to no fewer than a batch.
    pub(crate) fn scale(&mut self, scale: Scale, batch: u64) {
        self.games = scale.of_some(self.games, 2);
        self.screened = scale.of_some(self.screened, batch);
    }
}

/// Checks the `[discover]` table, and that the other tables agree with it.
///
/// # Errors
/// The first key that does not.
pub(crate) fn check(experiment: &Experiment, discover: &Discover) -> Result<(), ValidationError> {
    let wrong =
        |path: &str, message: String, help: &str| Err(ValidationError::new(path, message, help));
    if let Some((path, help)) = foreign(experiment) {
        return wrong(path, format!("`{path}` does not go with `[discover]`"), help);
    }
    let grammar = &discover.grammar;
    if grammar != NONE && discover.grammar().is_none() {
        let known: Vec<&str> = GRAMMARS.iter().map(|grammar| grammar.name).collect();
        let message = format!("`{grammar}` is none of: {}, {NONE}", known.join(", "));
        return wrong("discover.grammar", message, "see docs/discovery.md");
    }
    if grammar == NONE && discover.candidates.is_empty() {
        let message = "no candidates".to_owned();
        let help = "give a grammar, or `candidates = [\"H\", \"V\"]`";
        return wrong("discover.grammar", message, help);
    }
    let names = names(experiment);
    for (at, text) in discover.candidates.iter().enumerate() {
        if let Err(error) = Candidate::compile(text, &names) {
            let path = format!("discover.candidates.{at}");
            return wrong(&path, format!("`{text}`: {error}"), "see docs/algebra.md");
        }
    }
    if experiment.grid.seed.contains(&discover.seed) {
        let seed = discover.seed;
        let message =
            format!("seed {seed} is one of the grid's, which are reserved for the verdict");
        return wrong("discover.seed", message, "choose another seed for the nets of the search");
    }
    check_numbers(discover)
}

/// Keys of an experiment that a search for sets cannot have.
fn foreign(experiment: &Experiment) -> Option<(&'static str, &'static str)> {
    let grid = &experiment.grid;
    let has_axes = grid.axes.lists().is_ok_and(|lists| !lists.is_empty());
    let one = "keep one; another file can have the other";
    let keys = [
        (experiment.selfplay.is_some(), "selfplay", "make the games first, with `oplus selfplay`"),
        (
            !experiment.stages.is_empty(),
            "stages",
            "one training; `discover.stages` lists its parts",
        ),
        (grid.layers.len() != 1, "grid.layers", one),
        (experiment.methods().len() != 1, "grid.method", one),
        (has_axes, "grid", "set the key in its own table"),
    ];
    keys.into_iter().find(|(is_there, ..)| *is_there).map(|(_, path, help)| (path, help))
}

fn check_numbers(discover: &Discover) -> Result<(), ValidationError> {
    let is_share = |share: &f64| *share > 0.0 && *share <= 1.0;
    let rises = |shares: &[f64]| shares.windows(2).all(|pair| pair[0] < pair[1]);
    let falls = |shares: &[f64]| shares.windows(2).all(|pair| pair[0] > pair[1]);
    let Discover { stages, keep, .. } = discover;
    let is_above = |number: f64| number > 0.0 && number.is_finite();
    for (key, is_right, help) in [
        ("trained", discover.trained > 0, "1 or more"),
        (
            "stages",
            stages.iter().all(is_share) && rises(stages) && stages.last() == Some(&1.0),
            "rising shares of the training that end with 1, such as [0.5, 1]",
        ),
        (
            "keep",
            keep.iter().all(is_share) && falls(keep),
            "falling shares of the rows, such as [0.5, 0.25, 0.1], or [] to prune nothing",
        ),
        ("lose", (0.0..=1.0).contains(&discover.lose), "a share from 0 to 1"),
        ("prior", is_above(discover.prior), "centipawns above 0"),
        ("elo_per_percent", is_above(discover.elo_per_percent), "Elo above 0"),
        ("elo_per_doubling", is_above(discover.elo_per_doubling), "Elo above 0"),
        ("elo1", is_above(discover.elo1), "Elo above 0"),
    ] {
        if !is_right {
            let path = format!("discover.{key}");
            let message = format!("`{path}` is out of range");
            return Err(ValidationError::new(path, message, help));
        }
    }
    Ok(())
}
