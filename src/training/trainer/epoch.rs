//! End of an epoch: validation, metrics, snapshot, checkpoint.

use super::{Run, RunState};
use crate::batch::{Encoder, Example};
use crate::checkpoint::Cursor;
use crate::config::TrainingConfig;
use crate::error::TrainingError;
use crate::keep::Keep;
use crate::loss::{Loss, TargetScores};
use crate::metrics::{EpochMetrics, Progress};
use crate::session::Session;

impl Run<'_> {
    /// Validates, records the metrics and saves.
    pub(super) fn finish_epoch(
        &self,
        session: &mut Session,
        state: &mut RunState,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<(), TrainingError> {
        let epoch = self.measure_epoch(session, state);
        let mut losses = std::iter::once(epoch.train_loss).chain(epoch.validation_loss);
        let sound = |loss: &f64| state.divergence.is_none_or(|check| check.accepts_mean(*loss));
        if let Some(loss) = losses.find(|loss| !sound(loss)) {
            return Err(self.diverged(&session.cursor, state, loss));
        }
        session.cursor = Cursor { epoch: epoch.epoch, ..Cursor::default() };
        session.history.push(epoch);
        self.take_snapshot(session).map_err(|reason| self.unreadable(reason))?;
        self.save(session, state)?;
        let health = self.health(&session.weights());
        if let Some(warning) = state.health.after_epoch(&health, session.cursor.epoch) {
            observer(&Progress::Warning(&warning));
        }
        state.begin_epoch();
        Ok(session.history.write(self.job.dir)?)
    }

    /// Snapshots the best epoch's net, or averages the epoch's weights into the snapshot.
    fn take_snapshot(&self, session: &mut Session) -> Result<(), String> {
        let TrainingConfig { keep, epochs, .. } = self.job.config;
        match keep {
            Keep::Best if session.history.ends_with_the_best() => session.take_snapshot(),
            Keep::Best | Keep::Last => Ok(()),
            Keep::Swa { .. } => match keep.swa_count(session.cursor.epoch, epochs) {
                Some(count) => session.average_into_snapshot(count),
                None => Ok(()),
            },
        }
    }

    fn measure_epoch(&self, session: &Session, state: &RunState) -> EpochMetrics {
        let config = &self.job.config;
        let validation_loss = self.validate(session, self.example(), self.loss);
        let validation_score_loss = self.score_loss(session);
        let step = self.step_of(&session.cursor);
        let Cursor { epoch, batch, loss_sum, .. } = session.cursor;
        let (size, seconds) = (config.batch as u64, state.seconds());
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
            waiting: state.waiting(),
        }
    }

    /// Loss of `target-scores` on the validation samples, if another loss is trained.
    pub(super) fn score_loss(&self, session: &Session) -> Option<f64> {
        let loss = Loss::TargetScores(TargetScores::new(&self.job.config));
        match self.loss {
            Loss::TargetScores(_) => None,
            Loss::Pqr(_) => self.validate(session, Example::Position, loss),
        }
    }

    pub(super) fn validate(&self, session: &Session, example: Example, loss: Loss) -> Option<f64> {
        let encoder = Encoder { example, ..self.encoder(self.job.validation.into()) };
        self.pool.install(|| session.validate(encoder, self.job.config.batch, loss))
    }
}
