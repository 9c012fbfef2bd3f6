//! The loop: batches, epochs, validation, checkpoints.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use burn::tensor::Device;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::atomic::WriteError;
use super::batch::{Batch, Encoder, stream};
use super::checkpoint::{Checkpoint, CheckpointError, Cursor, Identity};
use super::error::TrainingError;
use super::guard::Guard;
use super::identity::identity;
use super::job::{TrainedNet, TrainingJob, TrainingOutcome};
use super::loss::{Loss, Target};
use super::metrics::{BatchProgress, EpochMetrics, Pace, Progress, write_history};
use super::session::Session;
use super::shuffle::Shuffle;
use crate::data::Sample;
use crate::network::Nnue;

/// Longest time without a checkpoint inside an epoch.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(600);

/// Samples from which the mean number of active features is taken.
const ACTIVE_SAMPLES: usize = 1000;

/// Trains a net, from the checkpoint in the job's directory if there is one.
///
/// A checkpoint is written after every epoch, every ten minutes within one,
/// and when `stop` is raised. The same job gives the same weights to the bit,
/// whatever the threads and however often it was stopped.
///
/// # Errors
/// If the job makes no sense, the directory holds a checkpoint of another run
/// or a damaged one, the disk fails, or the net diverges.
pub fn train(
    job: &TrainingJob<'_>,
    observer: &mut dyn FnMut(&Progress<'_>),
    stop: &AtomicBool,
) -> Result<TrainingOutcome, TrainingError> {
    let run = Run::new(job)?;
    let session = run.begin(observer)?;
    run.carry_on(session, observer, stop)
}

/// A checked job with what it needs to run.
struct Run<'a> {
    job: &'a TrainingJob<'a>,
    device: Device,
    pool: ThreadPool,
    loss: Loss,
    identity: Identity,
    checkpoint: PathBuf,
}

impl<'a> Run<'a> {
    fn new(job: &'a TrainingJob<'a>) -> Result<Self, TrainingError> {
        job.check()?;
        let device = job.config.device.device()?.autodiff();
        std::fs::create_dir_all(job.dir)
            .map_err(|source| WriteError { path: job.dir.to_owned(), source })?;
        Ok(Self {
            job,
            device,
            pool: pool(job.config.threads)?,
            loss: Loss::new(&job.config),
            identity: identity(job),
            checkpoint: job.dir.join("checkpoint.bin"),
        })
    }

