//! The loop: batches, steps, checkpoints.

mod begin;
mod device_failure;
mod end;
mod epoch;
mod run_state;
mod try_rates;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use burn::tensor::{Device, Tensor};
use rayon::ThreadPool;

use super::batch::{Batch, Encoder, Example, Listing, stream};
use super::checkpoint::{CheckpointError, Cursor, Identity};
use super::checkpoint_pair::CheckpointPair;
use super::divergence::DivergenceCheck;
use super::error::TrainingError;
use super::job::{TrainingJob, TrainingOutcome};
use super::loss::{Loss, Target};
use super::method::Method;
use super::metrics::{BatchProgress, Progress};
use super::mixture::Mixture;
use super::negative::NegativeSampler;
use super::noise::Noise;
use super::session::Session;
use base::FolderLock;
use chess::PackedPosition;
use data::{Sample, SampleView};
use network::Compute;
use network::front::IndexForm;
use run_state::RunState;

pub(crate) use try_rates::find_rate;

/// Longest time without a checkpoint inside an epoch.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(600);

/// Trains a net, from the checkpoint in the job's directory if there is one.
///
/// A checkpoint is written after every epoch, every ten minutes within one,
/// and when `stop` is raised; the one before it is kept. The same job gives
/// the same weights to the bit, with any number of threads and of stops.
///
/// # Errors
/// An invalid job, a directory with checkpoints of other runs or damaged ones only, a failing
/// disk, a lost device, a net that diverges.
pub fn train(
    job: &TrainingJob<'_>,
    observer: &mut dyn FnMut(&Progress<'_>),
    stop: &AtomicBool,
) -> Result<TrainingOutcome, TrainingError> {
    let run = Run::new(job)?;
    run.catching_device_failure(|| {
        let session = run.begin(observer)?;
        run.carry_on(session, observer, stop)
    })
}

/// A checked job and its resources.
struct Run<'a> {
    job: &'a TrainingJob<'a>,
    device: Device,
    pool: ThreadPool,
    loss: Loss,
    identity: Identity,
    checkpoints: CheckpointPair,
    /// Two runs in one folder would overwrite each other's checkpoints.
    _lock: FolderLock,
    /// For the health check.
    positions: Vec<PackedPosition>,
    /// Some samples, evenly spread, for the scale of the starting weights.
    spread: Vec<Sample>,
}

