//! End of a run: the net that is kept, and its health.

use super::Run;
use crate::config::TrainingConfig;
use crate::error::TrainingError;
use crate::health::HealthMonitor;
use crate::job::{TrainedNet, TrainingOutcome};
use crate::keep::{Keep, Kept};
use crate::metrics::Progress;
use crate::session::Session;
use nnue::FloatWeights;
use nnue_tools::check::Health;

impl Run<'_> {
    /// The net that is kept; an error if it is constant.
    pub(super) fn finish(
        &self,
        session: Session,
        monitor: &HealthMonitor,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<TrainingOutcome, TrainingError> {
        let (session, kept) = self.choose(session)?;
        observer(&Progress::Ended(&kept));
        let weights = session.weights();
        let health = self.health(&weights);
        if health.constant().is_some() {
            let (positions, odd) = (health.positions, health.odd());
            let learning_rate = self.job.config.learning_rate;
            return Err(TrainingError::Constant { positions, odd, learning_rate });
        }
        if let Some(warning) = monitor.at_the_end(&health, kept.epoch) {
            observer(&Progress::Warning(&warning));
        }
        let history = session.history.into_epochs();
        Ok(TrainingOutcome::Finished(Box::new(TrainedNet { weights, kept, history, health })))
    }

    /// Restores the net that is kept.
    fn choose(&self, session: Session) -> Result<(Session, Kept), TrainingError> {
        let TrainingConfig { keep, epochs, .. } = self.job.config;
        let newest = Kept::of(session.history.last().expect("a run has an epoch at least"));
        let best = session.history.best().map(Kept::of);
        let session = session.restore_snapshot().map_err(|reason| self.unreadable(reason))?;
        let kept = match (keep, keep.swa_count(newest.epoch, epochs)) {
            (Keep::Best, _) => best.unwrap_or(newest),
            (Keep::Swa { .. }, Some(averaged)) => Kept {
                first: newest.epoch + 1 - averaged,
                epoch: newest.epoch,
                validation_loss: self.validate(&session, self.example(), self.loss),
                validation_score_loss: self.score_loss(&session),
            },
            (Keep::Last | Keep::Swa { .. }, _) => newest,
        };
        Ok((session, kept))
    }

    pub(super) fn health(&self, weights: &FloatWeights) -> Health {
        self.pool.install(|| Health::of(weights, &self.job.features, &self.positions))
    }
}
