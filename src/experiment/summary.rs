//! From the registry to the report: seeds taken together, intervals computed.

pub mod generations;

use std::collections::BTreeMap;

use super::config::{Experiment, Grid};
use super::error::ExperimentError;
use super::grid::RunSpec;
use super::measure::{FirstLayer, MatchRecord, PuzzleRecord, Speed, Trained, kind};
use super::registry::{Registry, RunRecord};
use crate::arena::{self, Pentanomial, SeedEstimate, pool};
use crate::data::dataset::split_warning;
use crate::nnue::{HiddenActivation, Layers, QuantisationError};
use crate::puzzles::{Outcome, Paired, Proportion};
use crate::report::{self, Estimate, Limit, Report};
use crate::training::Method;

/// One arm of the grid: nets that differ by seed only.
struct Arm {
    features: String,
    layers: Layers,
    method: Method,
    size: usize,
    runs: Vec<ArmRun>,
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
    let matches = matches(registry, experiment)?;
    let reference = reference_arm(experiment, &arms);
    let varied = Varied::of(experiment);
    let elo = elo_by_arm(&arms, &matches, reference);

    let sets = arms.iter().zip(&elo).map(|(arm, elo)| arm.row(&varied, elo)).collect();
    let seeds = experiment.grid.seed.len();
    Ok(Report {
        name: name.clone(),
        question: experiment.question.clone(),
        date: None,
        config_toml,
        provenance: provenance(experiment, &setting),
        reference: arms.get(reference).map(|arm| arm.label(&varied)).unwrap_or_default(),
        spread: match seeds {
            1 => report::SeedSpread::Unknown,
            2..=4 => report::SeedSpread::Pooled,
            _ => report::SeedSpread::PerSet,
        },
        puzzles: suite(&arms),
        sets,
        games: games(&arms, &matches, &varied),
        paired_puzzles: paired_puzzles(&arms, reference, &varied),
        warnings: warnings(&matches, &setting),
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
        let run = ArmRun::load(registry, record)?;
        match arms.iter_mut().find(|arm| arm.holds(spec)) {
            Some(arm) => arm.runs.push(run),
            None => arms.push(Arm {
                features: spec.features.expression().to_owned(),
                layers: spec.layers,
                method: spec.method,
                size: spec.features.set().size(),
                runs: vec![run],
            }),
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
            net: Some(format!("runs/{}/{}/net.oplus", self.record.experiment, self.record.id)),
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

    fn row(&self, varied: &Varied, elo: &ArmElo) -> report::SetRow {
        let speeds: Vec<&Speed> = self.runs.iter().filter_map(|run| run.speed.as_ref()).collect();
        let mean = |of: fn(&Speed) -> f64| {
            (!speeds.is_empty())
                .then(|| speeds.iter().map(|s| of(s)).sum::<f64>() / speeds.len() as f64)
        };
        report::SetRow {
            features: self.features.clone(),
            variant: self.variant(varied),
            size: self.size,
            validation_loss: mean_of_seeds(self.runs.iter().filter_map(ArmRun::validation_loss)),
            puzzle_accuracy: accuracy(self.runs.iter().filter_map(|run| run.puzzles.as_ref())),
            one_ply: accuracy(self.runs.iter().filter_map(|run| run.one_ply.as_ref())),
            puzzle_buckets: buckets(self.runs.iter().filter_map(|run| run.puzzles.as_ref())),
            elo: elo.pooled.clone(),
            nodes_per_second: middle_of_rounds(&speeds),
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

/// Share of puzzles solved over all seeds. With one seed Wilson's interval
/// for the puzzles; with several the hull of that and the seeds' own spread.
fn accuracy<'a>(records: impl Iterator<Item = &'a PuzzleRecord>) -> Option<Estimate> {
    let counts: Vec<(u64, u64)> = records.map(PuzzleRecord::counts).collect();
    let by_seed =
        mean_of_seeds(counts.iter().map(|&(solved, all)| solved as f64 / all.max(1) as f64))?;
    let seeds = counts.len() as u64;
    let mean = |of: fn(&(u64, u64)) -> u64| counts.iter().map(of).sum::<u64>().div_ceil(seeds);
    let puzzles = Proportion { successes: mean(|c| c.0), trials: mean(|c| c.1) }.interval();
    let (low, high) = match by_seed.is_of_unknown_spread() {
        true => (puzzles.low, puzzles.high),
        false => (by_seed.low.min(puzzles.low).max(0.0), by_seed.high.max(puzzles.high).min(1.0)),
    };
    Some(Estimate::new(by_seed.value, low, high))
}

/// Accuracy by 200 rating points, over the first seed's suite order.
fn buckets<'a>(records: impl Iterator<Item = &'a PuzzleRecord>) -> Vec<report::PuzzleBucket> {
    const WIDTH: u32 = 200;
    let mut by_bucket: BTreeMap<u32, Proportion> = BTreeMap::new();
    for record in records {
        for (&rating, solved) in record.ratings.iter().zip(record.solved.bytes()) {
            if rating > 0 {
                by_bucket.entry(rating / WIDTH * WIDTH).or_default().add(solved == b'1');
            }
        }
    }
    by_bucket
        .into_iter()
        .map(|(from, solved)| {
            let interval = solved.interval();
            report::PuzzleBucket {
                from,
                to: from + WIDTH,
                puzzles: solved.trials,
                accuracy: Estimate::new(solved.share().unwrap_or(0.0), interval.low, interval.high),
            }
        })
        .collect()
}

/// Median of all rounds of all seeds, with the slowest and the fastest.
fn middle_of_rounds(speeds: &[&Speed]) -> Option<Estimate> {
    let mut rounds: Vec<f64> =
        speeds.iter().flat_map(|speed| speed.rounds.iter().copied()).collect();
    rounds.sort_by(f64::total_cmp);
    let (&low, &high) = (rounds.first()?, rounds.last()?);
    Some(Estimate::new(rounds[rounds.len() / 2], low, high))
}

fn matches(
    registry: &Registry,
    experiment: &Experiment,
) -> Result<Vec<MatchRecord>, ExperimentError> {
    let mut records = Vec::new();
    for config in &experiment.evaluation.matches {
        for seed in &experiment.grid.seed {
            let subject = format!("{} nodes, seed {seed}", config.nodes);
            records.extend(registry.get(&experiment.name, &subject, kind::MATCH)?);
        }
    }
    Ok(records)
}

/// The first arm with the reference's features.
fn reference_arm(experiment: &Experiment, arms: &[Arm]) -> usize {
    arms.iter().position(|arm| arm.features == experiment.reference()).unwrap_or(0)
}

/// Elo of an arm against the reference, by limit.
#[derive(Default)]
struct ArmElo {
    pooled: Vec<report::EloResult>,
    by_seed: Vec<Vec<report::EloResult>>,
}

fn elo_by_arm(arms: &[Arm], matches: &[MatchRecord], reference: usize) -> Vec<ArmElo> {
    let mut elo: Vec<ArmElo> = arms
        .iter()
        .map(|arm| ArmElo { by_seed: vec![Vec::new(); arm.runs.len()], ..ArmElo::default() })
        .collect();
    let mut limits: Vec<u64> = matches.iter().map(|record| record.nodes).collect();
    limits.dedup();
    for nodes in limits {
        let limit = Limit::Nodes(nodes);
        let mut estimates: Vec<Vec<SeedEstimate>> = vec![Vec::new(); arms.len()];
        let mut games = vec![0; arms.len()];
        for (a, arm) in arms.iter().enumerate().filter(|(a, _)| *a != reference) {
            for (r, run) in arm.runs.iter().enumerate() {
                let Some(pairs) = against(matches, nodes, &run.record, &arms[reference]) else {
                    continue;
                };
                let Some(estimate) = pairs.elo() else { continue };
                let played = (pairs.pairs() * 2) as u32;
                games[a] += played;
                estimates[a].extend(SeedEstimate::of(&estimate));
                let estimate = report::Estimate::from(estimate);
                elo[a].by_seed[r].push(report::EloResult { limit, estimate, games: played });
            }
        }
        for (a, pooled) in pool(&estimates).into_iter().enumerate() {
            let only =
                elo[a].by_seed.iter().flatten().find(|result| result.limit == limit).copied();
            let estimate = match pooled {
                Some(pooled) => report::Estimate::from(pooled.elo),
                // A perfect score has no standard error to pool, but a bound.
                None => match only {
                    Some(result) => result.estimate,
                    None => continue,
                },
            };
            elo[a].pooled.push(report::EloResult { limit, estimate, games: games[a] });
        }
    }
    elo
}

/// Pairs of a run against the reference's net of the same seed, seen by the run.
fn against(
    matches: &[MatchRecord],
    nodes: u64,
    run: &RunRecord,
    reference: &Arm,
) -> Option<Pentanomial> {
    let opponent = reference.runs.iter().find(|other| other.record.seed == run.seed)?;
    let record = matches.iter().find(|record| record.nodes == nodes && record.seed == run.seed)?;
    head_to_head(record, &run.id, &opponent.record.id)
}

fn head_to_head(record: &MatchRecord, first: &str, second: &str) -> Option<Pentanomial> {
    record.pairings.iter().find_map(|pairing| {
        let (a, b) = (record.players.get(pairing.first)?, record.players.get(pairing.second)?);
        let pairs = Pentanomial { counts: pairing.pentanomial };
        match (a == first && b == second, a == second && b == first) {
            (true, _) => Some(pairs),
            (_, true) => Some(pairs.inverted()),
            _ => None,
        }
    })
}

/// Games of every two arms over all seeds.
fn games(arms: &[Arm], matches: &[MatchRecord], varied: &Varied) -> Vec<report::Pairing> {
    let mut by_pair: BTreeMap<(u64, usize, usize), report::Pairing> = BTreeMap::new();
    let arm_of =
        |id: &str| arms.iter().position(|arm| arm.runs.iter().any(|run| run.record.id == id));
    for record in matches {
        for pairing in &record.pairings {
            let ids = [pairing.first, pairing.second].map(|i| record.players.get(i));
            let [Some(first), Some(second)] = ids else { continue };
            let (Some(a), Some(b)) = (arm_of(first), arm_of(second)) else { continue };
            let entry = by_pair.entry((record.nodes, a, b)).or_insert_with(|| report::Pairing {
                first: arms[a].label(varied),
                second: arms[b].label(varied),
                limit: Limit::Nodes(record.nodes),
                wins: 0,
                draws: 0,
                losses: 0,
                pentanomial: Some([0; 5]),
                elo: None,
                duplicates: 0,
                forfeits: 0,
            });
            entry.wins += pairing.games[0] as u32;
            entry.draws += pairing.games[1] as u32;
            entry.losses += pairing.games[2] as u32;
            entry.duplicates += pairing.duplicates as u32;
            entry.forfeits += pairing.forfeits as u32;
            if let Some(sum) = &mut entry.pentanomial {
                sum.iter_mut()
                    .zip(pairing.pentanomial)
                    .for_each(|(sum, count)| *sum += count as u32);
            }
        }
    }
    let mut games: Vec<report::Pairing> = by_pair.into_values().collect();
    for pairing in &mut games {
        let counts = pairing.pentanomial.unwrap_or_default().map(u64::from);
        pairing.elo = Pentanomial { counts }.elo().map(report::Estimate::from);
    }
    games
}

/// Every arm against the reference on the same puzzles, seeds side by side.
fn paired_puzzles(arms: &[Arm], reference: usize, varied: &Varied) -> Vec<report::PairedPuzzles> {
    let mut tests = Vec::new();
    for (a, arm) in arms.iter().enumerate().filter(|(a, _)| *a != reference) {
        let Some(other) = arms.get(reference) else { continue };
        for (of, one_ply) in [(puzzles_of as PuzzlesOf, false), (one_ply_of as PuzzlesOf, true)] {
            let Some(paired) = paired(arm, other, of) else { continue };
            let nodes = arms[a].runs.iter().find_map(of).map_or(0, |record| record.nodes);
            let interval = paired.interval();
            tests.push(report::PairedPuzzles {
                first: arm.label(varied),
                second: other.label(varied),
                condition: if one_ply {
                    "one ply".to_owned()
                } else {
                    Limit::Nodes(nodes).to_string()
                },
                both: paired.both,
                only_first: paired.first_only,
                only_second: paired.second_only,
                neither: paired.neither,
                difference: Estimate::new(paired.difference(), interval.low, interval.high),
                p_value: paired.p_value(),
            });
        }
    }
    tests
}

type PuzzlesOf = fn(&ArmRun) -> Option<&PuzzleRecord>;

fn puzzles_of(run: &ArmRun) -> Option<&PuzzleRecord> {
    run.puzzles.as_ref()
}

fn one_ply_of(run: &ArmRun) -> Option<&PuzzleRecord> {
    run.one_ply.as_ref()
}

fn paired(arm: &Arm, other: &Arm, of: PuzzlesOf) -> Option<Paired> {
    let mut sum = Paired::default();
    for run in &arm.runs {
        let twin = other.runs.iter().find(|twin| twin.record.seed == run.record.seed)?;
        let [first, second] = [of(run)?, of(twin)?].map(outcomes);
        let paired = Paired::compare(&first, &second)?;
        sum.both += paired.both;
        sum.first_only += paired.first_only;
        sum.second_only += paired.second_only;
        sum.neither += paired.neither;
    }
    (sum.trials() > 0).then_some(sum)
}

fn outcomes(record: &PuzzleRecord) -> Vec<Outcome> {
    let outcome = |solved: u8| Outcome { solved: solved == b'1', ..Outcome::default() };
    record.solved.bytes().map(outcome).collect()
}

fn suite(arms: &[Arm]) -> Option<report::PuzzleSuite> {
    let record = arms
        .iter()
        .flat_map(|arm| &arm.runs)
        .find_map(|run| run.puzzles.as_ref().or(run.one_ply.as_ref()))?;
    Some(report::PuzzleSuite {
        name: record.file.display().to_string(),
        puzzles: record.solved.len() as u64,
        nodes: record.nodes,
    })
}

fn provenance(experiment: &Experiment, setting: &serde_json::Value) -> report::Provenance {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let data = &setting["data"];
    let kept = data["train"].as_u64().unwrap_or(0) + data["validation"].as_u64().unwrap_or(0);
    let files = data["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    report::Provenance {
        program: format!("oplus {}", text(&setting["program"])),
        command: format!("oplus run experiments/{}.toml", experiment.name),
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
        warnings.push(format!("{forfeits} games were forfeited."));
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
