//! From the registry to the report: seeds taken together, intervals computed.

mod elo;
pub mod generations;
mod solved;
mod soundness;

use std::collections::BTreeMap;

use super::config::{Experiment, Grid};
use super::error::ExperimentError;
use super::grid::RunSpec;
use super::measure::{Failed, FirstLayer, MatchRecord, PuzzleRecord, Speed, Trained, kind};
use super::registry::{Registry, RunRecord};
use data::dataset::split_warning;
use nnue::{HiddenActivation, Layers, QuantisationError};
use report::{self, Estimate, Report, SpeedRange};
use training::Method;

/// One arm of the grid: nets that differ by seed only.
struct Arm {
    features: String,
    layers: Layers,
    method: Method,
    size: usize,
    runs: Vec<ArmRun>,
    /// Those that came to no net: their seeds, and why.
    failed: Vec<(u64, Failed)>,
}

/// A net with all that was measured of it.
struct ArmRun {
    record: RunRecord,
    trained: Option<Trained>,
    quantisation: Option<QuantisationError>,
    first_layer: Option<FirstLayer>,
    speed: Option<Speed>,
    one_ply: Option<PuzzleRecord>,
    puzzles: Option<PuzzleRecord>,
}

/// The report of an experiment.
pub fn of(registry: &Registry, experiment: &Experiment) -> Result<Report, ExperimentError> {
    let name = &experiment.name;
    let (config_toml, setting) = registry.experiment(name)?.unwrap_or_default();
    let arms = arms(registry, experiment, &setting)?;
    let matches = elo::matches(registry, experiment, &arms)?;
    let reference = reference_arm(experiment, &arms);
    let varied = Varied::of(experiment);
    let strengths = elo::strengths(&arms, &matches, reference, &varied);
    let losses: Vec<Vec<f64>> = arms.iter().map(Arm::validation_losses).collect();
    let losses = arena::mean_losses(&losses);
    let loss_spreads: Vec<arena::SeedSpread> =
        losses.iter().flatten().map(|&(_, spread)| spread).collect();

    let rows = arms.iter().zip(&strengths.arms).zip(&losses);
    let sets = rows.map(|((arm, elo), loss)| {
        let validation_loss = loss.map(|(mean, _)| Estimate::from(mean));
        report::SetRow { validation_loss, ..arm.row(&varied, elo) }
    });
    Ok(Report {
        name: name.clone(),
        question: experiment.question.clone(),
        date: None,
        config_toml,
        provenance: provenance(&setting),
        reference: arms.get(reference).map(|arm| arm.label(&varied)).unwrap_or_default(),
        elo_spread: strengths.spread,
        loss_spread: spread_told(&loss_spreads),
        puzzles: solved::suite(&arms),
        sets: sets.collect(),
        games: elo::games(&arms, &matches, &varied),
        paired_puzzles: solved::paired_puzzles(&arms, reference, &varied),
        warnings: [
            soundness::warnings(&arms, &varied),
            warnings(&matches, &setting),
            strengths.warnings,
        ]
        .concat(),
        notes: notes(experiment),
    })
}

/// What the grid varies besides features, so that labels say no more than is
/// needed.
struct Varied {
    l1: bool,
    l2: bool,
    activation: bool,
    buckets: bool,
    method: bool,
}

impl Varied {
    fn of(experiment: &Experiment) -> Self {
        let Grid { l1, l2, activation, buckets, .. } = &experiment.grid;
        Self {
            l1: l1.len() > 1,
            l2: l2.len() > 1,
            activation: activation.len() > 1,
            buckets: buckets.len() > 1,
            method: experiment.methods().len() > 1,
        }
    }
}

/// The arms of the experiment's grid, in grid order, with the runs the
/// registry has for the data and training of the last call.
fn arms(
    registry: &Registry,
    experiment: &Experiment,
    setting: &serde_json::Value,
) -> Result<Vec<Arm>, ExperimentError> {
    let data_hash = setting["data"]["hash"].as_str().unwrap_or_default();
    let specs = super::grid::expand(experiment)?;
    let records: BTreeMap<String, RunRecord> = registry
        .runs(Some(&experiment.name))?
        .into_iter()
        .map(|run| (run.id.clone(), run))
        .collect();
    let mut arms: Vec<Arm> = Vec::new();
    for spec in &specs {
        let id = spec.id(&experiment.training, data_hash);
        let Some(record) = records.get(&id) else { continue };
        let index = arms.iter().position(|arm| arm.holds(spec)).unwrap_or(arms.len());
        if index == arms.len() {
            arms.push(Arm::of(spec));
        }
        match registry.get(&experiment.name, &id, kind::FAILED)? {
            Some(failed) => arms[index].failed.push((spec.seed, failed)),
            None => arms[index].runs.push(ArmRun::load(registry, record)?),
        }
    }
    Ok(arms)
}

