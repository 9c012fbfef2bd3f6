//! The loop: batches, epochs, validation, checkpoints.

mod try_rates;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use burn::tensor::{Device, Tensor};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::batch::{Batch, Encoder, Lesson, stream};
use super::checkpoint::{CheckpointError, Cursor, Identity};
use super::config::TrainingConfig;
use super::error::TrainingError;
use super::guard::Guard;
use super::identity::identity;
use super::job::{TrainedNet, TrainingJob, TrainingOutcome};
use super::keep::{Keep, Kept};
use super::loss::{Loss, Target, TargetScores};
use super::method::Method;
use super::metrics::{BatchProgress, Ending, EpochMetrics, Progress};
use super::mixture::Mixture;
use super::noise::Noise;
use super::outstanding::Outstanding;
use super::rival::RivalDraw;
use super::rotation::{Found, Instead, Rotation};
use super::session::Session;
use super::start::{Grown, StartError, StartNet, grown};
use super::supply;
use super::vitals::{Vitals, sample_positions};
use super::warning::Warning;
use base::FolderLock;
use base::atomic::WriteError;
use chess::PackedPosition;
use data::Sample;
use network::{Compute, Nnue};
use nnue::FloatWeights;
use nnue::check::Health;

pub use try_rates::find_rate;

/// Longest time without a checkpoint inside an epoch.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(600);

/// Samples from which the mean number of active features is taken.
const ACTIVE_SAMPLES: usize = 1000;

/// Trains a net, from the checkpoint in the job's directory if there is one.
///
/// A checkpoint is written after every epoch, every ten minutes within one,
/// and when `stop` is raised; the one before it is kept. The same job gives
/// the same weights to the bit, whatever the threads and however often it was
/// stopped.
///
/// # Errors
/// If the job makes no sense, the directory holds only checkpoints of another
/// run or damaged ones, the disk fails, or the net diverges.
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
    checkpoints: Rotation,
    /// Two runs in one folder would overwrite each other's checkpoints.
    _lock: FolderLock,
    /// Positions for the health check.
    positions: Vec<PackedPosition>,
}

impl<'a> Run<'a> {
    fn new(job: &'a TrainingJob<'a>) -> Result<Self, TrainingError> {
        job.check()?;
        let device = job.config.device.device()?.autodiff();
        std::fs::create_dir_all(job.dir)
            .map_err(|source| WriteError { path: job.dir.to_owned(), source })?;
        let lock = FolderLock::take(job.dir)?;
        Ok(Self {
            job,
            device,
            pool: pool(job.config.threads)?,
            loss: Loss::new(&job.config),
            identity: identity(job),
            checkpoints: Rotation::new(job.dir),
            _lock: lock,
            positions: sample_positions(job.train, job.validation),
        })
    }

    /// What a person should know before it begins.
    fn warnings(&self) -> Vec<Warning> {
        let census = self.job.inventory().census;
        let mut warnings = supply::warnings(&census, &self.job.config);
        warnings.extend(supply::few_positions(census.samples, &self.job.architecture()));
        warnings.extend(self.job.footprint().warning());
        warnings
    }

    /// The session to go on with: new, or as the checkpoint left it.
    fn begin(&self, observer: &mut dyn FnMut(&Progress<'_>)) -> Result<Session, TrainingError> {
        for warning in self.warnings() {
            observer(&Progress::Warning(&warning));
        }
        let found = self.checkpoints.load(&self.identity)?;
        let (network, grown) = self.first_network()?;
        let session = Session::new(network, self.device.clone(), &self.job.config);
        let Some(Found { checkpoint, path, instead }) = found else {
            if let Some(grown) = &grown {
                observer(&Progress::Grown(grown));
            }
            return Ok(session);
        };
        let session = session.resume(checkpoint, &path).map_err(|newest| {
            CheckpointError::Unusable { newest: Box::new(newest), previous: None }
        })?;
        let (done, epochs) = (session.cursor.epoch, self.job.config.epochs);
        if done > epochs || (done == epochs && session.cursor.batch > 0) {
            return Err(TrainingError::Beyond { done, epochs, path });
        }
        session.history.write(self.job.dir)?;
        let step = self.step_of(&session.cursor);
        if let Some(instead) = instead {
            observer(&Progress::Warning(&self.warning(instead, step)));
        }
        observer(&Progress::Resumed { step, history: session.history.epochs() });
        Ok(session)
    }

    /// What is said when the run goes on from the checkpoint before the newest.
    fn warning(&self, instead: Instead, step: u64) -> Warning {
        match instead {
            Instead::Missing => {
                Warning::Missing { newest: self.checkpoints.newest().to_owned(), step }
            }
            Instead::Refused { reason, aside } => {
                Warning::Refused { reason: Box::new(reason), aside, step }
            }
        }
    }

    /// The network that a run begins with: random, or a start net grown to its size.
    fn first_network(&self) -> Result<(Nnue, Option<Grown>), StartError> {
        let encoder = self.encoder(self.job.train);
        let active = self.pool.install(|| encoder.mean_active(ACTIVE_SAMPLES));
        let mut network = Nnue::init(&self.job.architecture(), active, self.job.seed, &self.device);
        let grow = |StartNet { features, weights }: StartNet<'_>| {
            let fresh = network.to_float_weights();
            grown(weights, features, &self.job.features, fresh)
        };
        let grown = self.job.start.map(grow).transpose()?;
        if let Some(Grown { weights, .. }) = &grown {
            network = Nnue::of_weights(weights.clone(), &self.device);
        }
        let TrainingConfig { activation_penalty, batch, rounding, .. } = self.job.config;
        network = network.with_penalty((activation_penalty / batch as f64) as f32);
        Ok((if rounding { network.rounding() } else { network }, grown))
    }

