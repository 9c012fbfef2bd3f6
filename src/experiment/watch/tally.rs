//! How the jobs of a plan stand, counted; and what is under way of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::forecast::Forecast;
use crate::watch::WatchError;
use base::Key;
use plan::{Plan, Results, RunDir, RunningJob, State, Status};
use report::now::{Doing, Now, Stage};
use training::{EpochMetrics, Train};

/// Jobs counted by kind: changes with results only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    stages: Vec<Stage>,
    failed: Vec<(String, String)>,
    /// What is known of the time of each kind.
    kinds: BTreeMap<&'static str, Times>,
}

/// Seconds of the jobs of one kind.
#[derive(Clone, Debug, Default)]
struct Times {
    /// Of those that are done: what each took.
    took: Vec<f64>,
    /// What was expected of those that are done, where it was.
    expected: Vec<(f64, f64)>,
    /// What is expected of each that is left, by its key; nothing where nobody can say.
    left: Vec<(Key, Option<f64>)>,
}

impl Times {
    /// What is left of the kind: as was expected, as much longer or shorter as it was for what is
    /// done, or else as long as what is done took on average. `share` is what is done of a job.
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

impl Tally {
    pub(crate) fn of(plan: &Plan, place: &RunDir) -> Result<Self, WatchError> {
        let (mut tally, results) = (Self::default(), Results::of(&place.folder));
        let states = plan::states(plan, place)?;
        for of_kind in plan::by_kind(plan, &states) {
            let stage = tally.stage(of_kind.stage);
            stage.jobs += of_kind.jobs;
            stage.done += of_kind.done + of_kind.failed;
        }
        let forecast = Forecast::kept(&place.folder);
        for (planned, state) in plan.jobs().iter().zip(states) {
            let expected = forecast.of_job(planned.key);
            let times = tally.kinds.entry(planned.job.kind()).or_default();
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
                State::Failed(reason) => tally.failed.push((planned.title.clone(), reason)),
                State::Impossible => {
                    tally.failed.push((planned.title.clone(), "what it needs failed".to_owned()));
                }
                _ => {}
            }
        }
        Ok(tally)
    }

    fn stage(&mut self, name: &str) -> &mut Stage {
        let known = self.stages.iter().position(|stage| stage.name == name);
        let at = known.unwrap_or_else(|| {
            self.stages.push(Stage { name: name.to_owned(), done: 0, jobs: 0 });
            self.stages.len() - 1
        });
        &mut self.stages[at]
    }

    /// With what is under way.
    pub(crate) fn now(&self, plan: &Plan, place: &RunDir) -> Result<Now, WatchError> {
        let under_way = plan::running(plan, place)?;
        let doing = under_way.iter().map(|one| doing(one, place)).collect::<Result<_, _>>()?;
        Ok(Now {
            stages: self.stages.clone(),
            doing,
            seconds_left: self.seconds_left(&under_way),
            failed: self.failed.clone(),
            grows: false,
        })
    }

    /// What is left is shared by all who are at it now; nothing while there is a job of which
    /// nobody can say how long it takes.
    fn seconds_left(&self, under_way: &[RunningJob<'_>]) -> Option<f64> {
        let share = |key: Key| {
            let own = under_way.iter().filter(|one| one.planned.key == key);
            let told = own.filter_map(|one| one.status.as_ref());
            let told = told.filter(|status| status.total > 0);
            told.map(|status| status.done as f64 / status.total as f64).sum::<f64>()
        };
        let kinds = self.kinds.values();
        let seconds: f64 = kinds.map(|times| times.seconds(share)).sum::<Option<f64>>()?;
        let holders: BTreeSet<&str> = under_way.iter().map(|one| one.holder.as_str()).collect();
        Some(seconds / holders.len().max(1) as f64)
    }
}

fn doing(one: &RunningJob<'_>, place: &RunDir) -> Result<Doing, WatchError> {
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
        let folder = place.folder.join(&planned.folder);
        doing.figures.extend(epochs(&folder)?.last().map(figures));
    }
    Ok(doing)
}

/// The epochs that a training has finished.
pub(crate) fn epochs(folder: &std::path::Path) -> Result<Vec<EpochMetrics>, WatchError> {
    let unreadable = |source| WatchError::Metrics { folder: folder.to_owned(), source };
    EpochMetrics::read(folder).map_err(unreadable)
}

/// Of its last epoch: `learning rate 0.00098, 246k positions/s in epoch 3`.
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
    fn time_left_is_what_is_expected_or_what_others_took() {
        let mut tally = Tally::default();
        tally.kinds.insert("train", Times { left: left(3, None), ..Times::default() });
        assert_eq!(tally.seconds_left(&[]), None, "nobody can say");
        tally.kinds.entry("train").or_default().took = vec![10.0, 20.0];
        assert_eq!(tally.seconds_left(&[]), Some(45.0));
        tally.kinds.insert("match", Times { left: left(2, Some(100.0)), ..Times::default() });
        assert_eq!(tally.seconds_left(&[]), Some(245.0), "from the start");
        // What is done took half as long as was expected of it.
        tally.kinds.entry("match").or_default().expected = vec![(50.0, 100.0)];
        assert_eq!(tally.seconds_left(&[]), Some(145.0));
    }
}