impl ArmRun {
    fn load(registry: &Registry, record: &RunRecord) -> Result<Self, ExperimentError> {
        let (experiment, id) = (&record.experiment, &record.id);
        Ok(Self {
            trained: registry.get(experiment, id, kind::TRAINED)?,
            quantisation: registry.get(experiment, id, kind::QUANTISATION)?,
            first_layer: registry.get(experiment, id, kind::FIRST_LAYER)?,
            speed: registry.get(experiment, id, kind::SPEED)?,
            one_ply: registry.get(experiment, id, kind::PUZZLES_ONE_PLY)?,
            puzzles: registry.get(experiment, id, kind::PUZZLES_NODES)?,
            record: record.clone(),
        })
    }

    fn validation_loss(&self) -> Option<f64> {
        self.trained.as_ref()?.validation_loss()
    }

    fn row(&self, elo: Vec<report::EloResult>) -> report::RunRow {
        let losses = self.trained.iter().flat_map(|trained| &trained.epochs);
        report::RunRow {
            seed: self.record.seed,
            losses: losses
                .map(|epoch| report::EpochLoss {
                    epoch: epoch.epoch,
                    train: (!epoch.trains_another_loss()).then_some(epoch.train_loss),
                    validation: epoch.score_loss(),
                })
                .collect(),
            net: self
                .trained
                .as_ref()
                .map(|_| format!("runs/{}/{}/net.oplus", self.record.experiment, self.record.id)),
            quantisation: self.quantisation.map(quantisation),
            elo,
            first_layer: self.first_layer.as_ref().and_then(picture),
        }
    }
}

fn quantisation(error: QuantisationError) -> report::QuantisationError {
    // Entries that were made before there was a histogram read as zeros.
    let has_histogram = error.histogram.iter().any(|&count| count > 0);
    report::QuantisationError {
        mean_cp: error.mean,
        percentile_99_cp: error.percentile_99,
        max_cp: error.largest,
        positions: error.positions as u64,
        clipped: error.clipped,
        histogram: has_histogram.then_some(error.histogram),
    }
}

fn picture(layer: &FirstLayer) -> Option<report::FirstLayerPicture> {
    let roles: Vec<[f32; 64]> =
        layer.norms.iter().filter_map(|squares| squares.as_slice().try_into().ok()).collect();
    Some(report::FirstLayerPicture { norms: roles.try_into().ok()? })
}

impl Arm {
    /// Without any run yet.
    fn of(spec: &RunSpec) -> Self {
        Self {
            features: spec.features.expression().to_owned(),
            layers: spec.layers,
            method: spec.method,
            size: spec.features.set().size(),
            runs: Vec::new(),
            failed: Vec::new(),
        }
    }

    fn holds(&self, spec: &RunSpec) -> bool {
        let own = (self.features.as_str(), self.layers, self.method);
        own == (spec.features.expression(), spec.layers, spec.method)
    }

    fn variant(&self, varied: &Varied) -> String {
        let mut parts = self.layers_told(varied);
        parts.extend(varied.method.then(|| self.method.to_string()));
        parts.join(", ")
    }

    fn layers_told(&self, varied: &Varied) -> Vec<String> {
        if self.layers == Layers::Linear {
            return varied.l1.then(|| "linear".to_owned()).into_iter().collect();
        }
        let squared = match self.layers.hidden_activation() {
            HiddenActivation::ClippedRelu => "clipped ReLU",
            HiddenActivation::SquaredClippedRelu => "squared clipped ReLU",
        };
        let parts = [
            (varied.l1, format!("l1 = {}", self.layers.l1())),
            (varied.l2, format!("l2 = {}", self.layers.l2())),
            (varied.activation, squared.to_owned()),
            (varied.buckets, format!("{} buckets", self.layers.buckets().count())),
        ];
        parts.into_iter().filter(|(varied, _)| *varied).map(|(_, part)| part).collect()
    }

    fn label(&self, varied: &Varied) -> String {
        let set = report::SetRow {
            features: self.features.clone(),
            variant: self.variant(varied),
            ..report::SetRow::default()
        };
        set.label()
    }

    /// Of all its seeds.
    fn validation_losses(&self) -> Vec<f64> {
        self.runs.iter().filter_map(ArmRun::validation_loss).collect()
    }