    fn carry_on(
        &self,
        mut session: Session,
        observer: &mut dyn FnMut(&Progress<'_>),
        stop: &AtomicBool,
    ) -> Result<TrainingOutcome, TrainingError> {
        let config = &self.job.config;
        let mut watch = self.watch(&session);
        std::thread::scope(|scope| {
            let inverse = config.device.wants_inverse();
            let noise = Noise::new(config, self.job.seed);
            let encoder = Encoder { inverse, noise, ..self.encoder(self.job.train) };
            let mixture = Mixture::new(self.job.train.len(), self.job.stretches, self.job.seed);
            let target = |step| Target::at(config, step);
            let (size, first) = (config.batch, watch.saved_step);
            let batches = stream(scope, &self.pool, encoder, target, mixture, size, first);
            while !self.is_over(&session) {
                if stop.load(Ordering::Relaxed) {
                    self.take_losses(&mut session, &mut watch, observer)?;
                    return self.rest(&mut session, &mut watch);
                }
                let asked = Instant::now();
                let batch = batches.recv().expect("the stream ends only with its receiver");
                watch.waited += asked.elapsed();
                session = self.learn(session, batch, &mut watch, observer)?;
                if session.cursor.batch == config.batches_per_epoch() {
                    self.finish_epoch(&mut session, &mut watch, observer)?;
                    if let Some(epoch) = session.history.last() {
                        observer(&Progress::Epoch(epoch));
                    }
                } else if watch.saved_at.elapsed() > CHECKPOINT_EVERY {
                    self.take_losses(&mut session, &mut watch, observer)?;
                    self.save(&mut session, &mut watch)?;
                }
            }
            self.finish(session, &watch.vitals, observer)
        })
    }

    fn watch(&self, session: &Session) -> Watch {
        let Cursor { seconds, .. } = session.cursor;
        Watch::new(self.job.config.device, self.step_of(&session.cursor), seconds)
    }

    /// Whether there is nothing more to learn.
    fn is_over(&self, session: &Session) -> bool {
        let config = &self.job.config;
        session.cursor.epoch >= config.epochs || session.history.exhausts(config.patience)
    }

    /// The net that is kept, if it is one.
    fn finish(
        &self,
        session: Session,
        vitals: &Vitals,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<TrainingOutcome, TrainingError> {
        let (trained, planned) = (session.cursor.epoch, self.job.config.epochs);
        let (session, kept) = self.choose(session)?;
        observer(&Progress::Ended(Ending { kept: &kept, trained, planned }));
        let weights = session.weights();
        let health = self.health(&weights);
        if health.constant().is_some() {
            let (positions, odd) = (health.positions, health.odd());
            let learning_rate = self.job.config.learning_rate;
            return Err(TrainingError::Constant { positions, odd, learning_rate });
        }
        if let Some(warning) = vitals.at_the_end(&health, kept.epoch) {
            observer(&Progress::Warning(&warning));
        }
        let history = session.history.into_epochs();
        Ok(TrainingOutcome::Finished(Box::new(TrainedNet { weights, kept, history, health })))
    }

    /// Goes to the net that is kept, and says which one it is.
    fn choose(&self, session: Session) -> Result<(Session, Kept), TrainingError> {
        let TrainingConfig { keep, epochs, .. } = self.job.config;
        let newest = Kept::of(session.history.last().expect("a run has an epoch at least"));
        let best = session.history.best().map(Kept::of);
        let session = session.return_to_aside().map_err(|reason| self.unreadable(reason))?;
        let kept = match (keep, keep.place_in_average(newest.epoch, epochs)) {
            (Keep::Best, _) => best.unwrap_or(newest),
            (Keep::Average { .. }, Some(averaged)) => Kept {
                first: newest.epoch + 1 - averaged,
                epoch: newest.epoch,
                validation_loss: self.validate(&session, self.lesson(), self.loss),
                validation_score_loss: self.score_loss(&session),
            },
            (Keep::Last | Keep::Average { .. }, _) => newest,
        };
        Ok((session, kept))
    }

    fn health(&self, weights: &FloatWeights) -> Health {
        self.pool.install(|| Health::of(weights, &self.job.features, &self.positions))
    }

    fn learn(
        &self,
        session: Session,
        batch: Batch,
        watch: &mut Watch,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Session, TrainingError> {
        let config = &self.job.config;
        let learning_rate = config.learning_rate_at(self.step_of(&session.cursor));
        watch.guard.get_or_insert_with(|| Guard::new(self.loss.baseline(&batch.targets)));
        let (mut session, loss) = self.step(session, batch, learning_rate);
        session.cursor.batch += 1;
        watch.outstanding.push(loss);
        if watch.outstanding.are_due() || session.cursor.batch == config.batches_per_epoch() {
            self.take_losses(&mut session, watch, observer)?;
        }
        Ok(session)
    }

    /// Takes in the losses of the latest steps.
    fn take_losses(
        &self,
        session: &mut Session,
        watch: &mut Watch,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<(), TrainingError> {
        let losses = watch.outstanding.take();
        let mut cursor = session.cursor;
        cursor.batch -= losses.len() as u64;
        for loss in losses {
            cursor.batch += 1;
            cursor.loss_sum += loss;
            if watch.guard.as_mut().is_some_and(|guard| !guard.accepts(loss)) {
                return Err(self.diverged(&cursor, watch, loss));
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
            Compute::Gpu => step(),
        }
    }

    /// Validates, writes the epoch down and saves.
    fn finish_epoch(
        &self,
        session: &mut Session,
        watch: &mut Watch,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<(), TrainingError> {
        let epoch = self.measure_epoch(session, watch);
        let mut losses = std::iter::once(epoch.train_loss).chain(epoch.validation_loss);
        let sound = |loss: &f64| watch.guard.is_none_or(|guard| guard.accepts_mean(*loss));
        if let Some(loss) = losses.find(|loss| !sound(loss)) {
            return Err(self.diverged(&session.cursor, watch, loss));
        }
        session.cursor = Cursor { epoch: epoch.epoch, ..Cursor::default() };
        session.history.push(epoch);
        self.set_aside(session).map_err(|reason| self.unreadable(reason))?;
        self.save(session, watch)?;
        let health = self.health(&session.weights());
        if let Some(warning) = watch.vitals.news(&health, session.cursor.epoch) {
            observer(&Progress::Warning(&warning));
        }
        watch.begin_epoch();
        Ok(session.history.write(self.job.dir)?)
    }

    /// Keeps the net of the epoch just finished, or its part in an average, if it is to be.
    fn set_aside(&self, session: &mut Session) -> Result<(), String> {
        let TrainingConfig { keep, epochs, .. } = self.job.config;
        match keep {
            Keep::Best if session.history.ends_with_the_best() => session.set_aside(),
            Keep::Best | Keep::Last => Ok(()),
            Keep::Average { .. } => match keep.place_in_average(session.cursor.epoch, epochs) {
                Some(count) => session.average_aside(count),
                None => Ok(()),
            },
        }
    }

    fn measure_epoch(&self, session: &Session, watch: &Watch) -> EpochMetrics {
        let config = &self.job.config;
        let validation_loss = self.validate(session, self.lesson(), self.loss);
        let validation_score_loss = self.score_loss(session);
        let step = self.step_of(&session.cursor);
        let Cursor { epoch, batch, loss_sum, .. } = session.cursor;
        let (size, seconds) = (config.batch as u64, watch.seconds());
        EpochMetrics {
            epoch: epoch + 1,
            step,
            train_loss: loss_sum / batch as f64,
            validation_loss,
            validation_score_loss,
            learning_rate: config.learning_rate_at(step - 1),
            positions: step * size,
            positions_per_second: (batch * size) as f64 / seconds.max(1e-9),
            seconds,
            waiting: watch.waiting(),
        }
    }

    /// The loss against scores, if another is trained.
    fn score_loss(&self, session: &Session) -> Option<f64> {
        let loss = Loss::TargetScores(TargetScores::new(&self.job.config));
        match self.loss {
            Loss::TargetScores(_) => None,
            Loss::Pqr(_) => self.validate(session, Lesson::Position, loss),
        }
    }

    fn validate(&self, session: &Session, lesson: Lesson, loss: Loss) -> Option<f64> {
        let encoder = Encoder { lesson, ..self.encoder(self.job.validation) };
        self.pool.install(|| session.validate(encoder, self.job.config.batch, loss))
    }

    /// Saves what is not yet saved, and ends the call.
    fn rest(
        &self,
        session: &mut Session,
        watch: &mut Watch,
    ) -> Result<TrainingOutcome, TrainingError> {
        let step = self.step_of(&session.cursor);
        if step != watch.saved_step || !self.checkpoints.newest().exists() {
            self.save(session, watch)?;
        }
        let checkpoint = self.checkpoints.newest().to_owned();
        Ok(TrainingOutcome::Stopped { step, checkpoint })
    }

    fn save(&self, session: &mut Session, watch: &mut Watch) -> Result<(), TrainingError> {
        if !session.is_finite() {
            return Err(self.diverged(&session.cursor, watch, f64::NAN));
        }
        if session.cursor.batch > 0 {
            session.cursor.seconds = watch.seconds();
        }
        let checkpoint = session.to_checkpoint(self.identity.clone());
        self.checkpoints.save(&checkpoint.map_err(|reason| self.unreadable(reason))?)?;
        watch.saved_step = self.step_of(&session.cursor);
        watch.saved_at = Instant::now();
        Ok(())
    }

    /// Burn cannot turn its own state into bytes or back.
    fn unreadable(&self, reason: String) -> CheckpointError {
        let path = self.checkpoints.newest().to_owned();
        CheckpointError::Content { path, part: "the state of the network", reason }
    }

    fn diverged(&self, cursor: &Cursor, watch: &Watch, loss: f64) -> TrainingError {
        let last_good = match watch.saved_step {
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

    fn encoder<'b>(&'b self, samples: &'b [Sample]) -> Encoder<'b> {
        let target = Target::last(&self.job.config);
        let (features, buckets) = (&*self.job.features, self.job.layers.buckets());
        let lesson = self.lesson();
        Encoder {
            features,
            buckets,
            samples,
            target,
            lesson,
            noise: Noise::default(),
            inverse: false,
        }
    }

    fn lesson(&self) -> Lesson {
        match self.job.config.method {
            Method::TargetScores => Lesson::Position,
            Method::Pqr(_) => Lesson::Ranking(RivalDraw::new(self.job.seed)),
        }
    }

    /// Steps taken when the cursor stands there; also the number of the next
    /// batch of the stream.
    fn step_of(&self, cursor: &Cursor) -> u64 {
        u64::from(cursor.epoch) * self.job.config.batches_per_epoch() + cursor.batch
    }
}

/// What one call observes of itself; nothing of it decides the outcome.
struct Watch {
    outstanding: Outstanding,
    guard: Option<Guard>,
    vitals: Vitals,
    saved_step: u64,
    saved_at: Instant,
    /// How long this call has waited for batches of the running epoch.
    waited: Duration,
    /// When the running epoch began, and how long it had run before this call.
    epoch_began: Instant,
    epoch_before: f64,
}

impl Watch {
    fn new(compute: Compute, saved_step: u64, epoch_before: f64) -> Self {
        let now = Instant::now();
        Self {
            outstanding: Outstanding::new(compute),
            guard: None,
            vitals: Vitals::default(),
            saved_step,
            saved_at: now,
            waited: Duration::ZERO,
            epoch_began: now,
            epoch_before,
        }
    }

    fn seconds(&self) -> f64 {
        self.epoch_before + self.epoch_began.elapsed().as_secs_f64()
    }

    /// Share of this call's time in the running epoch that went by without a batch.
    fn waiting(&self) -> f64 {
        self.waited.as_secs_f64() / self.epoch_began.elapsed().as_secs_f64().max(1e-9)
    }

    fn begin_epoch(&mut self) {
        (self.epoch_began, self.epoch_before) = (Instant::now(), 0.0);
        self.waited = Duration::ZERO;
    }
}

fn pool(threads: usize) -> Result<ThreadPool, TrainingError> {
    ThreadPoolBuilder::new()
        .num_threads(if threads == 0 { base::cores() } else { threads })
        .thread_name(|i| format!("train-{i}"))
        .build()
        .map_err(|error| TrainingError::Threads { threads, reason: error.to_string() })
}
