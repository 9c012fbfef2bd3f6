//! Results of the judge for feature sets: finished numbers, each with its interval.
//!
//! A page depends on them alone, so stored results reproduce it and tests use invented figures.
//! `None` means not measured, and the page shows it so.

use serde::{Deserialize, Serialize};

use crate::EloResult;
use crate::over_nodes::NodesLine;
use crate::puzzles::Lead;
use crate::unique::unique;
use arena::{Forfeits, Limit, PairingResult, Pentanomial, SeedSpread, SpreadSource, Trinomial};
use base::estimate::{Estimate, Separation};
use base::format::counted;
use nnue::QuantisationError;
use report::{Cell, Column, EpochLoss, FirstLayerPicture, LearningPanel, Provenance, PuzzleBucket};

/// Measured feature sets, of an experiment or of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The experiment's name, as in its TOML.
    pub name: String,
    /// The experiment's question; empty without one.
    pub question: String,
    /// The resolved experiment file: every key, defaults included; empty without one.
    pub config_toml: String,
    /// Provenance.
    pub provenance: Provenance,
    /// [`SetRow::label`] of the set that Elo is measured against. It need not
    /// be one of `sets` (a net of an earlier experiment may be the reference).
    pub reference: String,
    /// Spread between nets of one set in the intervals of Elo; `None` with one seed.
    pub elo_spread: Option<SeedSpread>,
    /// Origin of the spread in the intervals of the validation loss.
    pub loss_spread: SpreadSource,
    /// The puzzles that `puzzle_accuracy` and `one_ply` were measured on.
    pub puzzles: Option<PuzzleSuite>,
    /// One row per variant of the grid, seeds taken together. Colours follow this
    /// order.
    pub sets: Vec<SetRow>,
    /// The games behind the Elo, one entry per pair of sets and limit.
    pub games: Vec<SetPairing>,
    /// Games of the reference's nets against each other.
    pub null: Option<NullGames>,
    /// Elo that twice the time is worth to the reference.
    pub price: Option<Estimate>,
    /// The games behind it, at the limit of all the time; also where forfeits left no price.
    pub price_games: Option<SetPairing>,
    /// Puzzle tests of two sets on the same puzzles.
    pub paired_puzzles: Vec<PairedPuzzles>,
    /// Effect of more positions, where their number varies.
    pub learning: Option<LearningCurves>,
    /// Reservations about the numbers.
    pub warnings: Vec<String>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// One variant of the grid over all its seeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetRow {
    /// The feature expression as written.
    pub features: String,
    /// Settings of this variant beside the features (`l1 = 256`); empty when the grid varies
    /// features only.
    pub variant: String,
    /// Factors of the grid with their levels here, the features first; empty outside grids.
    pub factors: Vec<GridFactor>,
    /// Positions to train on, where the grid varies their number.
    pub positions: Option<u64>,
    /// Number of the validation loss as a function of its positions: losses of sets with the same
    /// number compare, others do not.
    pub held_out_split: usize,
    /// Keys that the grid varies beside features, with their values here: `layers` and `method`
    /// first, then such as `training.epochs`, `8`.
    pub settings: Vec<(String, String)>,
    /// Number of features, the rows of the first layer.
    pub size: usize,
    /// Loss on the validation games, best epoch or last, as the experiment chose.
    pub validation_loss: Option<Estimate>,
    /// Share of puzzles solved at the suite's node limit, 0 to 1.
    pub puzzle_accuracy: Option<Estimate>,
    /// Share of puzzles solved by looking one ply ahead, 0 to 1.
    pub one_ply: Option<Estimate>,
    /// Puzzle accuracy by rating, lowest bucket first.
    pub puzzle_buckets: Vec<PuzzleBucket>,
    /// Elo against the reference, at most one per limit.
    pub elo: Vec<EloResult>,
    /// Lead over the nodes of a move, where several numbers of them were played.
    pub lines: Vec<NodesLine>,
    /// Leads from single books, where several were played.
    pub books: Vec<BookLead>,
    /// Elo against the reference's set with as many positions, where that is not the reference.
    pub over_peer: Option<OverPeer>,
    /// Expected Elo on the clock, from gain at fixed nodes, price of time and cost.
    pub expected: Option<Estimate>,
    /// Verdict at fixed time.
    pub pays: Option<crate::Verdict>,
    /// Time per node relative to the reference's: over the moves of games where it was timed for
    /// equal time, else on one tree.
    pub cost: Option<Estimate>,
    /// Search speed on that tree, nodes per second on one thread.
    pub nodes_per_second: Option<Estimate>,
    /// Figures that only the results show, each with its column.
    pub figures: Vec<(Column, Cell)>,
    /// The trained nets, one per seed.
    pub runs: Vec<RunRow>,
}

