//! The end of an epoch: what it came to, and what is kept of it.

use super::{Run, Watch};
use crate::batch::{Encoder, Lesson};
use crate::checkpoint::Cursor;
use crate::config::TrainingConfig;
use crate::error::TrainingError;
use crate::keep::Keep;
use crate::loss::{Loss, TargetScores};
use crate::metrics::{EpochMetrics, Progress};
use crate::session::Session;

impl Run<'_> {
    /// Validates, writes the epoch down and saves.
    pub(super) fn finish_epoch(
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
    pub(super) fn score_loss(&self, session: &Session) -> Option<f64> {
        let loss = Loss::TargetScores(TargetScores::new(&self.job.config));
        match self.loss {
            Loss::TargetScores(_) => None,
            Loss::Pqr(_) => self.validate(session, Lesson::Position, loss),
        }
    }

    pub(super) fn validate(&self, session: &Session, lesson: Lesson, loss: Loss) -> Option<f64> {
        let encoder = Encoder { lesson, ..self.encoder(self.job.validation.into()) };
        self.pool.install(|| session.validate(encoder, self.job.config.batch, loss))
    }
}