    /// The session to go on with: new, or as the checkpoint left it.
    fn begin(&self, observer: &mut dyn FnMut(&Progress<'_>)) -> Result<Session, TrainingError> {
        let saved = Checkpoint::load(&self.checkpoint)?;
        if let Some(checkpoint) = &saved {
            checkpoint.belongs_to(&self.identity, &self.checkpoint)?;
        }
        let session = Session::new(self.fresh_network(), self.device.clone());
        let Some(checkpoint) = saved else {
            return Ok(session);
        };
        let session = session.resume(checkpoint, &self.checkpoint)?;
        let (done, epochs) = (session.cursor.epoch, self.job.config.epochs);
        if done > epochs || (done == epochs && session.cursor.batch > 0) {
            return Err(TrainingError::Beyond { done, epochs, path: self.checkpoint.clone() });
        }
        self.write_history(&session)?;
        let step = self.step_of(&session.cursor);
        observer(&Progress::Resumed { step, history: &session.history });
        Ok(session)
    }

    fn fresh_network(&self) -> Nnue {
        let encoder = self.encoder(self.job.train);
        let active = self.pool.install(|| encoder.mean_active(ACTIVE_SAMPLES));
        Nnue::init(self.job.architecture(), active, self.job.seed, &self.device)
    }

    fn carry_on(
        &self,
        mut session: Session,
        observer: &mut dyn FnMut(&Progress<'_>),
        stop: &AtomicBool,
    ) -> Result<TrainingOutcome, TrainingError> {
        let config = &self.job.config;
        let mut watch = Watch::new(self.step_of(&session.cursor), session.cursor.seconds);
        std::thread::scope(|scope| {
            let encoder = self.encoder(self.job.train);
            let shuffle = Shuffle::new(self.job.train.len(), self.job.seed);
            let batches =
                stream(scope, &self.pool, encoder, shuffle, config.batch, watch.saved_step);
            while session.cursor.epoch < config.epochs {
                if stop.load(Ordering::Relaxed) {
                    return self.rest(&mut session, &mut watch);
                }
                let batch = batches.recv().expect("the stream ends only with its receiver");
                session = self.learn(session, batch, &mut watch, observer)?;
                if session.cursor.batch == config.batches_per_epoch() {
                    self.finish_epoch(&mut session, &mut watch)?;
                    observer(&Progress::Epoch(&session.history[session.history.len() - 1]));
                } else if watch.saved_at.elapsed() > CHECKPOINT_EVERY {
                    self.save(&mut session, &mut watch)?;
                }
            }
            let (weights, history) = (session.weights(), session.history);
            Ok(TrainingOutcome::Finished(TrainedNet { weights, history }))
        })
    }

    /// One step of the optimiser.
    fn learn(
        &self,
        session: Session,
        batch: Batch,
        watch: &mut Watch,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Session, TrainingError> {
        let config = &self.job.config;
        let learning_rate = config.learning_rate_in(session.cursor.epoch);
        let guard = watch
            .guard
            .get_or_insert_with(|| Guard::new(self.loss.of_knowing_nothing(&batch.targets)));
        let (mut session, loss) =
            self.pool.install(|| session.step(batch, self.loss, learning_rate));
        session.cursor.batch += 1;
        session.cursor.loss_sum += loss;
        if !guard.accepts(loss) {
            return Err(self.diverged(&session, watch, loss));
        }
        let positions = |batches: u64| batches * config.batch as u64;
        let step = self.step_of(&session.cursor);
        observer(&Progress::Batch(BatchProgress {
            epoch: session.cursor.epoch + 1,
            epochs: config.epochs,
            step,
            positions: positions(session.cursor.batch),
            positions_total: positions(config.batches_per_epoch()),
            loss,
            positions_per_second: watch.pace.after(config.batch),
        }));
        Ok(session)
    }

    /// Validates, writes the epoch down and saves.
    fn finish_epoch(&self, session: &mut Session, watch: &mut Watch) -> Result<(), TrainingError> {
        let config = &self.job.config;
        let validation = self.encoder(self.job.validation);
        let validation_loss =
            self.pool.install(|| session.validate(validation, config.batch, self.loss));
        let step = self.step_of(&session.cursor);
        let Cursor { epoch, batch, loss_sum, .. } = session.cursor;
        session.history.push(EpochMetrics {
            epoch: epoch + 1,
            step,
            train_loss: loss_sum / batch as f64,
            validation_loss,
            learning_rate: config.learning_rate_in(epoch),
            positions: step * config.batch as u64,
            seconds: watch.seconds(),
        });
        session.cursor = Cursor { epoch: epoch + 1, ..Cursor::default() };
        self.save(session, watch)?;
        watch.begin_epoch();
        self.write_history(session)
    }

    /// Saves what is not yet saved and ends the call.
    fn rest(
        &self,
        session: &mut Session,
        watch: &mut Watch,
    ) -> Result<TrainingOutcome, TrainingError> {
        let step = self.step_of(&session.cursor);
        if step != watch.saved_step || step == 0 {
            self.save(session, watch)?;
        }
        Ok(TrainingOutcome::Stopped { step, checkpoint: self.checkpoint.clone() })
    }

    fn save(&self, session: &mut Session, watch: &mut Watch) -> Result<(), TrainingError> {
        if !session.is_finite() {
            return Err(self.diverged(session, watch, f64::NAN));
        }
        if session.cursor.batch > 0 {
            session.cursor.seconds = watch.seconds();
        }
        let checkpoint = session.to_checkpoint(self.identity.clone()).map_err(|reason| {
            let path = self.checkpoint.clone();
            CheckpointError::Content { path, part: "the state to be written", reason }
        })?;
        checkpoint.save(&self.checkpoint)?;
        watch.saved_step = self.step_of(&session.cursor);
        watch.saved_at = Instant::now();
        Ok(())
    }

    fn write_history(&self, session: &Session) -> Result<(), TrainingError> {
        Ok(write_history(&self.job.dir.join("metrics.jsonl"), &session.history)?)
    }

    fn diverged(&self, session: &Session, watch: &Watch, loss: f64) -> TrainingError {
        let last_good = match watch.saved_step {
            0 => "there is no checkpoint yet".to_owned(),
            step => {
                format!("the last good checkpoint is {} (step {step})", self.checkpoint.display())
            }
        };
        TrainingError::Diverged {
            step: self.step_of(&session.cursor),
            loss,
            learning_rate: self.job.config.learning_rate_in(session.cursor.epoch),
            last_good,
        }
    }

    fn encoder<'b>(&'b self, samples: &'b [Sample]) -> Encoder<'b> {
        let target = Target::new(&self.job.config);
        Encoder { features: &self.job.features, samples, target }
    }

    /// Steps taken when the cursor stands there; also the number of the next
    /// batch of the stream.
    fn step_of(&self, cursor: &Cursor) -> u64 {
        u64::from(cursor.epoch) * self.job.config.batches_per_epoch() + cursor.batch
    }
}

/// What one call observes of itself; nothing of it decides the outcome.
struct Watch {
    guard: Option<Guard>,
    pace: Pace,
    saved_step: u64,
    saved_at: Instant,
    /// When the running epoch began, and how long it had run before this call.
    epoch_began: Instant,
    epoch_before: f64,
}

impl Watch {
    fn new(saved_step: u64, epoch_before: f64) -> Self {
        let now = Instant::now();
        let pace = Pace::default();
        Self { guard: None, pace, saved_step, saved_at: now, epoch_began: now, epoch_before }
    }

    fn seconds(&self) -> f64 {
        self.epoch_before + self.epoch_began.elapsed().as_secs_f64()
    }

    fn begin_epoch(&mut self) {
        (self.epoch_began, self.epoch_before) = (Instant::now(), 0.0);
    }
}

fn pool(threads: usize) -> Result<ThreadPool, TrainingError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("train-{i}"))
        .build()
        .map_err(|error| TrainingError::Threads { threads, reason: error.to_string() })
}
