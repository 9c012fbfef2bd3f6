//! The steps of a range test.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Mixture, Noise, Run, Session, Target, TrainingError, TrainingJob, stream};
use crate::rate_test::{RateRange, RateTest, Try};

/// Tries learning rates on a fresh net, or the start net, of a job; `None` if it was stopped.
/// All settings except the rate and the schedules are those of the job. The job's folder gets
/// no file but the lock.
///
/// # Errors
/// As [`train`](super::train), but for those of checkpoints.
pub(crate) fn find_rate(
    job: &TrainingJob<'_>,
    range: RateRange,
    observer: &mut dyn FnMut(u32, &Try),
    stop: &AtomicBool,
) -> Result<Option<RateTest>, TrainingError> {
    let run = Run::new(job)?;
    let (network, _) = run.first_network()?;
    let mut session = Session::new(network, run.device.clone(), &job.config);
    let mut test = RateTest::default();
    std::thread::scope(|scope| {
        let encoder;
        (session, encoder) = run.lister(session, Noise::default());
        let mixture = Mixture::new(job.train.len(), job.stretches, job.seed);
        let target = |_| Target::at(&job.config, 0);
        let batches = stream(scope, &run.pool, encoder, target, mixture, job.config.batch, 0);
        for step in 0..range.steps() {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let batch = batches.recv().expect("the stream ends only with its receiver");
            let batch = batch.map_err(TrainingError::Samples)?;
            let rate = range.rate(step);
            let (next, loss) = run.step(session, batch, rate);
            session = next;
            let goes_on = test.take(rate, f64::from(loss.into_scalar::<f32>()));
            if let Some(last) = test.tries().last() {
                observer(step + 1, last);
            }
            if !goes_on {
                break;
            }
        }
        Ok(Some(test))
    })
}
