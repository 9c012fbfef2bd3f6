//! Training a net and quantising it.

use super::Worker;
use crate::{Begin, Job, PlanError, Planned, Train};
use data::Dataset;
use features::{FeatureSet, TrainedSet};
use linear::Following;
use measure::{FirstLayer, Trained, Watch};
use nnue::FloatWeights;
use std::sync::Arc;
use training::metrics::Shown;
use training::start::{self, StartNet, WEIGHTS_FILE};
use training::{
    Origin, Progress, TrainedNet, TrainingConfig, TrainingError, TrainingJob, TrainingOutcome,
    played,
};

impl Worker<'_> {
    /// Trains a net, from where it was stopped, and leaves its file.
    pub(super) fn train(
        &self,
        planned: &Planned,
        train: &Train,
        dataset: &Dataset,
        watch: &mut Watch<'_>,
    ) -> Result<(FloatWeights, Trained), PlanError> {
        let (weights, net) = self.weights_of(planned, train, dataset, watch)?;
        let features = self.features_of(train)?;
        let Some(Job::Positions(positions)) = self.plan.find(train.positions).map(|p| &p.job)
        else {
            return Err(PlanError::Missing(format!("nothing prepares {}", train.positions)));
        };
        let origin = Origin {
            expression: features.expression(),
            seed: train.seed,
            kept: &net.kept,
            config: &train.training,
            data: dataset,
            filter: &positions.filter,
            validation: positions.validation,
        };
        let mut provenance = origin.provenance();
        provenance["experiment"] = self.plan.supplies.experiment.as_str().into();
        provenance["run"] = planned.folder.as_str().into();
        let (quantised, _) = played(&weights, &features, provenance, dataset)
            .map_err(|source| PlanError::Quantise { run: planned.folder.clone(), source })?;
        quantised.save(&self.place.net(planned))?;
        let TrainedNet { kept, history: epochs, health, .. } = net;
        let first_layer = FirstLayer::of(&weights, features.set());
        let following = Following::of(&quantised).map_or(Vec::new(), |net| net.columns());
        let net = quantised.fingerprint().to_string();
        Ok((weights, Trained { epochs, kept, net, health, first_layer, following }))
    }

    /// The weights of a net with its factors folded in, and what its training tells.
    pub(super) fn weights_of(
        &self,
        planned: &Planned,
        train: &Train,
        dataset: &Dataset,
        watch: &mut Watch<'_>,
    ) -> Result<(FloatWeights, TrainedNet), PlanError> {
        let features = self.features_of(train)?;
        let config =
            TrainingConfig { threads: self.plan.supplies.threads, ..train.training.clone() };
        let per_epoch = config.batches_per_epoch() * config.batch as u64;
        let folder = self.place.folder_to_train_in(planned)?;
        let stage = self.stage(planned);
        if let Some(shorter) = self.go_on_from_shorter(planned, train)? {
            let epochs = shorter.training.epochs;
            let told =
                format!("{}: goes on from {epochs} epochs, as trained before", planned.title);
            watch.observer.warn(&told);
        }
        watch.observer.begin(&stage, per_epoch * u64::from(config.epochs), "positions");
        let start = self.start_of(train)?;
        let job = TrainingJob {
            features: features.input().clone(),
            layers: train.layers.clone(),
            seed: train.seed,
            start: start.as_ref().map(|(weights, features)| StartNet { features, weights }),
            config,
            train: (&dataset.train).into(),
            stretches: &dataset.stretches,
            validation: &dataset.validation,
            inventory: Some(&dataset.inventory),
            dir: &folder,
        };
        let (mut last, observer) = (String::new(), &mut *watch.observer);
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
            Progress::Ended(kept) => last = format!("the net is {kept}"),
            Progress::Warning(warning) => observer.warn(&format!("{}: {warning}", planned.title)),
            Progress::Resumed { .. } | Progress::WarmStart(_) => {}
        };
        match training::train(&job, &mut on_progress, watch.stop)? {
            TrainingOutcome::Stopped { .. } => Err(PlanError::Stopped),
            TrainingOutcome::Finished(net) => {
                let seconds: f64 = net.history.iter().map(|epoch| epoch.seconds).sum();
                let positions = net.history.last().map_or(0, |epoch| epoch.positions);
                let rate = positions as f64 / seconds.max(1e-9);
                observer.end(&format!("{last}, {rate:.0} positions/s"));
                net.weights
                    .save(features.input(), &folder.join(WEIGHTS_FILE))
                    .map_err(TrainingError::from)?;
                let weights = net.weights.clone().folded(&features);
                Ok((weights, *net))
            }
        }
    }

    /// The net that a training begins with, and what it sees.
    fn start_of(
        &self,
        train: &Train,
    ) -> Result<Option<(FloatWeights, Arc<FeatureSet>)>, PlanError> {
        let path = match &train.start {
            None => return Ok(None),
            Some(Begin::File(content)) => self.path_of(content)?,
            Some(Begin::Trained(key)) => {
                let stage = self.plan.find(*key);
                let stage = stage
                    .ok_or_else(|| PlanError::Missing(format!("nothing trains the net {key}")))?;
                self.place.folder_of(stage).join(WEIGHTS_FILE)
            }
        };
        Ok(Some(start::read(&path).map_err(TrainingError::from)?))
    }

    /// `training ALL seed 1 (2 of 6)`.
    fn stage(&self, planned: &Planned) -> String {
        let nets = || self.plan.jobs().iter().filter(|one| matches!(one.job, Job::Train(_)));
        let before = nets().take_while(|one| one.key != planned.key).count();
        format!("training {} ({} of {})", planned.title, before + 1, nets().count())
    }

    /// As somebody wrote it, if anybody did.
    fn features_of(&self, train: &Train) -> Result<Arc<TrainedSet>, PlanError> {
        match self.plan.supplies.sets.get(&train.features) {
            Some(known) => Ok(known.clone()),
            None => TrainedSet::parse(&train.features)
                .map_err(|error| PlanError::Missing(error.to_string())),
        }
    }
}