impl Run<'_> {
    fn carry_on(
        &self,
        mut session: Session,
        observer: &mut dyn FnMut(&Progress<'_>),
        stop: &AtomicBool,
    ) -> Result<TrainingOutcome, TrainingError> {
        let config = &self.job.config;
        let mut state = self.state(&session);
        std::thread::scope(|scope| {
            let noise = Noise::new(config, self.job.seed);
            let encoder;
            (session, encoder) = self.lister(session, noise);
            let mixture = Mixture::new(self.job.train.len(), self.job.stretches, self.job.seed);
            let target = |step| Target::at(config, step);
            let (size, first) = (config.batch, state.saved_step);
            let batches = stream(scope, &self.pool, encoder, target, mixture, size, first);
            while session.cursor.epoch < config.epochs {
                if stop.load(Ordering::Relaxed) {
                    self.read_losses(&mut session, &mut state, observer)?;
                    return self.save_and_stop(&mut session, &mut state);
                }
                let waiting_since = Instant::now();
                let batch = batches.recv().expect("the stream ends only with its receiver");
                let batch = batch.map_err(TrainingError::Samples)?;
                state.waited += waiting_since.elapsed();
                session = self.learn(session, batch, &mut state, observer)?;
                if session.cursor.batch == config.batches_per_epoch() {
                    self.finish_epoch(&mut session, &mut state, observer)?;
                    if let Some(epoch) = session.history.last() {
                        observer(&Progress::Epoch(epoch));
                    }
                } else if state.saved_at.elapsed() > CHECKPOINT_EVERY {
                    self.read_losses(&mut session, &mut state, observer)?;
                    self.save(&mut session, &mut state)?;
                }
            }
            self.finish(session, &state.health, observer)
        })
    }

    fn state(&self, session: &Session) -> RunState {
        let Cursor { seconds, .. } = session.cursor;
        RunState::new(self.job.config.device, self.step_of(&session.cursor), seconds)
    }

    fn learn(
        &self,
        session: Session,
        batch: Batch,
        state: &mut RunState,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Session, TrainingError> {
        let config = &self.job.config;
        let learning_rate = config.learning_rate_at(self.step_of(&session.cursor));
        state
            .divergence
            .get_or_insert_with(|| DivergenceCheck::new(self.loss.baseline(&batch.targets)));
        let (mut session, loss) = self.step(session, batch, learning_rate);
        session.cursor.batch += 1;
        state.pending.push(loss);
        if state.pending.are_due() || session.cursor.batch == config.batches_per_epoch() {
            self.read_losses(&mut session, state, observer)?;
        }
        Ok(session)
    }

    /// Reads the losses of the latest steps.
    fn read_losses(
        &self,
        session: &mut Session,
        state: &mut RunState,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<(), TrainingError> {
        let losses = state.pending.read();
        let mut cursor = session.cursor;
        cursor.batch -= losses.len() as u64;
        for loss in losses {
            cursor.batch += 1;
            cursor.loss_sum += loss;
            if !state.accepts(loss) {
                return Err(self.diverged(&cursor, state, loss));
            }
            observer(&Progress::Batch(self.progress(&cursor, loss)));
        }
        session.cursor = cursor;
        Ok(())
    }

    fn progress(&self, cursor: &Cursor, loss: f64) -> BatchProgress {
        let config = &self.job.config;
        let positions = |batches: u64| batches * config.batch as u64;
        BatchProgress {
            epoch: cursor.epoch + 1,
            epochs: config.epochs,
            step: self.step_of(cursor),
            positions: positions(cursor.batch),
            positions_total: positions(config.batches_per_epoch()),
            loss,
            mean_loss: cursor.loss_sum / cursor.batch as f64,
        }
    }

    /// Steps on the training threads; with a graphics card on the calling one,
    /// since the card's driver keeps a queue for every thread.
    fn step(&self, session: Session, batch: Batch, learning_rate: f64) -> (Session, Tensor<1>) {
        let step = || session.step(batch, self.loss, learning_rate);
        match self.job.config.device {
            Compute::Cpu | Compute::Ndarray => self.pool.install(step),
            Compute::Gpu(_) => step(),
        }
    }

    /// Saves the steps since the last checkpoint and ends the call.
    fn save_and_stop(
        &self,
        session: &mut Session,
        state: &mut RunState,
    ) -> Result<TrainingOutcome, TrainingError> {
        let step = self.step_of(&session.cursor);
        if step != state.saved_step || !self.checkpoints.newest().exists() {
            self.save(session, state)?;
        }
        let checkpoint = self.checkpoints.newest().to_owned();
        Ok(TrainingOutcome::Stopped { step, checkpoint })
    }

    fn save(&self, session: &mut Session, state: &mut RunState) -> Result<(), TrainingError> {
        if !session.is_finite() {
            return Err(self.diverged(&session.cursor, state, f64::NAN));
        }
        if session.cursor.batch > 0 {
            session.cursor.seconds = state.seconds();
        }
        let checkpoint = session.to_checkpoint(self.identity.clone());
        self.checkpoints.save(&checkpoint.map_err(|reason| self.unreadable(reason))?)?;
        state.saved(self.step_of(&session.cursor));
        Ok(())
    }

    /// Burn fails to write its own state as bytes, or to read it.
    fn unreadable(&self, reason: String) -> CheckpointError {
        let path = self.checkpoints.newest().to_owned();
        CheckpointError::Content { path, part: "the state of the network", reason }
    }

    fn diverged(&self, cursor: &Cursor, state: &RunState, loss: f64) -> TrainingError {
        let last_good = match state.saved_step {
            0 => "there is no checkpoint yet".to_owned(),
            step => {
                let path = self.checkpoints.last().display();
                format!("the last good checkpoint is {path} (step {step})")
            }
        };
        let step = self.step_of(cursor);
        let learning_rate = self.job.config.learning_rate_at(step.saturating_sub(1));
        TrainingError::Diverged { step, loss, learning_rate, last_good }
    }

    fn encoder<'b>(&'b self, samples: SampleView<'b>) -> Encoder<'b> {
        let target = Target::last(&self.job.config);
        let (features, buckets) = (&*self.job.features, self.job.layers.buckets());
        let example = self.example();
        Encoder {
            features,
            buckets,
            samples,
            target,
            example,
            noise: Noise::default(),
            listing: Listing::Rows(IndexForm::Word),
        }
    }

    /// As [`encoder`](Self::encoder) for the training samples, listed where the device does best.
    fn lister(&self, session: Session, noise: Noise) -> (Session, Encoder<'_>) {
        let TrainingJob { config, features, train, .. } = self.job;
        let listing = Listing::of(config.device, features, self.example(), noise);
        let session = match listing {
            Listing::OnCard(_) => session.with_tables(features),
            Listing::Rows(_) | Listing::RowsAndInverse(_) => session,
        };
        (session, Encoder { listing, noise, ..self.encoder(*train) })
    }

    fn example(&self) -> Example {
        match self.job.config.method {
            Method::TargetScores => Example::Position,
            Method::Pqr(_) => Example::Triplet(NegativeSampler::new(self.job.seed)),
        }
    }

    /// Steps taken when the cursor stands there; also the number of the next
    /// batch of the stream.
    fn step_of(&self, cursor: &Cursor) -> u64 {
        u64::from(cursor.epoch) * self.job.config.batches_per_epoch() + cursor.batch
    }
}
