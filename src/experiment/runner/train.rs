//! Training and quantising, run by run.

use std::path::Path;
use std::sync::Arc;

use super::{Context, TrainedRun, create_folder};
use crate::error::ExperimentError;
use crate::grid::RunSpec;
use crate::measure::{Failed, FirstLayer, Trained, kind};
use chess::{Board, Color, Role, Scene, Square};
use data::Dataset;
use features::{FeatureSet, Weighted};
use nnue::{FloatWeights, Net, QuantisationError, quantise};
use training::metrics::Shown;
use training::vitals::sample_positions;
use training::{self, Origin, Progress, TrainedNet, TrainingJob, TrainingOutcome};

/// File of the quantised net in a run's folder.
const NET_FILE: &str = "net.oplus";

/// Trains what is not trained yet; `None` if stopped.
pub fn all(
    context: &mut Context<'_>,
    specs: Vec<RunSpec>,
    data: &Dataset,
) -> Result<Option<Vec<TrainedRun>>, ExperimentError> {
    let data_hash = data.hash().to_string();
    let count = specs.len();
    let mut runs = Vec::with_capacity(count);
    for (i, spec) in specs.into_iter().enumerate() {
        let id = spec.id(&context.experiment.training, &data_hash);
        let label = spec.label();
        let title = format!("training {label} ({} of {count})", i + 1);
        if let Some(reason) = failed_before(context, &id)? {
            context.note_failure(&label, &format!("{reason} (`oplus runs rm {id}` to try again)"));
            continue;
        }
        match one(context, &spec, &id, &title, data) {
            Ok(Some(net)) => runs.push(TrainedRun { spec, label, id, net: Arc::new(net) }),
            Ok(None) => return Ok(None),
            Err(error) if error.is_of_one_net() => {
                let failed = Failed { reason: error.to_string() };
                context.registry.put(&context.experiment.name, &id, kind::FAILED, &failed)?;
                context.note_failure(&label, &failed.reason);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Some(runs))
}

/// Why an earlier call came to no net; the same would come of it again.
fn failed_before(context: &Context<'_>, id: &str) -> Result<Option<String>, ExperimentError> {
    let failed: Option<Failed> =
        context.registry.get(&context.experiment.name, id, kind::FAILED)?;
    Ok(failed.map(|failed| failed.reason))
}

/// The net of a run, from its file or newly trained.
pub fn one(
    context: &mut Context<'_>,
    spec: &RunSpec,
    id: &str,
    title: &str,
    data: &Dataset,
) -> Result<Option<Net>, ExperimentError> {
    let name = &context.experiment.name;
    let folder = context.folder.join(id);
    let file = folder.join(NET_FILE);
    context.registry.put_run(name, id, spec)?;
    if context.registry.get::<Trained>(name, id, kind::TRAINED)?.is_some() && file.exists() {
        return Ok(Some(Net::load(&file)?));
    }
    // What was measured of an earlier net of this name says nothing of the new one.
    context.registry.forget(name, id)?;
    create_folder(&folder)?;
    let Some((weights, trained)) = train(context, spec, &folder, title, data)? else {
        return Ok(None);
    };
    let weights = weights.folded(&spec.features);
    let origin = Origin {
        expression: spec.features.expression(),
        seed: spec.seed,
        epoch: trained.epoch,
        config: &spec.training(&context.experiment.training),
        data,
        filter: context.experiment.data.filter,
        validation: context.experiment.data.validation,
    };
    let mut provenance = origin.provenance();
    provenance["experiment"] = name.as_str().into();
    provenance["run"] = id.into();
    let net = quantise(&weights, spec.features.set(), provenance)
        .map_err(|source| ExperimentError::Quantise { run: id.to_owned(), source })?;
    net.save(&file)?;

    let error = QuantisationError::measure(
        &weights,
        &net,
        &sample_positions(&data.train, &data.validation),
    );
    let first_layer = first_layer(&weights, spec.features.set());
    let trained = Trained { net: net.fingerprint().to_string(), ..trained };
    let registry = context.registry;
    registry.put(name, id, kind::QUANTISATION, &error)?;
    registry.put(name, id, kind::FIRST_LAYER, &first_layer)?;
    registry.put(name, id, kind::TRAINED, &trained)?;
    Ok(Some(net))
}

fn train(
    context: &mut Context<'_>,
    spec: &RunSpec,
    folder: &Path,
    title: &str,
    data: &Dataset,
) -> Result<Option<(FloatWeights, Trained)>, ExperimentError> {
    let config = spec.training(&context.experiment.training);
    let per_epoch = config.batches_per_epoch() * config.batch as u64;
    let observer = &mut *context.observer;
    observer.begin(title, per_epoch * u64::from(config.epochs), "positions");
    let job = TrainingJob {
        features: spec.features.input().clone(),
        layers: spec.layers,
        seed: spec.seed,
        config,
        train: &data.train,
        stretches: &data.stretches,
        validation: &data.validation,
        dir: folder,
    };
    let (label, mut last) = (spec.label(), String::new());
    let mut on_progress = |progress: &Progress<'_>| match progress {
        Progress::Batch(batch) => {
            let done = u64::from(batch.epoch - 1) * per_epoch + batch.positions;
            observer.advance(done, &format!("{batch}  {last}"));
        }
        Progress::Epoch(epoch) => {
            last = match epoch.score_loss() {
                Some(loss) => format!("validation {}", Shown(loss)),
                None => format!("loss {}", Shown(epoch.train_loss)),
            };
        }
        Progress::Kept(kept) => last = kept.to_string(),
        Progress::Warning(warning) => observer.warn(&format!("{label}: {warning}")),
        Progress::Resumed { .. } => {}
    };
    let outcome = training::train(&job, &mut on_progress, context.stop)?;
    match outcome {
        TrainingOutcome::Stopped { .. } => Ok(None),
        TrainingOutcome::Finished(net) => {
            let TrainedNet { weights, epoch, history: epochs, health } = *net;
            let seconds: f64 = epochs.iter().map(|epoch| epoch.seconds).sum();
            let rate = epochs.last().map_or(0, |epoch| epoch.positions) as f64 / seconds.max(1e-9);
            context.observer.end(&format!("{last}, {rate:.0} positions/s"));
            let health = Some(health);
            Ok(Some((weights, Trained { epochs, epoch, net: String::new(), health })))
        }
    }
}

/// How strongly the first layer answers to a lone own piece on each square.
fn first_layer(weights: &FloatWeights, features: &FeatureSet) -> FirstLayer {
    let norm = |role: Role, square: Square| -> f32 {
        let mut board = Board::empty();
        board.set_piece_at(square, role.of(Color::White));
        let mut active: Vec<Weighted> = Vec::new();
        features.active(&Scene::of_board(board), Color::White, &mut active);
        let mut sums = vec![0.0f32; weights.architecture.layers.width()];
        for Weighted { feature, value } in active {
            let row = weights.row(feature);
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
        }
        sums.iter().map(|x| x * x).sum::<f32>().sqrt()
    };
    let norms = Role::ALL
        .into_iter()
        .map(|role| Square::ALL.into_iter().map(|square| norm(role, square)).collect())
        .collect();
    FirstLayer { norms }
}