    /// All but the loss, whose interval is made over all arms.
    fn row(&self, varied: &Varied, elo: &elo::ArmElo) -> report::SetRow {
        let speeds: Vec<&Speed> = self.runs.iter().filter_map(|run| run.speed.as_ref()).collect();
        let mean = |of: fn(&Speed) -> f64| {
            (!speeds.is_empty())
                .then(|| speeds.iter().map(|s| of(s)).sum::<f64>() / speeds.len() as f64)
        };
        report::SetRow {
            features: self.features.clone(),
            variant: self.variant(varied),
            size: self.size,
            validation_loss: None,
            puzzle_accuracy: solved::accuracy(
                self.runs.iter().filter_map(|run| run.puzzles.as_ref()),
            ),
            one_ply: solved::accuracy(self.runs.iter().filter_map(|run| run.one_ply.as_ref())),
            puzzle_buckets: solved::buckets(
                self.runs.iter().filter_map(|run| run.puzzles.as_ref()),
            ),
            elo: elo.pooled.clone(),
            nodes_per_second: rounds(&speeds),
            rows_updated_per_node: mean(|speed| speed.rows_per_node),
            rows_refreshed_per_node: mean(|speed| speed.refreshed_rows_per_node),
            runs: self
                .runs
                .iter()
                .zip(&elo.by_seed)
                .map(|(run, elo)| run.row(elo.clone()))
                .collect(),
        }
    }
}

/// Mean over seeds with a Student interval, which one seed does not have.
fn mean_of_seeds(values: impl Iterator<Item = f64>) -> Option<Estimate> {
    arena::mean_of_seeds(&values.collect::<Vec<f64>>()).map(report::Estimate::from)
}

/// All rounds of all seeds.
fn rounds(speeds: &[&Speed]) -> Option<SpeedRange> {
    SpeedRange::of(speeds.iter().flat_map(|speed| speed.rounds.iter().copied()).collect())
}

/// Where the intervals of all sets have their spread from, in a word.
fn spread_told(spreads: &[arena::SeedSpread]) -> report::SeedSpread {
    let is_own = |spread: &arena::SeedSpread| matches!(spread, arena::SeedSpread::OwnSeeds { .. });
    let is_common =
        |spread: &arena::SeedSpread| matches!(spread, arena::SeedSpread::AllSets { .. });
    match (spreads.iter().any(is_own), spreads.iter().any(is_common)) {
        (true, true) => report::SeedSpread::Mixed,
        (true, false) => report::SeedSpread::PerSet,
        (false, true) => report::SeedSpread::Pooled,
        (false, false) => report::SeedSpread::Unknown,
    }
}

/// The first arm with the reference's features.
fn reference_arm(experiment: &Experiment, arms: &[Arm]) -> usize {
    arms.iter().position(|arm| arm.features == experiment.reference()).unwrap_or(0)
}

fn provenance(setting: &serde_json::Value) -> report::Provenance {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let data = &setting["data"];
    let kept = data["train"].as_u64().unwrap_or(0) + data["validation"].as_u64().unwrap_or(0);
    let files = data["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    report::Provenance {
        program: format!("oplus {}", text(&setting["program"])),
        // What was typed; runs of before there was a note of it have none.
        command: text(&setting["command"]),
        machine: report::Machine {
            cpu: text(&setting["processor"]),
            cores: setting["cores"].as_u64().unwrap_or(0) as usize,
            accelerator: None,
        },
        data: files
            .iter()
            .map(|file| report::DataFile {
                path: text(&file["path"]),
                hash: text(&file["blake3"]),
                positions: kept,
                games: data["games"].as_u64().filter(|&games| games > 0),
            })
            .collect(),
        duration_seconds: None,
    }
}

/// What the numbers mean where that is not plain.
fn notes(experiment: &Experiment) -> Vec<String> {
    let ranked = experiment.methods().iter().any(|method| method.needs_choices());
    let losses = "Losses are those of target-scores, whatever was trained; a ranking is never \
                  taught the scale of scores, so a higher loss says nothing of its strength.";
    ranked.then(|| losses.to_owned()).into_iter().collect()
}

fn warnings(matches: &[MatchRecord], setting: &serde_json::Value) -> Vec<String> {
    let mut warnings = Vec::new();
    let duplicates: u64 = matches.iter().flat_map(|m| &m.pairings).map(|p| p.duplicates).sum();
    if duplicates > 0 {
        warnings.push(format!("{duplicates} games repeat another game of their pairing move by move; the intervals are too narrow."));
    }
    let forfeits: u64 = matches.iter().flat_map(|m| &m.pairings).map(|p| p.forfeits).sum();
    if forfeits > 0 {
        warnings.push(format!(
            "{forfeits} games were forfeited: lost otherwise than by chess. They count as losses."
        ));
    }
    let data = |key: &str| setting["data"][key].as_u64().unwrap_or(0);
    for (key, kind) in [("skipped", "games"), ("skipped_lines", "lines")] {
        if data(key) > 0 {
            warnings.push(format!(
                "{} {kind} of the data could not be read and were skipped.",
                data(key)
            ));
        }
    }
    warnings.extend(split_warning(data("listed")).map(|warning| format!("{warning}.")));
    warnings
}