impl SetRow {
    /// The line of layers, where the grid varies it.
    pub fn layers(&self) -> Option<&str> {
        let (_, layers) = self.settings.iter().find(|(key, _)| key == "layers")?;
        Some(layers)
    }
}

impl SetRow {
    /// Label in tables and plots: `ALL + H`, or with a variant `ALL + H · l1 = 256`.
    pub fn label(&self) -> String {
        label(&self.features, &self.variant)
    }

    /// The quantisation error of each net in which it was measured.
    pub fn quantisation(&self) -> impl Iterator<Item = &QuantisationError> {
        self.runs.iter().filter_map(|run| run.quantisation.as_ref())
    }

    /// The figure in the column of a key.
    pub(super) fn figure(&self, key: &str) -> Cell {
        let found = self.figures.iter().find(|(column, _)| column.key == key);
        found.map_or_else(Cell::default, |(_, cell)| cell.clone())
    }

    /// Whether it has any measurement.
    pub fn is_measured(&self) -> bool {
        let Self { validation_loss, puzzle_accuracy, one_ply, nodes_per_second, .. } = self;
        let shares = [validation_loss, puzzle_accuracy, one_ply];
        shares.into_iter().any(Option::is_some)
            || nodes_per_second.is_some()
            || !self.elo.is_empty()
    }

    /// Whether the page shows a loss of it.
    pub fn has_losses(&self) -> bool {
        self.validation_loss.is_some() || self.runs.iter().any(|run| !run.losses.is_empty())
    }

    /// Nets with games at `limit`.
    pub fn seeds_at(&self, limit: Limit) -> usize {
        let has_games = |run: &&RunRow| run.elo.iter().any(|elo| elo.limit == limit);
        self.runs.iter().filter(has_games).count().max(1)
    }

    /// The result at `limit`.
    pub fn elo_at(&self, limit: Limit) -> Option<&EloResult> {
        self.elo.iter().find(|elo| elo.limit == limit)
    }
}

impl Report {
    /// The set that Elo is measured against, if it is one of the report's own.
    pub fn reference_set(&self) -> Option<&SetRow> {
        self.sets.iter().find(|set| set.label() == self.reference)
    }

    /// A number of rows of the table: `3 sets`, or `3 variants` where rows share their features.
    pub fn counted(&self, rows: usize) -> String {
        let features = unique(self.sets.iter().map(|set| set.features.as_str()));
        let noun = if features.len() < self.sets.len() { "variant" } else { "set" };
        counted(rows as u64, noun)
    }

    /// Whether a set has as many training positions as the reference.
    pub fn is_on_equal_data(&self, set: &SetRow) -> bool {
        self.reference_set().is_none_or(|reference| reference.positions == set.positions)
    }

    /// Whether all validation losses are one function of the same positions.
    pub fn losses_compare(&self) -> bool {
        let mut measured = self.sets.iter().filter(|set| set.has_losses());
        let first = measured.next().map(|set| set.held_out_split);
        measured.all(|set| Some(set.held_out_split) == first)
    }
}

/// Label of a set of features and a variant.
pub fn label(features: &str, variant: &str) -> String {
    if variant.is_empty() { features.to_owned() } else { format!("{features} · {variant}") }
}

/// Nets of the reference that differ by their seed alone, against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct NullGames {
    /// A ring of the seeds.
    pub pairings: Vec<SetPairing>,
}

impl NullGames {
    /// Root mean square of the leads, in Elo, and that of the noise of the games alone;
    /// `None` if a net won or lost every game.
    pub fn spread(&self) -> Option<(f64, f64)> {
        let leads: Option<Vec<Estimate>> =
            self.pairings.iter().map(|one| one.pairs.elo()).collect();
        let leads = leads.filter(|leads| leads.iter().all(Estimate::is_bounded))?;
        let mean = |square: &dyn Fn(&Estimate) -> Option<f64>| -> Option<f64> {
            let sum: Option<f64> = leads.iter().map(square).sum();
            Some((sum? / leads.len() as f64).sqrt())
        };
        let by_games = mean(&|lead| Some(lead.standard_error()?.powi(2)))?;
        Some((mean(&|lead| Some(lead.value.powi(2)))?, by_games))
    }
}

/// Lead over the reference in the games from one book.
#[derive(Clone, Debug, PartialEq)]
pub struct BookLead {
    pub limit: Limit,
    pub book: String,
    pub elo: Estimate,
    /// Standard error that the games alone leave; `None` where every game was won or lost.
    pub game_error: Option<f64>,
}

/// One axis of a grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridFactor {
    /// `features`, `layers`, `training.epochs`.
    pub name: String,
    /// The level of a set: `ALL + PV`, `epochs = 8`.
    pub level: String,
}

