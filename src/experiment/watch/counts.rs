//! Progress counts of the jobs of a plan, and its running jobs.

use std::collections::{BTreeMap, BTreeSet};

use crate::forecast::Forecast;
use crate::watch::WatchError;
use base::{Key, Shard};
use plan::{Plan, Results, RunDir, RunningJob, State, Status};
use report::now::{Doing, Now, StageProgress};
use training::{EpochMetrics, Train};

/// Jobs by kind; changes with results only.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgressCounts {
    stages: Vec<StageProgress>,
    failed: Vec<(String, String)>,
    /// Times of each kind.
    kinds: BTreeMap<&'static str, Times>,
}

/// Seconds of the jobs of one kind.
#[derive(Clone, Debug, Default)]
struct Times {
    /// Seconds of finished jobs.
    took: Vec<f64>,
    /// Taken and forecast seconds of finished jobs that have both.
    expected: Vec<(f64, f64)>,
    /// Open jobs with their forecast, where there is one.
    left: Vec<(Key, Option<f64>)>,
}

impl Times {
    /// Seconds left: the forecast, scaled by the error of the forecast so far; without a forecast
    /// the mean of finished jobs. `share` is the finished share of a job.
    fn seconds(&self, share: impl Fn(Key) -> f64) -> Option<f64> {
        let mean = self.took.iter().sum::<f64>() / self.took.len() as f64;
        let (took, expected) = self
            .expected
            .iter()
            .fold((0.0, 0.0), |sums, (took, expected)| (sums.0 + took, sums.1 + expected));
        let off = if expected > 0.0 { took / expected } else { 1.0 };
        let of_job = |(key, expected): &(Key, Option<f64>)| {
            let whole = expected.map(|seconds| seconds * off);
            let whole = whole.or((!self.took.is_empty()).then_some(mean))?;
            Some(whole * (1.0 - share(*key)).clamp(0.0, 1.0))
        };
        self.left.iter().map(of_job).sum()
    }
}

impl ProgressCounts {
    pub(crate) fn of(plan: &Plan, dir: &RunDir) -> Result<Self, WatchError> {
        let (mut counts, results) = (Self::default(), Results::of(&dir.folder));
        let states = plan::states(plan, dir)?;
        for of_kind in plan::by_kind(plan, &states) {
            let stage = counts.stage(of_kind.stage);
            stage.jobs += of_kind.jobs;
            stage.done += of_kind.done + of_kind.failed;
        }
        let forecast = Forecast::load(&dir.folder);
        for (planned, state) in plan.jobs().iter().zip(states) {
            let expected = forecast.of_job(planned.key);
            let times = counts.kinds.entry(planned.job.kind()).or_default();
            if !state.is_over() {
                times.left.push((planned.key, expected));
                continue;
            }
            if let Some(done) = results.get(planned.key)? {
                let took = done.provenance.seconds;
                times.took.push(took);
                times.expected.extend(expected.map(|expected| (took, expected)));
            }
            match state {
                State::Failed(reason) => counts.failed.push((planned.title.clone(), reason)),
                State::Impossible => {
                    counts.failed.push((planned.title.clone(), "failed dependency".to_owned()));
                }
                _ => {}
            }
        }
        Ok(counts)
    }

    fn stage(&mut self, name: &str) -> &mut StageProgress {
        let known = self.stages.iter().position(|stage| stage.name == name);
        let at = known.unwrap_or_else(|| {
            self.stages.push(StageProgress { name: name.to_owned(), done: 0, jobs: 0 });
            self.stages.len() - 1
        });
        &mut self.stages[at]
    }

    /// With the running jobs.
    pub(crate) fn now(&self, plan: &Plan, dir: &RunDir) -> Result<Now, WatchError> {
        let running = plan::running(plan, dir)?;
        let doing = running.iter().map(|one| doing(one, dir)).collect::<Result<_, _>>()?;
        Ok(Now {
            stages: self.stages.clone(),
            doing,
            seconds_left: self.seconds_left(&running),
            failed: self.failed.clone(),
            grows: false,
        })
    }

    /// Seconds left, shared by all processes at work; `None` while a job is unpredictable.
    fn seconds_left(&self, running: &[RunningJob<'_>]) -> Option<f64> {
        let share = |key: Key| {
            let own = running.iter().filter(|one| one.planned.key == key);
            own.filter_map(done).sum::<f64>()
        };
        let kinds = self.kinds.values();
        let seconds: f64 = kinds.map(|times| times.seconds(share)).sum::<Option<f64>>()?;
        let holders: BTreeSet<&str> = running.iter().map(|one| one.holder.as_str()).collect();
        Some(seconds / holders.len().max(1) as f64)
    }
}

/// Share of a job that a process has done; the total of a process with one shard is that of the
/// shard.
fn done(one: &RunningJob<'_>) -> Option<f64> {
    let status = one.status.as_ref().filter(|status| status.total > 0)?;
    let shards = one.shard.as_deref().and_then(Shard::from_slug).map_or(1, Shard::count);
    Some(status.done as f64 / status.total as f64 / f64::from(shards))
}

fn doing(one: &RunningJob<'_>, dir: &RunDir) -> Result<Doing, WatchError> {
    let RunningJob { planned, holder, status, .. } = one;
    let mut doing =
        Doing { title: planned.title.clone(), holder: holder.clone(), ..Doing::default() };
    if let Some(status) = status {
        let Status { stage, done, total, unit, per_second, note } = status.clone();
        let seconds_left = status.seconds_left();
        let figures = [note].into_iter().filter(|note| !note.is_empty()).collect();
        doing =
            Doing { title: stage, done, total, unit, per_second, seconds_left, figures, ..doing };
    }
    if planned.job.get::<Train>().is_some() {
        let folder = dir.folder.join(&planned.folder);
        doing.figures.extend(epochs(&folder)?.last().map(figures));
    }
    Ok(doing)
}

/// Finished epochs of a training.
pub(crate) fn epochs(folder: &std::path::Path) -> Result<Vec<EpochMetrics>, WatchError> {
    let unreadable = |source| WatchError::Metrics { folder: folder.to_owned(), source };
    EpochMetrics::read(folder).map_err(unreadable)
}

/// Figures of its last epoch: `learning rate 0.00098, 246k positions/s in epoch 3`.
pub(crate) fn figures(last: &EpochMetrics) -> String {
    let EpochMetrics { epoch, learning_rate, positions_per_second, .. } = last;
    let rate = base::format::compact(*positions_per_second);
    format!("learning rate {learning_rate:.2e} · {rate} positions/s in epoch {epoch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(jobs: usize, expected: Option<f64>) -> Vec<(Key, Option<f64>)> {
        (0..jobs).map(|job| (Key::of("job", &job).unwrap(), expected)).collect()
    }

    #[test]
    fn time_left_follows_the_forecast_or_the_mean() {
        let mut counts = ProgressCounts::default();
        counts.kinds.insert("train", Times { left: left(3, None), ..Times::default() });
        assert_eq!(counts.seconds_left(&[]), None, "unpredictable");
        counts.kinds.entry("train").or_default().took = vec![10.0, 20.0];
        assert_eq!(counts.seconds_left(&[]), Some(45.0));
        counts.kinds.insert("match", Times { left: left(2, Some(100.0)), ..Times::default() });
        assert_eq!(counts.seconds_left(&[]), Some(245.0), "from the start");
        // Finished jobs took half of their forecast.
        counts.kinds.entry("match").or_default().expected = vec![(50.0, 100.0)];
        assert_eq!(counts.seconds_left(&[]), Some(145.0));
    }
}