/// Elo of a set over the reference's set with as many positions.
#[derive(Clone, Debug, PartialEq)]
pub struct OverPeer {
    /// The label of that set.
    pub peer: String,
    /// The games.
    pub elo: EloResult,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRow {
    /// Seed of weights, order of data and openings, where known.
    pub seed: Option<u64>,
    /// The training curve, first epoch first.
    pub losses: Vec<EpochLoss>,
    /// The epoch of the net, or the last one of its average; none while it is in training.
    pub kept: Option<u32>,
    /// Loss of the net on the validation games.
    pub validation_loss: Option<f64>,
    /// Where the quantised net lies, relative to where the command was run.
    pub net: Option<String>,
    /// Loss of the quantised net on the validation games.
    pub quantised_loss: Option<f64>,
    /// Quantisation error.
    pub quantisation: Option<QuantisationError>,
    /// This seed's own Elo, drawn as a small ring beside the interval.
    pub elo: Vec<EloResult>,
    /// Weights of the first layer for own pieces.
    pub first_layer: Option<FirstLayerPicture>,
    /// Piece values of a linear net by king square; empty for others.
    pub following: Vec<nnue_tools::KingColumn>,
}

impl RunRow {
    /// Loss on the validation games; that of its integers of a net from elsewhere.
    pub fn loss(&self) -> Option<f64> {
        self.validation_loss.or(self.quantised_loss)
    }

    /// Its Elo under a limit, unless too many forfeits make it invalid.
    pub fn sound_elo(&self, limit: Limit) -> Option<Estimate> {
        let found = self.elo.iter().find(|elo| elo.limit == limit)?;
        found.too_many_forfeits.is_none().then_some(found.estimate)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PuzzleSuite {
    /// Name or file.
    pub name: String,
    pub puzzles: u64,
    /// Nodes per move.
    pub nodes: u64,
}

/// Games between two sets under one limit, over all seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct SetPairing {
    /// Label of the one whose wins are counted.
    pub first: String,
    /// Label of the other.
    pub second: String,
    /// Limit of a move.
    pub limit: Limit,
    /// Results of `first`.
    pub games: Trinomial,
    /// Pairs of games by the points of `first`.
    pub pairs: Pentanomial,
    /// Games that repeat another move by move.
    pub duplicates: u64,
    /// Games decided by time, a crash or an illegal move.
    pub forfeits: u64,
}

impl SetPairing {
    /// No games of two sets yet.
    pub(crate) fn empty([first, second]: [String; 2], limit: Limit) -> Self {
        let (games, pairs) = (Trinomial::default(), Pentanomial::default());
        Self { first, second, limit, games, pairs, duplicates: 0, forfeits: 0 }
    }

    /// Counts the games of two nets, seen by the first.
    pub(crate) fn add(&mut self, result: &PairingResult) {
        self.games += result.games;
        self.pairs += result.pentanomial;
        self.duplicates += result.duplicates;
        self.forfeits += result.forfeits.iter().map(Forfeits::total).sum::<u64>();
    }
}

/// Two sets on the same puzzles.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedPuzzles {
    /// Label of one set.
    pub first: String,
    /// Label of the other.
    pub second: String,
    /// Condition of the puzzles: `1,000 nodes`, `one ply`.
    pub condition: String,
    /// Lead of `first` over `second`.
    pub lead: Lead,
}

impl PairedPuzzles {
    /// Accuracy of `first` less accuracy of `second`, −1 to 1.
    pub fn difference(&self) -> Estimate {
        let Lead { difference, interval, .. } = self.lead;
        Estimate::new(difference, interval.low, interval.high)
    }
}

/// Effect of more positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearningCurves {
    /// The set that leads are over, without the number of its positions.
    pub reference: String,
    /// Results over numbers of positions.
    pub panels: Vec<LearningPanel>,
    /// A verdict on every other set.
    pub rows: Vec<DataRow>,
}

/// A set's lead over the reference on as many positions, and its forecast with more.
#[derive(Clone, Debug, PartialEq)]
pub struct DataRow {
    /// The set, without the number of its positions.
    pub label: String,
    /// `Elo`, or `loss` (its reduction) without games.
    pub unit: &'static str,
    /// By the number of different positions, the largest last.
    pub leads: Vec<(f64, Estimate)>,
    /// Forecast of the largest size from the smaller ones; `None` of fewer than three.
    pub predicted: Option<Estimate>,
    /// Separation from the reference at the largest size.
    pub tone: Separation,
    /// The verdict in words.
    pub verdict: String,
}

impl DataRow {
    /// Whether the forecast of the largest size from the smaller ones holds; `None` with fewer
    /// than three sizes.
    pub fn came_true(&self) -> Option<bool> {
        let measured = self.leads.last()?.1;
        Some(self.predicted?.covers(measured.value))
    }
}
